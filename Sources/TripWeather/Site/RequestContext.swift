internal import Fragments
internal import Gateway
internal import Trips
internal import Weather

/// One request on its way to an answer.
struct RequestContext: Sendable {
    let request: GatewayRequest
    var presentation: Presentation
    /// Whether Accept decided what the answer is.
    let isNegotiated: Bool
    let settings: Site.Settings
    /// Whether the answer is this reader's alone.
    var isPersonal = false
    /// What a failure stands for in a page.
    var failureForm = ProblemForm.weather(.card)

    /// The reader's trip whose weather is asked for: a failure may offer to edit it.
    var trip: TripID?

    /// What is asked upstream for the request is at this client's expense.
    var budget: RequestBudget { RequestBudget(of: request, settings) }

    /// Who may keep what isn't the same for long.
    var caching: Answer.Caching { isPersonal ? .personal : .forbidden }

    /// A 200 that anyone may keep, or a 304 if the reader has it.
    func answerRevalidated(_ body: [UInt8]) -> Answer {
        var answer = Answer(body, as: presentation, isNegotiated: isNegotiated, caching: .revalidated)
        answer.answerNotModified(ifNoneMatch: ifNoneMatch)
        return answer
    }

    func answer(_ problem: Problem) -> Answer {
        Answer(problem, as: presentation, form: failureForm, isNegotiated: isNegotiated, caching: caching)
    }

    func refuse(_ problem: Problem) -> GatewayAnswer {
        .ready(answer(problem).response)
    }

    /// A refusal before the query is read, which may name another language.
    func refuse(in language: Language, because cause: Problem.Cause) -> GatewayAnswer {
        var context = self
        context.presentation.language = language
        return context.refuse(Problem(because: cause, in: language))
    }

    func problem(_ error: WeatherError, retryAfter: Duration? = nil) -> Problem {
        Problem(
            error, in: presentation.language, isSample: settings.isSample, retryAfter: retryAfter)
    }

    var ifNoneMatch: String? { request.parameters.entityTags("HTTP_IF_NONE_MATCH") }
}
