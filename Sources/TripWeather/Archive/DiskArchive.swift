internal import Storage
internal import Synchronization
internal import Weather

/// What the caches know, in a SQLite file that may be lost at any time.
///
/// All of it runs on the storage thread. A reader waits a short while for the disk, then goes on without; writes
/// are queued, and dropped where the queue is full.
final class DiskArchive: CacheArchive {
    struct Counters: Sendable, Hashable {
        /// Reads that found something, whatever its age, and reads that found nothing.
        var found = 0
        var missing = 0
        /// Reads that were not waited for any longer.
        var late = 0
        /// Entries that were found and are damaged.
        var unreadable = 0
    }

    private struct State {
        var counters = Counters()
        /// Writes are kept back here, not queued yet.
        var held: [ArchiveWrite]?
        /// Of those, what found no room.
        var heldDropped = 0
        var sinceTrim: Int

        mutating func mustTrim(every count: Int) -> Bool {
            sinceTrim += 1
            guard sinceTrim >= count else { return false }
            sinceTrim = 0
            return true
        }
    }

    private static let mostHeld = 256

    private let store: DisposableStore
    private let queue: WriteQueue<ArchiveWrite>
    private let limits: ArchiveLimits
    private let patience: Patience
    private let unixTime: @Sendable () -> Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - patience: How long a reader waits.
    ///   - holdsWrites: Nothing is written before `letGo()`: for a process whose one answer comes first.
    ///   - random: 0 ..< 1. Says when this process trims first, since many don't live to write often.
    init(
        _ store: DisposableStore, limits: ArchiveLimits = ArchiveLimits(), patience: Patience,
        holdsWrites: Bool = false, queueLimits: WriteQueueLimits = WriteQueueLimits(),
        unixTime: @escaping @Sendable () -> Int,
        random: Double = Double.random(in: 0..<1), log: Log
    ) {
        self.store = store
        self.limits = limits
        self.patience = patience
        self.unixTime = unixTime
        let sinceTrim = Int(Double(max(limits.trimEvery, 1)) * random)
        state = Mutex(State(held: holdsWrites ? [] : nil, sinceTrim: sinceTrim))
        queue = WriteQueue(into: store, limits: queueLimits) { write in
            write.bytes
        } write: { connection, write throws(StorageError) in
            try write.write(to: connection, limits: limits)
        } settled: { write, failure in
            write.done()
            guard failure == nil, let title = write.title else { return }
            log.write("saved", [("message", "Saved \(title) to disk")])
            log.flush()
        }
    }

    // MARK: Reading

    func weather(for coordinate: Coordinate) async -> ArchivedWeather? {
        await weather(for: [coordinate]).first ?? nil
    }

    func weather(for coordinates: [Coordinate]) async -> [ArchivedWeather?] {
        let spots = coordinates.map(\.spot)
        let list = Value.text("[\(spots.map { "\($0)" }.joined(separator: ","))]")
        let rows = await read { connection throws(StorageError) in
            try connection.rows(
                """
                SELECT spot, content FROM weather WHERE spot IN (SELECT value FROM json_each(?)) LIMIT 1000
                """, list
            ) { row throws(StorageError) in
                (spot: try row.value(0, as: Int.self), content: try row.value(1, as: [UInt8].self))
            }
        }
        var found: [Int: ArchivedWeather] = [:]
        for (spot, content) in rows ?? [] { found[spot] = readable(ArchiveCoding.weather(from: content)) }
        count(found.count, of: coordinates.count)
        return spots.map { found[$0] }
    }

    func place(for question: String) async -> ArchivedPlace? {
        let content = await read { connection throws(StorageError) in
            try connection.first("SELECT content FROM place WHERE question = ?", .text(question)) {
                row throws(StorageError) in try row.value(0, as: [UInt8].self)
            }
        }
        let found = content.flatMap { readable(ArchiveCoding.place(from: $0)) }
        count(found == nil ? 0 : 1, of: 1)
        return found
    }

    private func read<Found: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(StorageError) -> Found?
    ) async -> Found? {
        let deadline = patience.deadline
        let found = await patience.wait { [store] in await store.read(by: deadline, body) }
        if found == nil { state.withLock { $0.counters.late += 1 } }
        return found ?? nil
    }

    private func readable<Found>(_ found: Found?) -> Found? {
        if found == nil { state.withLock { $0.counters.unreadable += 1 } }
        return found
    }

    private func count(_ found: Int, of asked: Int) {
        state.withLock { state in
            state.counters.found += found
            state.counters.missing += max(asked - found, 0)
        }
    }

    // MARK: Writing

    func save(_ weather: ArchivedWeather, done: @escaping @Sendable () -> Void) {
        save(ArchiveWrite(content: .weather(weather), done: done))
    }

    func save(_ place: ArchivedPlace, for question: String, done: @escaping @Sendable () -> Void) {
        save(ArchiveWrite(content: .place(place, question: question), done: done))
    }

    private enum Way {
        case queue(andTrim: Bool)
        case held, dropped
    }

    private func save(_ write: ArchiveWrite) {
        let way = state.withLock { state -> Way in
            if let count = state.held?.count {
                if count < DiskArchive.mostHeld {
                    state.held?.append(write)
                    return .held
                }
                state.heldDropped += 1
                return .dropped
            }
            return .queue(andTrim: state.mustTrim(every: limits.trimEvery))
        }
        switch way {
        case .queue(let andTrim): offer(write, andTrim: andTrim)
        case .held: break
        case .dropped: write.done()
        }
    }

    private func offer(_ write: ArchiveWrite, andTrim: Bool) {
        if !queue.offer(write) { write.done() }
        // One that finds no room comes again.
        if andTrim { _ = queue.offer(ArchiveWrite(content: .trim(unixTime: unixTime()))) }
    }

    /// Queues what was kept back, and keeps back nothing more.
    func letGo() {
        let held = state.withLock { state in
            let held = state.held ?? []
            state.held = nil
            return held.map { ($0, state.mustTrim(every: limits.trimEvery)) }
        }
        for (write, andTrim) in held { offer(write, andTrim: andTrim) }
    }

    // MARK: Counting

    var counters: Counters { state.withLock { $0.counters } }

    var writes: WriteQueueCounters {
        var counters = queue.counters
        counters.dropped += state.withLock { $0.heldDropped }
        return counters
    }
}
