import Testing
import Transport

@testable import Weather

/// Coordinates in the place of a city's name.
struct TypedCoordinateTests {
    @Test(arguments: [
        ("60.39, 5.32", 60.39, 5.32), ("60.39,5.32", 60.39, 5.32), (" 60.39  5.32 ", 60.39, 5.32),
        ("60.39N 5.32E", 60.39, 5.32), ("60.39°n, 5.32°e", 60.39, 5.32), ("5.32E 60.39N", 60.39, 5.32),
        ("33.87 S, 151.2 E", -33.87, 151.2), ("-33.87, −70.5", -33.87, -70.5), ("45N 122W", 45, -122),
        ("60, 5", 60, 5), ("0,0", 0, 0), ("90, -180", 90, -180),
    ])
    func coordinatesAreAPlaceThatIsNotAskedAbout(
        text: String, latitude: Double, longitude: Double
    ) async throws {
        let transport = ScriptedTransport { _ in .success("{}") }
        let client = OpenMeteoClient(OpenMeteoConfiguration(), transport: transport)
        let deadline = ContinuousClock.now.advanced(by: .seconds(60))
        let query = PlaceQuery(city: text, country: "Norway")
        let place = try await client.place(for: query, until: deadline)
        #expect(place.coordinate == Coordinate(latitude: latitude, longitude: longitude))
        #expect(place.title == query.city)
        let suggested = try await client.places(
            beginningWith: PlaceQuery(city: text), limit: 5, until: deadline)
        #expect(suggested == [place])
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        "11 455", "98101", "91, 5", "60, 181", "60.39", "1,2,3", "60.39N 5.32N", "-60.39N 5.32E",
        "60.39N 5.32", "0x1, 5", "1e1, 5", ", 5", "60.39 ,", "5 km, 3", "--1, 2", "Bergen", "",
    ])
    func whatOnlyLooksLikeCoordinatesIsNone(text: String) {
        #expect(Coordinate(typed: text) == nil)
    }
}
