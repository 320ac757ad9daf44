import Gateway
import Testing
import Trips

@testable import TripWeather

@Suite struct TravellerTests {
    private static let key = "aaaaaaaaaaaaaaaaaaaaaaaaaa"

    @Test(arguments: [
        "traveller=\(key)", "a=b; traveller=\(key)", "traveller=\(key);other=1", "  traveller=\(key) ; x",
        "traveller=nonsense; traveller=\(key)",
    ])
    func aVisitorIsKnownByTheCookie(header: String) {
        let parameters = Parameters([("HTTP_COOKIE", header.replacing(" ;", with: ";"))])
        #expect(Traveller(parameters, trustsRemoteUser: false).id == TravellerID(visitor: Self.key))
    }

    @Test(arguments: [
        "", "traveller", "traveller=", "Traveller=\(key)", "xtraveller=\(key)", "traveller=\(key)a",
        "traveller=../../etc/passwd", "traveller=' OR 1=1 --",
    ])
    func otherCookiesAreNobody(header: String) {
        #expect(Traveller(Parameters([("HTTP_COOKIE", header)]), trustsRemoteUser: false).id == nil)
    }

    @Test func aNameFromTheWebServerCountsOnlyWhereItIsTrusted() {
        let parameters = Parameters([("REMOTE_USER", "someone"), ("HTTP_COOKIE", "traveller=\(Self.key)")])
        #expect(Traveller(parameters, trustsRemoteUser: true).id == .remoteUser("someone"))
        #expect(Traveller(parameters, trustsRemoteUser: false).id == TravellerID(visitor: Self.key))
        #expect(
            Traveller(Parameters([("REMOTE_USER", "")]), trustsRemoteUser: true).id == nil)
    }

    @Test func noUsersNameIsAVisitorsKey() {
        let user = Parameters([("REMOTE_USER", Self.key)])
        #expect(Traveller(user, trustsRemoteUser: true).id != TravellerID(visitor: Self.key))
    }

    @Test func theCookieIsForTheServerAloneAndNeverForOtherSites() throws {
        let id = try #require(TravellerID(visitor: Self.key))
        #expect(
            Traveller.setCookie(id, isSecure: false)
                == "traveller=\(Self.key); Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax")
        #expect(try #require(Traveller.setCookie(id, isSecure: true)).hasSuffix("; Secure"))
        #expect(Traveller.setCookie(.remoteUser("someone"), isSecure: true) == nil)
        #expect(Traveller.removeCookie(isSecure: false).contains("Max-Age=0"))
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
