import Foundation
import Fragments
import Gateway
import TestSupport
import Testing
import Trips
import Weather

@testable import TripWeather

/// Somebody with a browser: keeps the cookie that the site sets.
private final class Visitor {
    let fixture: SiteFixture
    private(set) var cookie: String?

    init(_ fixture: SiteFixture) {
        self.fixture = fixture
    }

    func ask(
        _ path: String, _ query: String = "", method: String = "GET", _ more: [(String, String)] = [],
        body: String = ""
    ) async -> GatewayResponse {
        var fields = more
        if let cookie { fields.append(("HTTP_COOKIE", cookie)) }
        let response = await fixture.ask(path, query, method: method, fields, body: body).response
        if let set = response.value("Set-Cookie") {
            let pair = String(set.prefix { $0 != ";" })
            cookie = pair.hasSuffix("=") ? nil : pair
        }
        return response
    }

    func post(_ path: String, _ form: String, _ more: [(String, String)] = []) async -> GatewayResponse {
        await ask(
            path, method: "POST",
            [("CONTENT_TYPE", "application/x-www-form-urlencoded"), ("HTTP_ACCEPT", "text/html")] + more,
            body: form)
    }

    func send(
        _ method: String, _ path: String, _ json: String, ifMatch: String? = nil,
        type: String = "application/json"
    ) async -> GatewayResponse {
        var fields = [("CONTENT_TYPE", type)]
        if let ifMatch { fields.append(("HTTP_IF_MATCH", ifMatch)) }
        return await ask(path, method: method, fields, body: json)
    }

    /// Adds a trip to Bergen, and returns it.
    func addBergen() async throws -> [String: Any] {
        let response = await send(
            "POST", "/api/trips", #"{"city":"Bergen","country":"Norway","start":"2026-12-12","nights":3}"#)
        #expect(response.status == 201)
        return try response.object()
    }

    func trips() async throws -> [[String: Any]] {
        try await ask("/api/trips").object()["trips"] as? [[String: Any]] ?? []
    }
}

extension GatewayResponse {
    fileprivate func object() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
    }
}

private func somebody(
    _ change: (inout Configuration) -> Void = { _ in }
) throws -> Visitor {
    Visitor(try SiteFixture(keepsTrips: true, change))
}

@Suite struct TripSiteTests {
    @Test func aNewVisitorSeesThreeExamplesAndGetsNoCookie() async throws {
        let visitor = try somebody()
        let response = await visitor.ask("/api/trips")
        #expect(response.status == 200 && response.value("Cache-Control") == "private, no-store")
        #expect(response.value("Set-Cookie") == nil && response.value("ETag") == nil)
        let trips = try await visitor.trips()
        #expect(trips.map { $0["city"] as? String } == ["Seattle", "Vancouver", "San Pedro de Atacama"])
    }

    @Test func withoutAStoreThereAreNoSuchAddresses() async throws {
        let fixture = try SiteFixture()
        for path in ["/api/trips", "/api/trips/abc", "/api/trips/weather", "/api/shared/abc"] {
            #expect(await fixture.ask(path).response.status == 404)
        }
        #expect(await fixture.ask("/api/ideas").response.status == 200)
    }

    @Test func aTripIsAddedWithItsPlaceAndACookie() async throws {
        let visitor = try somebody()
        let trip = try await visitor.addBergen()
        #expect(visitor.cookie?.hasPrefix("traveller=") == true)
        #expect((trip["place"] as? [String: Any])?["timeZone"] as? String == "Europe/Oslo")
        #expect(try await visitor.trips().count == 4)
        let id = try #require(trip["id"] as? String)
        let response = await visitor.ask("/api/trips/\(id)")
        #expect(response.status == 200)
        #expect(response.value("ETag") == "\"\(try #require(trip["version"] as? String))\"")
        #expect(try response.object()["totalNights"] as? Int == 4 + 5 + 7 + 3)
    }

