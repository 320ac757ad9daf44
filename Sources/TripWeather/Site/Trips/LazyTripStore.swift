internal import Glibc
internal import Storage
internal import Synchronization
internal import Trips
internal import Weather

/// The trips' store, opened when it is first needed: most CGI processes never ask for a trip.
final class LazyTripStore: Sendable {
    /// Of the file.
    let path: String
    private let log: Log
    private let make: @Sendable () async throws(StorageError) -> TripStore
    private let opened = Mutex<TripStore?>(nil)
    private let failures = Mutex<[String: Int]>([:])

    /// Nil if no trips are kept.
    init?(
        _ configuration: Configuration, log: Log, unixTime: @escaping @Sendable () -> Double = unixTimeNow
    ) {
        let trips = configuration.trips
        guard !trips.file.isEmpty else { return nil }
        let busyTimeout = min(trips.fileTimeout, configuration.site.deadline)
        let rules = TripStoreRules(
            tripLimit: trips.perTraveller, keepUnseen: Int(trips.keepUnseen.components.seconds / 86_400)
        ) { Int(unixTime()) }
        path = trips.file
        self.log = log
        make = { () async throws(StorageError) in
            try await TripStore.open(
                trips.file, rules, busyTimeout: busyTimeout, maximumFileBytes: trips.fileBytes)
        }
    }

    func store() async throws(TripStoreError) -> TripStore {
        if let store = opened.withLock({ $0 }) { return store }
        do throws(StorageError) {
            return try await open()
        } catch {
            throw .storage(error)
        }
    }

    private func open() async throws(StorageError) -> TripStore {
        let store = try await make()
        // Whoever opened it first has it; SQLite doesn't mind a second connection.
        return opened.withLock { opened in
            if let first = opened { return first }
            opened = store
            return store
        }
    }

    /// How long a start may look for damage.
    private static let checkLimit = Duration.seconds(20)

    /// Opens the store before anybody is served. A write-ahead log that was left says that the last program did not
    /// end by itself, or that a copy was put beside it: then the file is looked through first.
    func start() async throws(OperatorFault) {
        var status = stat()
        let hasLog = stat(path + "-wal", &status) == 0 && status.st_size > 0
        do throws(StorageError) {
            let store = try await open()
            if hasLog { try await check(store) }
        } catch {
            throw OperatorFault("trips.file \(path): \(error.sentence) (\(error.description))")
        }
    }

    private func check(_ store: TripStore) async throws(StorageError) {
        let start = ContinuousClock.now
        do throws(StorageError) {
            try await store.check(within: LazyTripStore.checkLimit)
            log.write("trips-checked", [("milliseconds", "\(start.duration(to: .now) / .milliseconds(1))")])
        } catch {
            guard error.kind == .timedOut else { throw error }
            log.write(
                "trips-checked", level: "warning",
                [("message", "The trips' file is too large to be looked through at the start.")])
        }
    }

    /// Whether what is written would last: false if the file was moved or removed.
    var isUsable: Bool {
        get async {
            guard let store = opened.withLock({ $0 }) else { return true }
            return await !store.isMoved
        }
    }

    func close() async {
        let store = opened.withLock { opened in
            defer { opened = nil }
            return opened
        }
        await store?.close()
    }

    // MARK: Counting

    func count(_ error: TripStoreError) {
        let isFirst = failures.withLock { failures in
            failures[error.label, default: 0] += 1
            return failures[error.label] == 1
        }
        if isFirst, case .storage(let error) = error, error.kind == .moved {
            log.write("trips-moved", level: "error", [("file", path), ("message", error.sentence)])
        }
    }

    func writeMetrics(to text: inout MetricsText) {
        let failures = failures.withLock { $0 }
        text.counts(
            "trip_failures_total", "What the trips' store refused or could not do, by reason.",
            by: "reason", failures.sorted { $0.key < $1.key }.map { ($0, $1) })
    }
}
