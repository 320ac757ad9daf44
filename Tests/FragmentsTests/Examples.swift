import Testing
import Weather

@testable import Fragments

/// Weather that many tests render.
enum Examples {
    static let seattle = Place(
        identifier: 5_809_844, name: "Seattle", country: "United States", countryCode: "US",
        region: "Washington", coordinate: coordinate(47.60621, -122.33207), timeZone: "America/Los_Angeles")

    /// 2026-06-04T22:35:00Z, which is 15:35 in Seattle.
    static let now = 1_780_612_500

    static let context = WeatherContext(
        coordinate: coordinate(47.61, -122.33),
        current: CurrentWeather(
            time: LocalTime("2026-06-04T15:30"), temperature: 16.14, apparentTemperature: 14.96,
            relativeHumidity: 71, precipitation: 0.3, windSpeed: 8.4, sky: Sky(code: 2), isDay: true),
        days: [day("2026-06-04", code: 2), day("2026-06-05", code: 61)],
        timeZone: "America/Los_Angeles", utcOffset: -25_200)

    static let report = WeatherReport(
        location: .named(seattle), context: context, updatedAt: now - 300, now: now)

    /// It began yesterday and ends after the forecast does.
    static let trip = TripForecast(
        start: date("2026-06-03"), nights: 20, days: forecast(context.days),
        beyond: TripForecast.Beyond(forecastReachesTo: date("2026-06-19"), comeBackOn: date("2026-06-08")))

    static func forecast(_ days: [DayForecast]) -> [TripDay] {
        days.map { TripDay(.forecast($0), on: $0.date) }
    }

    /// 24 °C by day, and rain on three days of ten.
    static func usual(_ text: String) -> TripDay {
        let date = date(text)
        return TripDay(
            .usual(
                UsualDay(
                    month: date.month, day: date.day, maximum: .init(mean: 24.2, low: 19.6, high: 28.1),
                    minimum: .init(mean: 15.8, low: 12, high: 19), wetShare: 0.3, precipitation: 1.5,
                    sky: .partlyCloudy, years: 2016...2025)), on: date)
    }

    static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            fatalError("no coordinate: \(latitude), \(longitude)")
        }
        return coordinate
    }

    static func date(_ text: String) -> CalendarDate {
        guard let date = CalendarDate(text) else { fatalError("no date: \(text)") }
        return date
    }

    static func time(_ text: String) -> LocalTime {
        guard let time = LocalTime(text) else { fatalError("no time: \(text)") }
        return time
    }

    static func day(_ text: String, code: Int) -> DayForecast {
        DayForecast(
            date: date(text), sky: Sky(code: code), maximum: 18.4, minimum: 10.6, precipitation: 4,
            precipitationProbability: 70,
            sun: .risesAndSets(rise: time("\(text)T05:12"), set: time("\(text)T21:05")))
    }

    static func render(
        _ state: WeatherState, _ representation: Representation, _ units: Units = .metric,
        _ language: Language = .english
    ) -> String {
        text(
            Renderer.weather(
                state,
                as: Presentation(units: units, language: language, representation: representation)))
    }

    /// The bytes as text; a test fails where they aren't UTF-8.
    static func text(_ bytes: [UInt8]) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            Issue.record("not UTF-8")
            return ""
        }
        return text
    }
}
