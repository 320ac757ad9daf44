internal import Fragments
internal import Gateway
internal import Storage
internal import Trips
internal import Weather

/// Trips: what is asked of them, and what is read. Nobody sees another's: every question names its traveller.
extension Site {
    func answer(
        _ address: Address, _ question: TripQuestion, _ store: LazyTripStore, _ exchange: Exchange
    ) -> GatewayAnswer {
        let trips = TripContext(
            exchange: exchange, address: address, question: question, trips: store,
            today: CalendarDate(unixTime: Int(unixTime()), utcOffset: 0))
        guard !trips.isWrite || !exchange.request.isCrossSite else {
            var answer = trips.refuse(.crossSite(in: trips.language))
            answer.note("origin", String((exchange.request.parameters["HTTP_ORIGIN"] ?? "").prefix(200)))
            answer.note("host", String((exchange.request.parameters["HTTP_HOST"] ?? "").prefix(200)))
            return .ready(answer.response)
        }
        return .pending { await self.answer(trips) }
    }

    private func answer(_ asked: TripContext) async -> GatewayResponse {
        var trips = asked
        do throws(TripStoreError) {
            if trips.address.route.isTravellers { trips.traveller = try await traveller(trips) }
            return trips.isWrite ? await write(trips) : try await reading(trips)
        } catch {
            return refuse(error, trips).response
        }
    }

    /// A failure of the store's, with what the log wants to know of it.
    func refuse(_ error: TripStoreError, _ trips: TripContext) -> Answer {
        var answer = trips.refuse(trips.problem(error))
        answer.note("error", error.label)
        if case .storage(let error) = error { answer.note("detail", error.description) }
        return answer
    }

    // MARK: Travellers

    /// Whose trips the request is about: the user's whom the web server has authenticated, if it may be believed, or
    /// else the visitor's whose key the browser sent. A key that was never given out is nobody's.
    private func traveller(_ trips: TripContext) async throws(TripStoreError) -> Traveller {
        let name = trips.exchange.settings.trustsRemoteUser ? trips.request.parameters["REMOTE_USER"] : nil
        let user = name.flatMap { TravellerID(remoteUser: $0) }
        let keys = TravellerCookie.keys(in: trips.request)
        let candidates = user.map { [$0] } ?? (keys.secure + keys.plain)
        guard !candidates.isEmpty, let (id, seen) = try await trips.trips.store().known(candidates) else {
            return Traveller(id: user)
        }
        // A plain cookie that came by https is of 0.2.0, or somebody else's doing: it gets a new key.
        let isPlain = trips.request.isSecure && user == nil && !keys.secure.contains(id)
        // What a page includes has no Host, and its Set-Cookie doesn't reach the browser.
        let isIncluded = trips.request.parameters["HTTP_HOST"] == nil
        guard seen.days(until: trips.today) >= (isIncluded ? 7 : 1) || (isPlain && trips.isWrite) else {
            return Traveller(id: id)
        }
        do throws(TripStoreError) {
            let renewed = try await trips.trips.store().see(id, withNewKey: isPlain)
            return Traveller(id: id, renewed: renewed)
        } catch {
            // The trips can be read all the same, and a write will say what is wrong.
            trips.trips.count(error)
            return Traveller(id: id)
        }
    }

    private func reading(_ trips: TripContext) async throws(TripStoreError) -> GatewayResponse {
        let presentation = trips.presentation
        let body: [UInt8]
        switch trips.address.route {
        case .trips:
            body = Renderer.trips(await named(try await trips.list(), trips), as: presentation)
        case .strip: return try await strip(trips)
        case .planner:
            let form = TripForm(
                purpose: .add(key: CreationKey(from: .system).text), fields: newFields(trips))
            body = Renderer.tripForm(form, as: presentation)
        case .forget: body = Renderer.forgetting(as: presentation)
        case .trip:
            let list = try await trips.list()
            let trip = await named(try trips.trip(in: list), trips)
            var answer = trips.answer(Renderer.trip(trip, in: list, as: presentation))
            answer.field("ETag", trip.version.entityTag)
            trips.remember(nil, in: &answer)
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
            var trip = try await shared(trips)
            trip.place = await named(trip.place, of: trip.plan, trips)
            body = Renderer.sharedTrip(trip, as: presentation)
        case .sharedWeather: return try await sharedWeather(trips)
        default: throw .gone
        }
        var answer = trips.answer(body)
        trips.remember(nil, in: &answer)
        return answer.response
    }

