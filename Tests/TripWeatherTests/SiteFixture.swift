import EventLoop
import Fragments
import Gateway
import Synchronization
import TestSupport
import Testing
import Trips
import Weather

@testable import TripWeather

/// The site over caches and a weather of the test's making, with a clock that stands still until it is moved.
final class SiteFixture: Sendable {
    let upstream = InMemoryWeather()
    let site: Site
    let loop: EventLoop
    private let sharedClock: SharedClock
    private let tripStore: LazyTripStore?
    /// Of the trips' file.
    let folder: ScratchFolder

    /// 2026-12-10 12:00:00 UTC.
    static let start = 1_796_904_000
    static let bergen = Place(
        identifier: 3_161_732, name: "Bergen", country: "Norway", countryCode: "NO", region: "Vestland",
        coordinate: coordinate(60.392_99, 5.324_15), timeZone: "Europe/Oslo")
    static let seattle = Place(
        name: "Seattle", country: "United States", countryCode: "US",
        coordinate: coordinate(47.606_21, -122.332_07), timeZone: "America/Los_Angeles")

    /// - Parameters:
    ///   - keepsTrips: whether trips are kept, in a folder of the fixture's own.
    ///   - change: sets what differs from the defaults.
    init(
        keepsTrips: Bool = false, ideas: [TripIdea] = [],
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws {
        var configuration = Configuration()
        folder = try ScratchFolder()
        if keepsTrips { configuration.trips.file = folder("trips.sqlite") }
        change(&configuration)
        let loop = try EventLoop(name: "test")
        try loop.start()
        let clock = SharedClock(SiteFixture.start)
        let environment = CacheEnvironment(
            scheduler: LoopScheduler(defaultLoop: loop), unixTime: { Double(clock.now) }, random: { 0 },
            // A busy machine may take long between a test's steps.
            callDeadline: SharedDuration(.seconds(120)))
        let log = Log(descriptor: -1)
        let tripStore = LazyTripStore(configuration, log: log) { Double(clock.now) }
        self.tripStore = tripStore
        site = Site(
            settings: configuration.site,
            places: PlaceCache(over: upstream, policy: configuration.placeCache, environment: environment),
            weather: WeatherCache(
                over: upstream, policy: configuration.weatherCache, environment: environment,
                attach: { Renderings() }),
            archive: ArchiveCache(
                over: upstream, policy: configuration.archiveCache, environment: environment),
            trips: tripStore, ideas: { ideas }, log: log, unixTime: { Double(clock.now) })
        self.loop = loop
        sharedClock = clock
        upstream.set(.success(SiteFixture.bergen), for: "Bergen")
        upstream.set(.success(SiteFixture.seattle), for: "Seattle")
        upstream.setOtherwise(.success(SiteFixture.context()))
    }

    deinit {
        loop.stop()
        loop.join()
    }

    func pass(seconds: Int) {
        sharedClock.pass(seconds)
    }

    /// Answers a request, and says whether it needed a task, and how long that took on its loop.
    func ask(
        _ path: String, _ query: String = "", method: String = "GET", _ more: [(String, String)] = [],
        body: String = ""
    ) async -> (response: GatewayResponse, neededTask: Bool, elapsed: Duration) {
        await Task(executorPreference: loop) { [site, loop] in
            let start = ContinuousClock.now
            let request = GatewayRequest(
                parameters: Parameters(
                    [("REQUEST_METHOD", method), ("SCRIPT_NAME", path), ("QUERY_STRING", query)] + more),
                body: Array(body.utf8))
            switch site.answer(request, on: loop) {
            case .ready(let response): return (response, false, start.duration(to: .now))
            case .pending(let operation):
                let response = await operation()
                return (response, true, start.duration(to: .now))
            }
        }.value
    }

    static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            preconditionFailure("the tests' coordinates exist")
        }
        return coordinate
    }

    static func context() -> WeatherContext {
        let today = CalendarDate(daysSinceEpoch: start / 86_400)
        return WeatherContext(
            coordinate: coordinate(0, 0),
            current: CurrentWeather(
                time: LocalTime(date: today, minuteOfDay: 13 * 60), temperature: 5.4, sky: Sky(code: 2),
                isDay: true),
            days: (0..<16).map {
                DayForecast(date: today.advanced(by: $0), sky: Sky(code: 61), maximum: 7, minimum: 2)
            },
            timeZone: "Europe/Oslo", utcOffset: 3_600)
    }
}

private final class SharedClock: Sendable {
    private let time: Mutex<Int>

    init(_ start: Int) {
        time = Mutex(start)
    }

    var now: Int { time.withLock { $0 } }

    func pass(_ seconds: Int) {
        time.withLock { $0 += seconds }
    }
}

extension GatewayResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of a header field, in the order in which they go out.
    func values(_ name: String) -> [String] {
        let lines = String(decoding: encodedFields, as: UTF8.self).split(separator: "\r\n").compactMap {
            line in
            line.firstIndex(of: ":").map {
                (String(line[..<$0]), line[line.index(after: $0)...].drop { $0 == " " })
            }
        }
        return fields.filter { $0.name == name }.map(\.value)
            + lines.filter { $0.0 == name }.map { String($0.1) }
    }

    func value(_ name: String) -> String? { values(name).first }
}
