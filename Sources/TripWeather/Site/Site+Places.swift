internal import Fragments
internal import Gateway
internal import Weather

/// Places for a search field.
extension Site {
    /// How many a search field is given.
    private static let placesAtMost = 10

    func places(_ text: String, _ context: RequestContext) async -> GatewayResponse {
        let begin = ContinuousClock.now
        var answer: Answer
        do throws(WeatherError) {
            let found = try await places.places(
                beginningWith: text, language: context.presentation.language.rawValue,
                limit: Site.placesAtMost,
                until: deadline(of: context))
            answer = Answer(
                Renderer.places(
                    found, query: text, as: context.presentation, isSample: context.settings.isSample),
                as: context.presentation, isNegotiated: context.isNegotiated, caching: .revalidated)
            answer.answerNotModified(ifNoneMatch: context.ifNoneMatch)
        } catch {
            answer = self.answer(error, context)
        }
        answer.timing([("place", begin.duration(to: .now))])
        return answer.response
    }
}
