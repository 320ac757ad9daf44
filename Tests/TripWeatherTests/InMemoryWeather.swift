import Synchronization

@testable import Weather

/// A client and a place search without a network, for tests: it answers as it was told to, holds answers back until
/// they are released, and counts.
///
/// Deadlines are only looked at when a question starts and when it is let go: nothing here waits on a clock.
final class InMemoryWeather: WeatherClient, PlaceSearch, ArchiveClient {
    /// How many questions there were, and what became of them.
    struct Counts: Sendable, Hashable {
        /// Questions about the weather; one about many places is one.
        var forecasts = 0
        /// Questions about places.
        var searches = 0
        /// Questions to the archive.
        var archives = 0
        /// Questions whose asker left while they were held back.
        var cancelled = 0
        /// Questions that are held back now.
        var waiting = 0

        init(
            forecasts: Int = 0, searches: Int = 0, archives: Int = 0, cancelled: Int = 0, waiting: Int = 0
        ) {
            self.forecasts = forecasts
            self.archives = archives
            self.searches = searches
            self.cancelled = cancelled
            self.waiting = waiting
        }
    }

    private struct State {
        var weather: [Coordinate: Result<WeatherContext, WeatherError>] = [:]
        var fallback: Result<WeatherContext, WeatherError>?
        var places: [String: Result<Place, WeatherError>] = [:]
        var archive: Result<Void, WeatherError> = .success(())
        var isHeld = false
        var heldCoordinates: Set<Coordinate> = []
        var counts = Counts()
        var payers: [String?] = []
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private struct Waiter {
        /// Nil for a question about a place, or about many.
        var coordinate: Coordinate?
        /// Nil until its task has come to rest; a waiter that is let go before then never rests.
        var continuation: CheckedContinuation<Void, Never>?
        var isReleased = false
    }

    private let state = Mutex(State())

    init() {}

    var counts: Counts { state.withLock { $0.counts } }
    /// Whose budget each question about the weather was taken from.
    var payers: [String?] { state.withLock { $0.payers } }

    // MARK: What it answers

    /// What is answered about one coordinate (as it is when rounded); what isn't scripted is answered with
    /// `setOtherwise`'s, or as a refusal.
    func set(_ result: Result<WeatherContext, WeatherError>, at coordinate: Coordinate) {
        state.withLock { $0.weather[coordinate.rounded] = result }
    }

    /// What is answered about all other coordinates, with theirs put in.
    func setOtherwise(_ result: Result<WeatherContext, WeatherError>?) {
        state.withLock { $0.fallback = result }
    }

    /// What is answered to a search for this city, whatever the country; any other is no place.
    func set(_ result: Result<Place, WeatherError>, for city: String) {
        state.withLock { $0.places[PlaceText.folded(city)] = result }
    }

    /// Whether the archive answers, and how it fails if it doesn't.
    func setArchive(_ result: Result<Void, WeatherError>) {
        state.withLock { $0.archive = result }
    }

    // MARK: The archive

