internal import Fragments
internal import Gateway
internal import Storage
internal import Trips
internal import Weather

/// Trips: what is asked of them, and what is read. Nobody sees another's: every question names its traveller.
extension Site {
    func answer(
        _ address: Address, _ question: TripQuestion, _ keeping: TripKeeping, _ exchange: Exchange
    ) -> GatewayAnswer {
        let trips = TripExchange(
            exchange: exchange, address: address, question: question, keeping: keeping,
            traveller: Traveller(
                exchange.request.parameters, trustsRemoteUser: exchange.settings.trustsRemoteUser),
            today: CalendarDate(unixTime: Int(unixTime()), utcOffset: 0))
        switch exchange.request.method {
        case "GET", "HEAD": return .pending { await self.read(trips) }
        default:
            guard !exchange.request.isCrossSite else {
                return .ready(trips.refuse(.crossSite(in: trips.language)).response)
            }
            return .pending { await self.write(trips) }
        }
    }

    private func read(_ trips: TripExchange) async -> GatewayResponse {
        do throws(TripStoreError) {
            return try await reading(trips)
        } catch {
            return refuse(error, trips).response
        }
    }

    /// A failure of the store's, with what the log wants to know of it.
    func refuse(_ error: TripStoreError, _ trips: TripExchange) -> Answer {
        var answer = trips.refuse(trips.problem(error))
        answer.note("error", error.label)
        if case .storage(let error) = error { answer.note("detail", error.description) }
        return answer
    }

    private func reading(_ trips: TripExchange) async throws(TripStoreError) -> GatewayResponse {
        let presentation = trips.presentation
        let body: [UInt8]
        switch trips.address.route {
        case .trips: body = Renderer.trips(try await trips.list(), as: presentation)
        case .strip: return try await strip(trips)
        case .planner:
            let form = TripForm(
                purpose: .add(key: CreationKey(from: .system).text), fields: newFields(trips))
            body = Renderer.tripForm(form, as: presentation)
        case .forget: body = Renderer.forgetting(as: presentation)
        case .trip:
            let list = try await trips.list()
            let trip = try trips.trip(in: list)
            var answer = trips.answer(Renderer.trip(trip, in: list, as: presentation))
            answer.field("ETag", trip.version.entityTag)
            return answer.response
        case .tripCard:
            let list = try await trips.list()
            body = Renderer.tripCard(try trips.trip(in: list), in: list, as: presentation)
        case .tripForm:
            let trip = try await trips.trip()
            let form = TripForm(
                purpose: .edit(id: trip.id, version: trip.version.description), fields: TripFields(trip.plan))
            body = Renderer.tripForm(form, as: presentation)
        case .tripDeletion: body = Renderer.tripDeletion(try await trips.trip(), as: presentation)
        case .tripWeather: return try await tripWeather(trips)
        case .shared:
            body = Renderer.sharedTrip(try await shared(trips), as: presentation)
        case .sharedWeather: return try await sharedWeather(trips)
        default: throw .gone
        }
        return trips.answer(body).response
    }

    /// What a new form begins with: what the address says, and for the rest a trip in a week.
    private func newFields(_ trips: TripExchange) -> TripFields {
        var fields = trips.question.fields
        if fields.start.isEmpty { fields.start = trips.today.advanced(by: 7).description }
        if fields.nights.isEmpty { fields.nights = "3" }
        fields.price = "0"
        return fields
    }

    private func shared(_ trips: TripExchange) async throws(TripStoreError) -> SharedTrip {
        guard let share = trips.share else { throw .gone }
        return try await trips.keeping.store().shared(share)
    }

    // MARK: Weather

    private func tripWeather(_ trips: TripExchange) async throws(TripStoreError) -> GatewayResponse {
        let trip = try await trips.trip()
        if let place = trip.place {
            return await weather(at: .place(place), during: trip.plan.span, trips)
        }
        let query = trip.plan.placeQuery(language: trips.language.rawValue)
        let response = await weather(at: .city(query), during: trip.plan.span, trips)
        // The weather found the place: the cache has it now.
        if let traveller = trips.traveller.id, case .success(let place) = places.hit(query) {
            await note(place, of: trip, foundFor: query, by: traveller, trips)
        }
        return response
    }

    private func sharedWeather(_ trips: TripExchange) async throws(TripStoreError) -> GatewayResponse {
        let trip = try await shared(trips)
        let query = trip.plan.placeQuery(language: trips.language.rawValue)
        return await weather(
            at: trip.place.map { .place($0) } ?? .city(query), during: trip.plan.span, trips)
    }

    private func weather(
        at subject: WeatherQuestion.Subject, during span: TripSpan, _ trips: TripExchange
    ) async -> GatewayResponse {
        let question = WeatherQuestion(
            subject: subject, span: span, units: trips.question.units, language: trips.question.language,
            isRefresh: trips.question.isRefresh, form: trips.question.form)
        switch answer(question, trips.exchange) {
        case .ready(let response): return response
        case .pending(let work): return await work()
        }
    }

    /// Notes where a trip goes. That it couldn't be noted is in nobody's way.
    @discardableResult
    func note(
        _ place: Place, of trip: Trip, foundFor query: PlaceQuery, by traveller: TravellerID,
        _ trips: TripExchange
    ) async -> Bool {
        do throws(TripStoreError) {
            return try await trips.keeping.store().setPlace(
                place, of: trip.id, foundFor: query, for: traveller)
        } catch {
            trips.keeping.count(error)
            log.write("trip-place", level: "warning", [("error", error.label)])
            return false
        }
    }

    /// A line for each trip: one question for all whose place is known; the others say that they are loading, and
    /// are asked for one by one.
    private func strip(_ trips: TripExchange) async throws(TripStoreError) -> GatewayResponse {
        let list = try await trips.list()
        let language = trips.language.rawValue
        let located = list.trips.map { trip in (trip, trip.place ?? knownPlace(of: trip, language)) }
        let start = ContinuousClock.now
        let results = await weather.weather(
            for: located.compactMap { $0.1?.coordinate }, until: deadline(of: trips.exchange))
        let elapsed = start.duration(to: .now)
        let now = Int(unixTime())
        var next = results.makeIterator()
        let items = located.map { trip, place -> StripItem in
            guard let place, let result = next.next() else {
                return StripItem(trip: trip, state: .loading())
            }
            return StripItem(
                trip: trip, state: state(of: result, at: .named(place), nil, trips.exchange, now: now))
        }
        var answer = trips.answer(Renderer.strip(items, as: trips.presentation))
        answer.timing([("forecast", elapsed)])
        return answer.response
    }

    /// A place that needn't be asked for.
    private func knownPlace(of trip: Trip, _ language: String) -> Place? {
        guard case .success(let place) = places.hit(trip.plan.placeQuery(language: language)) else {
            return nil
        }
        return place
    }
}
