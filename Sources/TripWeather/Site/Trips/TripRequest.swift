internal import Fragments
internal import Gateway
internal import Storage
internal import Trips
internal import Weather

/// A request about trips on its way to an answer.
struct TripRequest: Sendable {
    let site: Site
    let context: RequestContext
    let address: Address
    let question: TripQuestion
    let trips: LazyTripStore
    /// The day on which the examples are seen, in UTC.
    let today: CalendarDate
    var traveller = Traveller.nobody

    var presentation: Presentation { context.presentation }
    var language: Language { context.presentation.language }
    var request: GatewayRequest { context.request }

    /// Everything of the traveller's. Of somebody new nothing is kept, and nobody is asked.
    func list() async throws(TripStoreError) -> TripList {
        guard let traveller = traveller.id else { return ExampleTrip.list(today) }
        return try await trips.store().list(for: traveller)
    }

    /// The trip that the address names.
    func trip(in list: TripList) throws(TripStoreError) -> Trip {
        guard let id, let trip = list.trip(id) else { throw .gone }
        return trip
    }

    /// The same, if no other is needed.
    func trip() async throws(TripStoreError) -> Trip {
        guard let id else { throw .gone }
        guard let traveller = traveller.id else { return try trip(in: ExampleTrip.list(today)) }
        return try await trips.store().trip(id, for: traveller)
    }

    /// Nil if the address names what no trip's id can be.
    var id: TripID? { address.name.flatMap { TripID($0) } }

    /// What a failure of the store's is to the reader; it is counted.
    func problem(_ error: TripStoreError) -> Problem {
        trips.count(error)
        return Problem(error, isWrite: isWrite, in: language)
    }

    var isWrite: Bool { request.method != "GET" && request.method != "HEAD" }

    // MARK: Answers

    /// A 200 that nobody but this reader may see.
    func answer(_ body: [UInt8]) -> Answer {
        Answer(body, as: presentation, isNegotiated: context.isNegotiated, caching: .personal)
    }

    /// A problem: to a browser that sent a form a whole document.
    func refuse(_ problem: Problem) -> Answer {
        guard isForm else { return context.answer(problem) }
        var context = context
        context.failureForm = .page
        var answer = context.answer(problem)
        answer.body = Renderer.document(answer.body, title: .problem(problem), as: presentation)
        return answer
    }

    /// A failure of the store's, with what the log wants to know of it.
    func refuse(_ error: TripStoreError) -> Answer {
        var answer = refuse(problem(error))
        answer.note("error", error.label)
        if case .storage(let error) = error { answer.note("detail", error.description) }
        return answer
    }

    /// Whether a browser sent a form, and shows what it gets as a page.
    var isForm: Bool { request.method == "POST" && presentation.representation == .html }

    /// What a write answers that has nothing to show: a form leads on (RFC 9110, section 15.4.4).
    func done(formLeadsTo address: String, by traveller: TravellerID?) -> Answer {
        guard isForm else { return remembering(Answer(status: 204), traveller) }
        var answer = Answer(status: 303)
        answer.field("Location", address)
        answer.field("Cache-Control", "private, no-store")
        return remembering(answer, traveller)
    }

    /// The question that finds where a trip goes, for this reader.
    func placeQuery(of plan: TripPlan) -> PlaceQuery {
        let reader = QuestionReader.Defaults.readerLanguage(request.parameters["HTTP_ACCEPT_LANGUAGE"])
        return plan.placeQuery(language: language.rawValue, readerLanguage: reader)
    }

    /// An answer that keeps a visitor's key in their browser.
    func remembering(_ answer: Answer, _ traveller: TravellerID? = nil) -> Answer {
        guard let id = self.traveller.renewed ?? traveller else { return answer }
        var answer = answer
        for cookie in TravellerCookie.set(id, for: request) { answer.field("Set-Cookie", cookie) }
        return answer
    }
}

/// What a reader asks of an address of trips beside the trip itself, checked.
struct TripQuestion: Sendable {
    var form = CardForm.card
    var isRefresh = false
    /// What the planner's form begins with.
    var fields = TripFields()
}

extension QuestionReader {
    /// Nil if there are faults.
    mutating func tripQuestion(for route: Route, _ presentation: inout Presentation) -> TripQuestion? {
        var known = ["units", "lang"]
        if route.isWeather { known.append("form") }
        if route.isRefreshable { known.append("refresh") }
        if route == .planner { known += ["city", "country", "start", "nights"] }
        query.refuseAll(but: known)
        presentation.units = units()
        presentation.language = language()
        var question = TripQuestion()
        if route.isWeather { question.form = form() }
        if route.isRefreshable { question.isRefresh = flag("refresh") }
        guard query.faults.isEmpty else { return nil }
        question.fields = TripFields(query)
        return question
    }
}
