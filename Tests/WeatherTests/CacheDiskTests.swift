import Synchronization
import TestSupport
import Testing
import Transport

@testable import Weather

/// A disk that several caches share, as processes would; each has its own handle, which knows its claims.
private final class TestDisk: Sendable {
    fileprivate struct State {
        var weather: [String: DiskEntry<WeatherContext>] = [:]
        var places: [String: DiskEntry<Place>] = [:]

        var archive: [String: DiskEntry<ArchiveDays>] = [:]
        var failures: [String: CacheFailure] = [:]
        var claims: [String: Int] = [:]
        var handles = 0
        var reads = 0
        var isHeld = false
        var held: [@Sendable (inout State) -> Void] = []
    }

    fileprivate let state = Mutex(State())

    var reads: Int { state.withLock { $0.reads } }
    var heldWrites: Int { state.withLock { $0.held.count } }
    var weatherCount: Int { state.withLock { $0.weather.count } }
    var failureCount: Int { state.withLock { $0.failures.count } }
    var claims: Set<String> { state.withLock { Set($0.claims.keys) } }

    func handle(_ world: CacheTestWorld) -> Handle {
        Handle(
            disk: self, world: world,
            owner: state.withLock { state in
                state.handles += 1
                return state.handles
            })
    }

    /// Writes stay queued until `flush()`.
    func hold() { state.withLock { $0.isHeld = true } }

    func flush() {
        state.withLock { state in
            state.isHeld = false
            for write in state.held { write(&state) }
            state.held = []
        }
    }

    func put(_ entry: DiskEntry<WeatherContext>) {
        state.withLock { $0.weather[WeatherKey(entry.value.coordinate).name] = entry }
    }

    fileprivate func write(_ body: @escaping @Sendable (inout State) -> Void) {
        state.withLock { state in
            if state.isHeld { state.held.append(body) } else { body(&state) }
        }
    }

    struct Handle: DiskCache {
        let disk: TestDisk
        let world: CacheTestWorld
        let owner: Int

        func weather(for keys: [String]) async -> [DiskRecord<WeatherContext>] {
            records(keys) { $0.weather[$1] }
        }

        func places(for keys: [String]) async -> [DiskRecord<Place>] { records(keys) { $0.places[$1] } }

        func archive(for keys: [String]) async -> [DiskRecord<ArchiveDays>] {
            records(keys) { $0.archive[$1] }
        }

        func save(_ days: DiskEntry<ArchiveDays>, for key: String) {
            disk.write { [self] in
                $0.archive[key] = days
                end(key, in: &$0)
            }
        }

        private func records<Value>(
            _ keys: [String], _ entry: (State, String) -> DiskEntry<Value>?
        ) -> [DiskRecord<Value>] {
            let now = world.unixTime
            return disk.state.withLock { state in
                state.reads += 1
                return keys.map { key in
                    let failure = state.failures[key].flatMap { now < $0.failedAt + $0.seconds ? $0 : nil }
                    return DiskRecord(entry: entry(state, key), failure: failure)
                }
            }
        }

        func save(_ weather: DiskEntry<WeatherContext>, for key: String) {
            disk.write { [self] in
                $0.weather[key] = weather
                end(key, in: &$0)
            }
        }

        func save(_ place: DiskEntry<Place>, for key: String) {
            disk.write { [self] in
                $0.places[key] = place
                end(key, in: &$0)
            }
        }

        func save(_ failure: CacheFailure, for key: String) {
            disk.write { [self] in
                $0.failures[key] = failure
                end(key, in: &$0)
            }
        }

        func claim(_ keys: [String], for time: Duration) async -> [Bool] {
            disk.state.withLock { state in
                keys.map { key in
                    if let claim = state.claims[key], claim != owner { return false }
                    state.claims[key] = owner
                    return true
                }
            }
        }

        func release(_ key: String) {
            disk.write { [self] in end(key, in: &$0) }
        }

        private func end(_ key: String, in state: inout State) {
            if state.claims[key] == owner { state.claims[key] = nil }
        }
    }
}

@Suite struct CacheDiskTests {
    private let world = CacheTestWorld()
    private let upstream = CacheTestUpstream()
    private let disk = TestDisk()
    private let broken = WeatherError.unavailable(status: 500, retryAfter: nil)

    private func makeCache(_ policy: CachePolicy = CachePolicy()) -> WeatherCache {
        WeatherCache(
            over: upstream, policy: policy, environment: world.environment, disk: disk.handle(world))
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
        #expect(disk.weatherCount == 1)
        world.pass(.seconds(60))
        let restarted = makeCache()
        let answer = try await lookUp(restarted)
        #expect(answer.freshness == .fresh)
        #expect(answer.age == 60)
        #expect(answer.context == .sample(at: bergen))
        #expect(upstream.calls == 1)
        #expect(restarted.counters.diskHits == 1)
        let reads = disk.reads
        #expect(restarted.hit(bergen)?.age == 60)
        #expect(disk.reads == reads, "what is in memory isn't looked up again")
    }

