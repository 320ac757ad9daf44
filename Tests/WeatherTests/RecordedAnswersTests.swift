import Foundation
import Testing
import Transport
import Weather

/// Real answers of Open-Meteo, recorded by others and published. They aren't part of this repository: they stand
/// in a folder beside it, or where TRIP_WEATHER_RECORDED says.
enum RecordedAnswers {
    static let folder: URL =
        ProcessInfo.processInfo.environment["TRIP_WEATHER_RECORDED"].map { URL(filePath: $0) }
        ?? URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/open-meteo/recorded")

    static var isThere: Bool {
        FileManager.default.fileExists(atPath: folder.path())
    }

    static func body(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: name)))
    }

    /// Every file but the list of their sources.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0 != "SOURCES.md" }
            .sorted()
    }

    /// What must become of a file.
    enum Expectation: Sendable {
        /// A forecast, with so many days and this temperature now (nil for no current section, or none in it).
        case forecast(days: Int, temperature: Double?)
        /// Several places, none of which has a section that is asked for.
        case emptyForecasts(Int)
        /// Places, the first of this title.
        case places(Int, first: String)
        case noPlaces
        case unreadable(String)
        case refused(Int, reason: String)
        case limited(RateLimitWindow)
        case unavailable(Int)
    }

    private static let nothing = "no value in current or daily"

    static let expectations: [String: Expectation] = [
        "archive-daily-brasilia.json": .forecast(days: 11, temperature: nil),
        "archive-hourly-brasilia.json": .forecast(days: 1, temperature: nil),
        "archive-hourly-ocean.json": .unreadable(nothing),
        "climate-daily-zero-zero.json": .forecast(days: 32, temperature: nil),
        "err-400-daily-variable-2025.json": .refused(400, reason: "Data corrupted at path ''."),
        "err-400-elevation-encoded-comma-2024.json": .refused(400, reason: "Value was not of type 'Float'"),
        "err-400-forecast_days.json": .refused(400, reason: "Forecast days is invalid."),
        "err-400-geocoding-count.json": .refused(400, reason: "Parameter count must be between 1 and 100."),
        "err-400-geocoding-missing-name.json": .refused(400, reason: "No value found"),
        "err-400-hourly-variable-2023.json": .refused(
            400, reason: "Cannot initialize SurfaceAndPressureVariable<"),
        "err-400-invalid-timezone.json": .refused(400, reason: "Invalid timezone"),
        "err-400-latitude-range.json": .refused(400, reason: "Latitude must be in range of -90 to 90°."),
        "err-400-latlon-count.json": .refused(400, reason: "Parameter 'latitude' and 'longitude' must have"),
        "err-400-past_days-exclusive.json": .refused(
            400, reason: "Parameter 'past_days' is mutually exclusive"),
        "err-400-temperature_unit.json": .refused(400, reason: "Cannot initialize TemperatureUnit"),
        "err-429-daily.json": .limited(.day),
        "err-429-hourly.json": .limited(.hour),
        "err-429-minutely.json": .limited(.minute),
        "err-500-something-went-wrong.json": .unavailable(500),
        "fc-current-15min-hourly-daily-berlin-codes.json": .forecast(days: 7, temperature: nil),
        "fc-current-anchorage-summer.json": .forecast(days: 0, temperature: 52.2),
        "fc-current-anchorage-winter.json": .forecast(days: 0, temperature: 21.9),
        "fc-current-beijing.json": .forecast(days: 0, temperature: 30.9),
        "fc-current-daily-denver.json": .forecast(days: 5, temperature: 26.8),
        "fc-current-dresden.json": .forecast(days: 0, temperature: 21.2),
        "fc-current-hourly-copenhagen-ms.json": .forecast(days: 7, temperature: 16.8),
        "fc-current-hourly-daily-newyork.json": .forecast(days: 7, temperature: -1.4),
        "fc-current-hourly-toronto-imperial.json": .forecast(days: 8, temperature: 32.6),
        "fc-current-london-imperial.json": .forecast(days: 0, temperature: 47.3),
        "fc-customer-host-berlin-codes.json": .forecast(days: 7, temperature: nil),
        // The last of its eight days is null in every column.
        "fc-daily-last-day-null.json": .forecast(days: 7, temperature: 32.4),
        "fc-everything-berlin.json": .forecast(days: 7, temperature: 16.5),
        "fc-hourly-brasilia.json": .unreadable(nothing),
        "fc-legacy-current_weather-darwin-celsius.json": .unreadable(nothing),
        "fc-legacy-current_weather-darwin-fahrenheit-mph.json": .unreadable(nothing),
        "fc-legacy-current_weather-munich-unixtime.json": .unreadable(nothing),
        "fc-multi-location-array.json": .emptyForecasts(12),
        "fc-no-variables-kyiv.json": .unreadable(nothing),
        "fc-trimmed-kathmandu-no-hourly.json": .forecast(days: 7, temperature: 17.3),
        // With several models only `current` has the names that were asked for.
        "fc-two-models-berlin-codes.json": .forecast(days: 0, temperature: nil),
        "geo-anchorage-count5.json": .places(5, first: "Anchorage, United States"),
        "geo-beijing-en-count1.json": .places(1, first: "Beijing, China"),
        "geo-beijing-zh-count1.json": .places(1, first: "北京, 中国"),
        "geo-berlin-count1.json": .places(1, first: "Berlin, Germany"),
        "geo-brasilia-count1.json": .places(1, first: "Brasília, Brazil"),
        "geo-brisbane-count1.json": .places(1, first: "Brisbane, Australia"),
        "geo-darwin-count1.json": .places(1, first: "Darwin, Australia"),
        "geo-display-name.json": .places(3, first: "San Francisco, United States"),
        "geo-dubai.json": .places(8, first: "Dubai, United Arab Emirates"),
        "geo-empty-1.json": .noPlaces,
        "geo-empty-2.json": .noPlaces,
        "geo-empty-3.json": .noPlaces,
        "geo-empty-shiplog.json": .noPlaces,
        "geo-enschede.json": .places(2, first: "Enschede, The Netherlands"),
        "geo-frederick-count3.json": .places(3, first: "Frederick, United States"),
        "geo-hollywood-count10.json": .places(10, first: "Hollywood, United States"),
        "geo-london-comma-UK-empty.json": .noPlaces,
        "geo-london-count5-2026-01.json": .places(5, first: "London, United Kingdom"),
        "geo-london-count5-2026-05.json": .places(5, first: "London, United Kingdom"),
        "geo-milan-count1.json": .places(1, first: "Milan, Italy"),
        "geo-moscow-count1.json": .places(1, first: "Moscow, Russia"),
        "geo-nyc-0.json": .noPlaces,
        "geo-nyc-1.json": .places(5, first: "New York, United States"),
        "geo-paris-count2.json": .places(2, first: "Paris, France"),
        "geo-shiplog.json": .places(1, first: "Vodice, Slovenia"),
        "geo-suggest-limit.json": .places(6, first: "Nnewi, Nigeria"),
        "geo-suggest-new.json": .places(10, first: "Nnewi, Nigeria"),
        "geo-sydney-count1.json": .places(1, first: "Sydney, Australia"),
        "raw-200-nan-coordinates.txt": .unreadable(nothing),
        "raw-200-stream-timeout.txt":
            .unreadable("not JSON at byte 0: Unexpected error while streaming data: timeoutReached"),
    ]
}

