internal import Fragments
internal import Gateway
internal import Trips
internal import Weather

/// What changes trips. A write names the state that it was made for, so that none overwrites what its writer hasn't
/// seen; and it is acknowledged when it is on disk.
extension TripRequest {
    func write() async -> Answer {
        do throws(Answer) {
            return try await writing()
        } catch {
            return error
        }
    }

    private func refuse(because cause: Problem.Cause) -> Answer {
        refuse(Problem(because: cause, in: language))
    }

    /// A problem: to a browser that sent a form a whole document, with a fragment to go on with.
    private func refuse(
        _ problem: Problem, title: DocumentTitle, _ fragment: @autoclosure () -> [UInt8]
    ) -> Answer {
        guard isForm else { return refuse(problem) }
        var answer = answer(Renderer.document(fragment(), title: title, as: presentation))
        answer.status = problem.status
        return answer
    }

    private func writing() async throws(Answer) -> Answer {
        switch (request.method, address.route) {
        case ("POST", .trips): try await add()
        case ("POST", .trip): try await edit(by: .form)
        case ("PUT", _): try await edit(by: .json)
        case ("PATCH", _): try await edit(by: .mergePatch)
        case ("DELETE", _): try await delete(precondition: ifMatch())
        case ("POST", .tripDeletion):
            try await delete(precondition: Precondition(version: body(.form).version))
        case ("POST", .tripShare): try await share()
        case ("POST", .tripUnshare): try await unshare()
        case ("POST", .forget): try await forget()
        default:
            throw refuse(because: .methodNotAllowed(address.route.methods))
        }
    }

    // MARK: Adding

    private func add() async throws(Answer) -> Answer {
        let body = try body(.json, .form)
        let key = body.key.flatMap { CreationKey($0) }
        // Only by its key can a form that was sent twice be told from two trips.
        guard key != nil || (body.key == nil && !isForm) else {
            let fault: Problem.Fault =
                body.key == nil ? .missing : .notAKey(lengths: CreationKey.lengthRange)
            throw refuse(.badRequest([("key", fault)], in: language))
        }
        let newKey = key ?? CreationKey(from: .system)
        let plan = try plan(body, over: nil, .add(key: newKey.text))
        let place = try await meantPlace(body, plan, instead: nil)
        let traveller = traveller.id ?? .newVisitor()
        let trip: Trip
        do throws(TripStoreError) {
            let added = try await trips.store().add(plan, at: place, key: newKey, for: traveller)
            trip = await placed(added.trip, by: added.isNew ? traveller : nil)
        } catch {
            guard case .alreadyAdded(let first) = error else { throw refuse(error) }
            // The browser's way back leads to a form that has added its trip already, and now holds another one.
            let problem = Problem(because: .alreadyAdded(city: first.plan.city), in: language)
            let form = TripForm(
                purpose: .add(key: CreationKey(from: .system).text), fields: body.fields,
                message: problem.detail)
            throw refuse(problem, title: .adding, Renderer.tripForm(form, as: presentation))
        }
        if isForm { return done(formLeadsTo: "/", by: traveller) }
        var answer = written(trip, by: traveller)
        answer.status = 201
        answer.field("Location", "trips/\(trip.id)")
        return answer
    }

    // MARK: Changing

    /// A trip in JSON takes the place of the one there is; a form and a merge patch change what they name.
    private func edit(by form: TripBody.Form) async throws(Answer) -> Answer {
        let precondition = form == .form ? nil : try ifMatch()
        let body = try body(form)
        guard let precondition = precondition ?? Precondition(version: body.version) else {
            throw refuse(because: .versionRequired)
        }
        let seen = try await seen()
        let plan = try plan(
            body, over: form == .json ? nil : seen.plan, .edit(id: seen.id, version: body.version ?? ""))
        let traveller = traveller.id ?? .newVisitor()
        guard let version = precondition.version(of: seen) else { throw conflict(with: seen, plan) }
        let place = try await meantPlace(body, plan, instead: seen)
        let trip: Trip
        do throws(TripStoreError) {
            let changed = try await trips.store().change(
                seen.id, ifVersion: version, to: plan, at: place, for: traveller)
            trip = await placed(changed, by: traveller)
        } catch {
            guard case .conflict(let current) = error else { throw refuse(error) }
            throw conflict(with: current, plan)
        }
        return isForm
            ? done(formLeadsTo: "/trips/\(trip.id)", by: traveller) : written(trip, by: traveller)
    }

