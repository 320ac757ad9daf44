import EventLoop
import Foundation
import Storage
import Synchronization
import Testing
import Transport
import Weather

@testable import TripWeather

/// A folder for a disk cache, a loop that waits for it, and a log that can be read. All goes with the test.
final class DiskBench: Sendable {
    let folder: String
    let loop: EventLoop
    let log: Log
    private let logPath: String

    init(in parent: String = "/tmp") throws {
        var template = Array("\(parent)/tw-disk-XXXXXX".utf8CString)
        let isMade = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
        try #require(isMade)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        logPath = "\(folder)/log"
        let descriptor = open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        log = Log(descriptor: descriptor)
        loop = try EventLoop(name: "disk")
        try loop.start()
    }

    deinit {
        loop.stop()
        loop.join()
        try? FileManager.default.removeItem(atPath: folder)
    }

    var folderOfCache: String { "\(folder)/cache" }
    var file: String { "\(folderOfCache)/cache.sqlite" }

    var logged: [String] {
        log.flush()
        let text = (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    func logged(_ words: String) -> Int { logged.count { $0.contains(words) } }

    var scheduler: LoopScheduler { LoopScheduler(defaultLoop: loop) }

    func store(
        busyTimeout: Duration = .seconds(20), limits: DiskLimits = DiskLimits(),
        folder: String? = nil
    ) -> DisposableStore {
        DisposableStore(
            DiskSchema.options(folder: folder ?? folderOfCache, busyTimeout: busyTimeout, limits: limits),
            checkInterval: .milliseconds(20)
        ) { [log] in log.write("cache-disk", [("message", $0)]) }
    }

    func diskCache(
        _ store: DisposableStore, waitLimit: Duration = .seconds(20),
        limits: DiskLimits = DiskLimits(), holdsWrites: Bool = false,
        queueLimits: WriteQueue.Limits = WriteQueue.Limits(),
        unixTime: @escaping @Sendable () -> Int = { 1_800_000_000 }
    ) -> SQLiteDiskCache {
        SQLiteDiskCache(
            store, limits: limits, scheduler: scheduler, waitLimit: waitLimit, holdsWrites: holdsWrites,
            queueLimits: queueLimits, unixTime: unixTime, random: 0, log: log)
    }

    /// A cache on a connection of its own, for as long as `body` runs: another process, as far as SQLite knows.
    func withCache<Result>(_ body: (SQLiteDiskCache) async throws -> Result) async rethrows -> Result {
        let store = store()
        let result = try await body(diskCache(store))
        await store.close()
        return result
    }
}

extension SQLiteDiskCache {
    /// Saves, and waits until that is done with.
    func saveAndWait(_ weather: DiskEntry<WeatherContext>) async {
        save(weather, for: "weather \(weather.value.coordinate)")
        await settled()
    }

    func saveAndWait(_ place: DiskEntry<Place>, for key: String) async {
        save(place, for: key)
        await settled()
    }

    /// Waits until nothing is queued.
    func settled() async {
        while writes.waiting > 0 { try? await Task.sleep(for: .microseconds(200)) }
    }

    func weather(at coordinate: Coordinate) async -> DiskEntry<WeatherContext>? {
        await weather(for: ["weather \(coordinate)"]).first?.entry
    }

    func place(for key: String) async -> DiskEntry<Place>? {
        await places(for: [key]).first?.entry
    }
}

let keptPlace = DiskEntry(
    Place(
        identifier: 3_161_732, name: "Bergen", country: "Norway", countryCode: "NO", region: "Vestland",
        coordinate: coordinate(60.39, 5.32), timeZone: "Europe/Oslo"),
    fetchedAt: 1_799_990_000)

func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
        preconditionFailure("the test names no place on Earth")
    }
    return coordinate
}

/// Weather that can be told from other weather by its temperature.
func keptWeather(
    _ latitude: Double, _ longitude: Double, temperature: Double = 11.5, fetchedAt: Int = 1_799_999_000
) -> DiskEntry<WeatherContext> {
    DiskEntry(
        WeatherContext(
            coordinate: coordinate(latitude, longitude), current: CurrentWeather(temperature: temperature),
            days: [DayForecast(date: CalendarDate(daysSinceEpoch: 20_833), maximum: 12)],
            timeZone: "Europe/Oslo", utcOffset: 3_600),
        fetchedAt: fetchedAt)
}

/// Holds a thread up until it is let go.
final class Barrier: Sendable {
    private let held = Mutex((isOpen: false, entered: false))

    /// Waits, for twenty seconds at the most.
    func hold() {
        held.withLock { $0.entered = true }
        let limit = ContinuousClock.now.advanced(by: .seconds(20))
        while !held.withLock({ $0.isOpen }), ContinuousClock.now < limit { usleep(1_000) }
    }

    var isEntered: Bool { held.withLock { $0.entered } }
    var isOpen: Bool { held.withLock { $0.isOpen } }
    func open() { held.withLock { $0.isOpen = true } }
}

/// Upstream that answers what a test says, and counts.
final class CountingTransport: Transport {
    private let counts = Mutex((asked: 0, now: 0, most: 0))
    private let body: @Sendable () async throws(TransportError) -> Void

    init(_ body: @escaping @Sendable () async throws(TransportError) -> Void = {}) {
        self.body = body
    }

    var asked: Int { counts.withLock { $0.asked } }
    var most: Int { counts.withLock { $0.most } }

    func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        counts.withLock { counts in
            counts.asked += 1
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
        defer { counts.withLock { $0.now -= 1 } }
        try await body()
        return HTTPAnswer(body: [])
    }
}
