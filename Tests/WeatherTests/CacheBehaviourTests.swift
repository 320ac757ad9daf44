import TestSupport
import Testing
import Transport

@testable import Weather

/// What a reader sees over time, by the names that the card's states have in TRIPS.md.
@Suite struct CacheBehaviourTests {
    private let world = CacheTestWorld()
    private let upstream = CacheTestUpstream()
    private let broken = WeatherError.transport(
        .failed(TransferFault(phase: .connect, code: 7, message: "refused")))

    private func lookUp(
        _ cache: WeatherCache, _ coordinate: Coordinate = bergen, refresh: Bool = false
    ) async throws(WeatherError) -> CachedWeather {
        try await cache.lookUp(coordinate, refresh: refresh, until: world.after(.seconds(8)))
    }

    private func makeCache() -> WeatherCache {
        WeatherCache(over: upstream, environment: world.environment)
    }

    @Test func firstLoad() async throws {
        let cache = makeCache()
        #expect(cache.hit(bergen) == nil)
        let answer = try await lookUp(cache)
        #expect(answer.context == .sample(at: bergen))
        #expect(answer.freshness == .fresh && answer.wasAsked)
        #expect(upstream.calls == 1)
    }

    @Test func refreshKeepsTheOldOnTheScreen() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.shut()
        upstream.setTemperature(6)
        let deadline = world.after(.seconds(8))
        let refresh = Task { try await cache.lookUp(bergen, refresh: true, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        #expect(cache.hit(bergen)?.temperature == 10, "to others, until the answer is there")
        upstream.open()
        #expect(try await refresh.value.temperature == 6)
    }

    @Test func transportFailureAndThenRetry() async throws {
        let cache = makeCache()
        upstream.fail(with: broken)
        await #expect(throws: broken) { try await lookUp(cache) }
        let wait = try #require(cache.retryAfter(at: bergen))
        upstream.fail(with: nil)
        world.pass(wait)
        #expect(try await lookUp(cache, refresh: true).freshness == .fresh)
    }

    @Test func decodingFailureKeepsTheOldOnTheScreen() async throws {
        let transport = ScriptedTransport(
            answers: .success(Fixture.bergen),
            .success("Unexpected error while streaming data: timeoutReached"))
        // The client's own clock has the machine's time, and a busy machine may take long.
        var environment = world.environment
        environment.callDeadline = SharedDuration(.seconds(600))
        let cache = WeatherCache(
            over: OpenMeteoClient(
                OpenMeteoConfiguration(), transport: transport, unixTime: { CacheTestWorld.start }),
            environment: environment)
        let deadline = ContinuousClock.now.advanced(by: .seconds(600))
        let first = try await cache.lookUp(bergen, until: deadline)
        let second = try await cache.lookUp(bergen, refresh: true, until: deadline)
        #expect(second.context == first.context)
        #expect(second.fetchedAt == first.fetchedAt)
        guard case .error(.unreadable) = second.freshness else {
            Issue.record("\(second.freshness)")
            return
        }
    }

    @Test func cancelledBeforePublicationPublishesNothing() async throws {
        let cache = makeCache()
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let reader = Task { try await cache.lookUp(bergen, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        reader.cancel()
        await #expect(throws: WeatherError.cancelled) { try await reader.value }
        await eventually { upstream.cancelledCalls == 1 }
        let counters = cache.counters
        #expect(counters.entries == 0 && counters.failures == 0 && counters.cancelled == 1)
        #expect(cache.retryAfter(at: bergen) == nil)
    }

    @Test func afterACancelledRefreshTheLoadedStands() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let refresh = Task { try await cache.lookUp(bergen, refresh: true, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        refresh.cancel()
        _ = await refresh.result
        let hit = try #require(cache.hit(bergen))
        #expect(hit.freshness == .fresh && hit.temperature == 10)
    }

    @Test func aNewerCoordinateWinsOverAnOlderRequest() async throws {
        let cache = makeCache()
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let older = Task { try await cache.lookUp(bergen, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        older.cancel()
        let newer = Task { try await cache.lookUp(spot(1, 1), until: deadline) }
        await eventually { upstream.cancelledCalls == 1 }
        upstream.open()
        #expect(try await newer.value.context.coordinate == spot(1, 1))
        #expect(cache.hit(bergen) == nil, "the older one's answer is nobody's")
    }
}
