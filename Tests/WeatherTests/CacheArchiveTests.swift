import Synchronization
import TestSupport
import Testing
import Transport

@testable import Weather

/// A disk that several caches share, as processes would.
private final class TestArchive: CacheArchive {
    private struct State {
        var weather: [Coordinate: [UInt8]] = [:]
        var places: [String: [UInt8]] = [:]
        var reads = 0
        var isHeld = false
        var held: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    var reads: Int { state.withLock { $0.reads } }
    var heldWrites: Int { state.withLock { $0.held.count } }
    var weatherCount: Int { state.withLock { $0.weather.count } }

    /// Writes stay queued until `flush()`.
    func hold() { state.withLock { $0.isHeld = true } }

    func flush() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isHeld = false
            return state.held
        }
        for write in held { write() }
    }

    func put(_ weather: ArchivedWeather) {
        state.withLock { $0.weather[weather.context.coordinate] = ArchiveCoding.bytes(of: weather) }
    }

    func damage(_ coordinate: Coordinate) {
        state.withLock { $0.weather[coordinate]?[5] ^= 1 }
    }

    func weather(for coordinate: Coordinate) async -> ArchivedWeather? {
        let bytes = state.withLock { state in
            state.reads += 1
            return state.weather[coordinate]
        }
        return bytes.flatMap { ArchiveCoding.weather(from: $0) }
    }

    func save(_ weather: ArchivedWeather, done: @escaping @Sendable () -> Void) {
        write { [self] in
            put(weather)
            done()
        }
    }

    func place(for question: String) async -> ArchivedPlace? {
        let bytes = state.withLock { state in
            state.reads += 1
            return state.places[question]
        }
        return bytes.flatMap { ArchiveCoding.place(from: $0) }
    }

    func save(_ place: ArchivedPlace, for question: String, done: @escaping @Sendable () -> Void) {
        write { [self] in
            state.withLock { $0.places[question] = ArchiveCoding.bytes(of: place) }
            done()
        }
    }

    private func write(_ body: @escaping @Sendable () -> Void) {
        let isHeld = state.withLock { state in
            if state.isHeld { state.held.append(body) }
            return state.isHeld
        }
        if !isHeld { body() }
    }
}

/// An election by a table that several caches share.
private final class TestElection: FlightElection {
    private final class Lease: FlightLease {
        let election: TestElection
        let key: String
        let isReleased = Atomic(false)

        init(_ election: TestElection, _ key: String) {
            self.election = election
            self.key = key
        }

        func release() {
            let first = isReleased.compareExchange(
                expected: false, desired: true, ordering: .sequentiallyConsistent
            ).exchanged
            #expect(first, "a lease was released twice")
            election.leaders.withLock { _ = $0.remove(key) }
        }
    }

    let leaders = Mutex<Set<String>>([])

    func lead(_ key: String) async -> (any FlightLease)? {
        leaders.withLock { $0.insert(key).inserted } ? Lease(self, key) : nil
    }
}

@Suite struct CacheArchiveTests {
    private let world = CacheTestWorld()
    private let upstream = CacheTestUpstream()
    private let archive = TestArchive()
    private let election = TestElection()
    private let broken = WeatherError.unavailable(status: 500, retryAfter: nil)

    private func makeCache(elects: Bool = false) -> WeatherCache {
        WeatherCache(
            over: upstream, manyClient: upstream, environment: world.environment, archive: archive,
            election: elects ? election : nil)
    }

    private func lookUp(
        _ cache: WeatherCache, _ coordinate: Coordinate = bergen, refresh: Bool = false
    ) async throws(WeatherError) -> CachedWeather {
        try await cache.lookUp(coordinate, refresh: refresh, until: world.after(.seconds(8)))
    }

    private func ask(_ cache: WeatherCache) -> Task<CachedWeather, any Error> {
        let deadline = world.after(.seconds(9))
        return Task { try await cache.lookUp(bergen, until: deadline) }
    }

    // MARK: Restarts

    @Test func aRestartFindsItsWeatherOnDisk() async throws {
        _ = try await lookUp(makeCache())
        #expect(archive.weatherCount == 1)
        world.pass(.seconds(60))
        let restarted = makeCache()
        let answer = try await lookUp(restarted)
        #expect(answer.freshness == .fresh)
        #expect(answer.age == 60)
        #expect(answer.context == .sample(at: bergen))
        #expect(upstream.calls == 1)
        #expect(restarted.counters.archiveHits == 1)
        let reads = archive.reads
        #expect(restarted.hit(bergen)?.age == 60)
        #expect(archive.reads == reads, "what is in memory isn't looked up again")
    }

