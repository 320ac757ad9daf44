internal import Fragments
internal import Gateway
internal import Trips
internal import Weather

/// Trips: what is asked of them, and what is read. Nobody sees another's: every question names its traveller.
extension Site {
    func answer(
        _ address: Address, _ question: TripQuestion, _ store: LazyTripStore, _ context: RequestContext
    ) -> GatewayAnswer {
        let trips = TripRequest(
            site: self, context: context, address: address, question: question, trips: store,
            today: CalendarDate(unixTime: Int(unixTime()), utcOffset: 0))
        guard !trips.isWrite || !context.request.isCrossSite else {
            var answer = trips.refuse(Problem(because: .crossSite, in: trips.language))
            answer.note("origin", String((context.request.parameters["HTTP_ORIGIN"] ?? "").prefix(200)))
            answer.note("host", String((context.request.parameters["HTTP_HOST"] ?? "").prefix(200)))
            return .ready(answer.response)
        }
        return .pending { await trips.answer() }
    }
}

extension TripRequest {
    func answer() async -> GatewayResponse {
        var known = self
        do throws(TripStoreError) {
            if address.route.isTravellers { known.traveller = try await findTraveller() }
            return isWrite ? await known.write().response : try await known.read()
        } catch {
            return refuse(error).response
        }
    }

    // MARK: Travellers

    /// Whose trips the request is about: the user's whom the web server has authenticated, if it may be believed, or
    /// else the visitor's whose key the browser sent. A key that was never given out is nobody's.
    private func findTraveller() async throws(TripStoreError) -> Traveller {
        let name = context.settings.trustsRemoteUser ? request.parameters["REMOTE_USER"] : nil
        let user = name.flatMap { TravellerID(remoteUser: $0) }
        let keys = TravellerCookie.keys(in: request)
        let candidates = user.map { [$0] } ?? (keys.secure + keys.plain)
        guard !candidates.isEmpty, let (id, seen) = try await trips.store().known(candidates) else {
            return Traveller(id: user)
        }
        // A plain cookie that came by https is of 0.2.0, or somebody else's doing: it gets a new key.
        let isPlain = request.isSecure && user == nil && !keys.secure.contains(id)
        // What a page includes has no Host, and its Set-Cookie doesn't reach the browser.
        let isIncluded = request.parameters["HTTP_HOST"] == nil
        guard seen.days(until: today) >= (isIncluded ? 7 : 1) || (isPlain && isWrite) else {
            return Traveller(id: id)
        }
        do throws(TripStoreError) {
            let renewed = try await trips.store().see(id, withNewKey: isPlain)
            return Traveller(id: id, renewed: renewed)
        } catch {
            // The trips can be read all the same, and a write will say what is wrong.
            trips.count(error)
            return Traveller(id: id)
        }
    }

    private func read() async throws(TripStoreError) -> GatewayResponse {
        let presentation = presentation
        let body: [UInt8]
        switch address.route {
        case .trips:
            body = Renderer.trips(await named(try await list()), on: today, as: presentation)
        case .strip: return try await strip()
        case .planner:
            let form = TripForm(
                purpose: .add(key: CreationKey(from: .system).text), fields: newFields())
            body = Renderer.tripForm(form, as: presentation)
        case .forget: body = Renderer.forgetting(as: presentation)
        case .trip:
            let list = try await list()
            let trip = await named(try trip(in: list))
            var answer = answer(Renderer.trip(trip, in: list, as: presentation))
            answer.field("ETag", trip.version.entityTag)
            return remembering(answer).response
        case .tripCard:
            let list = try await list()
            body = Renderer.tripCard(try trip(in: list), in: list, as: presentation)
        case .tripForm:
            let trip = try await trip()
            let form = TripForm(
                purpose: .edit(id: trip.id, version: trip.version.description),
                fields: TripFields(trip.plan, at: trip.place))
            body = Renderer.tripForm(form, as: presentation)
        case .tripDeletion: body = Renderer.tripDeletion(try await trip(), as: presentation)
        case .tripWeather: return try await tripWeather()
        case .shared:
            var trip = try await shared()
            trip.place = await named(trip.place, of: trip.plan)
            body = Renderer.sharedTrip(trip, as: presentation)
        case .sharedWeather: return try await sharedWeather()
        default: throw .gone
        }
        return remembering(answer(body)).response
    }

    /// What a new form begins with: what the address says, and for the rest a trip in a week.
    private func newFields() -> TripFields {
        var fields = question.fields
        if fields.start.isEmpty { fields.start = today.advanced(by: 7).description }
        if fields.nights.isEmpty { fields.nights = "3" }
        fields.price = "0"
        return fields
    }

