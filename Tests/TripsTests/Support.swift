import Foundation
import Storage
import Synchronization
import Testing
import Trips
import Weather

/// A folder that goes with the test.
final class TripFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/trip-weather-trips-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
        try #require(made)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

func day(_ text: String) throws -> CalendarDate { try #require(CalendarDate(text)) }

let today = CalendarDate(daysSinceEpoch: 20_500)

func rules(limit: Int = 200) -> TripStoreRules {
    TripStoreRules(tripLimit: limit, today: { today })
}

func draft(_ city: String, _ country: String? = nil, start: Int = 100, nights: Int = 3) -> TripDraft {
    var draft = TripDraft()
    draft.city = .value(city)
    draft.country = TripInput(country)
    draft.start = .value(today.advanced(by: start))
    draft.nights = .value(nights)
    return draft
}

func plan(
    _ city: String, _ country: String? = nil, start: Int = 100, nights: Int = 3
) throws -> TripPlan {
    try draft(city, country, start: start, nights: nights).plan()
}

let bergen = Coordinate(latitude: 60.39, longitude: 5.32).map {
    Place(
        identifier: 3_161_732, name: "Bergen", country: "Norway", countryCode: "NO", region: "Vestland",
        coordinate: $0, timeZone: "Europe/Oslo")
}

/// The same suite runs on each.
enum StoreKind: String, CaseIterable, Sendable {
    case inMemory
    case sqlite
}

/// A store of one kind, and what a test does with it often.
struct TripWorld: Sendable {
    let store: any TripStore
    let me = TravellerID.newVisitor()
    let other = TravellerID.newVisitor()
    private let folder: TripFolder
    private let file: SQLiteTripStore?

    init(_ kind: StoreKind, limit: Int = 200) async throws {
        folder = try TripFolder()
        switch kind {
        case .inMemory:
            file = nil
            store = InMemoryTripStore(rules(limit: limit))
        case .sqlite:
            let file = try await SQLiteTripStore.open(
                folder("trips.sqlite"), rules(limit: limit), patience: .seconds(30))
            self.file = file
            store = file
        }
    }

    func close() async { await file?.close() }

    func add(
        _ city: String, _ country: String? = nil, start: Int = 100, nights: Int = 3,
        for traveller: TravellerID? = nil
    ) async throws -> Trip {
        let plan = try plan(city, country, start: start, nights: nights)
        return try await store.add(plan, key: CreationKey(from: .system), for: traveller ?? me).trip
    }

    func cities(for traveller: TravellerID? = nil) async throws -> [String] {
        try await store.list(for: traveller ?? me).trips.map(\.plan.city)
    }
}

/// How `body` was refused, or nil.
func refusal(_ body: () async throws -> Void) async -> TripStoreError? {
    do {
        try await body()
        return nil
    } catch let error as TripStoreError {
        return error
    } catch {
        Issue.record("not a TripStoreError: \(error)")
        return nil
    }
}

/// A `trips-writer` process. What waits for it waits on a queue of its own, since the tests share few threads.
///
/// - Note: `@unchecked Sendable` is safe because `rest` is touched on `queue` only, and the process and pipe are set
///   up before the value is shared.
final class Writer: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()
    private let queue = DispatchQueue(label: "writer")
    private var rest: [UInt8] = []

    init(_ path: String, _ visitor: String, _ count: Int) throws {
        let binaries = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        process.executableURL = binaries.appendingPathComponent("trips-writer")
        process.arguments = [path, visitor, "\(count)"]
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// The next line, or nil at the end.
    func line() async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.nextLine()) }
        }
    }

    private func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: 10) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeSubrange(...end)
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    /// Kills it and waits for its end.
    func kill() async {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        _ = await wait()
    }

    /// Waits for its end; returns its exit code.
    func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            queue.async {
                self.process.waitUntilExit()
                continuation.resume(returning: self.process.terminationStatus)
            }
        }
    }
}
