internal import EventLoop
internal import Fragments
internal import Gateway
internal import Synchronization
internal import Weather

/// The program's routes: from a request to its answer.
final class Site: GatewayHandler {
    /// The settings that requests are answered by.
    struct Settings: Sendable {
        /// How long one answer may take.
        var deadline = Duration.zero
        var units = Units.metric
        var language = Language.english
        /// Label every answer as sample weather.
        var isSample = false
        /// Whether REMOTE_USER is whose trips they are.
        var trustsRemoteUser = false
        /// What one request may spend of upstream's budget.
        var unitsPerRequest = 0
        /// How long an answer that can be asked for again waits for the archive, once it has the forecast.
        var archiveWait = Duration.zero
        /// Whether the archive has another address than the forecast.
        var isArchiveApart = true
        /// How long saving a trip waits for its place.
        var placeWait = Duration.zero
    }

    /// The longest query that is read, in bytes: a hundred places, or a city of 200 characters percent-encoded.
    private static let longestQuery = 8_192

    let weather: WeatherCache
    let places: PlaceCache
    let archive: ArchiveCache
    /// Nil where none are kept.
    let trips: LazyTripStore?
    private let ideas: @Sendable () -> [TripIdea]
    let log: Log
    let unixTime: @Sendable () -> Double
    let requests = RequestMetrics()
    private let settings: Mutex<Settings>
    private let operations: Mutex<Operations>

    /// What the operator's routes answer with.
    struct Operations: Sendable {
        var isReady = true
        /// Adds what the site itself doesn't know: the gateway's and upstream's numbers.
        var metrics: @Sendable (inout MetricsText) -> Void = { _ in }
    }

    init(
        settings: Settings, places: PlaceCache, weather: WeatherCache, archive: ArchiveCache,
        trips: LazyTripStore? = nil,
        ideas: @escaping @Sendable () -> [TripIdea] = { [] }, log: Log,
        unixTime: @escaping @Sendable () -> Double = unixTimeNow
    ) {
        self.settings = Mutex(settings)
        operations = Mutex(Operations())
        (self.places, self.weather, self.archive, self.trips) = (places, weather, archive, trips)
        (self.ideas, self.log) = (ideas, log)
        self.unixTime = unixTime
    }

    /// Takes new settings: requests that come from now on have them.
    func apply(_ settings: Settings) {
        self.settings.withLock { $0 = settings }
    }

    /// Changes what `/readyz` and `/metrics` answer.
    func operate(_ change: (inout Operations) -> Void) {
        operations.withLock { change(&$0) }
    }

    // MARK: Requests

    func answer(_ request: GatewayRequest, on loop: EventLoop) -> GatewayAnswer {
        let settings = settings.withLock { $0 }
        let address = Address(request.parameters)
        let tag = address?.route.tag
        switch answer(request, at: address, settings) {
        case .ready(var response):
            response.tag = tag
            return .ready(response)
        case .pending(let work):
            return .pending {
                let budget = RequestBudget(of: request, settings)
                var response = await RequestBudget.$current.withValue(budget, operation: work)
                response.tag = tag
                return response
            }
        }
    }

    private func answer(
        _ request: GatewayRequest, at address: Address?, _ settings: Settings
    ) -> GatewayAnswer {
        var (context, representation) = context(of: request, at: address, settings)
        let defaults = QuestionReader.Defaults(
            units: settings.units, language: settings.language,
            acceptLanguage: request.parameters["HTTP_ACCEPT_LANGUAGE"])
        guard let address, trips != nil || !address.route.needsTrips else {
            return context.refuse(in: defaults.preferredLanguage, because: .noSuchAddress)
        }
        context.isPersonal = address.route.needsTrips
        context.failureForm = address.route.failureForm
        guard address.route.methods.contains(request.method) else {
            return context.refuse(
                in: defaults.preferredLanguage, because: .methodNotAllowed(address.route.methods))
        }
        switch address.route {
        case .readyz where trips != nil:
            return .pending {
                let isUsable = await self.trips?.isUsable ?? true
                return self.operation(.readyz, areTripsUsable: isUsable)
            }
        case .livez, .readyz, .metrics: return .ready(operation(address.route))
        default: break
        }
        guard representation != nil else {
            return context.refuse(in: defaults.preferredLanguage, because: .notAcceptable)
        }
        let queryString = request.parameters.bytes("QUERY_STRING") ?? []
        guard queryString.count <= Site.longestQuery else {
            return context.refuse(in: defaults.preferredLanguage, because: .addressTooLong)
        }
        var reader = QuestionReader(Query(queryString), defaults: defaults)
        switch address.route {
        case .places:
            if let query = reader.placesQuestion(&context.presentation) {
                return .pending { [context] in await self.places(query, context) }
            }
        case .weather:
            if let question = reader.weatherQuestion(&context.presentation) {
                return answer(question, context)
            }
        case .language:
            return .ready(Site.plain(Array(reader.pageLanguage().rawValue.utf8), vary: "Accept-Language"))
        case .ideas:
            if reader.ideasQuestion(&context.presentation) { return .ready(answerIdeas(context)) }
        default:
            guard let trips else { break }
            if let question = reader.tripQuestion(for: address.route, &context.presentation) {
                guard representation == .html || !address.route.isPageOnly else {
                    return context.refuse(in: context.presentation.language, because: .notAcceptable)
                }
                return answer(address, question, trips, context)
            }
        }
        return context.refuse(.badRequest(reader.query.faults, in: context.presentation.language))
    }