    private func shared() async throws(TripStoreError) -> SharedTrip {
        guard let share = address.name.flatMap({ ShareID($0) }) else { throw .gone }
        return try await trips.store().shared(share)
    }

    // MARK: Weather

    private func tripWeather() async throws(TripStoreError) -> GatewayResponse {
        let trip = try await trip()
        if let place = await named(trip.place, of: trip.plan) {
            return await weather(at: .place(place), during: trip.plan.span, of: trip.id)
        }
        let query = placeQuery(of: trip.plan)
        let response = await weather(at: .city(query), during: trip.plan.span, of: trip.id)
        // The weather found the place: the cache has it now.
        if let traveller = traveller.id, case .success(let place) = site.places.hit(query) {
            await note(place, of: trip, foundFor: query, by: traveller)
        }
        return response
    }

    private func sharedWeather() async throws(TripStoreError) -> GatewayResponse {
        let trip = try await shared()
        let query = placeQuery(of: trip.plan)
        let place = await named(trip.place, of: trip.plan)
        return await weather(at: place.map { .place($0) } ?? .city(query), during: trip.plan.span)
    }

    private func weather(
        at subject: WeatherQuestion.Subject, during span: TripSpan, of trip: TripID? = nil
    ) async -> GatewayResponse {
        var context = context
        context.trip = trip
        let question = WeatherQuestion(
            subject: subject, span: span, isRefresh: question.isRefresh, form: question.form)
        switch site.answer(question, context) {
        case .ready(let response): return response
        case .pending(let work): return await work()
        }
    }

    /// Notes where a trip goes. That it couldn't be noted is in nobody's way.
    @discardableResult
    func note(
        _ place: Place, of trip: Trip, foundFor query: PlaceQuery, by traveller: TravellerID
    ) async -> Bool {
        do throws(TripStoreError) {
            return try await trips.store().setPlace(
                place, of: trip.id, foundFor: query, for: traveller)
        } catch {
            trips.count(error)
            site.log.write("trip-place", level: "warning", [("error", error.label)])
            return false
        }
    }

    /// A line for each trip: one question for all whose place is known; the others say that they are loading, and
    /// are asked for one by one.
    private func strip() async throws(TripStoreError) -> GatewayResponse {
        let list = await named(try await list())
        let language = language.rawValue
        let located = list.groups(on: today).flatMap(\.trips).map { trip in
            (trip, trip.place ?? knownPlace(of: trip.plan, language))
        }
        let start = ContinuousClock.now
        let results = await site.weather.lookUp(
            located.compactMap { $0.1?.coordinate }, refresh: question.isRefresh,
            until: site.deadline(of: context))
        let elapsed = start.duration(to: .now)
        let states = await site.states(
            of: results, at: located.compactMap { trip, place in place.map { (.named($0), trip.plan.span) } },
            context)
        var next = states.makeIterator()
        let items = located.map { trip, place -> StripItem in
            (trip: trip, state: place == nil ? .loading() : next.next() ?? .loading())
        }
        var answer = answer(Renderer.strip(items, as: presentation))
        answer.timing([("forecast", elapsed)])
        return remembering(answer).response
    }

    // MARK: Names of places

    /// Until when an answer waits for a place that it could do without; nil if it isn't to wait.
    var placeDeadline: ContinuousClock.Instant? {
        let wait = context.settings.placeWait
        return wait > .zero ? min(site.deadline(of: context), .now.advanced(by: wait)) : nil
    }

    /// How many names one answer asks for at most; the others stand as somebody typed them.
    private static let namesAtMost = 10

    private func named(_ list: TripList) async -> TripList {
        await withTaskGroup(of: Trip.self) { group in
            for trip in list.trips.prefix(TripRequest.namesAtMost) where trip.place != nil {
                group.addTask { await self.named(trip) }
            }
            var list = list
            for await trip in group { list.replace(trip) }
            return list
        }
    }

    private func named(_ trip: Trip) async -> Trip {
        var trip = trip
        trip.place = await named(trip.place, of: trip.plan)
        return trip
    }

    /// A trip's place with its names in the reader's language, if they are known or found soon.
    private func named(_ place: Place?, of plan: TripPlan) async -> Place? {
        let language = language
        guard var named = place, let id = named.identifier,
            language != .english || !ExampleTrip.identifiers.contains(id)
        else { return place }
        var found = knownPlace(of: plan, language.rawValue)
        if found?.identifier != id {
            guard let placeDeadline else { return place }
            do throws(WeatherError) {
                found = try await site.places.place(
                    id: id, language: language.rawValue, until: placeDeadline)
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
        guard case .success(let place) = site.places.hit(plan.placeQuery(language: language)) else {
            return nil
        }
        return place
    }
}
