import TestSupport
import Testing
import Transport

@testable import Weather

@Suite struct CachePlaceTests {
    private let world = CacheTestWorld()
    private let upstream = CacheTestUpstream()
    private let broken = WeatherError.unavailable(status: 500, retryAfter: nil)

    private func makeCache(_ policy: PlacePolicy = PlacePolicy()) -> PlaceCache {
        PlaceCache(over: upstream, policy: policy, environment: world.environment)
    }

    private func find(
        _ cache: PlaceCache, _ city: String, _ country: String? = nil
    ) async throws(WeatherError) -> Place {
        try await cache.place(
            for: PlaceQuery(city: city, country: country), until: world.after(.seconds(8)))
    }

    @Test func howACityIsWrittenMakesNoDifference() async throws {
        let cache = makeCache()
        _ = try await find(cache, "Bergen")
        for city in ["bergen", "Bergen ", " BERGEN", "\tbErGeN\n"] {
            #expect(try await find(cache, city).name == "Bergen")
            #expect(cache.hit(PlaceQuery(city: city)) != nil)
        }
        #expect(upstream.searches.count == 1)
        _ = try await find(cache, "New   York")
        #expect(upstream.searches.last?.city == "New York")
        _ = try await find(cache, "new york")
        #expect(upstream.searches.count == 2)
    }

    @Test(arguments: [
        ("Ål", "A\u{30A}L"), ("straße", "STRASSE"), ("Αθήνας", "ΑΘΉΝΑΣ"), ("Tromsø", "TROMSØ"),
    ])
    func lettersAreOneHoweverTheyAreMadeUp(first: String, second: String) {
        #expect(PlaceKey(PlaceQuery(city: first)) == PlaceKey(PlaceQuery(city: second)))
        #expect(PlaceKey(PlaceQuery(city: first)).hashValue == PlaceKey(PlaceQuery(city: second)).hashValue)
    }

    @Test func lettersThatDifferStayDifferent() {
        #expect(PlaceKey(PlaceQuery(city: "Kırık")) != PlaceKey(PlaceQuery(city: "Kirik")))
        #expect(PlaceKey(PlaceQuery(city: "Malmö")) != PlaceKey(PlaceQuery(city: "Malmo")))
    }

    @Test func countryAndLanguageBelongToTheQuestion() async throws {
        let cache = makeCache()
        _ = try await find(cache, "Vancouver", "Canada")
        _ = try await find(cache, "Vancouver", " canada ")
        #expect(upstream.searches.count == 1)
        _ = try await find(cache, "Vancouver", "United States")
        _ = try await find(cache, "Vancouver")
        #expect(upstream.searches.count == 3)
        let german = PlaceQuery(city: "Vancouver", language: "de")
        _ = try await cache.place(for: german, until: world.after(.seconds(8)))
        #expect(upstream.searches.count == 4)
        _ = try await find(cache, "Vancouver", "")
        #expect(upstream.searches.count == 4, "an empty country is none")
    }

    @Test func aPlaceIsKeptForAMonth() async throws {
        let cache = makeCache()
        _ = try await find(cache, "Bergen")
        world.pass(.seconds(30 * 86_400 - 1))
        #expect(cache.hit(PlaceQuery(city: "Bergen")) != nil)
        world.pass(.seconds(1))
        #expect(cache.hit(PlaceQuery(city: "Bergen")) == nil)
        _ = try await find(cache, "Bergen")
        #expect(upstream.searches.count == 2)
    }

    @Test func chanceTakesUpToATenthOff() async throws {
        let cache = makeCache()
        world.setChance(0.999)
        _ = try await find(cache, "Bergen")
        world.pass(.seconds(27 * 86_400))
        #expect(cache.hit(PlaceQuery(city: "Bergen")) != nil)
        world.pass(.seconds(86_400))
        #expect(cache.hit(PlaceQuery(city: "Bergen")) == nil)
    }

    @Test func aFailureAfterThatKeepsTheOldPlace() async throws {
        let cache = makeCache()
        let found = try await find(cache, "Bergen")
        world.pass(.seconds(31 * 86_400))
        upstream.fail(with: broken)
        #expect(try await find(cache, "Bergen") == found)
        #expect(try await find(cache, "Bergen") == found)
        #expect(upstream.searches.count == 2, "not every request asks again")
        world.pass(.seconds(15))
        upstream.fail(with: nil)
        _ = try await find(cache, "Bergen")
        #expect(upstream.searches.count == 3)
    }