    /// What a new form begins with: what the address says, and for the rest a trip in a week.
    private func newFields(_ trips: TripContext) -> TripFields {
        var fields = trips.question.fields
        if fields.start.isEmpty { fields.start = trips.today.advanced(by: 7).description }
        if fields.nights.isEmpty { fields.nights = "3" }
        fields.price = "0"
        return fields
    }

    private func shared(_ trips: TripContext) async throws(TripStoreError) -> SharedTrip {
        guard let share = trips.share else { throw .gone }
        return try await trips.trips.store().shared(share)
    }

    // MARK: Weather

    private func tripWeather(_ trips: TripContext) async throws(TripStoreError) -> GatewayResponse {
        let trip = try await trips.trip()
        if let place = await named(trip.place, of: trip.plan, trips) {
            return await weather(at: .place(place), during: trip.plan.span, trips)
        }
        let query = trips.placeQuery(of: trip.plan)
        let response = await weather(at: .city(query), during: trip.plan.span, trips)
        // The weather found the place: the cache has it now.
        if let traveller = trips.traveller.id, case .success(let place) = places.hit(query) {
            await note(place, of: trip, foundFor: query, by: traveller, trips)
        }
        return response
    }

    private func sharedWeather(_ trips: TripContext) async throws(TripStoreError) -> GatewayResponse {
        let trip = try await shared(trips)
        let query = trips.placeQuery(of: trip.plan)
        let place = await named(trip.place, of: trip.plan, trips)
        return await weather(at: place.map { .place($0) } ?? .city(query), during: trip.plan.span, trips)
    }

    private func weather(
        at subject: WeatherQuestion.Subject, during span: TripSpan, _ trips: TripContext
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
        _ trips: TripContext
    ) async -> Bool {
        do throws(TripStoreError) {
            return try await trips.trips.store().setPlace(
                place, of: trip.id, foundFor: query, for: traveller)
        } catch {
            trips.trips.count(error)
            log.write("trip-place", level: "warning", [("error", error.label)])
            return false
        }
    }

    /// A line for each trip: one question for all whose place is known; the others say that they are loading, and
    /// are asked for one by one.
    private func strip(_ trips: TripContext) async throws(TripStoreError) -> GatewayResponse {
        let list = await named(try await trips.list(), trips)
        let language = trips.language.rawValue
        let located = list.trips.map { trip in (trip, trip.place ?? knownPlace(of: trip.plan, language)) }
        let start = ContinuousClock.now
        let results = await weather.lookUp(
            located.compactMap { $0.1?.coordinate }, until: deadline(of: trips.exchange))
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
        trips.remember(nil, in: &answer)
        return answer.response
    }

    // MARK: Names of places

    /// How many names one answer asks for at most; the others stand as somebody typed them.
    private static let namesAtMost = 10

    private func named(_ list: TripList, _ trips: TripContext) async -> TripList {
        await withTaskGroup(of: Trip.self) { group in
            for trip in list.trips.prefix(Site.namesAtMost) where trip.place != nil {
                group.addTask { await self.named(trip, trips) }
            }
            var list = list
            for await trip in group { list.replace(trip) }
            return list
        }
    }

    private func named(_ trip: Trip, _ trips: TripContext) async -> Trip {
        var trip = trip
        trip.place = await named(trip.place, of: trip.plan, trips)
        return trip
    }

    /// A trip's place with its names in the reader's language, if they are known or found soon.
    private func named(_ place: Place?, of plan: TripPlan, _ trips: TripContext) async -> Place? {
        let language = trips.language
        guard var named = place, let id = named.identifier,
            language != .english || !ExampleTrip.identifiers.contains(id)
        else { return place }
        var found = knownPlace(of: plan, language.rawValue)
        if found?.identifier != id {
            let wait = trips.exchange.settings.placeWait
            guard wait > .zero else { return place }
            do throws(WeatherError) {
                found = try await places.place(
                    id: id, language: language.rawValue,
                    until: min(deadline(of: trips.exchange), .now.advanced(by: wait)))
            } catch {
                // It stands as it was kept or typed.
                return place
            }
        }
        if let found { (named.name, named.country, named.region) = (found.name, found.country, found.region) }
        return named
    }

    /// A place that needn't be asked for.
    private func knownPlace(of plan: TripPlan, _ language: String) -> Place? {
        guard case .success(let place) = places.hit(plan.placeQuery(language: language)) else {
            return nil
        }
        return place
    }
}
