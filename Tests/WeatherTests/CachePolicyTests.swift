import TestSupport
import Testing
import Transport

@testable import Weather

@Suite struct CachePolicyTests {
    private let policy = CachePolicy()
    private let noon = CacheTestWorld.start

    @Test func weatherIsFreshUntilTheModelsNextQuarterHour() {
        #expect(policy.freshUntil(fetchedAt: noon, chance: 0) == noon + 900)
        #expect(policy.freshUntil(fetchedAt: noon + 60, chance: 0) == noon + 900)
        #expect(policy.freshUntil(fetchedAt: noon + 599, chance: 0) == noon + 900)
    }

    @Test func butAtLeastForFiveMinutes() {
        #expect(policy.freshUntil(fetchedAt: noon + 601, chance: 0) == noon + 901)
        #expect(policy.freshUntil(fetchedAt: noon + 899, chance: 0) == noon + 1_199)
    }

    @Test func whatWasLoadedTogetherExpiresApart() {
        var chance = SeededGenerator(seed: 1)
        let ends = (0..<1_000).map { _ in
            policy.freshUntil(fetchedAt: noon, chance: Double.random(in: 0..<1, using: &chance))
        }
        #expect(ends.allSatisfy { (noon + 900..<noon + 960).contains($0) })
        #expect(Set(ends).count == 60, "they use the whole minute")
        let most = Dictionary(grouping: ends, by: \.self).values.map(\.count).max()
        #expect((most ?? 1_000) < 50, "no second is crowded")
    }

    @Test func datesBeforeTheEpochAreCountedAlike() {
        #expect(policy.freshUntil(fetchedAt: -1, chance: 0) == 299)
        #expect(policy.freshUntil(fetchedAt: -400, chance: 0) == 0)
    }

    @Test(arguments: [
        (WeatherError.cancelled, 0), (.transport(.queueFull), 0), (.outOfTime, 15),
        (.unavailable(status: 500, retryAfter: nil), 15), (.limited(reason: nil, retryAfter: .seconds(3)), 3),
        (.limited(reason: nil, retryAfter: .seconds(3_600)), 15),
        (.transport(.gateShut(retryAfter: .zero)), 1),
    ])
    func aFailureIsRememberedNoLongerThanItsTTL(error: WeatherError, seconds: Int) {
        let ttl = policy.ttl(freshnessFactor: { 1 })
        #expect(ttl.seconds(of: error, chance: 0) == seconds)
        let spread = ttl.seconds(of: error, chance: 0.999)
        #expect((seconds * 4 / 5...seconds).contains(spread))
    }

    @Test func boundsAreSharedOutToFewShardsWhereThereIsLittle() {
        #expect(CacheBounds(entries: 10, shards: 64).effectiveShards == 1)
        #expect(CacheBounds(entries: 10, shards: 64).entriesInShard == 10)
        let large = CacheBounds(entries: 1_000_000, bytes: 1 << 30, shards: 64)
        #expect(large.effectiveShards == 64)
        #expect(large.entriesInShard * 64 >= 1_000_000)
        #expect(CacheBounds(entries: 0, bytes: 0, shards: 0).entriesInShard == 1)
    }
}