    @Test func aFailedSearchDoesNotStopSaving() async throws {
        let visitor = try somebody()
        visitor.fixture.upstream.set(.failure(.noSuchPlace("Hogsmeade")), for: "Hogsmeade")
        let response = await visitor.send(
            "POST", "/api/trips", #"{"city":"Hogsmeade","start":"2026-12-12","nights":3}"#)
        #expect(response.status == 201)
        #expect(try response.object()["place"] is NSNull)
        #expect(try await visitor.trips().count == 4)
    }

    @Test func aTripWhosePlaceIsUnknownOffersToEditIt() async throws {
        let visitor = try somebody()
        visitor.fixture.upstream.set(.failure(.noSuchPlace("Hogsmeade")), for: "Hogsmeade")
        let trip = try await visitor.send(
            "POST", "/api/trips", #"{"city":"Hogsmeade","start":"2026-12-12","nights":3}"#
        ).object()
        let id = try #require(trip["id"] as? String)
        for form in ["card", "line"] {
            let response = await visitor.ask("/api/trips/\(id)/weather.html", "form=\(form)")
            #expect(response.status == 404)
            let html = String(decoding: response.body, as: UTF8.self)
            #expect(html.contains("<a class=\"edit\" href=\"/trips/\(id)/edit\">Edit</a>"))
            #expect(!html.contains("retry\" href"))
        }
    }

    @Test func aPlaceThatWasNotFoundIsNotedWithTheFirstWeather() async throws {
        let visitor = try somebody { $0.site.placeWait = .zero }
        let trip = try await visitor.addBergen()
        let id = try #require(trip["id"] as? String)
        #expect(trip["place"] is NSNull)
        #expect(await visitor.ask("/api/trips/\(id)/weather").status == 200)
        let after = try await visitor.ask("/api/trips/\(id)").object()
        #expect((after["place"] as? [String: Any])?["name"] as? String == "Bergen")
        #expect(after["version"] as? String == trip["version"] as? String)
    }

    @Test func theWeatherOfATripHasItsDaysAndIsNobodyElses() async throws {
        let visitor = try somebody()
        let id = try #require(try await visitor.addBergen()["id"] as? String)
        let response = await visitor.ask("/api/trips/\(id)/weather")
        #expect(response.status == 200 && response.value("Cache-Control") == "private, no-store")
        #expect(response.value("ETag") == nil)
        #expect(response.text.contains("2026-12-12") && response.text.contains("2026-12-15"))
        // The same weather under its public address may be kept.
        let publicly = await visitor.ask("/api/weather", "city=Bergen&start=2026-12-12&nights=3")
        #expect(publicly.value("Cache-Control")?.hasPrefix("public") == true)
    }

    @Test func theStripAsksOnceForAllPlacesThatAreKnown() async throws {
        let visitor = try somebody { $0.site.placeWait = .zero }
        _ = try await visitor.addBergen()
        let before = visitor.fixture.upstream.counts
        let response = await visitor.ask("/api/trips/weather")
        let after = visitor.fixture.upstream.counts
        #expect(after.forecasts == before.forecasts + 1 && after.searches == before.searches)
        let items = try #require(try response.object()["trips"] as? [[String: Any]])
        let states = items.map { ($0["weather"] as? [String: Any])?["state"] as? String }
        #expect(states == ["loading", "loaded", "loaded", "loaded"])
    }

    @Test func aTripThatIsNotThereIsGone() async throws {
        let visitor = try somebody()
        for path in [
            "/api/trips/nonsense", "/api/trips/aaaaaaaaaaaaaaaaaaaaaaaaaa", "/api/trips/abc/weather",
            "/api/shared/abc",
        ] {
            let response = await visitor.ask(path)
            #expect(response.status == 404, "\(path)")
            #expect(try response.object()["type"] as? String == "/problems/gone", "\(path)")
        }
    }

    @Test func nobodySeesOrChangesAnothersTrips() async throws {
        let visitor = try somebody()
        let trip = try await visitor.addBergen()
        let id = try #require(trip["id"] as? String)
        let version = try #require(trip["version"] as? String)
        let stranger = Visitor(visitor.fixture)
        let other = Visitor(visitor.fixture)
        _ = try await other.addBergen()
        for one in [stranger, other] {
            #expect(await one.ask("/api/trips/\(id)").status == 404)
            #expect(await one.ask("/api/trips/\(id)/weather").status == 404)
            #expect(await one.send("DELETE", "/api/trips/\(id)", "", ifMatch: "\"\(version)\"").status == 404)
            #expect(
                await one.send(
                    "PUT", "/api/trips/\(id)", #"{"city":"X","start":"2026-12-12","nights":1}"#, ifMatch: "*"
                ).status == 404)
            #expect(await one.post("/api/trips/\(id)/share", "").status == 404)
            #expect(await one.post("/api/trips/\(id)/delete", "version=\(version)").status == 404)
        }
        #expect(await visitor.ask("/api/trips/\(id)").status == 200)
    }

