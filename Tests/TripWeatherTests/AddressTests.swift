import Gateway
import Testing

@testable import TripWeather

@Suite struct AddressTests {
    @Test(arguments: [
        ("/weather", Address(route: .weather)),
        ("/weather.json", Address(route: .weather, suffix: "json")),
        ("/weather.svg", Address(route: .weather, suffix: "svg")),
        ("/api/trips/abc/weather.svg", Address(route: .tripWeather, suffix: "svg", name: "abc")),
        ("/shared/abc/weather.svg", Address(route: .sharedWeather, suffix: "svg", name: "abc")),
        ("/api/weather.html", Address(route: .weather, suffix: "html")),
        ("/fragments/places.txt", Address(route: .places, suffix: "txt")),
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
        ("/trips/trips/weather", Address(route: .tripWeather, name: "trips")),
    ])
    func aRouteIsKnownByItsWholePath(path: String, address: Address) {
        #expect(Address(path: Array(path.utf8)) == address)
    }

    @Test(arguments: [
        "/", "", "/weather/", "/weather.xml", "/weather.json.html", "/weather.", "/Weather", "/weathers",
        "/.json", "/trips/", "/trips//", "/trips/abc/", "/trips/abc/nonsense", "/trips/abc.xml", "/shared/",
        "/shared", "/shared/abc/card", "/card", "/form",
        "/about/weather", "/api/api/weather", "/x/trips", "/x/trips/abc", "/x/trips/abc/weather",
        "/trips/weather/",
    ])
    func otherPathsAreNoRoute(path: String) {
        #expect(Address(path: Array(path.utf8)) == nil)
    }

    /// As nginx, lighttpd at "/", Apache, IIS and an include name the same path.
    @Test(arguments: [
        [("SCRIPT_NAME", "/trips/abc.json")],
        [("SCRIPT_NAME", "/trips/abc.json"), ("PATH_INFO", "")],
        [("SCRIPT_NAME", "/trips"), ("PATH_INFO", "/abc.json")],
        [("SCRIPT_NAME", ""), ("PATH_INFO", "/trips/abc.json")],
        [("SCRIPT_NAME", "/"), ("PATH_INFO", "/trips/abc.json")],
        [("SCRIPT_NAME", "/trips/abc.json"), ("PATH_INFO", "/trips/abc.json")],
        [("DOCUMENT_URI", "/trips/abc.json")],
    ])
    func serversSplitThePathInDifferentPlaces(parameters: [(String, String)]) {
        #expect(Address(Parameters(parameters)) == Address(route: .trip, suffix: "json", name: "abc"))
    }

    @Test(arguments: ["/cgi-bin/trip-weather", "/cgi-bin/trip-weather/", "/cgi-bin"])
    func thePathOfASiteBeginsBehindItsPrefix(prefix: String) {
        func address(_ script: String, _ info: String) -> Address? {
            Address(
                Parameters([("SCRIPT_NAME", script), ("PATH_INFO", info), ("SITE_PREFIX", prefix)]))
        }
        let mount = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
        #expect(address(mount, "/places.json") == Address(route: .places, suffix: "json"))
        #expect(address(mount + "/api/trips/abc", "") == Address(route: .trip, name: "abc"))
        #expect(address("/weather", "") == nil)
        #expect(address(mount + "s", "/weather") == nil)
        #expect(address(mount, "") == nil)
    }

    @Test func withoutAPrefixNothingIsGuessed() {
        #expect(
            Address(Parameters([("SCRIPT_NAME", "/cgi-bin/trip-weather"), ("PATH_INFO", "/weather")])) == nil)
    }

    @Test func theRequestsUriIsNeverLookedAt() {
        let page = Parameters([("REQUEST_URI", "/places"), ("SCRIPT_NAME", "/weather")])
        #expect(Address(page) == Address(route: .weather))
        #expect(Address(Parameters([("REQUEST_URI", "/weather")])) == nil)
    }
}
