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
        ("/api/trips", Address(route: .trips)),
        ("/trips.json", Address(route: .trips, suffix: "json")),
        ("/api/trips/weather.html", Address(route: .strip, suffix: "html")),
        ("/api/trips/form", Address(route: .planner)),
        ("/api/trips/forget", Address(route: .forget)),
        ("/api/trips/abc", Address(route: .trip, name: "abc")),
        ("/api/trips/abc.html", Address(route: .trip, suffix: "html", name: "abc")),
        ("/api/trips/abc/weather.txt", Address(route: .tripWeather, suffix: "txt", name: "abc")),
        ("/api/trips/weather/weather", Address(route: .tripWeather, name: "weather")),
        ("/api/trips/abc/card", Address(route: .tripCard, name: "abc")),
        ("/api/trips/abc/form", Address(route: .tripForm, name: "abc")),
        ("/api/trips/abc/delete", Address(route: .tripDeletion, name: "abc")),
        ("/api/trips/abc/share", Address(route: .tripShare, name: "abc")),
        ("/api/trips/abc/unshare", Address(route: .tripUnshare, name: "abc")),
        ("/shared/abc", Address(route: .shared, name: "abc")),
        ("/api/shared/abc/weather", Address(route: .sharedWeather, name: "abc")),
        ("/api/ideas.html", Address(route: .ideas, suffix: "html")),
        // Elsewhere these names say nothing.
        ("/about/abc/weather", Address(route: .weather)),
    ])
    func aRouteIsKnownByThePathsEnd(path: String, address: Address) {
        #expect(Address(path: Array(path.utf8)) == address)
    }

    @Test(arguments: [
        "/", "", "/weather/", "/weather.xml", "/weather.json.html", "/weather.", "/Weather", "/weathers",
        "/.json", "/trips/", "/trips//", "/trips/abc/", "/trips/abc/nonsense", "/trips/abc.xml", "/shared/",
        "/shared", "/shared/abc/card", "/card", "/form",
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
