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
        let key = RenderingKey(form: 1, date: CalendarDate(daysSinceEpoch: 1), label: "Bergen, Norway")
        let rendering = Rendering(body: Array(repeating: 1, count: 2_000), entityTag: "\"0123456789abcdef\"")
        let made = Atomic(0)
        func answer() -> Int {
            guard let hit = cache.hit(bergen) else { return 0 }
            return hit.rendering(for: key) {
                made.add(1, ordering: .relaxed)
                return rendering
            }.body.count
        }
        // The first one renders.
        #expect(answer() == 2_000)
        var bytes = 0
        let count = allocations { for _ in 0..<1_000 { bytes += answer() } }
        #expect(bytes == 2_000_000)
        #expect(made.load(ordering: .relaxed) == 1)
        #expect(count ?? 0 <= 1_000)
    }
}