// Where the folder isn't there (a checkout by itself), the suite skips itself and says so.
@Suite(
    .enabled(
        if: RecordedAnswers.isThere,
        "No recorded answers of Open-Meteo at \(RecordedAnswers.folder.path()); TRIP_WEATHER_RECORDED says where else."
    ))
struct RecordedAnswersTests {
    @Test func everyFileIsInTheTableAndEveryLineOfItIsAFile() throws {
        #expect(try RecordedAnswers.names() == RecordedAnswers.expectations.keys.sorted())
    }

    @Test(arguments: RecordedAnswers.expectations.keys.sorted())
    func aRecordedAnswerIsReadOrRefusedAsItShouldBe(name: String) throws {
        let body = try RecordedAnswers.body(name)
        let expectation = try #require(RecordedAnswers.expectations[name])
        let coordinate = try Fixture.coordinate(1, 2)
        switch expectation {
        case .forecast(let days, let temperature):
            let context = try ForecastDecoder.context(from: body, for: coordinate, atUnixTime: 0)
            #expect(context.days.count == days)
            #expect(context.current?.temperature == temperature)
            #expect(context.coordinate == coordinate)
            #expect(context.timeZone != nil)
            #expect(context.utcOffset != nil)
        case .emptyForecasts(let count):
            let answer = ForecastDecoder.answer(
                from: body, for: Array(repeating: coordinate, count: count), atUnixTime: 0)
            #expect(answer.fault == nil && answer.results.count == count)
            #expect(
                answer.results.allSatisfy {
                    $0 == .failure(.unreadable(path: "no value in current or daily"))
                })
        case .places(let count, let first):
            let places = try PlaceDecoder.places(from: body)
            #expect(places.count == count)
            #expect(places.first?.place.title == first)
            #expect(places.allSatisfy { $0.place.timeZone != nil && $0.place.identifier != nil })
        case .noPlaces:
            #expect(try PlaceDecoder.places(from: body).isEmpty)
        case .unreadable(let path):
            #expect(throws: WeatherError.unreadable(path: path)) {
                try ForecastDecoder.context(from: body, for: coordinate, atUnixTime: 0)
            }
        case .refused(let status, let reason):
            guard case .refused(status, let words?) = error(name, body) else {
                Issue.record("\(error(name, body))")
                return
            }
            #expect(words.hasPrefix(reason))
        case .limited(let window):
            guard case .limited(let reason, let retryAfter, window) = error(name, body) else {
                Issue.record("\(error(name, body))")
                return
            }
            #expect(reason?.contains("API request limit exceeded") == true)
            #expect(retryAfter != nil)
        case .unavailable(let status):
            #expect(error(name, body) == .unavailable(status: status, retryAfter: nil))
        }
    }

    /// A file that isn't a refusal is none of the other kind either.
    @Test func placesAreNoForecastAndForecastsAreNoPlaces() throws {
        let coordinate = try Fixture.coordinate(1, 2)
        for name in try RecordedAnswers.names() where name.hasPrefix("geo-") {
            #expect(throws: WeatherError.self, "\(name)") {
                try ForecastDecoder.context(
                    from: try RecordedAnswers.body(name), for: coordinate, atUnixTime: 0)
            }
        }
    }

    /// The status stands in the file's name: err-400-….
    private func error(_ name: String, _ body: [UInt8]) -> WeatherError {
        let status = name.split(separator: "-").dropFirst().first.flatMap { Int($0) } ?? 0
        return WeatherError(refusal: HTTPRefusal(status: status, body: body), unixTime: 1_800_000_000)
    }
}