    /// - Parameter yours: what was sent, to be shown in a form beside what there is: a field that the form doesn't
    ///   name means what it was.
    private func conflict(with current: Trip, _ yours: TripPlan) -> Answer {
        let form = TripForm(
            purpose: .edit(id: current.id, version: current.version.description), fields: TripFields(yours))
        return refuse(
            problem(.conflict(current: current)), title: .conflict(city: current.plan.city),
            Renderer.tripConflict(yours: form, current: current, as: presentation))
    }

    // MARK: Deleting

    private func delete(precondition: Precondition?) async throws(Answer) -> Answer {
        guard let precondition else { throw refuse(because: .versionRequired) }
        let seen = try await seen()
        let traveller = traveller.id ?? .newVisitor()
        do throws(TripStoreError) {
            guard let version = precondition.version(of: seen) else { throw .conflict(current: seen) }
            try await trips.store().delete(seen.id, ifVersion: version, for: traveller)
        } catch {
            guard case .conflict(let current) = error else { throw refuse(error) }
            let problem = problem(error)
            // The trip as it is now, and the question once more.
            throw refuse(
                problem, title: .deleting(city: current.plan.city),
                Renderer.tripDeletion(current, message: problem.detail, as: presentation))
        }
        return done(formLeadsTo: "/", by: traveller)
    }

    private func forget() async throws(Answer) -> Answer {
        if let traveller = traveller.id {
            try await kept { () async throws(TripStoreError) in
                try await trips.store().forget(traveller)
            }
        }
        var answer = done(formLeadsTo: "/", by: nil)
        for cookie in TravellerCookie.remove(for: request) { answer.field("Set-Cookie", cookie) }
        return answer
    }

    // MARK: Sharing

    private func share() async throws(Answer) -> Answer {
        guard let id else { throw refuse(TripStoreError.gone) }
        let traveller = traveller.id ?? .newVisitor()
        let share = try await kept { () async throws(TripStoreError) in
            try await trips.store().share(id, for: traveller)
        }
        return isForm
            ? done(formLeadsTo: "/trips/\(id)", by: traveller)
            : remembering(answer(Renderer.shareLink(share, as: presentation)), traveller)
    }

    private func unshare() async throws(Answer) -> Answer {
        guard let id, let traveller = traveller.id else { throw refuse(TripStoreError.gone) }
        try await kept { () async throws(TripStoreError) in
            try await trips.store().unshare(id, for: traveller)
        }
        return done(formLeadsTo: "/trips/\(id)", by: traveller)
    }

    // MARK: Pieces

    private func kept<Value>(
        _ body: () async throws(TripStoreError) -> Value
    ) async throws(Answer) -> Value {
        do throws(TripStoreError) {
            return try await body()
        } catch {
            throw refuse(error)
        }
    }

    /// The trip as it is, before it is changed.
    private func seen() async throws(Answer) -> Trip {
        try await kept { () async throws(TripStoreError) in try await trip() }
    }

    /// Reads the body, which must be of one of these kinds.
    private func body(_ forms: TripBody.Form...) throws(Answer) -> TripBody {
        guard let form = TripBody.Form(contentType: request.parameters["CONTENT_TYPE"]),
            forms.contains(form)
        else {
            throw refuse(because: .unsupportedMediaType(forms.map(\.rawValue)))
        }
        // Of a body sent in chunks the length is "-1", or none, even if nothing came.
        let isLengthKnown =
            request.parameters.bytes("CONTENT_LENGTH")?.isEmpty == false
            && !request.parameters.holds("-1", for: "CONTENT_LENGTH")
        guard isLengthKnown || !request.body.isEmpty else {
            throw refuse(because: .lengthRequired)
        }
        let body: TripBody
        if form == .form {
            body = TripBody(form: request.body)
        } else {
            do {
                body = try TripBody(json: request.body)
            } catch {
                throw refuse(because: .unreadableBody)
            }
        }
        guard body.unknown.isEmpty else {
            throw refuse(.badRequest(body.unknown, in: language))
        }
        return body
    }

