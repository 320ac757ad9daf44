import Synchronization
import Testing

@testable import Weather

/// A world for caches whose time stands still until it is told to pass, and whose timers then fire.
final class CacheTestWorld: CacheScheduler {
    private struct Timer {
        let number: Int
        let instant: ContinuousClock.Instant
        let action: @Sendable () -> Void
    }

    private struct State {
        var elapsed: Duration = .zero
        var timers: [Int: Timer] = [:]
        var lastTimer = 0
        var chance = 0.0
    }

    private struct Handle: CacheTimer {
        let world: CacheTestWorld
        let number: Int

        func cancel() {
            world.state.withLock { _ = $0.timers.removeValue(forKey: number) }
        }
    }

    /// 2026-03-01 12:00:00 UTC, the start of a quarter hour.
    static let start = 1_772_366_400
    private let origin = ContinuousClock.now
    private let state = Mutex(State())

    var environment: CacheEnvironment {
        CacheEnvironment(
            scheduler: self, unixTime: { Double(self.unixTime) }, now: { self.now },
            random: { self.state.withLock { $0.chance } })
    }

    var now: ContinuousClock.Instant { origin.advanced(by: state.withLock { $0.elapsed }) }
    var unixTime: Int { CacheTestWorld.start + state.withLock { Int($0.elapsed.components.seconds) } }
    var timerCount: Int { state.withLock { $0.timers.count } }

    /// What chance says from now on, 0 ..< 1.
    func setChance(_ chance: Double) {
        state.withLock { $0.chance = chance }
    }

    /// Lets time pass: what is due by then fires, in its order.
    func pass(_ time: Duration) {
        let due = state.withLock { state in
            state.elapsed += time
            let now = origin.advanced(by: state.elapsed)
            let due = state.timers.values.filter { $0.instant <= now }
                .sorted { ($0.instant, $0.number) < ($1.instant, $1.number) }
            for alarm in due { state.timers[alarm.number] = nil }
            return due
        }
        for timer in due { timer.action() }
    }

    /// Lets time pass to the next timer if one is due within `time`, else not at all: for who waits for a poll,
    /// so that no deadline comes nearer while the poll itself is on its way.
    func passToTimer(within time: Duration) {
        let left = state.withLock { state in
            state.timers.values.map { origin.advanced(by: state.elapsed).duration(to: $0.instant) }.min()
        }
        if let left, left <= time { pass(left) }
    }

    func after(_ time: Duration) -> ContinuousClock.Instant {
        now.advanced(by: time)
    }

    func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(operation: operation)
    }

    func timer(
        at instant: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
    ) -> any CacheTimer {
        let (number, isDue) = state.withLock { state in
            state.lastTimer += 1
            if instant <= origin.advanced(by: state.elapsed) { return (state.lastTimer, true) }
            state.timers[state.lastTimer] = Timer(
                number: state.lastTimer, instant: instant, action: action)
            return (state.lastTimer, false)
        }
        // As a loop would: not from within this call.
        if isDue { Task { action() } }
        return Handle(world: self, number: number)
    }
}

/// An upstream that answers as it is told, at once or when its gate is opened.
final class CacheTestUpstream: WeatherClient, PlaceSearch {
    private struct State {
        var isOpen = true
        var nextCall = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled = 0
        var single: [Coordinate] = []
        var many: [[Coordinate]] = []
        var searches: [PlaceQuery] = []
        var suggestions: [String] = []
        var numbered: [Int] = []
        var error: WeatherError?
        var bad: [Coordinate: WeatherError] = [:]
        var temperature = 10.0
        var ignoresCancellation = false
    }

    private let state: Mutex<State>

    init() {
        state = Mutex(State())
    }

    var singleCalls: [Coordinate] { state.withLock { $0.single } }
    var manyCalls: [[Coordinate]] { state.withLock { $0.many } }
    var calls: Int { state.withLock { $0.single.count + $0.many.count } }
    var searches: [PlaceQuery] { state.withLock { $0.searches } }
    var numberedSearches: [Int] { state.withLock { $0.numbered } }
    var suggestionCalls: [String] { state.withLock { $0.suggestions } }
    var cancelledCalls: Int { state.withLock { $0.cancelled } }
    var waitingCalls: Int { state.withLock { $0.waiting.count } }

