internal import Fragments
internal import Gateway
internal import Trips
internal import Weather

/// What changes trips. A write names the state that it was made for, so that none overwrites what its writer hasn't
/// seen; and it is acknowledged when it is on disk.
extension Site {
    func write(_ trips: TripContext) async -> GatewayResponse {
        do throws(Refusal) {
            return try await writing(trips).response
        } catch {
            switch error {
            case .problem(let problem): return trips.refuse(problem).response
            case .store(let error): return refuse(error, trips).response
            case .answer(let answer): return answer.response
            }
        }
    }

    /// Why a write isn't done.
    private enum Refusal: Error {
        case problem(Problem)
        case store(TripStoreError)
        /// In an answer of its own.
        case answer(Answer)
    }

    private func writing(_ trips: TripContext) async throws(Refusal) -> Answer {
        switch (trips.request.method, trips.address.route) {
        case ("POST", .trips): try await add(trips)
        case ("POST", .trip): try await edit(trips)
        case ("PUT", _): try await replace(trips)
        case ("PATCH", _): try await patch(trips)
        case ("DELETE", _): try await delete(trips, precondition: ifMatch(trips))
        case ("POST", .tripDeletion):
            try await delete(trips, precondition: Precondition(version: body(trips, .form).version))
        case ("POST", .tripShare): try await share(trips)
        case ("POST", .tripUnshare): try await unshare(trips)
        case ("POST", .forget): try await forget(trips)
        default:
            throw .problem(.methodNotAllowed(allow: trips.address.route.methods, in: trips.language))
        }
    }

    // MARK: Adding

    private func add(_ trips: TripContext) async throws(Refusal) -> Answer {
        let body = try body(trips, .json, .form)
        let key = body.key.flatMap { CreationKey($0) }
        // Only by its key can a form that was sent twice be told from two trips.
        guard key != nil || (body.key == nil && !trips.isForm) else {
            let fault: Problem.Fault =
                body.key == nil ? .missing : .notAKey(lengths: CreationKey.lengthRange)
            throw .problem(.badRequest([("key", fault)], in: trips.language))
        }
        let plan: TripPlan
        do throws(TripFaults) {
            plan = try body.draft.plan()
        } catch {
            let purpose = TripForm.Purpose.add(key: (key ?? CreationKey(from: .system)).text)
            throw refusal(error, body, purpose, trips)
        }
        let traveller = trips.traveller.id ?? .newVisitor()
        let trip: Trip
        do throws(TripStoreError) {
            let added = try await trips.trips.store().add(
                plan, key: key ?? CreationKey(from: .system), for: traveller)
            trip = await placed(added.trip, by: added.isNew ? traveller : nil, trips)
        } catch {
            guard case .alreadyAdded(let first) = error else { throw .store(error) }
            throw .answer(alreadyAdded(first, body, trips))
        }
        var answer = trips.isForm ? trips.done(formLeadsTo: "/") : written(trip, trips)
        if !trips.isForm {
            answer.status = 201
            answer.field("Location", "trips/\(trip.id)")
        }
        trips.remember(traveller, in: &answer)
        return answer
    }

    /// The browser's way back leads to a form that has added its trip already, and now holds another one.
    private func alreadyAdded(_ trip: Trip, _ body: TripBody, _ trips: TripContext) -> Answer {
        let problem = Problem.alreadyAdded(city: trip.plan.city, in: trips.language)
        guard trips.isForm else { return trips.refuse(problem) }
        let form = TripForm(
            purpose: .add(key: CreationKey(from: .system).text), fields: body.fields, message: problem.detail)
        return trips.document(
            Renderer.tripForm(form, as: trips.presentation), title: .adding, status: problem.status)
    }

    // MARK: Changing

    /// A form: changes what it names.
    private func edit(_ trips: TripContext) async throws(Refusal) -> Answer {
        let body = try body(trips, .form)
        guard let precondition = Precondition(version: body.version) else {
            throw .problem(.versionRequired(in: trips.language))
        }
        let seen = try await kept { () async throws(TripStoreError) in try await trips.trip() }
        let plan: TripPlan
        do throws(TripFaults) {
            plan = try body.draft.merged(into: seen.plan)
        } catch {
            throw refusal(error, body, .edit(id: seen.id, version: body.version ?? ""), trips)
        }
        // A form that names a few fields means the others as they are.
        let yours = { (current: Trip) in
            TripForm(
                purpose: .edit(id: current.id, version: current.version.description), fields: TripFields(plan)
            )
        }
        let (trip, traveller) = try await change(seen, to: plan, precondition, yours, trips)
        var answer = trips.isForm ? trips.done(formLeadsTo: "/trips/\(trip.id)") : written(trip, trips)
        trips.remember(traveller, in: &answer)
        return answer
    }