    @Test func staleWeatherOnDiskIsAnsweredAtOnceAndRefreshedBehind() async throws {
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
        await eventually { restarted.counters.calls == 0 }
        #expect(restarted.hit(bergen)?.temperature == 20)
        #expect(upstream.calls == 2)
    }

    @Test func oldWeatherOnDiskServesInAnOutage() async throws {
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

    @Test func aFailureIsRememberedByAllProcesses() async throws {
        upstream.fail(with: broken)
        await #expect(throws: broken) { try await lookUp(makeCache()) }
        #expect(disk.weatherCount == 0 && disk.failureCount == 1)
        for refresh in [false, true, false] {
            let other = makeCache()
            await #expect(throws: broken) { try await lookUp(other, refresh: refresh) }
            #expect(other.retryAfter(at: bergen) == .seconds(15))
        }
        #expect(upstream.calls == 1)
        #expect(disk.claims.isEmpty)
        world.pass(.seconds(15))
        upstream.fail(with: nil)
        #expect(try await lookUp(makeCache()).freshness == .fresh)
    }

    @Test func aFailureElsewhereIsShownOverStaleWeather() async throws {
        _ = try await lookUp(makeCache())
        world.pass(.seconds(3 * 3_600))
        upstream.fail(with: broken)
        #expect(try await lookUp(makeCache()).freshness == .error(broken))
        let other = try await lookUp(makeCache())
        #expect(other.freshness == .error(broken) && other.retryAfter == .seconds(15) && !other.wasAsked)
        #expect(upstream.calls == 2)
    }

    @Test func thatThereIsNoSuchPlaceIsRememberedByAllProcesses() async {
        upstream.fail(with: .noSuchPlace("Bergn"))
        for _ in 0..<3 {
            let cache = PlaceCache(
                over: upstream, environment: world.environment, disk: disk.handle(world))
            await #expect(throws: WeatherError.noSuchPlace("Bergn")) {
                try await cache.place(for: PlaceQuery(city: "Bergn"), until: world.after(.seconds(8)))
            }
        }
        #expect(upstream.searches.count == 1)
    }

    @Test func aRefreshInAnotherProcessAsksAtMostOnceInAWhile() async throws {
        for _ in 0..<5 { _ = try await lookUp(makeCache(), refresh: true) }
        #expect(upstream.calls == 1)
        world.pass(.seconds(60))
        #expect(try await lookUp(makeCache(), refresh: true).age == 0)
        #expect(upstream.calls == 2)
    }

    @Test func aProcessOfOneRequestAsksNothingBehindItsAnswer() async throws {
        _ = try await lookUp(makeCache())
        world.pass(.seconds(1_000))
        var policy = CachePolicy()
        policy.refreshesInBackground = false
        let process = makeCache(policy)
        let answer = try await lookUp(process)
        #expect(answer.freshness == .revalidating && !answer.wasAsked)
        #expect(process.counters.calls == 0)
        #expect(upstream.calls == 1)
    }

    @Test func aCancelledCallWritesNothing() async throws {
        let cache = makeCache()
        upstream.shut()
        upstream.ignoreCancellation()
        let waiter = ask(cache)
        await eventually { upstream.waitingCalls == 1 }
        waiter.cancel()
        _ = await waiter.result
        upstream.open()
        for _ in 0..<200 { await Task.yield() }
        #expect(disk.weatherCount == 0)
        #expect(cache.counters.entries == 0)
    }

    @Test func manyPlacesAreLookedUpBeforeTheRestIsAskedFor() async throws {
        _ = try await lookUp(makeCache(), spot(1, 1))
        _ = try await lookUp(makeCache(), spot(3, 3))
        let restarted = makeCache()
        let answers = await restarted.lookUp(
            [spot(1, 1), spot(2, 2), spot(3, 3), spot(4, 4)], until: world.after(.seconds(8)))
        #expect(try answers.map { try $0.get().freshness } == [.fresh, .fresh, .fresh, .fresh])
        #expect(upstream.manyCalls == [[spot(2, 2), spot(4, 4)]])
        #expect(restarted.counters.diskHits == 2)
    }

