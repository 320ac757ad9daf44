/// Knows the weather at many coordinates with one question.
package protocol MultiWeatherClient: Sendable {
    /// The weather at each coordinate, in the same order. A place that fails alone fails in its own result.
    ///
    /// - Parameters:
    ///   - coordinates: Each once, to two decimals, at least two and at most a hundred.
    ///   - deadline: When the caller gives up.
    /// - Throws: `WeatherError` where the whole question fails.
    func weather(
        for coordinates: [Coordinate], until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Result<WeatherContext, WeatherError>]
}
