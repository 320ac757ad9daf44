import Foundation
import Gateway
import TestSupport
import Testing
import Transport
import Weather

@testable import TripWeather

@Suite struct SiteTests {
    @Test func acceptAndSuffixDecideWhatTheAnswerIs() async throws {
        let fixture = try SiteFixture()
        for (path, accept, type, varies) in [
            ("/weather", nil, "application/json", true),
            ("/weather", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8", true),
            ("/weather", "text/plain", "text/plain; charset=utf-8", true),
            ("/weather.html", "application/json", "text/html; charset=utf-8", false),
            ("/api/weather.txt", nil, "text/plain; charset=utf-8", false),
            ("/fragments/weather.json", "text/html", "application/json", false),
            ("/weather", "image/svg+xml,image/*,*/*;q=0.8", "image/svg+xml; charset=utf-8", true),
            ("/api/weather.svg", "text/html", "image/svg+xml; charset=utf-8", false),
        ] as [(String, String?, String, Bool)] {
            let (response, _, _) = await fixture.ask(
                path, "city=Bergen", accept.map { [("HTTP_ACCEPT", $0)] } ?? [])
            #expect(response.status == 200)
            #expect(response.values("Content-Type") == [type], "\(path) \(accept ?? "")")
            #expect(response.values("Vary") == [varies ? "Accept, Accept-Language" : "Accept-Language"])
            #expect(response.values("Set-Cookie").isEmpty)
        }
    }

    @Test func aPictureIsOfOnePlacesWeatherAlone() async throws {
        let fixture = try SiteFixture()
        let (many, _, _) = await fixture.ask("/weather.svg", "place=60.39,5.32&place=47.61,-122.33")
        #expect(many.status == 406)
        #expect(many.value("Content-Type") == "image/svg+xml; charset=utf-8")
        let (places, _, _) = await fixture.ask("/places", "q=Ber", [("HTTP_ACCEPT", "image/svg+xml")])
        #expect(places.status == 406)
        #expect(await fixture.ask("/places.svg", "q=Ber").response.status == 404)
    }

    @Test func theLanguageIsTheOneThatTheReaderPrefers() async throws {
        let fixture = try SiteFixture()
        for (query, field, language) in [
            ("", nil, "en"), ("", "de;q=0.1,en;q=0.9", "en"), ("", "fr, de-AT;q=0.7, en;q=0.3", "de"),
            ("&lang=en", "de", "en"), ("&lang=de", "en", "de"), ("&nights=x", "de", "de"),
        ] as [(String, String?, String)] {
            let (response, _, _) = await fixture.ask(
                "/weather", "city=Bergen\(query)", field.map { [("HTTP_ACCEPT_LANGUAGE", $0)] } ?? [])
            #expect(response.values("Content-Language") == [language], "\(query) \(field ?? "")")
        }
        let german = [("HTTP_ACCEPT_LANGUAGE", "de")]
        #expect(await fixture.ask("/language", "", german).response.body == Array("de".utf8))
        #expect(await fixture.ask("/nothing", "", german).response.value("Content-Language") == "de")
        #expect(
            await fixture.ask("/weather", "", method: "PUT", german).response.value("Content-Language")
                == "de")
    }

    @Test func anAnswerToManyFaultsIsShort() async throws {
        let fixture = try SiteFixture()
        let query = (0..<1_500).map { "b\($0)" }.joined(separator: "&")
        #expect(query.utf8.count > 7_000)
        for path in ["/weather.json", "/weather.html", "/weather.txt"] {
            let (response, _, _) = await fixture.ask(path, query)
            #expect(response.status == 400)
            #expect(response.body.count < 4_096)
        }
    }

    @Test func oneFaultOfALanguageIsSaidOnce() async throws {
        let fixture = try SiteFixture()
        for tag in ["tlh", "x-y", "de-AT"] {
            let (response, _, _) = await fixture.ask("/weather.txt", "city=Bergen&lang=\(tag)")
            #expect(response.text == "lang must be en or de.\n")
        }
    }

