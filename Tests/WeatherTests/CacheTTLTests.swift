import Synchronization
import TestSupport
import Testing
import Transport

@testable import Weather

@Suite struct CacheTTLTests {
    private let world = CacheTestWorld()
    private let upstream = CacheTestUpstream()
    private let broken = WeatherError.unavailable(status: 500, retryAfter: nil)

    private func makeCache(
        _ policy: CachePolicy = CachePolicy(), factor: @escaping @Sendable () -> Double = { 1 }
    ) -> WeatherCache {
        WeatherCache(
            over: upstream, policy: policy, environment: world.environment,
            freshnessFactor: factor)
    }

    private func lookUp(
        _ cache: WeatherCache, _ coordinate: Coordinate = bergen, refresh: Bool = false
    ) async throws(WeatherError) -> CachedWeather {
        try await cache.lookUp(coordinate, refresh: refresh, until: world.after(.seconds(8)))
    }

    private func settled(_ cache: WeatherCache) async {
        await eventually { cache.counters.calls == 0 }
    }

    // MARK: Fresh and stale

    @Test func freshWeatherIsAnsweredWithoutAQuestion() async throws {
        let cache = makeCache()
        #expect(cache.hit(bergen) == nil)
        _ = try await lookUp(cache)
        world.pass(.seconds(899))
        let hit = try #require(cache.hit(bergen))
        #expect(hit.freshness == .fresh)
        #expect(hit.age == 899)
        #expect(hit.fetchedAt == CacheTestWorld.start)
        let late = try await cache.lookUp(bergen, until: world.now)
        #expect(late.context == .sample(at: bergen))
        #expect(upstream.calls == 1)
        #expect(cache.counters.hits == 2)
    }

