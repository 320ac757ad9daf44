import Gateway
import Testing

@testable import TripWeather

@Suite struct AddressTests {
    @Test(arguments: [
        ("/weather", Address(route: .weather)),
        ("/weather.json", Address(route: .weather, suffix: "json")),
        ("/api/weather.html", Address(route: .weather, suffix: "html")),
        ("/some/where/else/places.txt", Address(route: .places, suffix: "txt")),
        ("weather", Address(route: .weather)),
        ("/livez", Address(route: .livez)),
    ])
    func aRouteIsKnownByThePathsEnd(path: String, address: Address) {
        #expect(Address(path: Array(path.utf8)) == address)
    }

    @Test(arguments: [
        "/", "", "/weather/", "/weather.xml", "/weather.json.html", "/weather.", "/Weather", "/weathers",
        "/.json",
    ])
    func otherPathsAreNoRoute(path: String) {
        #expect(Address(path: Array(path.utf8)) == nil)
    }

    @Test func nginxAndApacheAndIncludesNameThePathDifferently() {
        #expect(Address(Parameters([("SCRIPT_NAME", "/weather")])) == Address(route: .weather))
        #expect(
            Address(Parameters([("SCRIPT_NAME", "/cgi-bin/trip-weather"), ("PATH_INFO", "/places.json")]))
                == Address(route: .places, suffix: "json"))
        #expect(Address(Parameters([("DOCUMENT_URI", "/api/weather")])) == Address(route: .weather))
        #expect(
            Address(Parameters([("SCRIPT_NAME", "/weather"), ("PATH_INFO", "")])) == Address(route: .weather))
    }

    @Test func theRequestsUriIsNeverLookedAt() {
        let page = Parameters([("REQUEST_URI", "/places"), ("SCRIPT_NAME", "/weather")])
        #expect(Address(page) == Address(route: .weather))
        #expect(Address(Parameters([("REQUEST_URI", "/weather")])) == nil)
    }
}