    @Test func aShareLinkIsReadByAnyoneUntilItIsRevoked() async throws {
        let visitor = try somebody()
        let id = try #require(try await visitor.addBergen()["id"] as? String)
        let shared = await visitor.ask("/api/trips/\(id)/share", method: "POST")
        let link = try #require(try shared.object()["share"] as? String)
        #expect(link.hasPrefix("/shared/") && !link.contains(id))
        let stranger = Visitor(visitor.fixture)
        let seen = await stranger.ask("/api\(link)")
        #expect(seen.status == 200 && !seen.text.contains(id) && !seen.text.contains("version"))
        #expect(await stranger.ask("/api\(link)/weather").status == 200)
        // What the link shows is no trip's id.
        #expect(await stranger.ask("/api/trips/\(link.dropFirst(8))").status == 404)
        #expect(await visitor.ask("/api/trips/\(id)/unshare", method: "POST").status == 204)
        #expect(await stranger.ask("/api\(link)").status == 404)
    }

    @Test func forgettingRemovesEverything() async throws {
        let visitor = try somebody()
        let id = try #require(try await visitor.addBergen()["id"] as? String)
        let key = visitor.cookie
        let response = await visitor.post("/api/trips/forget", "")
        #expect(response.status == 303 && response.value("Location") == "/")
        #expect(visitor.cookie == nil)
        #expect(try await visitor.trips().count == 3)
        // Nor does the old key open anything any more.
        let old = await visitor.fixture.ask(
            "/api/trips/\(id)", "", method: "GET", [("HTTP_COOKIE", key ?? "")]
        ).response
        #expect(old.status == 404)
    }

    @Test func piecesOfPagesAreHTMLAlone() async throws {
        let visitor = try somebody()
        for path in ["/api/trips/form", "/api/trips/example-seattle/card", "/api/trips/example-seattle/form"]
        {
            #expect(await visitor.ask("\(path).json").status == 406, "\(path)")
            #expect(await visitor.ask("\(path).html").status == 200, "\(path)")
        }
    }

    @Test func thereAreOnlyTheMethodsThatAreNamed() async throws {
        let visitor = try somebody()
        for (path, method) in [
            ("/api/trips", "PUT"), ("/api/trips/weather", "POST"), ("/api/trips/abc/share", "GET"),
            ("/api/shared/abc", "POST"), ("/api/shared/abc/weather", "DELETE"), ("/api/ideas", "POST"),
        ] {
            let response = await visitor.ask(path, method: method)
            #expect(response.status == 405 && response.value("Allow") != nil, "\(method) \(path)")
        }
    }

    @Test func theLogHoldsNeitherIdNorShareLink() async throws {
        #expect(
            RequestLine.path(
                of: Parameters([("SCRIPT_NAME", "/api/shared/abcdefghijklmnopqrstuvwxyz/weather.html")]))
                == "/api/shared/*/weather.html")
        #expect(
            RequestLine.path(
                of: Parameters([("SCRIPT_NAME", "/cgi"), ("PATH_INFO", "/trips/abcdefghijklmnopqrstuvwxyz")]))
                == "/cgi/trips/*")
        #expect(
            RequestLine.path(of: Parameters([("SCRIPT_NAME", "/api/trips/weather.html")]))
                == "/api/trips/weather.html")
        // Nor where there is no such address, or the key was not copied cleanly.
        for path in [
            "/api/shared/abcdefghijklmnopqrstuvwxyz/nonsense", "/shared/abcdefghijklmnopqrstuvwxyz.xml",
            "/shared/abcdefghijklmnopqrstuvwxyzA", "/api/abcdefghijklmnopqrstuvwxyz",
            "/shared/x.abcdefghijklmnopqrstuvwxyz",
        ] {
            #expect(!RequestLine.path(of: Parameters([("SCRIPT_NAME", path)])).contains("abcdef"), "\(path)")
        }
    }
}