    @Test func aRestartFindsItsPlacesOnDisk() async throws {
        func find() async throws -> Place {
            let cache = PlaceCache(over: upstream, environment: world.environment, disk: disk.handle(world))
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
        disk.hold()
        let waiters = (0..<20).map { _ in ask(makeCache()) }
        await eventually { upstream.waitingCalls == 1 && disk.reads >= 20 }
        upstream.open()
        await eventually { disk.heldWrites == 1 }
        let reads = disk.reads
        await eventually {
            world.passToTimer(within: .milliseconds(50))
            return disk.reads > reads + 40
        }
        #expect(disk.claims.count == 1, "the claim stands until the answer is on disk")
        disk.flush()
        let done = Atomic(false)
        let clock = Task { [world] in
            while !done.load(ordering: .relaxed) {
                world.passToTimer(within: .milliseconds(50))
                await Task.yield()
            }
        }
        for waiter in waiters { #expect(try await waiter.value.freshness == .fresh) }
        done.store(true, ordering: .relaxed)
        await clock.value
        #expect(upstream.calls == 1)
        #expect(disk.claims.isEmpty)
    }

    @Test func aClaimThatCameToNothingPassesOn() async throws {
        upstream.shut()
        let first = ask(makeCache())
        await eventually { upstream.waitingCalls == 1 }
        let second = ask(makeCache())
        await eventually { disk.reads >= 3 }
        first.cancel()
        _ = await first.result
        await eventually { upstream.cancelledCalls == 1 }
        upstream.open()
        await eventually {
            world.passToTimer(within: .milliseconds(50))
            return upstream.calls == 2
        }
        #expect(try await second.value.freshness == .fresh)
        await eventually { disk.claims.isEmpty }
    }

    @Test func whoeverFindsAClaimKeepsItsOwnTime() async throws {
        let other = disk.handle(world)
        let name = WeatherKey(bergen).name
        #expect(await other.claim([name], for: .seconds(10)) == [true])
        let second = ask(makeCache())
        await eventually { disk.reads >= 1 }
        await eventually {
            world.passToTimer(within: .milliseconds(50))
            return disk.reads > 5
        }
        world.pass(.seconds(9))
        await #expect(throws: WeatherError.outOfTime) { try await second.value }
        #expect(upstream.calls == 0)
        other.release(name)
    }

    @Test func aRefreshByAnotherProcessSparesOurs() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        world.pass(.seconds(900))
        disk.put(
            DiskEntry(.sample(at: bergen, temperature: 30), fetchedAt: world.unixTime))
        #expect(cache.hit(bergen)?.freshness == .revalidating)
        await eventually { cache.counters.calls == 0 }
        #expect(cache.hit(bergen)?.temperature == 30)
        #expect(upstream.calls == 1)
        // Asked past fresh weather, nothing older than the question will do.
        world.pass(.seconds(10))
        #expect(try await lookUp(cache, refresh: true).age == 0)
        #expect(upstream.calls == 2)
    }

    @Test func manyPlacesAreClaimedEachForItself() async throws {
        let other = disk.handle(world)
        let name = WeatherKey(spot(2, 2)).name
        #expect(await other.claim([name], for: .seconds(10)) == [true])
        let cache = makeCache()
        let deadline = world.after(.seconds(9))
        let many = Task {
            await cache.lookUp([spot(1, 1), spot(2, 2), spot(3, 3)], until: deadline)
        }
        await eventually { cache.counters.successes == 2 }
        #expect(upstream.manyCalls == [[spot(1, 1), spot(3, 3)]])
        disk.put(
            DiskEntry(.sample(at: spot(2, 2), temperature: 30), fetchedAt: world.unixTime))
        other.release(name)
        await eventually {
            world.passToTimer(within: .milliseconds(50))
            return cache.counters.diskHits == 1
        }
        let answers = await many.value
        #expect(try answers.map { try $0.get().temperature } == [10, 30, 10])
        #expect(upstream.calls == 1)
        #expect(disk.claims.isEmpty)
    }

    @Test func processesSearchForAPlaceOnce() async throws {
        upstream.shut()
        let deadline = world.after(.seconds(9))
        let searches = (0..<5).map { _ in
            let cache = PlaceCache(
                over: upstream, environment: world.environment, disk: disk.handle(world))
            return Task { try await cache.place(for: PlaceQuery(city: "Bergen"), until: deadline) }
        }
        await eventually { upstream.waitingCalls == 1 && disk.reads >= 5 }
        upstream.open()
        let done = Atomic(false)
        let clock = Task { [world] in
            while !done.load(ordering: .relaxed) {
                world.passToTimer(within: .milliseconds(50))
                await Task.yield()
            }
        }
        for search in searches { #expect(try await search.value.name == "Bergen") }
        done.store(true, ordering: .relaxed)
        await clock.value
        #expect(upstream.searches.count == 1)
        #expect(disk.claims.isEmpty)
    }
}
