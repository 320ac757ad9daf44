internal import Storage
internal import Synchronization
internal import Trips
internal import Weather

/// Where trips are kept, opened when it is first needed: most CGI processes never ask for a trip.
final class TripKeeping: Sendable {
    /// Of the file; empty where the store has none.
    let path: String
    private let make: @Sendable () async throws(StorageError) -> any TripStore
    private let opened = Mutex<(any TripStore)?>(nil)
    private let failures = Mutex<[String: Int]>([:])

    /// Nil where none are kept.
    init?(_ configuration: Configuration) {
        let trips = configuration.trips
        guard !trips.file.isEmpty else { return nil }
        let patience = min(trips.fileTimeout, configuration.requestDeadline)
        let rules = TripStoreRules(tripLimit: trips.perTraveller) {
            CalendarDate(unixTime: Int(unixTimeNow()), utcOffset: 0)
        }
        path = trips.file
        make = { () async throws(StorageError) in
            try await SQLiteTripStore.open(
                trips.file, rules, patience: patience, maximumFileBytes: trips.fileBytes)
        }
    }

    /// Over a store that is there already.
    init(_ store: any TripStore) {
        path = ""
        make = { store }
    }

    /// The store, opened where that wasn't done yet.
    func store() async throws(TripStoreError) -> any TripStore {
        if let store = opened.withLock({ $0 }) { return store }
        do throws(StorageError) {
            return try await open()
        } catch {
            throw .storage(error)
        }
    }

    @discardableResult
    func open() async throws(StorageError) -> any TripStore {
        let store = try await make()
        // Whoever opened it first has it; SQLite doesn't mind a second connection.
        return opened.withLock { opened in
            if let first = opened { return first }
            opened = store
            return store
        }
    }

    /// Why trips can't be kept, for the operator.
    struct Fault: Error, CustomStringConvertible {
        let description: String

        init(_ path: String, _ error: StorageError) {
            description = "trips.file \(path): \(error.sentence) (\(error.description))"
        }
    }

    func close() async {
        let store = opened.withLock { opened in
            defer { opened = nil }
            return opened
        }
        await (store as? SQLiteTripStore)?.close()
    }

    // MARK: Counting

    func count(_ error: TripStoreError) {
        failures.withLock { $0[error.label, default: 0] += 1 }
    }

    func writeMetrics(to text: inout MetricsText) {
        let failures = failures.withLock { $0 }
        text.family(
            "trip_failures_total", .counter, "What the trips' store refused or could not do, by reason.")
        for (label, count) in failures.sorted(by: { $0.key < $1.key }) {
            text.sample("trip_failures_total", [("reason", label)], count)
        }
    }
}