    /// Every day is usually 10 °C by day and 2 °C by night, wet on three days of ten.
    func usualDays(
        of half: HalfMonth, lastYear: Int, at coordinate: Coordinate, zone: String?,
        until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [UsualDay] {
        try await answerFromArchive(until: deadline)
        return half.days(in: 2024).map {
            UsualDay(
                month: $0.month, day: $0.day, maximum: UsualDay.Spread(mean: 10, low: 6, high: 14),
                minimum: UsualDay.Spread(mean: 2, low: -1, high: 5), wetShare: 0.3, precipitation: 1.5,
                sky: .overcast, wind: 20, gust: 40, years: lastYear - 9...lastYear)
        }
    }

    /// Every day was 8 °C by day and 1 °C by night; the last two aren't known yet.
    func observedDays(
        of half: HalfMonth, year: Int, at coordinate: Coordinate, zone: String?,
        until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [DayForecast] {
        try await answerFromArchive(until: deadline)
        let last = CalendarDate(unixTime: SiteFixture.start, utcOffset: 0).advanced(by: -2)
        return half.days(in: year).filter { $0 < last }.map {
            DayForecast(date: $0, sky: Sky(code: 61), maximum: 8, minimum: 1, precipitation: 3)
        }
    }

    private func answerFromArchive(until deadline: ContinuousClock.Instant) async throws(WeatherError) {
        try await wait(at: nil, until: deadline) { $0.counts.archives += 1 }
        try state.withLock { $0.archive }.get()
    }

    // MARK: When it answers

    /// Holds all answers back from now on.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    /// Holds answers about one coordinate back from now on.
    func hold(at coordinate: Coordinate) {
        state.withLock { _ = $0.heldCoordinates.insert(coordinate.rounded) }
    }

    /// Lets go what is held back, and holds nothing any more.
    func release() {
        letGo { state in
            state.isHeld = false
            state.heldCoordinates = []
            return Array(state.waiters.keys)
        }
    }

    /// Lets go what is held back about one coordinate, and no longer holds it.
    func release(at coordinate: Coordinate) {
        letGo { state in
            state.heldCoordinates.remove(coordinate.rounded)
            return state.waiters.filter { $0.value.coordinate == coordinate.rounded }.map(\.key)
        }
    }

    private func letGo(_ choose: (inout State) -> [Int]) {
        let continuations = state.withLock { state in
            choose(&state).compactMap { InMemoryWeather.release($0, in: &state) }
        }
        for continuation in continuations { continuation.resume() }
    }

    private static func release(_ id: Int, in state: inout State) -> CheckedContinuation<Void, Never>? {
        guard let waiter = state.waiters[id], !waiter.isReleased else { return nil }
        state.waiters[id]?.isReleased = true
        state.counts.waiting -= 1
        return waiter.continuation
    }

    // MARK: Being asked

    func weather(
        for coordinate: Coordinate, zone: String?, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> WeatherContext {
        try await wait(at: coordinate.rounded, until: deadline) {
            $0.counts.forecasts += 1
            $0.payers.append(RequestBudget.current?.client)
        }
        return try answer(at: coordinate).get()
    }

    func weather(
        for coordinates: [Coordinate], until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Result<WeatherContext, WeatherError>] {
        try await wait(at: nil, until: deadline) { $0.counts.forecasts += 1 }
        return coordinates.map { answer(at: $0) }
    }

    func place(
        for query: PlaceQuery, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        try await wait(at: nil, until: deadline) { $0.counts.searches += 1 }
        let result = state.withLock { $0.places[PlaceText.folded(query.city)] }
        return try (result ?? .failure(.noSuchPlace(query.city))).get()
    }

    /// A place that was scripted with this number, whatever the language.
    func place(
        id: Int, language: String, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        try await wait(at: nil, until: deadline) { $0.counts.searches += 1 }
        let results = state.withLock { $0.places.values }
        for case .success(let place) in results where place.identifier == id { return place }
        throw .noSuchPlace("\(id)")
    }

    func places(
        beginningWith query: PlaceQuery, limit: Int, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Place] {
        try await wait(at: nil, until: deadline) { $0.counts.searches += 1 }
        let wanted = PlaceText.folded(query.city)
        let results = state.withLock { state in
            state.places.filter { $0.key.hasPrefix(wanted) }.sorted { $0.key < $1.key }.map(\.value)
        }
        return results.compactMap { result in
            if case .success(let place) = result { place } else { nil }
        }.prefix(max(limit, 0)).map(\.self)
    }

    private func answer(at coordinate: Coordinate) -> Result<WeatherContext, WeatherError> {
        state.withLock { state in
            if let result = state.weather[coordinate.rounded] { return result }
            guard let fallback = state.fallback else {
                return .failure(.refused(status: 400, reason: "No data is available for this location"))
            }
            return fallback.map { context in
                var context = context
                context.coordinate = coordinate.rounded
                return context
            }
        }
    }

    /// Counts the question, and waits while it is held back.
    private func wait(
        at coordinate: Coordinate?, until deadline: ContinuousClock.Instant, count: (inout State) -> Void
    ) async throws(WeatherError) {
        let id: Int? = state.withLock { state in
            count(&state)
            guard state.isHeld || coordinate.map(state.heldCoordinates.contains) == true else { return nil }
            state.lastWaiter += 1
            state.counts.waiting += 1
            state.waiters[state.lastWaiter] = Waiter(coordinate: coordinate)
            return state.lastWaiter
        }
        if let id {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReleased = state.withLock { state in
                        if state.waiters[id]?.isReleased != false { return true }
                        state.waiters[id]?.continuation = continuation
                        return false
                    }
                    if isReleased { continuation.resume() }
                }
            } onCancel: {
                let continuation = state.withLock { state in
                    if state.waiters[id]?.isReleased == false { state.counts.cancelled += 1 }
                    return InMemoryWeather.release(id, in: &state)
                }
                continuation?.resume()
            }
            state.withLock { _ = $0.waiters.removeValue(forKey: id) }
        }
        if Task.isCancelled { throw .cancelled }
        if ContinuousClock.now >= deadline { throw .outOfTime }
    }
}