    @Test func staleArchivedWeatherIsAnsweredAtOnceAndRefreshedBehind() async throws {
        _ = try await lookUp(makeCache())
        world.pass(.seconds(1_000))
        upstream.shut()
        upstream.setTemperature(20)
        let restarted = makeCache()
        let answer = try await lookUp(restarted)
        #expect(answer.freshness == .revalidating)
        #expect(answer.temperature == 10)
        await eventually { upstream.waitingCalls == 1 }
        upstream.open()
        await eventually { restarted.counters.flights == 0 }
        #expect(restarted.hit(bergen)?.temperature == 20)
        #expect(upstream.calls == 2)
    }

    @Test func oldArchivedWeatherServesInAnOutage() async throws {
        _ = try await lookUp(makeCache())
        world.pass(.seconds(10 * 3_600))
        upstream.fail(with: broken)
        let restarted = makeCache()
        let answer = try await lookUp(restarted)
        #expect(answer.freshness == .error(broken))
        #expect(answer.age == 36_000)
        world.pass(.seconds(14 * 3_600))
        await #expect(throws: broken) { try await lookUp(makeCache()) }
    }

    @Test func aRefreshAfterARestartFallsBackOnTheDisk() async throws {
        _ = try await lookUp(makeCache())
        world.pass(.seconds(60))
        upstream.fail(with: broken)
        let answer = try await lookUp(makeCache(), refresh: true)
        #expect(answer.freshness == .error(broken))
        #expect(answer.age == 60)
        #expect(upstream.calls == 2)
    }

    @Test func whatCannotBeReadIsAMiss() async throws {
        _ = try await lookUp(makeCache())
        archive.damage(bergen)
        #expect(try await lookUp(makeCache()).freshness == .fresh)
        #expect(upstream.calls == 2)
    }

    @Test func failuresAreNotWritten() async throws {
        upstream.fail(with: broken)
        await #expect(throws: broken) { try await lookUp(makeCache()) }
        #expect(archive.weatherCount == 0)
    }

    @Test func aCancelledFlightWritesNothing() async throws {
        let cache = makeCache()
        upstream.shut()
        upstream.ignoreCancellation()
        let waiter = ask(cache)
        await eventually { upstream.waitingCalls == 1 }
        waiter.cancel()
        _ = await waiter.result
        upstream.open()
        for _ in 0..<200 { await Task.yield() }
        #expect(archive.weatherCount == 0)
        #expect(cache.counters.entries == 0)
    }

    @Test func manyPlacesAreLookedUpBeforeTheRestIsAskedFor() async throws {
        _ = try await lookUp(makeCache(), spot(1, 1))
        _ = try await lookUp(makeCache(), spot(3, 3))
        let restarted = makeCache()
        let answers = await restarted.weather(
            for: [spot(1, 1), spot(2, 2), spot(3, 3), spot(4, 4)], until: world.after(.seconds(8)))
        #expect(try answers.map { try $0.get().freshness } == [.fresh, .fresh, .fresh, .fresh])
        #expect(upstream.manyCalls == [[spot(2, 2), spot(4, 4)]])
        #expect(restarted.counters.archiveHits == 2)
    }

    @Test func aRestartFindsItsPlacesOnDisk() async throws {
        func find() async throws -> Place {
            let cache = PlaceCache(over: upstream, environment: world.environment, archive: archive)
            return try await cache.place(for: PlaceQuery(city: "Bergen"), until: world.after(.seconds(8)))
        }
        let found = try await find()
        world.pass(.seconds(20 * 86_400))
        #expect(try await find() == found)
        #expect(upstream.searches.count == 1)
        world.pass(.seconds(20 * 86_400))
        upstream.fail(with: broken)
        #expect(try await find() == found, "an old one serves where the search fails")
        #expect(upstream.searches.count == 2)
    }

    // MARK: Several processes

