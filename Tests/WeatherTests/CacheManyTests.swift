import TestSupport
import Testing
import Transport

@testable import Weather

@Suite struct CacheManyTests {
    private let world = CacheTestWorld()
    private let upstream = CacheTestUpstream()
    private let broken = WeatherError.unavailable(status: 500, retryAfter: nil)

    private func makeCache(_ policy: CachePolicy = CachePolicy()) -> WeatherCache {
        WeatherCache(over: upstream, policy: policy, environment: world.environment)
    }

    private func ask(
        _ cache: WeatherCache, _ coordinates: [Coordinate], within time: Duration = .seconds(8)
    ) -> Task<[Result<CachedWeather, WeatherError>], Never> {
        let deadline = world.after(time)
        return Task { await cache.lookUp(coordinates, until: deadline) }
    }

    @Test func thoseThatAreNotFreshAreAskedForInOneQuestion() async throws {
        let cache = makeCache()
        _ = await ask(cache, [spot(1, 1)]).value
        #expect(upstream.singleCalls == [spot(1, 1)], "one place is an ordinary question")
        let wanted = [spot(2, 2), spot(1, 1), spot(3, 3), spot(2.001, 2.001), spot(4, 4)]
        let answers = await ask(cache, wanted).value
        #expect(upstream.manyCalls == [[spot(2, 2), spot(3, 3), spot(4, 4)]])
        #expect(upstream.singleCalls.count == 1)
        #expect(try answers.map { try $0.get().context.coordinate } == wanted.map(\.rounded))
        // Each has filled the cache.
        for coordinate in wanted { #expect(cache.hit(coordinate)?.freshness == .fresh) }
        _ = await ask(cache, wanted).value
        #expect(upstream.calls == 2)
    }

    @Test func nothingIsAskedForNothing() async {
        #expect(await ask(makeCache(), []).value.isEmpty)
        #expect(upstream.calls == 0)
    }

    @Test func oneBadPlaceFailsItselfOnly() async throws {
        let cache = makeCache()
        upstream.fail(at: spot(2, 2), with: broken)
        let answers = await ask(cache, [spot(1, 1), spot(2, 2), spot(3, 3)]).value
        #expect(try answers[0].get().freshness == .fresh)
        #expect(throws: broken) { try answers[1].get() }
        #expect(try answers[2].get().freshness == .fresh)
    }

    @Test func callsUnderWayAreJoined() async throws {
        let cache = makeCache()
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let single = Task { try await cache.lookUp(spot(1, 1), until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        let many = ask(cache, [spot(1, 1), spot(2, 2), spot(3, 3)])
        await eventually { upstream.waitingCalls == 2 }
        // And singles join what many have asked for.
        let late = Task { try await cache.lookUp(spot(3, 3), until: deadline) }
        await eventually { cache.counters.waiters == 5 }
        #expect(cache.counters.calls == 3)
        upstream.open()
        #expect(try await many.value.map { try $0.get().freshness } == [.fresh, .fresh, .fresh])
        #expect(try await late.value.freshness == .fresh)
        _ = try await single.value
        #expect(upstream.singleCalls == [spot(1, 1)])
        #expect(upstream.manyCalls == [[spot(2, 2), spot(3, 3)]])
    }

    @Test func staleOnesAreAnsweredAtOnceAndRefreshedTogetherBehind() async throws {
        let cache = makeCache()
        let places = [spot(1, 1), spot(2, 2), spot(3, 3)]
        _ = await ask(cache, places).value
        world.pass(.seconds(900))
        upstream.shut()
        let answers = await ask(cache, places).value
        #expect(try answers.map { try $0.get().freshness } == [.revalidating, .revalidating, .revalidating])
        await eventually { upstream.manyCalls.count == 2 }
        upstream.open()
        await eventually { cache.counters.calls == 0 }
        #expect(upstream.manyCalls.last == places)
        #expect(upstream.singleCalls.isEmpty)
        for place in places { #expect(cache.hit(place)?.freshness == .fresh) }
    }

    @Test func anOutageLeavesEachItsOldWeather() async throws {
        let cache = makeCache()
        _ = await ask(cache, [spot(1, 1), spot(2, 2)]).value
        world.pass(.seconds(3 * 3_600))
        upstream.fail(with: broken)
        let answers = await ask(cache, [spot(1, 1), spot(2, 2), spot(3, 3)]).value
        #expect(try answers[0].get().freshness == .error(broken))
        #expect(try answers[1].get().freshness == .error(broken))
        #expect(throws: broken) { try answers[2].get() }
        #expect(upstream.calls == 2)
    }

    @Test func theSharedQuestionIsCancelledWhenNobodyWaitsForAnyOfIt() async throws {
        let cache = makeCache()
        upstream.shut()
        let many = ask(cache, [spot(1, 1), spot(2, 2)])
        await eventually { upstream.waitingCalls == 1 }
        let deadline = world.after(.seconds(8))
        let single = Task { try await cache.lookUp(spot(2, 2), until: deadline) }
        await eventually { cache.counters.waiters == 3 }
        many.cancel()
        #expect(await many.value.allSatisfy { (try? $0.get()) == nil })
        #expect(cache.counters.calls == 1)
        #expect(upstream.cancelledCalls == 0, "one of them is waited for")
        single.cancel()
        _ = await single.result
        await eventually { upstream.cancelledCalls == 1 }
        #expect(cache.counters.calls == 0)
        await eventually { world.timerCount == 0 }
    }

    @Test func manyKeepTheirOwnTime() async throws {
        let cache = makeCache()
        _ = await ask(cache, [spot(1, 1)]).value
        upstream.shut()
        let many = ask(cache, [spot(1, 1), spot(2, 2)], within: .seconds(2))
        await eventually { upstream.waitingCalls == 1 }
        world.pass(.seconds(2))
        let answers = await many.value
        #expect(try answers[0].get().freshness == .fresh)
        #expect(throws: WeatherError.outOfTime) { try answers[1].get() }
    }

    @Test func moreThanUpstreamTakesAreAskedInParts() async throws {
        var policy = CachePolicy()
        policy.placesInQuestion = 40
        let cache = makeCache(policy)
        let places = (0..<100).map { spot(number: $0) }
        let answers = await ask(cache, places).value
        #expect(try answers.map { try $0.get().context.coordinate } == places)
        #expect(upstream.manyCalls.map(\.count).sorted() == [20, 40, 40])
    }
}