@Suite struct TripWritingTests {
    @Test func anotherSitesFormIsRefused() async throws {
        let visitor = try somebody()
        let form = "city=Bergen&start=2026-12-12&nights=3&key=0123456789abcdef"
        let evil = await visitor.post("/api/trips", form, [("HTTP_SEC_FETCH_SITE", "cross-site")])
        #expect(evil.status == 403 && evil.value("Set-Cookie") == nil)
        #expect(try await visitor.trips().count == 3)
        let own = await visitor.post("/api/trips", form, [("HTTP_SEC_FETCH_SITE", "same-origin")])
        #expect(own.status == 303)
    }

    @Test func aFormThatIsSentTwiceAddsOneTrip() async throws {
        let visitor = try somebody()
        let form = "city=Bergen&start=2026-12-12&nights=3&price=250&key=0123456789abcdef"
        for _ in 0..<3 {
            let response = await visitor.post("/api/trips", form)
            #expect(response.status == 303 && response.value("Location") == "/")
        }
        #expect(try await visitor.trips().count == 4)
        // The way back, and another trip in the same form: nothing is lost unseen.
        let other = await visitor.post("/api/trips", form.replacing("Bergen", with: "Seattle"))
        #expect(other.status == 409 && other.text.contains("Bergen") && other.text.contains("Seattle"))
        #expect(!other.text.contains("0123456789abcdef"))
    }

