internal import Storage
internal import Synchronization
internal import Weather

/// What the caches know, in a SQLite file that may be lost at any time.
///
/// All of it runs on the storage thread. A reader waits a short while for the disk, then goes on without; writes
/// are queued, and dropped if the queue is full.
final class SQLiteDiskCache: DiskCache {
    struct Counters: Sendable, Hashable {
        /// Keys of which something was found, whatever its age, and keys of which nothing was.
        var found = 0
        var missing = 0
        /// Reads that were not waited for any longer.
        var late = 0
    }

    private let store: DisposableStore
    private let queue: WriteQueue
    private let limits: DiskLimits
    private let scheduler: any CacheScheduler
    private let waitLimit: Duration
    private let unixTime: @Sendable () -> Int
    /// Tells this process's claims from others'.
    private let owner = Int.random(in: 1 ... .max)
    private let log: Log
    private let counts = Mutex(Counters())
    private let sinceTrim: Atomic<Int>

    /// - Parameters:
    ///   - waitLimit: How long a reader waits.
    ///   - holdsWrites: Nothing is written before `release()`: for a process whose one answer comes first.
    ///   - random: 0 ..< 1. Says when this process trims first, since many don't live to write often.
    init(
        _ store: DisposableStore, limits: DiskLimits = DiskLimits(), scheduler: any CacheScheduler,
        waitLimit: Duration,
        holdsWrites: Bool = false, queueLimits: WriteQueue.Limits = WriteQueue.Limits(),
        unixTime: @escaping @Sendable () -> Int,
        random: Double = Double.random(in: 0..<1), log: Log
    ) {
        (self.store, self.limits, self.scheduler, self.waitLimit) = (store, limits, scheduler, waitLimit)
        (self.unixTime, self.log) = (unixTime, log)
        sinceTrim = Atomic(Int(Double(max(limits.trimEvery, 1)) * random))
        queue = WriteQueue(into: store, limits: queueLimits, isHeld: holdsWrites)
    }

    // MARK: Reading

    func weather(for keys: [String]) async -> [DiskRecord<WeatherContext>] {
        await records(for: keys) { connection, key throws(StorageError) in
            try connection.weather(for: key)
        }
    }

    func places(for keys: [String]) async -> [DiskRecord<Place>] {
        await records(for: keys) { connection, key throws(StorageError) in try connection.place(for: key) }
    }

    func archive(for keys: [String]) async -> [DiskRecord<ArchiveDays>] {
        await records(for: keys) { connection, key throws(StorageError) in try connection.archive(for: key) }
    }

    private func records<Value: Sendable>(
        for keys: [String],
        _ entry: @escaping @Sendable (Connection, String) throws(StorageError) -> DiskEntry<Value>?
    ) async -> [DiskRecord<Value>] {
        let (deadline, now) = (ContinuousClock.now.advanced(by: waitLimit), unixTime())
        let found = await scheduler.answer(until: deadline) { [store] in
            await store.read(by: deadline) { connection throws(StorageError) in
                var records: [DiskRecord<Value>] = []
                for key in keys {
                    records.append(
                        DiskRecord(
                            entry: try entry(connection, key),
                            failure: try connection.failure(for: key, at: now)))
                }
                return records
            }
        }
        counts.withLock { counts in
            if found == nil { counts.late += 1 }
            let count = (found ?? nil)?.count { $0.entry != nil } ?? 0
            counts.found += count
            counts.missing += keys.count - count
        }
        return (found ?? nil) ?? []
    }

    func claim(_ keys: [String], for time: Duration) async -> [Bool] {
        let (now, owner, store) = (unixTime(), owner, store)
        // A second more, since both ends are whole ones.
        let end = now + time.wholeMilliseconds / 1_000 + 2
        let deadline = ContinuousClock.now.advanced(by: waitLimit)
        let claimed = await scheduler.answer(until: deadline) { () async -> [Bool]? in
            do throws(StorageError) {
                return try await store.write(by: deadline) { connection throws(StorageError) in
                    var claimed: [Bool] = []
                    for key in keys {
                        claimed.append(try connection.claim(key, by: owner, at: now, until: end))
                    }
                    return claimed
                }
            } catch {
                // The store has logged it.
                return nil
            }
        }
        let all = (claimed ?? nil) ?? keys.map { _ in true }
        // Others may wait for what is held back here, so while this process waits for others it holds nothing.
        if all.contains(false) { releaseWrites() }
        return all
    }

    // MARK: Writing

    func save(_ weather: DiskEntry<WeatherContext>, for key: String) {
        let bytes = weather.value.days.count * MemoryLayout<DayForecast>.stride
        write(key, bytes, weather.value.coordinate.description) { connection throws(StorageError) in
            try connection.save(weather, for: key)
            try connection.forgetFailure(of: key)
        }
    }

    func save(_ place: DiskEntry<Place>, for key: String) {
        write(key, 256, place.value.name) { connection throws(StorageError) in
            try connection.save(place, for: key)
            try connection.forgetFailure(of: key)
        }
    }

    func save(_ days: DiskEntry<ArchiveDays>, for key: String) {
        write(key, 4_096) { connection throws(StorageError) in
            try connection.save(days, for: key)
            try connection.forgetFailure(of: key)
        }
    }

    func save(_ failure: CacheFailure, for key: String) {
        write(key, 256) { connection throws(StorageError) in try connection.save(failure, for: key) }
    }

    func release(_ key: String) {
        write(key, 0) { _ throws(StorageError) in }
    }

    /// Whatever is written of a key, its claim ends with it.
    private func write(
        _ key: String, _ bytes: Int, _ title: String? = nil,
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Void
    ) {
        var write = WriteQueue.Write(bytes: 256 + key.utf8.count + bytes) {
            [owner] connection throws(StorageError) in
            try body(connection)
            try connection.release(key, by: owner)
        }
        if let title {
            write.settled = { [log] failure in
                guard failure == nil else { return }
                log.write("saved", [("message", "Saved \(title) to disk")])
                log.flush()
            }
        }
        // What finds no room is dropped and counted.
        queue.offer(write)
        let count = sinceTrim.add(1, ordering: .relaxed).newValue
        guard count % max(limits.trimEvery, 1) == 0 else { return }
        queue.offer(
            WriteQueue.Write(bytes: 64) { [limits, now = unixTime()] connection throws(StorageError) in
                try connection.trim(limits, at: now)
            })
    }

    /// Queues what was held back, and holds nothing back any more.
    func releaseWrites() { queue.release() }

    // MARK: Counting

    var counters: Counters { counts.withLock { $0 } }
    var writes: WriteQueue.Counters { queue.counters }
}