    @Test func whatTheSampleLacksIsNotSaidOfOpenMeteo() async throws {
        let fixture = try SiteFixture { $0.site.isSample = true }
        let (response, _, _) = await fixture.ask("/weather.txt", "city=Hogsmeade")
        #expect(response.text == "The sample data has no place called Hogsmeade.\n")
        let (known, _, _) = await fixture.ask("/weather.txt", "city=Hogsmeade")
        #expect(known.text == response.text)
    }

    @Test func aPageIsToldItsLanguageAsABareCode() async throws {
        let fixture = try SiteFixture()
        for (query, code) in [
            ("", "en"), ("lang=de", "de"), ("lang=fr", "en"), ("lang=", "en"), ("lang=de%22&x=1", "en"),
        ] {
            let (response, neededTask, _) = await fixture.ask("/language", query)
            #expect(response.status == 200 && !neededTask)
            #expect(response.body == Array(code.utf8), "\(query)")
            #expect(response.values("Content-Type") == ["text/plain; charset=utf-8"])
        }
        #expect(await fixture.ask("/language.html").response.status == 404)
    }

    @Test func theSecondAnswerNeedsNoTaskAndNoQuestion() async throws {
        let fixture = try SiteFixture()
        let (first, neededTask, _) = await fixture.ask("/weather", "city=Bergen")
        #expect(neededTask)
        #expect(first.value("Cache-Status") == "trip-weather; fwd=miss")
        for city in ["Bergen", "%20bergen+", "BERGEN"] {
            let (second, neededTask, _) = await fixture.ask("/weather", "city=\(city)")
            #expect(!neededTask)
            #expect(second.body == first.body)
            #expect(second.value("ETag") == first.value("ETag"))
            #expect(second.value("Cache-Status") == "trip-weather; hit")
            #expect(second.value("Age") == "0")
        }
        #expect(fixture.upstream.counts.searches == 1)
        #expect(fixture.upstream.counts.forecasts == 1)
    }

    @Test func aRefreshBehindAnAnswerIsPaidByWhoeverAskedForIt() async throws {
        let fixture = try SiteFixture()
        _ = await fixture.ask("/weather", "city=Bergen", [("REMOTE_ADDR", "192.0.2.1")])
        fixture.pass(seconds: 1_800)
        let second = await fixture.ask("/weather", "city=Bergen", [("REMOTE_ADDR", "192.0.2.2")])
        #expect(!second.neededTask)
        #expect(second.response.value("Cache-Status") == "trip-weather; hit; detail=revalidating")
        #expect(await eventually { fixture.upstream.payers == ["192.0.2.1", "192.0.2.2"] })
    }

    @Test func aReaderWhoHasTheAnswerGets304() async throws {
        let fixture = try SiteFixture()
        let (first, _, _) = await fixture.ask("/weather.html", "city=Bergen")
        let tag = try #require(first.value("ETag"))
        #expect(first.value("Cache-Control") == "public, max-age=0, must-revalidate")
        let (second, _, _) = await fixture.ask(
            "/weather.html", "city=Bergen", [("HTTP_IF_NONE_MATCH", "\"x\", W/\(tag)")])
        #expect(second.status == 304)
        #expect(second.body.isEmpty)
        #expect(second.value("ETag") == tag)
        let (other, _, _) = await fixture.ask(
            "/weather.html", "city=Bergen&units=imperial", [("HTTP_IF_NONE_MATCH", tag)])
        #expect(other.status == 200)
    }