    @Test(arguments: [("", 411), ("-1", 411), ("0", 400)])
    func anAddressThatNeedsABodySaysSoIfNoneCame(length: String, status: Int) async throws {
        let visitor = Visitor(try SiteFixture(keepsTrips: true))
        let fields = [("CONTENT_TYPE", "application/json"), ("CONTENT_LENGTH", length)]
        let empty = await visitor.ask("/api/trips", method: "POST", fields)
        #expect(empty.status == status)
        let whole = await visitor.ask(
            "/api/trips", method: "POST", fields, body: #"{"city":"Bergen","start":"2026-12-12","nights":3}"#)
        #expect(whole.status == 201)
    }

    @Test func aFormNeedsItsKey() async throws {
        let visitor = try somebody()
        #expect(await visitor.post("/api/trips", "city=Bergen&start=2026-12-12&nights=3").status == 400)
        #expect(
            await visitor.post("/api/trips", "city=Bergen&start=2026-12-12&nights=3&key=short").status == 400)
        let json = await visitor.send(
            "POST", "/api/trips", #"{"city":"Bergen","start":"2026-12-12","nights":3,"key":"short"}"#)
        #expect(json.status == 400 && json.text.contains("16 to 64"), "\(json.text)")
        #expect(try await visitor.trips().count == 3)
    }

    @Test func faultsAreListedByField() async throws {
        let visitor = try somebody()
        let json = await visitor.send(
            "POST", "/api/trips",
            #"{"city":"","start":"2026-02-30","nights":61,"price":251,"favourite":"yes"}"#)
        #expect(json.status == 400)
        let fields = try #require(try json.object()["fields"] as? [[String: Any]])
        #expect(fields.map { $0["name"] as? String } == ["city", "start", "nights", "price", "favourite"])
        let form = await visitor.post(
            "/api/trips", "city=&start=2026-02-30&nights=61&price=251&key=0123456789abcdef")
        #expect(form.status == 400 && form.text.contains("<!doctype html>"))
        #expect(form.text.contains("value=\"61\"") && form.text.contains("aria-invalid"))
        #expect(form.value("Set-Cookie") == nil)
    }

    @Test func aWriteNamesTheVersionItSaw() async throws {
        let visitor = try somebody()
        let trip = try await visitor.addBergen()
        let path = "/api/trips/\(try #require(trip["id"] as? String))"
        let merge = "application/merge-patch+json"
        #expect(await visitor.send("PATCH", path, #"{"nights":5}"#, type: merge).status == 428)
        #expect(await visitor.send("PUT", path, "{}").status == 428)
        #expect(await visitor.send("DELETE", path, "").status == 428)
        #expect(await visitor.post(path, "nights=5").status == 428)
        #expect(await visitor.post("\(path)/delete", "key=1").status == 428)

        let version = try #require(trip["version"] as? String)
        let first = await visitor.send(
            "PATCH", path, #"{"nights":5}"#, ifMatch: "\"\(version)\"", type: merge)
        #expect(first.status == 200)
        #expect(try first.object()["nights"] as? Int == 5)
        let second = await visitor.send(
            "PATCH", path, #"{"nights":6}"#, ifMatch: "W/\"\(version)\"", type: merge)
        #expect(second.status == 412)
        let current = try #require(try second.object()["current"] as? [String: Any])
        #expect(current["nights"] as? Int == 5)
        #expect(second.value("ETag") == "\"\(try #require(current["version"] as? String))\"")
        #expect(await visitor.send("PATCH", path, #"{"nights":7}"#, ifMatch: "*", type: merge).status == 200)
    }

    @Test func aFormThatIsLateShowsBothVersions() async throws {
        let visitor = try somebody()
        let trip = try await visitor.addBergen()
        let path = "/api/trips/\(try #require(trip["id"] as? String))"
        let version = try #require(trip["version"] as? String)
        let first = await visitor.post(path, "version=\(version)&nights=5")
        #expect(
            first.status == 303
                && first.value("Location") == path.replacing("/api", with: ""))
        let second = await visitor.post(path, "version=\(version)&nights=11")
        #expect(second.status == 412 && second.text.contains("<!doctype html>"))
        #expect(second.text.contains("11") && second.text.contains("5"))
        #expect(!second.text.contains(version))
        #expect(try await visitor.ask(path).object()["nights"] as? Int == 5)
        // A deletion that saw an older version asks once more.
        let deletion = await visitor.post("\(path)/delete", "version=\(version)")
        #expect(deletion.status == 412 && deletion.text.contains("<form"))
        #expect(await visitor.ask(path).status == 200)
    }

    @Test func aTripIsDeletedOnce() async throws {
        let visitor = try somebody()
        let trip = try await visitor.addBergen()
        let path = "/api/trips/\(try #require(trip["id"] as? String))"
        let version = try #require(trip["version"] as? String)
        let response = await visitor.post("\(path)/delete", "version=\(version)")
        #expect(response.status == 303 && response.value("Location") == "/")
        let again = await visitor.post("\(path)/delete", "version=\(version)")
        #expect(again.status == 404 && again.text.contains("<!doctype html>"))
    }

    @Test func anExampleThatIsChangedBecomesTheVisitorsOwn() async throws {
        let visitor = try somebody()
        let seattle = try await visitor.ask("/api/trips/example-seattle").object()
        let version = try #require(seattle["version"] as? String)
        let response = await visitor.post("/api/trips/example-seattle", "version=\(version)&favourite=false")
        #expect(response.status == 303 && visitor.cookie != nil)
        #expect(response.value("Location")?.contains("example") == false)
        #expect(try await visitor.ask("/api/trips/example-seattle").object()["favourite"] as? Bool == false)
        #expect(try await visitor.trips().count == 3)
    }

    @Test func changingTheCityLooksForItsPlaceAnew() async throws {
        let visitor = try somebody()
        let trip = try await visitor.addBergen()
        let path = "/api/trips/\(try #require(trip["id"] as? String))"
        let version = try #require(trip["version"] as? String)
        let response = await visitor.send(
            "PATCH", path, #"{"city":"Seattle","country":null}"#, ifMatch: "\"\(version)\"",
            type: "application/merge-patch+json")
        let place = try #require(try response.object()["place"] as? [String: Any])
        #expect(place["timeZone"] as? String == "America/Los_Angeles")
    }

    @Test func bodiesOfAnotherTypeAreRefused() async throws {
        let visitor = try somebody()
        #expect(await visitor.send("POST", "/api/trips", "{}", type: "text/plain").status == 415)
        #expect(await visitor.send("POST", "/api/trips", "{}", type: "multipart/form-data").status == 415)
        #expect(await visitor.send("PATCH", "/api/trips/example-seattle", "{}", ifMatch: "*").status == 415)
        #expect(await visitor.send("POST", "/api/trips", "nonsense").status == 400)
    }

    @Test func trustingTheWebServerKeepsUsersApart() async throws {
        let visitor = try somebody { $0.site.trustsRemoteUser = true }
        let json = #"{"city":"Bergen","start":"2026-12-12","nights":3}"#
        let added = await visitor.ask(
            "/api/trips", method: "POST", [("REMOTE_USER", "ann"), ("CONTENT_TYPE", "application/json")],
            body: json)
        #expect(added.status == 201 && added.value("Set-Cookie") == nil)
        let anns = await visitor.ask("/api/trips", "", [("REMOTE_USER", "ann")])
        let bobs = await visitor.ask("/api/trips", "", [("REMOTE_USER", "bob")])
        #expect(anns.text.contains("Bergen") && !bobs.text.contains("Bergen"))
    }

    @Test func aNameFromAnAuthorizationHeaderIsNobodyByDefault() async throws {
        let visitor = try somebody()
        let added = await visitor.ask(
            "/api/trips", method: "POST", [("REMOTE_USER", "ann"), ("CONTENT_TYPE", "application/json")],
            body: #"{"city":"Bergen","start":"2026-12-12","nights":3}"#)
        #expect(added.status == 201 && added.value("Set-Cookie") != nil)
        let stranger = Visitor(visitor.fixture)
        #expect(
            await stranger.ask("/api/trips", "", [("REMOTE_USER", "ann")]).text.contains("Bergen") == false)
    }

    @Test func thereAreOnlySoManyTripsForOne() async throws {
        let visitor = try somebody { $0.trips.perTraveller = 4 }
        _ = try await visitor.addBergen()
        let response = await visitor.send(
            "POST", "/api/trips", #"{"city":"Bergen","start":"2026-12-12","nights":3}"#)
        #expect(response.status == 409)
    }
}

@Suite struct TripTravellerSiteTests {
    private static let planted = "traveller=aaaaaaaaaaaaaaaaaaaaaaaaaa"
    private let https = [("REQUEST_SCHEME", "https"), ("HTTP_HOST", "here")]
    private let json = [("CONTENT_TYPE", "application/json")]
    private let trip = #"{"city":"Bergen","start":"2026-12-12","nights":3}"#

    @Test func aKeyThatWasNeverGivenOutIsNotAdopted() async throws {
        let visitor = try somebody()
        let added = await visitor.ask(
            "/api/trips", method: "POST", json + [("HTTP_COOKIE", Self.planted)], body: trip)
        let cookie = try #require(added.value("Set-Cookie"))
        #expect(added.status == 201 && cookie.hasPrefix("traveller=") && !cookie.hasPrefix(Self.planted))
        let planter = await visitor.fixture.ask("/api/trips", "", [("HTTP_COOKIE", Self.planted)])
        #expect(!planter.response.text.contains("Bergen"))
    }

    @Test func thePlainCookieIsExchangedUnderHTTPS() async throws {
        let visitor = try somebody()
        _ = try await visitor.addBergen()
        let plain = try #require(visitor.cookie)
        let fixture = visitor.fixture
        // Reading alone exchanges nothing: a page's includes can't set a cookie.
        let read = await fixture.ask("/api/trips", "", https + [("HTTP_COOKIE", plain)]).response
        #expect(read.text.contains("Bergen") && read.value("Set-Cookie") == nil)
        let written = await fixture.ask(
            "/api/trips", method: "POST", https + json + [("HTTP_COOKIE", plain)], body: trip
        ).response
        let cookies = written.values("Set-Cookie")
        let new = String(try #require(cookies.first).prefix { $0 != ";" })
        #expect(
            cookies.count == 2 && new.hasPrefix("__Host-traveller=") && cookies[1].hasPrefix("traveller=;"))
        #expect(!new.hasSuffix(plain.dropFirst("traveller=".count)))
        let after = await fixture.ask("/api/trips", "", https + [("HTTP_COOKIE", new)]).response
        #expect(after.text.contains("Bergen"))
        // It was taken once.
        let again = await fixture.ask("/api/trips", "", https + [("HTTP_COOKIE", plain)]).response
        #expect(!again.text.contains("Bergen"))
    }

    @Test func whoIsSeenOnAnotherDayGetsTheCookieAgain() async throws {
        let visitor = try somebody()
        _ = try await visitor.addBergen()
        let host = [("HTTP_HOST", "here")]
        #expect(await visitor.ask("/api/trips", "", host).value("Set-Cookie") == nil)
        visitor.fixture.pass(seconds: 2 * 86_400)
        // What a page includes has no Host, and couldn't set it.
        #expect(await visitor.ask("/api/trips").value("Set-Cookie") == nil)
        let renewed = await visitor.ask("/api/trips", "", host).value("Set-Cookie")
        #expect(renewed?.hasPrefix(visitor.cookie ?? "-") == true)
        #expect(await visitor.ask("/api/trips", "", host).value("Set-Cookie") == nil)
    }

    @Test func ofSeveralCookiesTheOneThatIsSomebodysCounts() async throws {
        let visitor = try somebody()
        _ = try await visitor.addBergen()
        let both = "\(Self.planted); \(try #require(visitor.cookie))"
        let read = await visitor.fixture.ask("/api/trips", "", [("HTTP_COOKIE", both)]).response
        #expect(read.text.contains("Bergen"))
    }

    @Test func aRepeatedRequestAnswersWhatItAnsweredFirst() async throws {
        let visitor = try somebody()
        let body = trip.replacing("}", with: #","key":"0123456789abcdef"}"#)
        let first = await visitor.send("POST", "/api/trips", body)
        let path = "/api/\(try #require(first.value("Location")))"
        #expect(await visitor.send("DELETE", path, "", ifMatch: "*").status == 204)
        let second = await visitor.send("POST", "/api/trips", body)
        #expect(second.status == 201 && second.body == first.body)
        #expect(second.value("Location") == first.value("Location"))
        #expect(try await visitor.trips().count == 3)
    }

    @Test func aFileThatIsRemovedIsNoticedBeforeAnythingIsAcknowledged() async throws {
        let visitor = try somebody()
        _ = try await visitor.addBergen()
        #expect(await visitor.ask("/readyz").status == 200)
        let path = visitor.fixture.folder("trips.sqlite")
        try FileManager.default.moveItem(atPath: path, toPath: path + "-away")
        #expect(await visitor.send("POST", "/api/trips", trip).status == 503)
        #expect(await visitor.ask("/readyz").status == 503)
        try FileManager.default.moveItem(atPath: path + "-away", toPath: path)
        #expect(await visitor.ask("/readyz").status == 200)
        #expect(await visitor.send("POST", "/api/trips", trip).status == 201)
        #expect(try await visitor.trips().count == 5)
    }

    @Test func aTripsPlaceIsNamedInEachReadersLanguage() async throws {
        let visitor = try somebody()
        var munich = SiteFixture.bergen
        (munich.name, munich.country) = ("München", "Deutschland")
        visitor.fixture.upstream.set(.success(munich), for: "Munich")
        let added = await visitor.ask(
            "/api/trips", "lang=de", method: "POST", json, body: trip.replacing("Bergen", with: "Munich"))
        #expect(added.text.contains("München"))
        (munich.name, munich.country) = ("Munich", "Germany")
        visitor.fixture.upstream.set(.success(munich), for: "Munich")
        let path = "/api/\(try #require(added.value("Location")))"
        _ = await visitor.ask("/api/weather", "city=Munich")
        let english = await visitor.ask(path)
        #expect(english.text.contains("Germany") && !english.text.contains("Deutschland"))
        #expect(await visitor.ask(path, "lang=de").text.contains("Deutschland"))
        #expect(await visitor.ask("/api/trips").text.contains("Germany"))
    }
}
