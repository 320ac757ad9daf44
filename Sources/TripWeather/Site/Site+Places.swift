internal import Fragments
internal import Gateway
internal import Weather

/// Places for a search field.
extension Site {
    /// How many a search field is given.
    private static let placesAtMost = 10

    func places(_ text: String, _ exchange: Exchange) async -> GatewayResponse {
        let begin = ContinuousClock.now
        var answer: Answer
        do throws(WeatherError) {
            let found = try await places.places(
                beginningWith: text, language: exchange.presentation.language.rawValue,
                limit: Site.placesAtMost,
                until: deadline(of: exchange))
            answer = Answer(
                Renderer.places(
                    found, query: text, as: exchange.presentation, isSample: exchange.settings.isSample),
                as: exchange.presentation, isNegotiated: exchange.isNegotiated, caching: .revalidated)
            answer.answerNotModified(ifNoneMatch: exchange.ifNoneMatch)
        } catch {
            answer = self.answer(error, exchange)
        }
        answer.timing([("place", begin.duration(to: .now))])
        return answer.response
    }
}