    @Test(arguments: [
        ("", "city"), ("city=", "city"), ("city=%20", "city"),
        ("city=\(String(repeating: "x", count: 201))", "city"),
        ("city=%FF", "city"), ("city=a%00b", "city"), ("city=Bergen&colour=red", "colour"),
        ("city=Bergen&city=Oslo", "city"), ("latitude=999&longitude=0", "latitude"),
        ("latitude=60", "latitude"), ("longitude=5", "longitude"), ("latitude=nan&longitude=0", "latitude"),
        ("latitude=0x1p3&longitude=0", "latitude"), ("city=Bergen&latitude=1&longitude=2", "city"),
        ("city=Bergen&units=kelvin", "units"), ("city=Bergen&units=F", "units"),
        ("city=Bergen&units=", "units"),
        ("city=Bergen&lang=xx", "lang"), ("city=Bergen&start=2026-12-10", "start"),
        ("city=Bergen&nights=4", "nights"),
        ("city=Bergen&start=2026-02-30&nights=4", "start"),
        ("city=Bergen&start=2026-12-10&nights=0", "nights"),
        ("city=Bergen&start=2026-12-10&nights=61", "nights"),
        ("city=Bergen&start=2026-12-10&nights=4.5", "nights"),
        ("city=Bergen&refresh=yes", "refresh"), ("place=60.39", "place"),
        ("place=60.39,5.32&city=Bergen", "city"),
        ("place=91,0", "place"), (Array(repeating: "place=1,2", count: 101).joined(separator: "&"), "place"),
    ])
    func badInputIsRefusedBeforeAnyQuestion(query: String, field: String) async throws {
        let fixture = try SiteFixture()
        let (response, neededTask, _) = await fixture.ask("/weather", query)
        #expect(response.status == 400)
        #expect(!neededTask)
        #expect(response.value("Content-Type") == "application/problem+json")
        #expect(response.value("Cache-Control") == "no-store")
        let problem = try #require(
            try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        #expect(problem["status"] as? Int == 400)
        #expect(response.text.contains("\"\(field)\""), "\(response.text)")
        #expect(fixture.upstream.counts == InMemoryWeather.Counts())
    }

