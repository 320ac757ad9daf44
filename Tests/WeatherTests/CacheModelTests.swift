import TestSupport
import Testing

@testable import Weather

/// Random operations on a cache against a model that is too simple to be wrong.
@Suite struct CacheModelTests {
    private struct Model {
        struct Entry {
            var temperature: Double
            var fetchedAt: Int
            var freshUntil: Int
            var error: WeatherError?
            var failedAt = Int.min / 2
            var forcedAt = Int.min / 2
        }

        var entries: [Int: Entry] = [:]
        var failures: [Int: (error: WeatherError, at: Int)] = [:]
        /// Most recently used first.
        var order: [Int] = []
        var calls = 0
        let limit: Int

        mutating func use(_ place: Int) {
            order.removeAll { $0 == place }
            order.insert(place, at: 0)
            while order.count > limit { entries[order.removeLast()] = nil }
        }
    }

    private static let broken = WeatherError.unavailable(status: 500, retryAfter: nil)

    @Test(arguments: [UInt64(1), 2, 3]) func itDoesAsASimpleModelDoes(seed: UInt64) async throws {
        let world = CacheTestWorld()
        let upstream = CacheTestUpstream()
        var policy = CachePolicy()
        policy.bounds = CacheBounds(entries: 30, bytes: 1 << 20, shards: 1)
        let cache = WeatherCache(
            over: upstream, policy: policy, environment: world.environment)
        var chance = SeededGenerator(seed: seed)
        var model = Model(limit: 30)
        var isBroken = false
        var temperature = 10.0

        func isRemembered(_ at: Int, at now: Int) -> Bool { now - at < 15 }

        /// Upstream is asked: what the model then holds, and what a waiter gets.
        func ask(_ place: Int, forced: Bool = false, at now: Int) -> (Double, Freshness)? {
            model.calls += 1
            let entry = model.entries[place]
            if isBroken {
                if entry != nil {
                    model.entries[place]?.error = CacheModelTests.broken
                    model.entries[place]?.failedAt = now
                    model.entries[place]?.forcedAt = Int.min / 2
                    model.use(place)
                }
                guard let entry, now - entry.fetchedAt < 86_400 else {
                    model.failures[place] = (CacheModelTests.broken, now)
                    return nil
                }
                return (entry.temperature, .error(CacheModelTests.broken))
            }
            model.failures[place] = nil
            model.entries[place] = Model.Entry(
                temperature: temperature, fetchedAt: now,
                freshUntil: max((now / 900 + 1) * 900, now + 300),
                forcedAt: forced ? now : entry?.forcedAt ?? Int.min / 2)
            model.use(place)
            return (temperature, .fresh)
        }

        /// What a look-up answers; nil for a failure.
        func expected(_ place: Int, refresh: Bool, at now: Int) -> (Double, Freshness)? {
            let hasFailed = model.failures[place].map { isRemembered($0.at, at: now) } ?? false
            guard let entry = model.entries[place] else {
                return hasFailed ? nil : ask(place, forced: refresh, at: now)
            }
            model.use(place)
            let isSpared = entry.error != nil && isRemembered(entry.failedAt, at: now)
            if refresh, !isSpared, now - entry.forcedAt >= 60 { return ask(place, forced: true, at: now) }
            if now < entry.freshUntil { return (entry.temperature, .fresh) }
            guard now - entry.fetchedAt < 86_400 else { return hasFailed ? nil : ask(place, at: now) }
            let old = (entry.temperature, entry.error.map { Freshness.error($0) } ?? .revalidating)
            if isSpared { return old }
            if now >= entry.freshUntil + 3_600 { return ask(place, at: now) }
            _ = ask(place, at: now)
            return old
        }

        for step in 0..<10_000 {
            let place = min(
                Int.random(in: 0..<50, using: &chance), Int.random(in: 0..<50, using: &chance))
            switch Int.random(in: 0..<20, using: &chance) {
            case 0: world.pass(.seconds(Int.random(in: 1..<120, using: &chance)))
            case 1: world.pass(.seconds(Int.random(in: 1..<2_000, using: &chance)))
            case 2 where step % 10 == 0: world.pass(.seconds(Int.random(in: 1..<90_000, using: &chance)))
            case 3:
                isBroken = Int.random(in: 0..<3, using: &chance) == 0
                upstream.fail(with: isBroken ? CacheModelTests.broken : nil)
            case 4:
                temperature += 1
                upstream.setTemperature(temperature)
            default:
                let refresh = Int.random(in: 0..<10, using: &chance) == 0
                let wanted = expected(place, refresh: refresh, at: world.unixTime)
                var got: (Double, Freshness)?
                do throws(WeatherError) {
                    let answer = try await cache.lookUp(
                        spot(number: place), refresh: refresh, until: world.after(.seconds(8)))
                    #expect(answer.context.coordinate == spot(number: place))
                    got = (answer.temperature ?? .nan, answer.freshness)
                } catch {
                    #expect(error == CacheModelTests.broken)
                }
                await eventually { cache.counters.calls == 0 }
                #expect(got?.0 == wanted?.0, "step \(step)")
                #expect(got?.1 == wanted?.1, "step \(step)")
                #expect(upstream.calls == model.calls, "step \(step)")
                #expect(cache.counters.entries == model.entries.count, "step \(step)")
                guard got?.0 == wanted?.0, got?.1 == wanted?.1, upstream.calls == model.calls else { return }
            }
        }
        #expect(upstream.calls > 500)
    }
}