    @Test func noSuchPlaceIsRememberedForTenMinutes() async throws {
        let cache = makeCache()
        upstream.fail(with: .noSuchPlace("Bergn"))
        await #expect(throws: WeatherError.noSuchPlace("Bergn")) { try await find(cache, "Bergn") }
        upstream.fail(with: nil)
        world.pass(.seconds(599))
        await #expect(throws: WeatherError.noSuchPlace("BERGN")) {
            // Under the name that this reader wrote.
            try await find(cache, " BERGN")
        }
        #expect(cache.hit(PlaceQuery(city: "bergn")) == .failure(.noSuchPlace("bergn")))
        world.pass(.seconds(1))
        #expect(cache.hit(PlaceQuery(city: "bergn")) == nil)
        #expect(try await find(cache, "bergn").name == "bergn")
        #expect(upstream.searches.count == 2)
    }

    @Test func mistypedNamesPushNoPlaceOut() async throws {
        var policy = PlacePolicy()
        policy.bounds = CacheBounds(entries: 20, shards: 1)
        let cache = makeCache(policy)
        for number in 0..<20 { _ = try await find(cache, "City \(number)") }
        upstream.fail(with: .noSuchPlace("?"))
        for number in 0..<500 { _ = try? await find(cache, "Nowhere \(number)") }
        for number in 0..<20 { #expect(cache.hit(PlaceQuery(city: "City \(number)")) != nil) }
        #expect(cache.counters.entries <= 20)
    }

    @Test func aThousandSearchesForOneCityAreOne() async throws {
        let cache = makeCache()
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let searches = (0..<1_000).map { number in
            Task {
                try await cache.place(
                    for: PlaceQuery(city: number % 2 == 0 ? "Bergen" : "BERGEN"), until: deadline)
            }
        }
        await eventually { cache.counters.waiters == 1_000 }
        upstream.open()
        for search in searches { #expect(try await search.value.coordinate == bergen) }
        #expect(upstream.searches.count == 1)
        #expect(cache.counters.joined == 999)
    }

    @Test func theLastSearchersLeavingCancelsTheSearch() async {
        let cache = makeCache()
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let search = Task { try await cache.place(for: PlaceQuery(city: "Bergen"), until: deadline) }
        await eventually { upstream.waitingCalls == 1 }
        search.cancel()
        await #expect(throws: WeatherError.cancelled) { try await search.value }
        await eventually { upstream.cancelledCalls == 1 }
        #expect(cache.hit(PlaceQuery(city: "Bergen")) == nil)
    }

    @Test func suggestionsAreKeptBriefly() async throws {
        let cache = makeCache()
        func suggest(_ text: String, limit: Int = 5) async throws -> [Place] {
            try await cache.places(
                beginningWith: PlaceQuery(city: text), limit: limit, until: world.after(.seconds(8)))
        }
        #expect(try await suggest("Ber").map(\.name) == ["Ber"])
        _ = try await suggest("ber ")
        #expect(upstream.suggestionCalls == ["Ber"])
        _ = try await suggest("ber", limit: 8)
        #expect(upstream.suggestionCalls.count == 2)
        world.pass(.seconds(600))
        _ = try await suggest("ber")
        #expect(upstream.suggestionCalls.count == 3)
    }

    @Test func suggestionsShareAQuestionToo() async throws {
        let cache = makeCache()
        upstream.shut()
        let deadline = world.after(.seconds(8))
        let questions = (0..<100).map { _ in
            Task { try await cache.places(beginningWith: PlaceQuery(city: "Be"), limit: 5, until: deadline) }
        }
        await eventually { cache.counters.waiters == 100 }
        upstream.open()
        for question in questions { #expect(try await question.value.count == 1) }
        #expect(upstream.suggestionCalls == ["Be"])
    }

    @Test func aPlaceIsFoundByItsNumberInEachLanguage() async throws {
        let cache = makeCache()
        let deadline = world.after(.seconds(8))
        #expect(try await cache.place(id: 7, language: "de", until: deadline).name == "7 de")
        #expect(try await cache.place(id: 7, language: "en", until: deadline).name == "7 en")
        #expect(try await cache.place(id: 7, language: "de", until: deadline).name == "7 de")
        #expect(cache.hit(id: 7, language: "de") != nil)
        #expect(cache.hit(id: 8, language: "de") == nil)
        #expect(upstream.numberedSearches == [7, 7])
    }
}