    func fail(with error: WeatherError?) { state.withLock { $0.error = error } }
    func fail(at coordinate: Coordinate, with error: WeatherError?) {
        state.withLock { $0.bad[coordinate.rounded] = error }
    }
    func setTemperature(_ temperature: Double) { state.withLock { $0.temperature = temperature } }
    func ignoreCancellation() { state.withLock { $0.ignoresCancellation = true } }
    func shut() { state.withLock { $0.isOpen = false } }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Lets the oldest call through that waits at the gate, and no other.
    func letOneThrough() {
        let first = state.withLock { state in
            state.waiting.keys.min().flatMap { state.waiting.removeValue(forKey: $0) }
        }
        first?.resume()
    }

    func weather(
        for coordinate: Coordinate, zone: String?, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> WeatherContext {
        state.withLock { $0.single.append(coordinate) }
        try await passGate()
        return try answer(at: coordinate)
    }

    func weather(
        for coordinates: [Coordinate], until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Result<WeatherContext, WeatherError>] {
        state.withLock { $0.many.append(coordinates) }
        try await passGate()
        if let error = state.withLock({ $0.error }) { throw error }
        return coordinates.map { coordinate in
            do throws(WeatherError) { return .success(try answer(at: coordinate)) } catch {
                return .failure(error)
            }
        }
    }

    func place(
        for query: PlaceQuery, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        state.withLock { $0.searches.append(query) }
        try await passGate()
        if let error = state.withLock({ $0.error }) { throw error }
        return Place(name: query.city, country: query.country, coordinate: bergen)
    }

    func place(
        id: Int, language: String, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        state.withLock { $0.numbered.append(id) }
        return Place(identifier: id, name: "\(id) \(language)", coordinate: bergen)
    }

    func places(
        beginningWith query: PlaceQuery, limit: Int, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Place] {
        state.withLock { $0.suggestions.append(query.city) }
        try await passGate()
        if let error = state.withLock({ $0.error }) { throw error }
        return [Place(name: query.city, coordinate: bergen)]
    }

    private func answer(at coordinate: Coordinate) throws(WeatherError) -> WeatherContext {
        let (error, temperature) = state.withLock { ($0.error ?? $0.bad[coordinate], $0.temperature) }
        if let error { throw error }
        return WeatherContext.sample(at: coordinate, temperature: temperature)
    }

    private func passGate() async throws(WeatherError) {
        let (call, ignores) = state.withLock { state in
            state.nextCall += 1
            return (state.nextCall, state.ignoresCancellation)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state in
                    if state.isOpen || (Task.isCancelled && !ignores) { return true }
                    state.waiting[call] = continuation
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            if !ignores { state.withLock { $0.waiting.removeValue(forKey: call) }?.resume() }
        }
        if Task.isCancelled, !ignores {
            state.withLock { $0.cancelled += 1 }
            throw .cancelled
        }
    }
}

let bergen = spot(60.39, 5.32)

func spot(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
        preconditionFailure("no such coordinate")
    }
    return coordinate
}

/// A different place for each number below 18,000.
func spot(number: Int) -> Coordinate {
    spot(Double(number % 180) / 2, Double(number / 180) / 2).rounded
}

extension WeatherContext {
    static func sample(at coordinate: Coordinate, temperature: Double = 10) -> WeatherContext {
        WeatherContext(
            coordinate: coordinate, current: CurrentWeather(temperature: temperature, sky: Sky(code: 3)),
            days: (0..<7).map { DayForecast(date: CalendarDate(daysSinceEpoch: 20_513 + $0), maximum: 12) },
            timeZone: "Europe/Oslo", utcOffset: 3_600)
    }
}

extension CachedWeather {
    var temperature: Double? { context.current?.temperature }
}

/// Something attached to an entry that takes more and more room.
final class GrowingAttachment: CacheAttachment {
    private let size = Atomic(0)

    var bytes: Int { size.load(ordering: .relaxed) }
    func grow(by bytes: Int) { size.add(bytes, ordering: .relaxed) }
}
