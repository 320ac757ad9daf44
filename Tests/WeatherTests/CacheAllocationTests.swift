import CTestSupport
import Synchronization
import Testing

@testable import Weather

@Suite struct CacheAllocationTests {
    private final class Box {
        var value = 1
    }

    /// How often `body` allocates; nil where that can't be told.
    private func allocations(in body: () -> Void) -> Int? {
        let before = ctestsupport_allocations()
        body()
        let after = ctestsupport_allocations()
        return before < 0 ? nil : after - before
    }

    @Test func theCounterCounts() {
        var boxes: [Box] = []
        boxes.reserveCapacity(10)
        let count = allocations { for _ in 0..<10 { boxes.append(Box()) } }
        #expect(boxes.count == 10)
        #expect(count == nil || count == 10)
    }

    /// Debug builds allocate a little where optimised ones don't; the ceiling is what a debug build needs.
    @Test func aHitAllocatesNextToNothing() async throws {
        let world = CacheTestWorld()
        let cache = WeatherCache(over: CacheTestUpstream(), environment: world.environment)
        _ = try await cache.lookUp(bergen, until: world.after(.seconds(8)))
        func answer() -> Int {
            cache.hit(bergen).map { $0.context.days.count } ?? 0
        }
        #expect(answer() == 7)
        var days = 0
        let count = allocations { for _ in 0..<1_000 { days += answer() } }
        #expect(days == 7_000)
        #expect(count ?? 0 <= 1_000)
    }
}
