import Fragments
import Synchronization
import Testing
import Weather

@testable import TripWeather

/// A cache whose entries carry renderings, over a weather of the test's making.
@Suite final class RenderingsTests {
    private let fixture: SiteFixture
    private let cache: WeatherCache
    private let made = Mutex(0)
    private let bergen = coordinate(60.39, 5.32)

    init() throws {
        fixture = try SiteFixture()
        cache = fixture.site.weather
    }

    private func key(_ hit: CachedWeather, _ form: CardForm = .card, day: Int = 1) -> RenderingKey {
        RenderingKey(
            presentation: Presentation(), form: form, isNegotiated: true, isSample: false, isCacheable: true,
            isPersonal: false, date: CalendarDate(daysSinceEpoch: day), coordinate: bergen,
            freshness: hit.freshness)
    }

    private func render(_ hit: CachedWeather, _ key: RenderingKey, bytes: Int = 1) -> Int {
        let rendering = hit.rendering(for: key, in: cache) {
            let number = made.withLock { made in
                made += 1
                return made
            }
            return Rendering(
                body: Array(repeating: 0, count: bytes), entityTag: "\(1_000 + number)", fields: [])
        }
        return (Int(rendering.entityTag) ?? 0) - 1_000
    }

    private func lookUp(refresh: Bool = false) async throws -> CachedWeather {
        try await cache.lookUp(bergen, refresh: refresh, until: .now.advanced(by: .seconds(8)))
    }

    @Test func aRenderingIsMadeOnceAndEndsWithItsWeather() async throws {
        let first = try await lookUp()
        let empty = cache.counters.bytes
        #expect(render(first, key(first)) == 1)
        let full = cache.counters.bytes
        #expect(full > empty)
        #expect(render(first, key(first)) == 1)
        #expect(cache.counters.bytes == full)
        // Another date, place, form or freshness is another rendering.
        #expect(render(first, key(first, day: 2)) == 2)
        #expect(render(first, key(first, .line)) == 3)
        var named = key(first)
        named.place = SiteFixture.bergen
        #expect(render(first, named) == 4)
        var stale = key(first)
        stale.freshness = .error(.outOfTime)
        #expect(render(first, stale) == 5)
        let second = try await lookUp(refresh: true)
        #expect(cache.counters.bytes == empty)
        #expect(render(second, key(second)) == 6)
        let counted = cache.counters.bytes
        // What is rendered of weather that was replaced isn't counted to the newer.
        #expect(render(first, key(first, day: 9)) == 7)
        #expect(cache.counters.bytes == counted)
    }

    @Test func onlyAFewRenderingsOfAPlaceAreKept() async throws {
        let hit = try await lookUp()
        for day in 0..<8 { _ = render(hit, key(hit, day: day), bytes: 1_000) }
        let full = cache.counters.bytes
        for day in 8..<100 { _ = render(hit, key(hit, day: day), bytes: 1_000) }
        #expect(cache.counters.bytes == full)
        #expect(render(hit, key(hit, day: 99)) == 100, "the newest is kept")
        _ = render(hit, key(hit, day: 200), bytes: 100_000)
        #expect(cache.counters.bytes == full, "what is too large isn't kept")
    }
}