    /// A request before its query is read, and what Accept or the address make of its answer; nil if that is nothing.
    private func context(
        of request: GatewayRequest, at address: Address?, _ settings: Settings
    ) -> (RequestContext, Representation?) {
        let suffix = address?.suffix.flatMap { Representation(rawValue: $0) }
        let offers =
            address?.route.isWeather == true ? Representation.drawn : Representation.written
        let representation =
            suffix ?? Negotiation.representation(accept: request.parameters["HTTP_ACCEPT"], of: offers)
        let presentation = Presentation(
            units: settings.units, language: settings.language, representation: representation ?? .json)
        let context = RequestContext(
            request: request, presentation: presentation, isNegotiated: suffix == nil, settings: settings)
        return (context, representation)
    }

    func answer(
        refused request: GatewayRequest, because refusal: GatewayRefusal, limits: GatewayLimits
    ) -> GatewayResponse {
        let settings = settings.withLock { $0 }
        var (context, _) = context(of: request, at: Address(request.parameters), settings)
        let language = Negotiation.language(
            acceptLanguage: request.parameters["HTTP_ACCEPT_LANGUAGE"], usual: settings.language)
        let cause: Problem.Cause =
            switch refusal.status {
            case 408: .arrivedTooLate
            case 411: .lengthRequired
            case 413: .bodyTooLarge(limit: limits.bodyBytes)
            case 431: .headersTooLarge
            case 503: .overLimit
            default: .unreadableRequest
            }
        context.presentation.language = language
        return context.answer(Problem(because: cause, in: language)).response
    }

    func finished(_ request: GatewayRequest, _ end: GatewayEnd) {
        let status = RequestLine.status(of: end.outcome)
        requests.record(route(of: request, end.outcome), code: status, elapsed: end.elapsed)
        RequestLine.write(request, end, to: log)
    }

    /// The answer knows it, if there is one.
    private func route(of request: GatewayRequest, _ outcome: GatewayEnd.Outcome) -> Route? {
        switch outcome {
        case .answered(let response), .cut(let response):
            if let tag = response.tag { return Route(tag: tag) }
        case .cancelled, .refused: break
        }
        return Address(request.parameters)?.route
    }

    /// When this request gives up: the configured deadline, which the web server may lower for one request.
    func deadline(of context: RequestContext) -> ContinuousClock.Instant {
        var limit = context.settings.deadline
        if let text = context.request.parameters["REQUEST_DEADLINE"], !text.isEmpty {
            if let wanted = Duration(setting: text), wanted > .zero {
                limit = min(limit, wanted)
            } else {
                log.write(
                    "bad-parameter", level: "warning",
                    [("parameter", "REQUEST_DEADLINE"), ("value", String(text.prefix(40)))])
            }
        }
        return context.request.arrival.advanced(by: limit)
    }

    /// A failure to get the weather, with what the log wants to know of it.
    ///
    /// - Parameter retryAfter: For how long the failure is remembered.
    func answer(
        _ error: WeatherError, _ context: RequestContext, form: CardForm = .card, retryAfter: Duration? = nil
    ) -> Answer {
        var answer = Answer(
            context.problem(error, retryAfter: retryAfter), as: context.presentation,
            form: .weather(form, of: context.trip), isNegotiated: context.isNegotiated,
            caching: context.caching)
        answer.note("error", error.label)
        if let detail = error.logDetail { answer.note("detail", detail) }
        return answer
    }

    private func answerIdeas(_ context: RequestContext) -> GatewayResponse {
        context.answerRevalidated(Renderer.ideas(ideas(), as: context.presentation)).response
    }

    /// How many places a search field is given.
    private static let placesAtMost = 10

    private func places(_ query: PlaceQuery, _ context: RequestContext) async -> GatewayResponse {
        let begin = ContinuousClock.now
        var answer: Answer
        do throws(WeatherError) {
            let found = try await places.places(
                beginningWith: query, limit: Site.placesAtMost, until: deadline(of: context))
            answer = context.answerRevalidated(
                Renderer.places(
                    found, query: query.city, as: context.presentation, isSample: context.settings.isSample))
        } catch {
            answer = self.answer(error, context)
        }
        answer.timing([("place", begin.duration(to: .now))])
        return answer.response
    }

    /// Text that nobody may keep: what operators ask for, and the bare code of a page's language, which the page takes
    /// by an SSI include.
    private static func plain(
        _ body: [UInt8], status: Int = 200, version: String = "", vary: String? = nil
    ) -> GatewayResponse {
        var response = GatewayResponse(
            status: status,
            fields: [
                GatewayResponse.Field("Content-Type", "text/plain; \(version)charset=utf-8"),
                GatewayResponse.Field("Cache-Control", "no-store"),
            ], body: body)
        if let vary { response.fields.append(GatewayResponse.Field("Vary", vary)) }
        return response
    }

    // MARK: Operating

    private func operation(_ route: Route, areTripsUsable: Bool = true) -> GatewayResponse {
        let operations = operations.withLock { $0 }
        switch route {
        case .readyz:
            let words = operations.isReady ? "ready\n" : "stopping\n"
            return Site.plain(
                Array((areTripsUsable ? words : "trips.file was moved or removed\n").utf8),
                status: operations.isReady && areTripsUsable ? 200 : 503)
        case .metrics:
            var text = MetricsText()
            requests.write(to: &text)
            text.write(caches: [
                ("weather", weather.counters), ("places", places.counters), ("archive", archive.counters),
            ])
            trips?.writeMetrics(to: &text)
            operations.metrics(&text)
            return Site.plain(text.bytes, version: "version=0.0.4; ")
        default: return Site.plain(Array("alive\n".utf8))
        }
    }
}
