internal import Synchronization
internal import Transport

extension OpenMeteoClient {
    /// The weather at several coordinates, in one request if all goes well.
    ///
    /// One place can spoil the whole answer: the service refuses all for it, or what it writes about it is no JSON.
    /// What could be read stands, and the rest is asked about again in two lists, the longest lists first, until that
    /// place stands alone; it fails alone, or is answered without its zone. Next time it is asked about alone at once.
    package func weather(
        for coordinates: [Coordinate], until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Result<WeatherContext, WeatherError>] {
        guard !coordinates.isEmpty else { return [] }
        if let budget = RequestBudget.current {
            // Ask as many as this request may pay for; the rest can be asked for with the next.
            let affordable = Int((budget.left + 1e-9) / OpenMeteoRequests.weight(ofPlaces: 1))
            if affordable < coordinates.count {
                let later = Result<WeatherContext, WeatherError>.failure(
                    .transport(.held(.request, retryAfter: .seconds(1))))
                let first = Array(coordinates.prefix(affordable))
                return try await weather(for: first, until: deadline)
                    + coordinates.dropFirst(affordable).map { _ in later }
            }
        }
        var results = [Result<WeatherContext, WeatherError>?](repeating: nil, count: coordinates.count)
        let apart = spoilers.indices(in: coordinates, atUnixTime: unixTime())
        var lists = [coordinates.indices.filter { !apart.contains($0) }] + apart.sorted().map { [$0] }
        lists.removeAll(where: \.isEmpty)
        // Enough to find a dozen such places among a hundred.
        let requestsAtMost = 16 + coordinates.count
        var failure = WeatherError.unreadable(path: "no answer")
        var next = 0
        var hasAnswer = false
        while next < lists.count {
            let list = lists[next]
            next += 1
            let answer = await answer(about: list.map { coordinates[$0] }, until: deadline)
            for (index, result) in zip(list, answer.results) {
                results[index] = result
                if case .success = result { hasAnswer = true }
            }
            guard let fault = answer.fault else { continue }
            failure = fault
            let rest = list.dropFirst(answer.results.count)
            guard let mostInVain = fault.mostInVain else {
                // It isn't about these places, and would meet the next request too.
                if fault == .cancelled || next == 1 { throw fault }
                break
            }
            if !hasAnswer, next >= mostInVain { break }
            if rest.count > 1, lists.count + 2 <= requestsAtMost {
                // If what stands before it was read, the first of the rest is the one.
                let middle = answer.results.isEmpty ? rest.count / 2 : 1
                lists += [Array(rest.prefix(middle)), Array(rest.dropFirst(middle))]
                continue
            }
            for index in rest { results[index] = .failure(fault) }
            if rest.count == 1, coordinates.count > 1 {
                spoilers.insert(coordinates[rest[rest.startIndex]], atUnixTime: unixTime())
            }
        }
        return results.map { $0 ?? .failure(failure) }
    }

    private func answer(
        about coordinates: [Coordinate], until deadline: ContinuousClock.Instant
    ) async -> ForecastDecoder.Answer {
        do throws(WeatherError) {
            if let coordinate = coordinates.first, coordinates.count == 1 {
                let context = try await weather(for: coordinate, zone: nil, until: deadline)
                // Among others it would be refused again for its zone.
                if context.timeZone == nil { spoilers.insert(coordinate, atUnixTime: unixTime()) }
                return ForecastDecoder.Answer(results: [.success(context)])
            }
            let body = try await get(requests.forecast(for: coordinates, zone: .auto), until: deadline)
            return ForecastDecoder.answer(from: body, for: coordinates, atUnixTime: unixTime())
        } catch {
            return ForecastDecoder.Answer(fault: error)
        }
    }
}

extension WeatherError {
    /// After how many requests without any answer it is no longer taken to be about one place of several; nil if it
    /// never is. What can't be read at all is most likely to be the service's own failure.
    fileprivate var mostInVain: Int? {
        switch self {
        case .refused(400, _): 31
        case .unreadable: 7
        default: nil
        }
    }
}

/// Coordinates that spoiled an answer about several, for an hour.
final class Spoilers: Sendable {
    private static let life = 3_600
    private static let most = 256

    private let ends = Mutex<[Coordinate: Int]>([:])

    func insert(_ coordinate: Coordinate, atUnixTime now: Int) {
        ends.withLock { ends in
            if ends.count >= Spoilers.most { ends.removeAll() }
            ends[coordinate] = now + Spoilers.life
        }
    }

    /// Which of the coordinates are among them. An end that lies further ahead than an hour is of a clock that was
    /// set back since.
    func indices(in coordinates: [Coordinate], atUnixTime now: Int) -> Set<Int> {
        ends.withLock { ends in
            if ends.isEmpty { return [] }
            ends = ends.filter { now < $0.value && $0.value <= now + Spoilers.life }
            return Set(coordinates.indices.filter { ends[coordinates[$0]] != nil })
        }
    }
}