    private func replace(_ trips: TripContext) async throws(Refusal) -> Answer {
        let precondition = try ifMatch(trips)
        let body = try body(trips, .json)
        let seen = try await kept { () async throws(TripStoreError) in try await trips.trip() }
        return try await put(
            try plan(trips, { () throws(TripFaults) in try body.draft.plan() }), seen, precondition, trips)
    }

    private func patch(_ trips: TripContext) async throws(Refusal) -> Answer {
        let precondition = try ifMatch(trips)
        let body = try body(trips, .mergePatch)
        let seen = try await kept { () async throws(TripStoreError) in try await trips.trip() }
        let plan = try plan(trips) { () throws(TripFaults) in try body.draft.merged(into: seen.plan) }
        return try await put(plan, seen, precondition, trips)
    }

    private func plan(
        _ trips: TripContext, _ read: () throws(TripFaults) -> TripPlan
    ) throws(Refusal) -> TripPlan {
        do throws(TripFaults) {
            return try read()
        } catch {
            throw .problem(.tripFaults(error.all, in: trips.language))
        }
    }

    private func put(
        _ plan: TripPlan, _ seen: Trip, _ precondition: Precondition, _ trips: TripContext
    ) async throws(Refusal) -> Answer {
        let (trip, traveller) = try await change(seen, to: plan, precondition, nil, trips)
        var answer = written(trip, trips)
        trips.remember(traveller, in: &answer)
        return answer
    }

    /// - Parameter yours: what was sent as a form, to be shown beside what there is.
    private func change(
        _ seen: Trip, to plan: TripPlan, _ precondition: Precondition, _ yours: ((Trip) -> TripForm)?,
        _ trips: TripContext
    ) async throws(Refusal) -> (Trip, TravellerID) {
        let traveller = trips.traveller.id ?? .newVisitor()
        guard let version = precondition.version(of: seen) else {
            throw .answer(conflict(with: seen, yours, trips))
        }
        do throws(TripStoreError) {
            let trip = try await trips.trips.store().change(
                seen.id, ifVersion: version, to: plan, for: traveller)
            return (await placed(trip, by: traveller, trips), traveller)
        } catch {
            guard case .conflict(let current) = error else { throw .store(error) }
            throw .answer(conflict(with: current, yours, trips))
        }
    }

    private func conflict(with current: Trip, _ yours: ((Trip) -> TripForm)?, _ trips: TripContext) -> Answer
    {
        let problem = trips.problem(.conflict(current: current))
        if trips.isForm, let yours {
            return trips.document(
                Renderer.tripConflict(yours: yours(current), current: current, as: trips.presentation),
                title: .conflict(city: current.plan.city), status: problem.status)
        }
        return trips.refuse(problem)
    }

    // MARK: Deleting

    private func delete(
        _ trips: TripContext, precondition: Precondition?
    ) async throws(Refusal) -> Answer {
        guard let precondition else { throw .problem(.versionRequired(in: trips.language)) }
        let seen = try await kept { () async throws(TripStoreError) in try await trips.trip() }
        let traveller = trips.traveller.id ?? .newVisitor()
        do throws(TripStoreError) {
            guard let version = precondition.version(of: seen) else { throw .conflict(current: seen) }
            try await trips.trips.store().delete(seen.id, ifVersion: version, for: traveller)
        } catch {
            guard case .conflict(let current) = error else { throw .store(error) }
            guard trips.isForm else { throw .answer(conflict(with: current, nil, trips)) }
            // The trip as it is now, and the question once more.
            let problem = trips.problem(error)
            let fragment = Renderer.tripDeletion(
                current, message: problem.detail, as: trips.presentation)
            throw .answer(
                trips.document(
                    fragment, title: .deleting(city: current.plan.city), status: problem.status))
        }
        var answer = trips.done(formLeadsTo: "/")
        trips.remember(traveller, in: &answer)
        return answer
    }

    private func forget(_ trips: TripContext) async throws(Refusal) -> Answer {
        if let traveller = trips.traveller.id {
            try await kept { () async throws(TripStoreError) in
                try await trips.trips.store().forget(traveller)
            }
        }
        var answer = trips.done(formLeadsTo: "/")
        for cookie in TravellerCookie.remove(for: trips.request) { answer.field("Set-Cookie", cookie) }
        return answer
    }