    private func ifMatch() throws(Answer) -> Precondition {
        guard let precondition = Precondition(ifMatch: request.parameters.entityTags("HTTP_IF_MATCH")) else {
            throw refuse(because: .versionRequired)
        }
        return precondition
    }

    /// The plan that a body states.
    ///
    /// - Parameter plan: where absent fields come from; nil for a whole trip.
    private func plan(
        _ body: TripBody, over plan: TripPlan?, _ purpose: TripForm.Purpose
    ) throws(Answer) -> TripPlan {
        do throws(TripFaults) {
            return try body.draft.plan(over: plan)
        } catch {
            let problem = Problem.tripFaults(error.all, in: language)
            let title: DocumentTitle =
                switch purpose {
                case .add: .adding
                case .edit: .editing(city: body.fields.city)
                }
            let form = TripForm(purpose: purpose, fields: body.fields, faults: error.all)
            throw refuse(problem, title: title, Renderer.tripForm(form, as: presentation))
        }
    }

    /// How far the number's place may be from the coordinates that are given with it.
    private static let farApart = 20

    /// The place that a body means; nil if it says none, or the one that the trip has.
    ///
    /// - Parameter seen: the trip as it is; nil for a new one.
    private func meantPlace(
        _ body: TripBody, _ plan: TripPlan, instead seen: Trip?
    ) async throws(Answer) -> Place? {
        let meant: MeantPlace
        switch body.draft.place {
        case .absent, .cleared: return nil
        case .unreadable: throw refuse(.tripFaults([.place(.unreadable)], in: language))
        case .value(let place): meant = place
        }
        // What came with the trip and goes back with it says nothing about another city.
        if let place = seen?.place, meant.isSame(as: place) { return nil }
        var found: Place?
        if let id = meant.id {
            do throws(WeatherError) {
                found = try await site.places.place(
                    id: id, language: language.rawValue, until: placeDeadline ?? site.deadline(of: context))
            } catch {
                if case .noSuchPlace = error { throw refuse(.tripFaults([.place(.unknown)], in: language)) }
                // The coordinates do without the service; a number alone doesn't.
                guard meant.coordinate != nil else { throw refuse(context.problem(error)) }
            }
        }
        guard let coordinate = meant.coordinate else { return found }
        guard let found else {
            return Place(
                identifier: meant.id, name: plan.city, country: plan.country, coordinate: coordinate)
        }
        guard found.coordinate.kilometres(to: coordinate) <= Double(TripRequest.farApart) else {
            throw refuse(
                .tripFaults([.place(.farApart(kilometres: TripRequest.farApart))], in: language))
        }
        return found
    }

    private func written(_ trip: Trip, by traveller: TravellerID) -> Answer {
        var answer = answer(Renderer.trip(trip, as: presentation))
        answer.field("ETag", trip.version.entityTag)
        return remembering(answer, traveller)
    }

    /// The trip with its place, if that is found soon. The trip is saved already, whatever comes of this.
    ///
    /// - Parameter traveller: with whose trip the place is noted; nil for none.
    private func placed(_ trip: Trip, by traveller: TravellerID?) async -> Trip {
        guard trip.place == nil, let placeDeadline else { return trip }
        let query = placeQuery(of: trip.plan)
        do throws(WeatherError) {
            var trip = trip
            let place = try await site.places.place(for: query, until: placeDeadline)
            if let traveller {
                guard await note(place, of: trip, foundFor: query, by: traveller) else { return trip }
            }
            trip.place = place
            return trip
        } catch {
            return trip
        }
    }
}
