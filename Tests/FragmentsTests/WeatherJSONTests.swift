import Foundation
import Testing
import Weather

@testable import Fragments

struct WeatherJSONTests {
    @Test func loadedWeatherIsTheseBytes() {
        #expect(
            Examples.render(.loaded(Examples.report), .json) == """
                {"state":"loaded",\
                "place":{"name":"Seattle","country":"United States","region":"Washington",\
                "title":"Seattle, United States","latitude":47.60621,"longitude":-122.33207,\
                "timeZone":"America/Los_Angeles"},\
                "current":{"time":"2026-06-04T15:30","temperature":16.1,"apparentTemperature":15,\
                "relativeHumidity":71,"precipitation":0.3,"windSpeed":8.4,"code":2,"words":"Partly cloudy",\
                "symbol":"cloud.sun","isDay":true},\
                "line":"Seattle, United States: 16°C, Partly cloudy","trip":null,\
                "units":{"temperature":"°C","windSpeed":"km/h","precipitation":"mm","relativeHumidity":"%",\
                "precipitationProbability":"%"},\
                "updatedAt":"2026-06-04T22:30:00Z","stale":null,"message":null,"retryAfter":null,"sample":false,\
                "attribution":{"weather":{"text":"Weather data by Open-Meteo.com",\
                "url":"https://open-meteo.com/","licence":"CC BY 4.0"},\
                "places":{"text":"GeoNames","url":"https://www.geonames.org/","licence":"CC BY 4.0"}}}

                """)
    }

    @Test func imperialValuesAndLabelsComeTogether() throws {
        let answer = try parse(.loaded(Examples.report), .imperial)
        let current = try #require(answer["current"] as? [String: Any])
        #expect(current["temperature"] as? Double == 61.1)
        #expect(current["windSpeed"] as? Double == 5.2)
        #expect(current["precipitation"] as? Double == 0.012)
        #expect(answer["line"] as? String == "Seattle, United States: 61°F, Partly cloudy")
        let units = try #require(answer["units"] as? [String: String])
        #expect(
            units == [
                "temperature": "°F", "windSpeed": "mph", "precipitation": "inch", "relativeHumidity": "%",
                "precipitationProbability": "%",
            ])
    }

    @Test func germanLabelsOfUnitsAreTheSame() throws {
        let english = try parse(.loaded(Examples.report), .imperial)
        let german = try parse(.loaded(Examples.report), .imperial, .german)
        #expect(english["units"] as? [String: String] == german["units"] as? [String: String])
        #expect(german["line"] as? String == "Seattle, United States: 61\u{A0}°F, Teilweise bewölkt")
    }

    @Test func aTripHasItsDaysAndNotes() throws {
        var report = Examples.report
        report.trip = Examples.trip
        let answer = try parse(.loaded(report))
        let trip = try #require(answer["trip"] as? [String: Any])
        #expect(trip["start"] as? String == "2026-06-03")
        #expect(trip["nights"] as? Int == 20)
        let days = try #require(trip["days"] as? [[String: Any]])
        #expect(days.map { $0["date"] as? String } == ["2026-06-04", "2026-06-05"])
        #expect(days[1]["weekday"] as? String == "Friday")
        #expect(days[1]["words"] as? String == "Rain")
        #expect(days[1]["symbol"] as? String == "cloud.rain")
        #expect(days[1]["maximum"] as? Double == 18.4)
        #expect(days[1]["minimum"] as? Double == 10.6)
        #expect(days[1]["precipitation"] as? Double == 4)
        #expect(days[1]["precipitationProbability"] as? Double == 70)
        #expect(days[1]["sunrise"] as? String == "2026-06-05T05:12")
        #expect(days[1]["sunset"] as? String == "2026-06-05T21:05")
        #expect(days[1]["sun"] as? String == "rises-and-sets")
        #expect(
            trip["notes"] as? [String] == [
                "The forecast reaches to 19 June. Come back on 8 June."
            ])
    }

    @Test func everyStateHasTheSameMembers() throws {
        let states: [WeatherState] = [
            .loading(), .loaded(Examples.report), .failed(message: "No.", previous: nil),
            .failed(message: "No.", previous: Examples.report),
        ]
        let members = try states.map { try parse($0).keys.sorted() }
        #expect(Set(members).count == 1)
        #expect(members[0].count == 12)
    }

    @Test func aFailureWithPreviousWeatherShowsItAsStale() throws {
        let answer = try parse(.failed(message: "Open-Meteo did not answer.", previous: Examples.report))
        #expect(answer["state"] as? String == "failed")
        #expect(answer["message"] as? String == "Open-Meteo did not answer.")
        #expect(answer["stale"] as? String == "error")
        #expect(answer["line"] as? String == "Seattle, United States: 16°C, Partly cloudy")
        #expect(answer["updatedAt"] as? String == "2026-06-04T22:30:00Z")
    }

    @Test func aFailureWithoutWeatherHasNullsAndItsMessage() throws {
        let answer = try parse(.failed(message: "No.", previous: nil))
        #expect(answer["state"] as? String == "failed")
        #expect(answer["message"] as? String == "No.")
        for member in ["place", "current", "line", "trip", "updatedAt", "stale"] {
            #expect(answer[member] is NSNull, "\(member)")
        }
    }

    @Test func stalenessIsToldOfLoadedWeather() throws {
        var report = Examples.report
        report.isRevalidating = true
        var answer = try parse(.loaded(report))
        #expect(answer["state"] as? String == "loaded")
        #expect(answer["stale"] as? String == "revalidating")
        answer = try parse(.failed(message: "No.", retryAfter: 12, previous: report))
        #expect(answer["state"] as? String == "failed")
        #expect(answer["stale"] as? String == "error")
        #expect(answer["retryAfter"] as? Int == 12)
    }

    @Test func whatIsMissingOrNoNumberIsNull() throws {
        var report = Examples.report
        report.context.current = CurrentWeather(
            temperature: .nan, apparentTemperature: .infinity, precipitation: 1e300, windSpeed: -.infinity)
        let answer = try parse(.loaded(report))
        let current = try #require(answer["current"] as? [String: Any])
        #expect(current.count == 10)
        #expect(current.allSatisfy { $0.value is NSNull })
        #expect(answer["line"] as? String == "Seattle, United States: current weather not known")
        report.context.current = nil
        #expect(try parse(.loaded(report))["current"] is NSNull)
    }

    @Test func minusZeroIsZero() throws {
        var report = Examples.report
        report.context.current?.temperature = -0.04
        report.context.current?.apparentTemperature = -0.4
        let answer = Examples.render(.loaded(report), .json)
        #expect(answer.contains("\"temperature\":0,\"apparentTemperature\":-0.4"))
        #expect(answer.contains("\"line\":\"Seattle, United States: 0°C"))
    }

    @Test func aBareCoordinateHasNoNameButATitle() throws {
        var report = Examples.report
        report.location = .point(Examples.coordinate(0, -5.316))
        report.context.timeZone = "Europe/Oslo"
        let place = try #require(try parse(.loaded(report))["place"] as? [String: Any])
        #expect(place["name"] is NSNull)
        #expect(place["country"] is NSNull)
        #expect(place["title"] as? String == "0.00°N 5.32°W")
        #expect(place["latitude"] as? Double == 0)
        #expect(place["longitude"] as? Double == -5.316)
        #expect(place["timeZone"] as? String == "Europe/Oslo")
    }

    @Test func severalPlacesKeepTheirOrderAndTheirOwnStates() throws {
        let places: [PlaceWeather] = [
            (
                asked: Examples.coordinate(60.39, 5.32), state: .failed(message: "No.", previous: nil)
            ),
            (asked: Examples.coordinate(47.61, -122.33), state: .loaded(Examples.report)),
        ]
        let bytes = Renderer.weather(places, as: Presentation())
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let parsed = try #require(answer["places"] as? [[String: Any]])
        #expect(parsed.map { $0["state"] as? String } == ["failed", "loaded"])
        let place = try #require(parsed[0]["place"] as? [String: Any])
        #expect(place["latitude"] as? Double == 60.39)
        #expect(place["title"] as? String == "60.39°N 5.32°E")
        #expect(Examples.text(Renderer.weather([], as: Presentation())) == "{\"places\":[]}\n")
        let alone = Examples.render(.loaded(Examples.report), .json).dropLast()
        #expect(Examples.text(bytes).contains(alone))
    }

    private func parse(
        _ state: WeatherState, _ units: Units = .metric, _ language: Language = .english
    ) throws -> [String: Any] {
        let text = Examples.render(state, .json, units, language)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
}