    // MARK: Sharing

    private func share(_ trips: TripContext) async throws(Refusal) -> Answer {
        guard let id = trips.id else { throw .store(.gone) }
        let traveller = trips.traveller.id ?? .newVisitor()
        let share = try await kept { () async throws(TripStoreError) in
            try await trips.trips.store().share(id, for: traveller)
        }
        var answer =
            trips.isForm
            ? trips.done(formLeadsTo: "/trips/\(id)")
            : trips.answer(Renderer.shareLink(share, as: trips.presentation))
        trips.remember(traveller, in: &answer)
        return answer
    }

    private func unshare(_ trips: TripContext) async throws(Refusal) -> Answer {
        guard let id = trips.id else { throw .store(.gone) }
        guard let traveller = trips.traveller.id else { throw .store(.gone) }
        try await kept { () async throws(TripStoreError) in
            try await trips.trips.store().unshare(id, for: traveller)
        }
        var answer = trips.done(formLeadsTo: "/trips/\(id)")
        trips.remember(traveller, in: &answer)
        return answer
    }

    // MARK: Pieces

    private func kept<Value>(
        _ body: () async throws(TripStoreError) -> Value
    ) async throws(Refusal) -> Value {
        do throws(TripStoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }

    /// Reads the body, which must be of one of these kinds.
    private func body(_ trips: TripContext, _ forms: TripBody.Form...) throws(Refusal) -> TripBody {
        guard let form = TripBody.Form(contentType: trips.request.parameters["CONTENT_TYPE"]),
            forms.contains(form)
        else {
            throw .problem(.unsupportedMediaType(accept: forms.map(\.contentType), in: trips.language))
        }
        let request = trips.request
        guard !request.body.isEmpty || request.parameters.bytes("CONTENT_LENGTH")?.isEmpty == false else {
            throw .problem(.lengthRequired(in: trips.language))
        }
        let body: TripBody
        if form == .form {
            body = TripBody(form: trips.request.body)
        } else {
            do {
                body = try TripBody(json: trips.request.body)
            } catch {
                throw .problem(.unreadableBody(in: trips.language))
            }
        }
        guard body.strangers.isEmpty else {
            throw .problem(.badRequest(body.strangers, in: trips.language))
        }
        return body
    }

    private func ifMatch(_ trips: TripContext) throws(Refusal) -> Precondition {
        guard let precondition = Precondition(ifMatch: trips.request.parameters.entityTags("HTTP_IF_MATCH"))
        else {
            throw .problem(.versionRequired(in: trips.language))
        }
        return precondition
    }

    private func refusal(
        _ faults: TripFaults, _ body: TripBody, _ purpose: TripForm.Purpose, _ trips: TripContext
    ) -> Refusal {
        let problem = Problem.tripFaults(faults.all, in: trips.language)
        guard trips.isForm else { return .problem(problem) }
        let title: DocumentTitle =
            switch purpose {
            case .add: .adding
            case .edit: .editing(city: body.fields.city)
            }
        let form = TripForm(purpose: purpose, fields: body.fields, faults: faults.all)
        return .answer(
            trips.document(
                Renderer.tripForm(form, as: trips.presentation), title: title, status: problem.status))
    }

    private func written(_ trip: Trip, _ trips: TripContext) -> Answer {
        var answer = trips.answer(Renderer.writtenTrip(trip, as: trips.presentation))
        answer.field("ETag", trip.version.entityTag)
        return answer
    }

    /// The trip with its place, if that is found soon. The trip is saved already, whatever comes of this.
    ///
    /// - Parameter traveller: with whose trip the place is noted; nil for none.
    private func placed(_ trip: Trip, by traveller: TravellerID?, _ trips: TripContext) async -> Trip {
        let wait = trips.exchange.settings.placeWait
        guard trip.place == nil, wait > .zero else { return trip }
        let query = trips.placeQuery(of: trip.plan)
        do throws(WeatherError) {
            var trip = trip
            let place = try await places.place(
                for: query, until: min(deadline(of: trips.exchange), .now.advanced(by: wait)))
            if let traveller {
                guard await note(place, of: trip, foundFor: query, by: traveller, trips) else { return trip }
            }
            trip.place = place
            return trip
        } catch {
            return trip
        }
    }
}