    @Test func otherRefusalsHaveTheirStatusAndFields() async throws {
        let fixture = try SiteFixture()
        #expect(await fixture.ask("/nowhere").response.status == 404)
        let (method, _, _) = await fixture.ask("/weather", "city=Bergen", method: "POST")
        #expect(method.status == 405)
        #expect(method.value("Allow") == "GET, HEAD")
        #expect(
            await fixture.ask("/weather", "city=Bergen", [("HTTP_ACCEPT", "image/png")]).response.status
                == 406)
        #expect(
            await fixture.ask("/weather", "city=" + String(repeating: "x", count: 9_000)).response.status
                == 414)
        #expect(fixture.upstream.counts == InMemoryWeather.Counts())
    }

    @Test func nowhereIsSaidInAsManyWords() async throws {
        let fixture = try SiteFixture()
        let (response, _, _) = await fixture.ask("/weather.html", "city=Hogsmeade")
        #expect(response.status == 404)
        #expect(response.text.contains("Open-Meteo knows no place called Hogsmeade."))
        #expect(response.text.contains("data-state=\"failed\""))
        #expect(response.text.contains("<a class=\"retry\" href=\"\">Retry</a>"))
        let (again, neededTask, _) = await fixture.ask("/weather.txt", "city=HOGSMEADE")
        #expect(!neededTask)
        #expect(again.text.contains("no place called HOGSMEADE."))
    }

    @Test(arguments: [
        (
            WeatherError.refused(status: 400, reason: "Nobody <b>knows</b>"), 502,
            "Nobody &lt;b&gt;knows&lt;/b&gt;"
        ),
        (.unreadable(path: "daily.time"), 502, "could not be read"),
        (.unavailable(status: 500, retryAfter: nil), 502, "500"),
        (.limited(reason: "Hourly limit", retryAfter: .seconds(90), window: .hour), 503, "Hourly limit"),
        (.outOfTime, 504, ""),
        (.transport(.timedOut(TransferFault(phase: .connect, code: 28, message: "secret"))), 504, ""),
        (.transport(.failed(TransferFault(phase: .connect, code: 7, message: "secret"))), 502, ""),
        (.transport(.queueFull), 503, ""), (.transport(.tooLarge(limit: 5)), 502, ""),
        (.transport(.held(.budget, retryAfter: .seconds(9))), 503, ""),
        (.transport(.gateShut(retryAfter: .seconds(5))), 504, ""),
    ])
    func eachFailureHasItsStatusAndSentence(error: WeatherError, status: Int, words: String) async throws {
        let fixture = try SiteFixture()
        fixture.upstream.setOtherwise(.failure(error))
        let (response, _, _) = await fixture.ask("/weather.html", "city=Bergen")
        #expect(response.status == status)
        #expect(words.isEmpty || response.text.contains(words))
        #expect(!response.text.contains("secret") && !response.text.contains("daily.time"))
        #expect(response.text.contains("data-state=\"failed\""))
        #expect(response.value("Cache-Control") == "no-store")
        // It is remembered, or the service says so itself.
        #expect(response.value("Retry-After") != nil)
    }

    @Test func zeroIsACoordinate() async throws {
        let fixture = try SiteFixture()
        let (response, _, _) = await fixture.ask("/weather", "latitude=0&longitude=-0.0")
        #expect(response.status == 200)
        #expect(fixture.upstream.counts.searches == 0)
    }

    @Test func anotherDateIsAnotherRenderingOfTheSameWeather() async throws {
        let fixture = try SiteFixture {
            $0.weatherCache.freshAtLeast = .seconds(86_400)
            $0.weatherCache.staleIfError = .seconds(7 * 86_400)
        }
        let query = "city=Bergen&start=2026-12-10&nights=1"
        #expect(await fixture.ask("/weather.txt", query).response.text.contains("Thursday 10 December:"))
        // 12 hours later it is past midnight in Bergen.
        fixture.pass(seconds: 12 * 3_600)
        let (response, _, _) = await fixture.ask("/weather.txt", query)
        // The archive doesn't have yesterday yet: what was forecast stands in for it.
        let lines = response.text.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("Thursday 10 December:") && $0.contains("as it was forecast") })
        #expect(lines.contains { $0.hasPrefix("Friday 11 December:") && !$0.contains("as it was forecast") })
        #expect(fixture.upstream.counts.forecasts == 1)
    }

    @Test(arguments: [
        ("application/json", "application/problem+json"), ("text/html", "text/html; charset=utf-8"),
        ("text/plain", "text/plain; charset=utf-8"),
    ])
    func theGatewaysRefusalsComeInTheFormThatWasAskedFor(accept: String, contentType: String) async throws {
        let fixture = try SiteFixture()
        for refusal in GatewayRefusal.allCases {
            let request = GatewayRequest(
                parameters: Parameters([("SCRIPT_NAME", "/weather"), ("HTTP_ACCEPT", accept)]))
            let response = fixture.site.answer(refused: request, because: refusal, limits: GatewayLimits())
            #expect(response.status == refusal.status)
            #expect(response.value("Content-Type") == contentType)
            #expect(response.value("Retry-After") == (refusal.status == 503 ? "1" : nil))
        }
    }

    @Test(arguments: ["-gzip", "-br"])
    func aTagThatApacheHasMarkedIsKnownAgain(mark: String) async throws {
        let fixture = try SiteFixture()
        _ = await fixture.ask("/weather.json", "city=Bergen")
        let tag = try #require(await fixture.ask("/weather.json", "city=Bergen").response.value("ETag"))
        let marked = "\(tag.dropLast())\(mark)\""
        let again = await fixture.ask("/weather.json", "city=Bergen", [("HTTP_IF_NONE_MATCH", marked)])
        #expect(again.response.status == 304)
        let other = await fixture.ask(
            "/weather.json", "city=Bergen", [("HTTP_IF_NONE_MATCH", "\"x\(mark)\"")])
        #expect(other.response.status == 200)
    }
}

@Suite struct SiteStaleTests {
    @Test func oldWeatherIsAnsweredAtOnceWhileItIsAskedForAnew() async throws {
        let fixture = try SiteFixture()
        _ = await fixture.ask("/weather.html", "city=Bergen")
        fixture.upstream.hold()
        fixture.pass(seconds: 1_200)
        let (stale, neededTask, _) = await fixture.ask("/weather.html", "city=Bergen")
        #expect(!neededTask)
        #expect(stale.status == 200)
        #expect(stale.text.contains("data-state=\"loaded\""))
        #expect(stale.text.contains("Updated"))
        #expect(stale.value("Cache-Control") == "no-store")
        #expect(stale.value("Age") == "1200")
        #expect(stale.value("ETag") == nil)
        let (json, _, _) = await fixture.ask("/weather.json", "city=Bergen")
        #expect(json.text.contains("\"stale\":\"revalidating\""))
        fixture.upstream.release()
        await eventually {
            await fixture.ask("/weather.json", "city=Bergen").response.text.contains("\"stale\":null")
        }
        #expect(fixture.upstream.counts.forecasts == 2)
    }

