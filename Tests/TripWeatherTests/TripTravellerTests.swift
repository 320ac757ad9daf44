import Gateway
import Testing
import Trips

@testable import TripWeather

@Suite struct TravellerTests {
    private static let key = "aaaaaaaaaaaaaaaaaaaaaaaaaa"

    private func request(_ cookie: String, https: Bool = false) -> GatewayRequest {
        GatewayRequest(
            parameters: Parameters(
                [("HTTP_COOKIE", cookie)] + (https ? [("REQUEST_SCHEME", "https")] : [])))
    }

    @Test(arguments: [
        "traveller=\(key)", "a=b; traveller=\(key)", "traveller=\(key);other=1", "  traveller=\(key);x",
        "traveller=nonsense; traveller=\(key)",
    ])
    func aVisitorIsKnownByTheCookie(header: String) {
        #expect(TravellerCookie.keys(in: request(header)).plain == [TravellerID(visitor: Self.key)])
    }

    @Test(arguments: [
        "", "traveller", "traveller=", "Traveller=\(key)", "xtraveller=\(key)", "traveller=\(key)a",
        "traveller=../../etc/passwd", "traveller=' OR 1=1 --", "__Host-traveller=\(key)",
    ])
    func otherCookiesAreNobody(header: String) {
        let keys = TravellerCookie.keys(in: request(header))
        #expect(keys.plain.isEmpty && keys.secure.isEmpty)
    }

    @Test func underHTTPSTheCookieThatNoOtherHostCanSetIsBelievedFirst() {
        let other = "baaaaaaaaaaaaaaaaaaaaaaaaa"
        let keys = TravellerCookie.keys(
            in: request("traveller=\(Self.key); __Host-traveller=\(other)", https: true))
        #expect(keys.secure == [TravellerID(visitor: other)])
        #expect(keys.plain == [TravellerID(visitor: Self.key)])
    }

    @Test func onlySoManyKeysAreLookedUp() {
        let header = Array(repeating: "traveller=\(Self.key)", count: 100).joined(separator: "; ")
        #expect(TravellerCookie.keys(in: request(header)).plain.count == 8)
    }

    @Test func theCookieIsForTheServerAloneAndNeverForOtherSites() throws {
        let id = try #require(TravellerID(visitor: Self.key))
        let life = 400 * 86_400
        #expect(
            TravellerCookie.set(id, for: request(""))
                == ["traveller=\(Self.key); Path=/; Max-Age=\(life); HttpOnly; SameSite=Lax"])
        let secure = "__Host-traveller=\(Self.key); Path=/; Max-Age=\(life); HttpOnly; SameSite=Lax; Secure"
        #expect(TravellerCookie.set(id, for: request("", https: true)) == [secure])
        // The one that 0.2.0 set goes.
        let removed = "traveller=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"
        #expect(
            TravellerCookie.set(id, for: request("traveller=\(Self.key)", https: true)) == [secure, removed])
        #expect(TravellerCookie.set(.remoteUser("someone"), for: request("", https: true)).isEmpty)
        #expect(TravellerCookie.remove(for: request("")).first?.contains("Max-Age=0") == true)
    }

    @Test(
        arguments: [
            ([("HTTP_SEC_FETCH_SITE", "same-origin")], false), ([("HTTP_SEC_FETCH_SITE", "none")], false),
            ([("HTTP_SEC_FETCH_SITE", "cross-site")], true), ([("HTTP_SEC_FETCH_SITE", "same-site")], true),
            (
                [
                    ("HTTP_SEC_FETCH_SITE", "cross-site"), ("HTTP_ORIGIN", "http://here"),
                    ("HTTP_HOST", "here"),
                ], true
            ),
            ([("HTTP_ORIGIN", "http://here:8080"), ("HTTP_HOST", "here:8080")], false),
            ([("HTTP_ORIGIN", "https://Here"), ("HTTP_HOST", "here")], false),
            ([("HTTP_ORIGIN", "http://here.evil"), ("HTTP_HOST", "here")], true),
            ([("HTTP_ORIGIN", "http://evil"), ("HTTP_HOST", "here")], true),
            ([("HTTP_ORIGIN", "null"), ("HTTP_HOST", "here")], true),
            ([("HTTP_ORIGIN", "http://here")], true),
            // A default port equals none.
            ([("HTTP_ORIGIN", "http://here"), ("HTTP_HOST", "here:80")], false),
            ([("HTTP_ORIGIN", "https://here:443"), ("HTTP_HOST", "here")], false),
            ([("HTTP_ORIGIN", "https://[::1]:443"), ("HTTP_HOST", "[::1]")], false),
            ([("HTTP_ORIGIN", "http://here"), ("HTTP_HOST", "here:8080")], true),
            ([("HTTP_ORIGIN", "http://here:8080"), ("HTTP_HOST", "here:8081")], true),
            // Debian's fastcgi_params passes the host without its port.
            (
                [("HTTP_ORIGIN", "http://here:18510"), ("HTTP_HOST", "here"), ("SERVER_PORT", "18510")],
                false
            ),
            ([("HTTP_ORIGIN", "http://here:18511"), ("HTTP_HOST", "here"), ("SERVER_PORT", "18510")], true),
            // No proxy makes https of http; TLS may have ended before the web server.
            ([("HTTP_ORIGIN", "http://here"), ("HTTP_HOST", "here"), ("HTTPS", "on")], true),
            ([("HTTP_ORIGIN", "https://here"), ("HTTP_HOST", "here"), ("HTTPS", "on")], false),
            ([("HTTP_ORIGIN", "https://here"), ("HTTP_HOST", "here"), ("SERVER_PORT", "80")], false),
            ([("HTTP_ORIGIN", "ftp://here"), ("HTTP_HOST", "here")], true),
            ([], false),
        ] as [([(String, String)], Bool)])
    func anotherSitesRequestIsTold(fields: [(String, String)], isCrossSite: Bool) {
        #expect(GatewayRequest(parameters: Parameters(fields)).isCrossSite == isCrossSite)
    }

    @Test(
        arguments: [
            ([("REQUEST_SCHEME", "https")], true), ([("HTTPS", "on")], true), ([("HTTPS", "off")], false),
            ([("HTTPS", "")], false), ([("REQUEST_SCHEME", "http")], false), ([], false),
        ] as [([(String, String)], Bool)])
    func theWebServerTellsOfHTTPS(fields: [(String, String)], isSecure: Bool) {
        #expect(GatewayRequest(parameters: Parameters(fields)).isSecure == isSecure)
    }
}
