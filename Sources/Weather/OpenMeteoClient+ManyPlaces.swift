extension OpenMeteoClient: MultiWeatherClient {
    /// How many requests beyond the first are spent on finding the place that made the service refuse all.
    private static let searchLimit = 16

    /// The weather at several coordinates, in one request.
    ///
    /// One place that the service refuses, for want of its zone perhaps, makes it refuse the whole request. Then
    /// the list is halved, and halved again, until that place stands alone; it fails alone or is answered without
    /// its zone.
    package func weather(
        for coordinates: [Coordinate], until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Result<WeatherContext, WeatherError>] {
        guard !coordinates.isEmpty else { return [] }
        var results: [Result<WeatherContext, WeatherError>] = []
        var requestsLeft = OpenMeteoClient.searchLimit
        // The lists still to ask, the first one last.
        var lists = [coordinates[...]]
        var halt: WeatherError?
        while let list = lists.popLast() {
            if let halt {
                results += list.map { _ in .failure(halt) }
                continue
            }
            do throws(WeatherError) {
                results += try await answers(about: list, until: deadline)
            } catch {
                let isWhole = list.count == coordinates.count
                if list.count > 1, case .refused(400, _) = error, requestsLeft >= 2 {
                    requestsLeft -= 2
                    let middle = list.startIndex + list.count / 2
                    lists.append(list[middle...])
                    lists.append(list[..<middle])
                } else if isWhole || error == .cancelled {
                    throw error
                } else {
                    results += list.map { _ in .failure(error) }
                    // A refusal is about these places; anything else would meet the next request too.
                    if case .refused = error { continue }
                    if case .unreadable = error { continue }
                    halt = error
                }
            }
        }
        return results
    }

    private func answers(
        about list: ArraySlice<Coordinate>, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Result<WeatherContext, WeatherError>] {
        if let coordinate = list.first, list.count == 1 {
            return [.success(try await weather(for: coordinate, zone: nil, until: deadline))]
        }
        let coordinates = Array(list)
        let body = try await get(requests.forecast(for: coordinates, zone: .auto), until: deadline)
        return try ForecastDecoder.contexts(from: body, for: coordinates)
    }
}