    @Test func aRefreshThatFailsKeepsTheOldAndSaysSo() async throws {
        let fixture = try SiteFixture()
        _ = await fixture.ask("/weather.html", "city=Bergen")
        fixture.upstream.setOtherwise(.failure(.unavailable(status: 503, retryAfter: nil)))
        fixture.pass(seconds: 1_200)
        let (response, _, _) = await fixture.ask("/weather.html", "city=Bergen&refresh=1")
        #expect(response.status == 200)
        #expect(response.text.contains("data-state=\"failed\""))
        #expect(response.text.contains("could not be refreshed"))
        #expect(response.text.contains("Bergen, Norway"))
        #expect(response.text.contains("class=\"retry\""))
        #expect(response.value("Cache-Control") == "no-store")
        let (json, _, _) = await fixture.ask("/weather.json", "city=Bergen")
        #expect(json.text.contains("\"stale\":\"error\""))
        #expect(json.text.contains("\"state\":\"failed\""))
        #expect(json.value("Cache-Status") == "trip-weather; fwd=stale; detail=unavailable")
        fixture.upstream.setOtherwise(.success(SiteFixture.context()))
        fixture.pass(seconds: 60)
        await eventually {
            await fixture.ask("/weather.json", "city=Bergen").response.text.contains("\"stale\":null")
        }
    }

    @Test func aRefreshAsksAgainButNotTooOften() async throws {
        let fixture = try SiteFixture()
        _ = await fixture.ask("/weather", "city=Bergen")
        fixture.pass(seconds: 61)
        let (first, _, _) = await fixture.ask("/weather", "city=Bergen&refresh=1")
        #expect(first.value("Cache-Control") == "no-store")
        #expect(fixture.upstream.counts.forecasts == 2)
        for _ in 0..<5 { _ = await fixture.ask("/weather", "city=Bergen&refresh=1") }
        #expect(fixture.upstream.counts.forecasts == 2)
        fixture.pass(seconds: 61)
        _ = await fixture.ask("/weather", "city=Bergen&refresh=1")
        #expect(fixture.upstream.counts.forecasts == 3)
    }

    @Test func severalPlacesAreOneQuestionAndOneBadPlaceFailsAlone() async throws {
        let fixture = try SiteFixture()
        fixture.upstream.set(
            .failure(.refused(status: 400, reason: "No data")), at: SiteFixture.coordinate(1, 1))
        let (response, _, _) = await fixture.ask("/weather", "place=60.39,5.32&place=1,1&place=60.39,5.32")
        #expect(response.status == 200)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        let places = try #require(object["places"] as? [[String: Any]])
        #expect(places.map { $0["state"] as? String } == ["loaded", "failed", "loaded"])
        #expect(fixture.upstream.counts.forecasts == 1)
        #expect(response.value("Cache-Control") == "no-store")
        // Each went into the cache.
        let (single, neededTask, _) = await fixture.ask("/weather", "latitude=60.39&longitude=5.32")
        #expect(single.status == 200 && !neededTask)
    }

    @Test func theWebServerCanLowerARequestsDeadline() async throws {
        let fixture = try SiteFixture()
        fixture.upstream.hold()
        let (response, _, elapsed) = await fixture.ask(
            "/weather", "city=Bergen", [("REQUEST_DEADLINE", "50ms")])
        #expect(response.status == 504)
        #expect(elapsed >= .milliseconds(50))
        #expect(elapsed < .milliseconds(1_050))
    }

    @Test func operatorsAreToldHowItGoes() async throws {
        let fixture = try SiteFixture()
        _ = await fixture.ask("/weather", "city=Bergen")
        _ = await fixture.ask("/weather", "city=Bergen")
        #expect(await fixture.ask("/livez").response.status == 200)
        #expect(await fixture.ask("/readyz").response.status == 200)
        let (metrics, _, _) = await fixture.ask("/metrics")
        #expect(metrics.text.contains("tripweather_cache_requests_total{cache=\"weather\",result=\"hit\"} 1"))
        #expect(!metrics.text.contains("Bergen"))
        fixture.site.operate { $0.isReady = false }
        #expect(await fixture.ask("/readyz").response.status == 503)
        #expect(await fixture.ask("/livez").response.status == 200)
    }
}