    @Test func twentyProcessesAskOnce() async throws {
        upstream.shut()
        archive.hold()
        let waiters = (0..<20).map { _ in ask(makeCache(elects: true)) }
        await eventually { upstream.waitingCalls == 1 && archive.reads >= 20 }
        upstream.open()
        await eventually { archive.heldWrites == 1 }
        let reads = archive.reads
        await eventually {
            world.passToAlarm(within: .milliseconds(50))
            return archive.reads > reads + 40
        }
        #expect(election.leaders.withLock { $0.count } == 1, "it leads until its answer is on disk")
        archive.flush()
        let done = Atomic(false)
        let clock = Task { [world] in
            while !done.load(ordering: .relaxed) {
                world.passToAlarm(within: .milliseconds(50))
                await Task.yield()
            }
        }
        for waiter in waiters { #expect(try await waiter.value.freshness == .fresh) }
        done.store(true, ordering: .relaxed)
        await clock.value
        #expect(upstream.calls == 1)
        #expect(election.leaders.withLock { $0.isEmpty })
    }

    @Test func aFollowerLeadsWhereTheLeaderFailed() async throws {
        upstream.shut()
        let leader = ask(makeCache(elects: true))
        await eventually { upstream.waitingCalls == 1 }
        let follower = ask(makeCache(elects: true))
        await eventually { archive.reads >= 2 }
        leader.cancel()
        _ = await leader.result
        await eventually { election.leaders.withLock { $0.isEmpty } }
        upstream.open()
        await eventually {
            world.passToAlarm(within: .milliseconds(50))
            return upstream.calls == 2
        }
        #expect(try await follower.value.freshness == .fresh)
        await eventually { election.leaders.withLock { $0.isEmpty } }
    }

    @Test func aFollowerKeepsItsOwnTime() async throws {
        let lease = await election.lead(electionKey(for: bergen))
        let follower = ask(makeCache(elects: true))
        await eventually { archive.reads >= 1 }
        await eventually {
            world.passToAlarm(within: .milliseconds(50))
            return archive.reads > 5
        }
        world.pass(.seconds(9))
        await #expect(throws: WeatherError.outOfTime) { try await follower.value }
        #expect(upstream.calls == 0)
        lease?.release()
    }

    @Test func aRefreshByAnotherProcessSparesOurs() async throws {
        let cache = makeCache(elects: true)
        _ = try await lookUp(cache)
        world.pass(.seconds(900))
        archive.put(
            ArchivedWeather(context: .sample(at: bergen, temperature: 30), fetchedAt: world.unixTime))
        #expect(cache.hit(bergen)?.freshness == .revalidating)
        await eventually { cache.counters.flights == 0 }
        #expect(cache.hit(bergen)?.temperature == 30)
        #expect(upstream.calls == 1)
        // Asked past fresh weather, nothing older than the question will do.
        world.pass(.seconds(10))
        #expect(try await lookUp(cache, refresh: true).age == 0)
        #expect(upstream.calls == 2)
    }

    @Test func manyPlacesAreLedAndFollowedEachForItself() async throws {
        let lease = await election.lead(electionKey(for: spot(2, 2)))
        let cache = makeCache(elects: true)
        let deadline = world.after(.seconds(9))
        let many = Task {
            await cache.weather(for: [spot(1, 1), spot(2, 2), spot(3, 3)], until: deadline)
        }
        await eventually { cache.counters.successes == 2 }
        #expect(upstream.manyCalls == [[spot(1, 1), spot(3, 3)]])
        archive.put(
            ArchivedWeather(context: .sample(at: spot(2, 2), temperature: 30), fetchedAt: world.unixTime))
        lease?.release()
        await eventually {
            world.passToAlarm(within: .milliseconds(50))
            return cache.counters.archiveHits == 1
        }
        let answers = await many.value
        #expect(try answers.map { try $0.get().temperature } == [10, 30, 10])
        #expect(upstream.calls == 1)
        #expect(election.leaders.withLock { $0.isEmpty })
    }

    @Test func processesSearchForAPlaceOnce() async throws {
        upstream.shut()
        let deadline = world.after(.seconds(9))
        let searches = (0..<5).map { _ in
            let cache = PlaceCache(
                over: upstream, environment: world.environment, archive: archive, election: election)
            return Task { try await cache.place(for: PlaceQuery(city: "Bergen"), until: deadline) }
        }
        await eventually { upstream.waitingCalls == 1 && archive.reads >= 5 }
        upstream.open()
        let done = Atomic(false)
        let clock = Task { [world] in
            while !done.load(ordering: .relaxed) {
                world.passToAlarm(within: .milliseconds(50))
                await Task.yield()
            }
        }
        for search in searches { #expect(try await search.value.name == "Bergen") }
        done.store(true, ordering: .relaxed)
        await clock.value
        #expect(upstream.searches.count == 1)
        #expect(election.leaders.withLock { $0.isEmpty })
    }
}
