/// Knows the weather at a coordinate.
package protocol WeatherClient: Sendable {
    /// The weather now and on the days ahead.
    ///
    /// Cancelling the task ends the question.
    ///
    /// - Parameters:
    ///   - coordinate: Where.
    ///   - zone: The place's IANA zone where the caller knows it, for services that can't tell it themselves.
    ///   - deadline: When the caller gives up.
    /// - Throws: `WeatherError`; never `.noSuchPlace`.
    func weather(
        for coordinate: Coordinate, zone: String?, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> WeatherContext

    /// The weather at each coordinate, in the same order. A place that fails alone fails in its own result.
    ///
    /// - Parameters:
    ///   - coordinates: Each once, to two decimals, at most a hundred.
    ///   - deadline: When the caller gives up.
    /// - Throws: `WeatherError` if the whole question fails.
    func weather(
        for coordinates: [Coordinate], until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Result<WeatherContext, WeatherError>]
}

/// Finds places by name.
package protocol PlaceSearch: Sendable {
    /// The place that a city's weather is shown for.
    ///
    /// - Throws: `.noSuchPlace` where the service knows none.
    func place(
        for query: PlaceQuery, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place

    /// The place that has this number in the service's own list, with its names in a language.
    ///
    /// - Throws: `.noSuchPlace` where the service knows none.
    func place(
        id: Int, language: String, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place

    /// Places whose names begin as the city does, best first, at most `limit`; none is no error.
    func places(
        beginningWith query: PlaceQuery, limit: Int, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Place]
}
