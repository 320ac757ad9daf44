package import EventLoop
package import Fragments
package import Gateway
internal import Synchronization
internal import Transport
package import Weather

/// The program's routes: from a request to its answer.
package final class Site: GatewayHandler {
    /// What a running program can change.
    package struct Settings: Sendable {
        package var deadline: Duration
        package var units: Units
        package var language: Language
        /// Label every answer as sample weather.
        package var isSample: Bool

        package init(_ configuration: Configuration) {
            deadline = configuration.requestDeadline
            units = Units(rawValue: configuration.answers.units) ?? .metric
            language = Language(rawValue: configuration.answers.language) ?? .english
            isSample = configuration.answers.sample
        }
    }

    /// The longest query that is read, in bytes: a city of 200 characters, percent-encoded, fits several times.
    private static let longestQuery = 4_096
    /// How many places a search field is given.
    private static let placesAtMost = 10

    private let settings: Mutex<Settings>
    private let service: WeatherService
    private let log: Log
    private let unixTime: @Sendable () -> Double

    package init(
        settings: Settings, search: any PlaceSearch, client: any WeatherClient, log: Log,
        unixTime: @escaping @Sendable () -> Double = unixTimeNow
    ) {
        self.settings = Mutex(settings)
        service = WeatherService(search: search, client: client)
        self.log = log
        self.unixTime = unixTime
    }

    /// Takes new settings: requests that come from now on have them.
    package func apply(_ settings: Settings) {
        self.settings.withLock { $0 = settings }
    }

    // MARK: Requests

    package func answer(_ request: GatewayRequest, on loop: EventLoop) -> GatewayAnswer {
        let settings = settings.withLock { $0 }
        let address = Address(request.parameters)
        let accept = request.parameters["HTTP_ACCEPT"]
        let suffix = address?.suffix.flatMap { Representation(rawValue: $0) }
        let representation = Negotiation.representation(accept: accept, suffix: suffix)
        var exchange = Exchange(
            request: request,
            presentation: Presentation(
                units: settings.units, language: settings.language, representation: representation ?? .json),
            isNegotiated: suffix == nil, settings: settings)
        guard let address else { return exchange.refuse(.noSuchAddress(in: settings.language)) }
        guard request.method == "GET" || request.method == "HEAD" else {
            return exchange.refuse(.methodNotAllowed(allow: address.route.methods, in: settings.language))
        }
        if address.route == .livez { return exchange.livez() }
        guard representation != nil else { return exchange.refuse(.notAcceptable(in: settings.language)) }
        let queryString = request.parameters.bytes("QUERY_STRING") ?? []
        guard queryString.count <= Site.longestQuery else {
            return exchange.refuse(.addressTooLong(in: settings.language))
        }
        var reader = QuestionReader(Query(queryString), defaults: (settings.units, settings.language))
        switch address.route {
        case .weather:
            guard let question = reader.weatherQuestion() else {
                exchange.presentation.language = reader.language()
                return exchange.refuse(.badRequest(reader.query.faults, in: exchange.presentation.language))
            }
            exchange.presentation.units = question.units
            exchange.presentation.language = question.language
            return .pending { [exchange] in await self.weather(question, exchange) }
        case .places:
            guard let (text, language) = reader.placesQuestion() else {
                exchange.presentation.language = reader.language()
                return exchange.refuse(.badRequest(reader.query.faults, in: exchange.presentation.language))
            }
            exchange.presentation.language = language
            return .pending { [exchange] in await self.places(text, exchange) }
        case .livez: return exchange.livez()
        }
    }

    package func finished(_ request: GatewayRequest, _ end: GatewayEnd) {
        RequestLine.write(request, end, to: log)
    }

    // MARK: Routes

    private func weather(_ question: WeatherQuestion, _ exchange: Exchange) async -> GatewayResponse {
        let outcome = await service.ask(question.subject, until: deadline(of: exchange))
        let start = ContinuousClock.now
        let now = Int(unixTime())
        var answer: Answer
        switch outcome.result {
        case .success((let location, let context)):
            let report = WeatherReport(
                location: location, context: context,
                trip: question.span.map { TripDays($0, in: context, atUnixTime: now) },
                updatedAt: now, now: now, isSample: exchange.settings.isSample)
            answer = Answer(
                Renderer.weather(.loaded(report), as: exchange.presentation), as: exchange.presentation,
                isNegotiated: exchange.isNegotiated, caching: .revalidated,
                ifNoneMatch: exchange.request.parameters["HTTP_IF_NONE_MATCH"])
        case .failure(let error):
            answer = self.answer(error, exchange)
        }
        answer.timing([
            ("place", outcome.placeTime), ("forecast", outcome.forecastTime),
            ("render", start.duration(to: .now)),
        ])
        return answer.response
    }

    private func places(_ text: String, _ exchange: Exchange) async -> GatewayResponse {
        let begin = ContinuousClock.now
        var answer: Answer
        do throws(WeatherError) {
            let places = try await service.search.places(
                beginningWith: text, language: exchange.presentation.language.rawValue,
                limit: Site.placesAtMost, until: deadline(of: exchange))
            answer = Answer(
                Renderer.places(places, query: text, as: exchange.presentation), as: exchange.presentation,
                isNegotiated: exchange.isNegotiated, caching: .revalidated,
                ifNoneMatch: exchange.request.parameters["HTTP_IF_NONE_MATCH"])
        } catch {
            answer = self.answer(error, exchange)
        }
        answer.timing([("place", begin.duration(to: .now))])
        return answer.response
    }

    private func answer(_ error: WeatherError, _ exchange: Exchange) -> Answer {
        var answer = Answer(
            Problem(error, in: exchange.presentation.language), as: exchange.presentation,
            isNegotiated: exchange.isNegotiated)
        answer.note("error", error.label)
        switch error {
        case .unreadable(let path): answer.note("unreadable", path)
        case .transport(.timedOut(let fault)), .transport(.failed(let fault)):
            answer.note("curl", "\(fault.code) \(fault.message)")
        default: break
        }
        return answer
    }

    /// When this request gives up: the configured deadline, which the web server may lower for one request.
    private func deadline(of exchange: Exchange) -> ContinuousClock.Instant {
        var patience = exchange.settings.deadline
        if let text = exchange.request.parameters["REQUEST_DEADLINE"], !text.isEmpty {
            if let wanted = Duration(setting: text), wanted > .zero {
                patience = min(patience, wanted)
            } else {
                log.write(
                    "bad-parameter", level: "warning",
                    [("parameter", "REQUEST_DEADLINE"), ("value", String(text.prefix(40)))])
            }
        }
        return exchange.request.arrival.advanced(by: patience)
    }
}

/// One request on its way to an answer.
private struct Exchange: Sendable {
    let request: GatewayRequest
    var presentation: Presentation
    /// Whether Accept decided what the answer is.
    let isNegotiated: Bool
    let settings: Site.Settings

    func refuse(_ problem: Problem) -> GatewayAnswer {
        .ready(Answer(problem, as: presentation, isNegotiated: isNegotiated).response)
    }

    func livez() -> GatewayAnswer {
        .ready(
            GatewayResponse(
                status: 200,
                fields: [
                    GatewayResponse.Field("Content-Type", "text/plain; charset=utf-8"),
                    GatewayResponse.Field("Cache-Control", "no-store"),
                ], body: Array("alive\n".utf8)))
    }
}