    @Test func staleWeatherIsAnsweredAtOnceWithOneRefreshBehind() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        world.pass(.seconds(900))
        upstream.shut()
        upstream.setTemperature(20)
        for _ in 0..<5 {
            let hit = try #require(cache.hit(bergen))
            #expect(hit.freshness == .revalidating)
            #expect(hit.temperature == 10)
        }
        let lookedUp = try await lookUp(cache)
        #expect(lookedUp.freshness == .revalidating)
        await eventually { upstream.calls == 2 }
        #expect(cache.counters.calls == 1)
        #expect(cache.counters.waiters == 1, "the cache's own")
        upstream.open()
        await settled(cache)
        #expect(upstream.calls == 2)
        let fresh = try #require(cache.hit(bergen))
        #expect(fresh.freshness == .fresh)
        #expect(fresh.temperature == 20)
        #expect(fresh.age == 0)
    }

    @Test func veryOldWeatherIsWaitedFor() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        world.pass(.seconds(900 + 3_600))
        upstream.setTemperature(20)
        #expect(cache.hit(bergen) == nil)
        let answer = try await lookUp(cache)
        #expect(answer.freshness == .fresh)
        #expect(answer.temperature == 20)
    }

    @Test func butAMomentOnlyWhileThereIsOldWeather() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        world.pass(.seconds(3 * 3_600))
        upstream.shut()
        upstream.setTemperature(20)
        let deadline = world.after(.seconds(8))
        let waiter = Task { try await cache.lookUp(bergen, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        world.pass(.milliseconds(1_999))
        #expect(cache.counters.waiters == 1, "not before the moment is over")
        world.pass(.milliseconds(1))
        let old = try await waiter.value
        #expect(old.temperature == 10)
        #expect(old.freshness == .revalidating)
        #expect(cache.counters.calls == 1, "the refresh goes on behind")
        upstream.open()
        await settled(cache)
        #expect(cache.hit(bergen)?.temperature == 20)
    }

    @Test func aReaderWhoLeavesWhileWaitingForARefreshEndsIt() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        world.pass(.seconds(3 * 3_600))
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let waiter = Task { try await cache.lookUp(bergen, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        waiter.cancel()
        await #expect(throws: WeatherError.cancelled) { try await waiter.value }
        await eventually { upstream.cancelledCalls == 1 }
        upstream.open()
        #expect(try await lookUp(cache).freshness == .fresh)
    }

    @Test func weatherIsForgottenAfterItsLastLimit() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.fail(with: broken)
        world.pass(.seconds(24 * 3_600 - 1))
        #expect(try await lookUp(cache).freshness == .error(broken))
        world.pass(.seconds(1))
        await #expect(throws: broken) { try await lookUp(cache) }
        #expect(cache.hit(bergen) == nil)
    }

    @Test func freshnessIsStretchedWhileTheBudgetIsShort() async throws {
        let factor = Mutex(1.0)
        let cache = makeCache(factor: { factor.withLock { $0 } })
        _ = try await lookUp(cache)
        factor.withLock { $0 = 2 }
        world.pass(.seconds(1_799))
        #expect(cache.hit(bergen)?.freshness == .fresh)
        factor.withLock { $0 = 1 }
        #expect(cache.hit(bergen)?.freshness == .revalidating)
        await settled(cache)
        #expect(upstream.calls == 2)
    }

    @Test func placesLoadedTogetherAreNotRefreshedTogether() async throws {
        let cache = makeCache()
        var chance = SeededGenerator(seed: 5)
        for number in 0..<300 {
            world.setChance(Double.random(in: 0..<1, using: &chance))
            _ = try await lookUp(cache, spot(number: number))
        }
        #expect(upstream.calls == 300)
        world.pass(.seconds(900))
        var most = 0
        for _ in 0..<60 {
            let before = upstream.calls
            for number in 0..<300 { _ = cache.hit(spot(number: number)) }
            await settled(cache)
            most = max(most, upstream.calls - before)
            world.pass(.seconds(1))
        }
        for number in 0..<300 { _ = cache.hit(spot(number: number)) }
        await settled(cache)
        #expect(upstream.calls == 600, "each of them once")
        #expect(most < 20, "no second has many of them")
    }

    @Test func aClockSetBackMakesNoWeatherFreshForLonger() async throws {
        let cache = makeCache()
        world.pass(.seconds(7_200))
        _ = try await lookUp(cache)
        world.pass(.seconds(-3_600))
        let hit = try #require(cache.hit(bergen))
        #expect(hit.freshness == .revalidating)
        #expect(hit.age == 0)
        await settled(cache)
    }

    // MARK: Failures

    @Test func aFailedRefreshKeepsTheOldAndSaysSo() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.fail(with: broken)
        world.pass(.seconds(900))
        #expect(cache.hit(bergen)?.freshness == .revalidating)
        await settled(cache)
        let hit = try #require(cache.hit(bergen))
        #expect(hit.freshness == .error(broken))
        #expect(hit.temperature == 10)
        #expect(hit.fetchedAt == CacheTestWorld.start)
    }

    @Test func afterAFailureNotEveryRequestAsksAgain() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.fail(with: broken)
        world.pass(.seconds(900))
        _ = cache.hit(bergen)
        await settled(cache)
        #expect(upstream.calls == 2)
        world.pass(.seconds(14))
        for _ in 0..<100 { #expect(try await lookUp(cache).freshness == .error(broken)) }
        #expect(upstream.calls == 2)
        world.pass(.seconds(1))
        // Somebody has to look whether it is back, but nobody waits for that.
        upstream.shut()
        let hit = try #require(cache.hit(bergen))
        #expect(hit.freshness == .error(broken))
        #expect(hit.retryAfter == nil)
        await eventually { upstream.waitingCalls == 1 }
        for _ in 0..<10 { #expect(cache.hit(bergen)?.freshness == .error(broken)) }
        upstream.open()
        await settled(cache)
        #expect(upstream.calls == 3)
    }

    @Test func anHourLongOutageCostsNobodyTheirWeather() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        world.pass(.seconds(900))
        for _ in 0..<60 {
            upstream.fail(with: broken)
            for _ in 0..<20 {
                let answer = try await lookUp(cache)
                #expect(answer.temperature == 10)
                #expect(answer.freshness != .fresh)
            }
            await settled(cache)
            world.pass(.seconds(60))
        }
        #expect(upstream.calls <= 62, "about one question a short life, not one a request")
        upstream.fail(with: nil)
        upstream.setTemperature(20)
        _ = try await lookUp(cache)
        await settled(cache)
        let answer = try await lookUp(cache)
        #expect(answer.freshness == .fresh, "upstream is back, and the first reader noticed")
        #expect(answer.temperature == 20)
    }

    @Test func anUpstreamThatHangsCostsAReaderAMoment() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.fail(with: broken)
        world.pass(.seconds(900))
        _ = cache.hit(bergen)
        await settled(cache)
        // Past answering at once.
        world.pass(.seconds(3_600))
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let waiter = Task { try await cache.lookUp(bergen, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        world.pass(.seconds(2))
        let answer = try await waiter.value
        #expect(answer.freshness == .error(broken), "it says error until a refresh succeeds")
        #expect(answer.temperature == 10)
        upstream.fail(with: nil)
        upstream.open()
        await settled(cache)
        #expect(cache.hit(bergen)?.freshness == .fresh)
    }

    @Test func aColdPlacesFailureIsRememberedBriefly() async throws {
        let cache = makeCache()
        upstream.fail(with: broken)
        await #expect(throws: broken) { try await lookUp(cache) }
        upstream.fail(with: nil)
        world.pass(.seconds(14))
        await #expect(throws: broken) { try await lookUp(cache) }
        #expect(upstream.calls == 1)
        #expect(cache.counters.negativeHits == 1)
        #expect(cache.hit(bergen) == nil)
        world.pass(.seconds(1))
        #expect(try await lookUp(cache).freshness == .fresh)
    }

    @Test func ourOwnFullQueueIsNotHeldAgainstAPlace() async throws {
        let cache = makeCache()
        upstream.fail(with: .transport(.queueFull))
        await #expect(throws: WeatherError.transport(.queueFull)) { try await lookUp(cache) }
        upstream.fail(with: nil)
        #expect(try await lookUp(cache).freshness == .fresh)
    }

    @Test func anOutagePushesNoWeatherOut() async throws {
        var policy = CachePolicy()
        policy.bounds = CacheBounds(entries: 50, shards: 1)
        let cache = makeCache(policy)
        for number in 0..<50 { _ = try await lookUp(cache, spot(number: number)) }
        upstream.fail(with: broken)
        for number in 100..<600 {
            await #expect(throws: broken) { try await lookUp(cache, spot(number: number)) }
        }
        for number in 0..<50 { #expect(cache.hit(spot(number: number)) != nil) }
        #expect(cache.counters.evictions == 0)
    }

    // MARK: Refresh

    @Test func refreshAsksAgainPastFreshWeather() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.setTemperature(20)
        world.pass(.seconds(5))
        let answer = try await lookUp(cache, refresh: true)
        #expect(answer.temperature == 20)
        #expect(answer.fetchedAt == CacheTestWorld.start + 5)
    }

    @Test func refreshAsksAtMostOnceInAWhile() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        for _ in 0..<10 { _ = try await lookUp(cache, refresh: true) }
        #expect(upstream.calls == 2)
        world.pass(.seconds(59))
        #expect(try await lookUp(cache, refresh: true).age == 59)
        #expect(upstream.calls == 2)
        world.pass(.seconds(1))
        #expect(try await lookUp(cache, refresh: true).age == 0)
        #expect(upstream.calls == 3)
        _ = try await lookUp(cache, spot(1, 1), refresh: true)
        #expect(upstream.calls == 4, "each place has its own while")
    }

    @Test func manyRefreshesAtOnceShareAQuestion() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.shut()
        let deadline = world.after(.seconds(8))
        // The first is let through, and the others get what there is.
        let first = Task { try await cache.lookUp(bergen, refresh: true, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        for _ in 0..<20 {
            #expect(try await cache.lookUp(bergen, refresh: true, until: deadline).freshness == .fresh)
        }
        upstream.open()
        _ = try await first.value
        #expect(upstream.calls == 2)
    }

    @Test func aRefreshThatFailsKeepsTheOld() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.fail(with: broken)
        let answer = try await lookUp(cache, refresh: true)
        #expect(answer.freshness == .error(broken))
        #expect(answer.temperature == 10)
        #expect(cache.hit(bergen)?.freshness == .fresh, "to everybody else it is as fresh as before")
        await settled(cache)
        world.pass(.seconds(900))
        #expect(cache.hit(bergen)?.freshness == .error(broken))
        await settled(cache)
    }

    @Test func aFailedRefreshMayBeTriedAgainOnceItsFailureIsForgotten() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.fail(with: broken)
        let failed = try await lookUp(cache, refresh: true)
        #expect(failed.retryAfter == .seconds(15))
        world.pass(.seconds(14))
        _ = try await lookUp(cache, refresh: true)
        #expect(upstream.calls == 2)
        world.pass(.seconds(1))
        upstream.fail(with: nil)
        #expect(try await lookUp(cache, refresh: true).age == 0)
        #expect(upstream.calls == 3)
    }

    @Test func aRefreshOfNothingRespectsARememberedFailure() async throws {
        let cache = makeCache()
        upstream.fail(with: broken)
        for _ in 0..<5 { await #expect(throws: broken) { try await lookUp(cache, refresh: true) } }
        #expect(upstream.calls == 1)
        #expect(cache.retryAfter(at: bergen) == .seconds(15))
        world.pass(.seconds(5))
        #expect(cache.retryAfter(at: bergen) == .seconds(10))
        world.pass(.seconds(10))
        #expect(cache.retryAfter(at: bergen) == nil, "asking helps from then on")
        upstream.fail(with: nil)
        _ = try await lookUp(cache, refresh: true)
        #expect(upstream.calls == 2)
    }

    @Test func aRefreshOfNothingCountsAsTheOneInAWhile() async throws {
        let cache = makeCache()
        for _ in 0..<5 { _ = try await lookUp(cache, refresh: true) }
        #expect(upstream.calls == 1)
    }

    @Test func withoutRefreshesBehindStaleWeatherIsAnsweredAsItIs() async throws {
        var policy = CachePolicy()
        policy.refreshesInBackground = false
        let cache = makeCache(policy)
        _ = try await lookUp(cache)
        world.pass(.seconds(1_000))
        #expect(try await lookUp(cache).freshness == .revalidating)
        #expect(cache.counters.calls == 0)
        #expect(upstream.calls == 1)
        // Past answering at once it is asked for, for a moment.
        world.pass(.seconds(3_600))
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let waiter = Task { try await cache.lookUp(bergen, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        world.pass(.seconds(2))
        #expect(try await waiter.value.freshness == .error(.outOfTime))
        await eventually { upstream.cancelledCalls == 1 }
        #expect(
            try await lookUp(cache).retryAfter == .seconds(15), "the next one does not wait in vain as well")
    }

    @Test func aRefreshOutOfTimeKeepsTheOld() async throws {
        let cache = makeCache()
        _ = try await lookUp(cache)
        upstream.shut()
        let deadline = world.after(.seconds(3))
        let waiter = Task { try await cache.lookUp(bergen, refresh: true, until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        world.pass(.seconds(3))
        let answer = try await waiter.value
        #expect(answer.freshness == .error(.outOfTime))
        #expect(answer.temperature == 10)
        await eventually { upstream.cancelledCalls == 1 }
    }

    // MARK: Bounds

    @Test func theLeastRecentlyUsedPlaceIsForgottenFirst() async throws {
        var policy = CachePolicy()
        policy.bounds = CacheBounds(entries: 3, shards: 64)
        let cache = makeCache(policy)
        for number in 0..<3 { _ = try await lookUp(cache, spot(number: number)) }
        #expect(cache.hit(spot(number: 0)) != nil)
        _ = try await lookUp(cache, spot(number: 3))
        #expect(cache.hit(spot(number: 1)) == nil)
        for number in [0, 2, 3] { #expect(cache.hit(spot(number: number)) != nil) }
        #expect(cache.counters.evictions == 1)
        #expect(cache.counters.entries == 3)
    }

    @Test func aThousandPlacesStayWithinTheBounds() async throws {
        var policy = CachePolicy()
        policy.bounds = CacheBounds(entries: 256, bytes: 200_000, shards: 4)
        let cache = WeatherCache(
            over: upstream, policy: policy, environment: world.environment,
            attach: { GrowingAttachment() })
        for number in 0..<1_000 {
            let cached = try await lookUp(cache, spot(number: number))
            (cached.attachment as? GrowingAttachment)?.grow(by: 500)
            cache.attachmentGrew(cached)
            #expect(cache.counters.bytes <= 200_000)
        }
        let counters = cache.counters
        #expect(counters.entries <= 256)
        #expect(counters.entries > 50, "the bound is used")
        #expect(counters.evictions == 1_000 - counters.entries)
    }
}
