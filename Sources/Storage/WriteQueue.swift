internal import Synchronization

/// A bounded queue of writes that nobody waits for, written in batches on the storage thread.
///
/// What is offered while a batch is being committed makes up the next. One write that fails by its own fault (a
/// constraint) fails alone; trouble with the file fails its batch.
package final class WriteQueue: Sendable {
    package struct Write: Sendable {
        /// About how many bytes it keeps in memory.
        package var bytes: Int
        /// Carries it out, inside a transaction that others share.
        package var body: @Sendable (Connection) throws(StorageError) -> Void
        /// Told once, if the queue took it: it is committed, or why it isn't. Mostly called on the storage thread,
        /// and on the offering one if no thread can be made.
        package var settled: (@Sendable (StorageError?) -> Void)?

        package init(
            bytes: Int = 0, settled: (@Sendable (StorageError?) -> Void)? = nil,
            body: @escaping @Sendable (Connection) throws(StorageError) -> Void
        ) {
            (self.bytes, self.settled, self.body) = (max(bytes, 0), settled, body)
        }
    }

    /// How much the queue holds and how much of it goes into one transaction.
    package struct Limits: Sendable {
        /// The most writes that wait, and the most bytes.
        package var waiting = 4096
        package var waitingBytes = 16 << 20
        /// The most writes in one transaction.
        package var batch = 256
        /// The most bytes in one transaction; a larger write goes alone.
        package var batchBytes = 1 << 20

        package init() {}
    }

    /// What became of the writes offered.
    package struct Counters: Sendable, Hashable {
        /// The committed ones.
        package var written = 0
        /// Those that the queue did not take, being full or closed, and those that were left when the store closed.
        package var dropped = 0
        /// Those taken that could not be written.
        package var failed = 0
        /// The transactions tried, but for those of single writes.
        package var batches = 0
        /// How many wait now.
        package var waiting = 0
    }

    private struct State: ~Copyable {
        var writes: [Write] = []
        var bytes = 0
        /// Nothing is written yet.
        var isHeld: Bool
        var isScheduled = false
        var isClosed = false
        var counters = Counters()

        /// Whether a batch is to be scheduled now.
        mutating func mustSchedule() -> Bool {
            guard !isHeld, !isScheduled, !writes.isEmpty else { return false }
            isScheduled = true
            return true
        }
    }

    private let store: DisposableStore
    private let limits: Limits
    private let state: Mutex<State>

    /// Makes a queue in front of a store, whose `close` writes what it holds.
    ///
    /// - Parameter isHeld: Nothing is written before `release()`, or the store's end.
    package init(into store: DisposableStore, limits: Limits = Limits(), isHeld: Bool = false) {
        self.store = store
        self.limits = limits
        state = Mutex(State(isHeld: isHeld))
        store.beforeClosing { [weak self] deadline in self?.finish(by: deadline) }
    }

    // MARK: From any thread

    /// Queues a write, without waiting for anything. Returns false, and counts the write as dropped, when the queue
    /// is full or its store closed.
    @discardableResult
    package func offer(_ write: Write) -> Bool {
        let (isTaken, mustSchedule) = state.withLock { state in
            guard !state.isClosed, state.counters.waiting < limits.waiting,
                write.bytes <= limits.waitingBytes - state.bytes
            else {
                state.counters.dropped += 1
                return (false, false)
            }
            state.writes.append(write)
            state.bytes += write.bytes
            state.counters.waiting += 1
            return (true, state.mustSchedule())
        }
        if mustSchedule { schedule() }
        return isTaken
    }

    /// Holds nothing back any more.
    package func release() {
        let mustSchedule = state.withLock { state in
            state.isHeld = false
            return state.mustSchedule()
        }
        if mustSchedule { schedule() }
    }

    package var counters: Counters { state.withLock { $0.counters } }

    private func schedule() {
        do throws(StorageError) {
            try store.thread.start()
        } catch {
            // Without a thread nothing can be written; the next offer tries again.
            dropAll(error)
            return
        }
        store.thread.execute { self.drain() }
    }

    // MARK: On the storage thread

    /// Writes one batch, and lets other work of the thread go before the next.
    private func drain() {
        writeBatch(by: nil)
        let mustGoOn = state.withLock { state in
            state.isScheduled = false
            return state.mustSchedule()
        }
        if mustGoOn { store.thread.execute { self.drain() } }
    }

    /// The store closes: writes what there is until the deadline, and drops the rest.
    private func finish(by deadline: ContinuousClock.Instant) {
        state.withLock { $0.isClosed = true }
        while ContinuousClock.now < deadline, state.withLock({ !$0.writes.isEmpty }) {
            writeBatch(by: deadline)
        }
        dropAll(.closed)
    }

    private func writeBatch(by deadline: ContinuousClock.Instant?) {
        let batch = takeBatch()
        guard !batch.isEmpty else { return }
        let failures = write(batch, by: deadline)
        for (write, failure) in zip(batch, failures) { write.settled?(failure) }
        let failed = failures.count { $0 != nil }
        state.withLock { state in
            state.bytes -= batch.reduce(0) { $0 + $1.bytes }
            state.counters.waiting -= batch.count
            state.counters.batches += 1
            state.counters.failed += failed
            state.counters.written += batch.count - failed
        }
    }

    private func takeBatch() -> [Write] {
        state.withLock { state in
            var bytes = 0
            var count = 0
            for write in state.writes.prefix(limits.batch) {
                bytes += write.bytes
                if count > 0, bytes > limits.batchBytes { break }
                count += 1
            }
            let batch = Array(state.writes.prefix(count))
            state.writes.removeFirst(count)
            return batch
        }
    }

    /// Writes some in one transaction, and returns why each of them failed.
    private func write(_ batch: [Write], by deadline: ContinuousClock.Instant?) -> [StorageError?] {
        let result = store.transactHere(by: deadline) { connection throws(StorageError) in
            for write in batch { try write.body(connection) }
        }
        guard case .failure(let error) = result else { return batch.map { _ in nil } }
        guard error.isOfOneWrite, batch.count > 1 else { return batch.map { _ in error } }
        // Whose fault it is shows when each goes alone.
        return batch.flatMap { write([$0], by: deadline) }
    }

    private func dropAll(_ error: StorageError) {
        let writes = state.withLock { state in
            let writes = state.writes
            state.writes = []
            state.counters.dropped += writes.count
            state.counters.waiting -= writes.count
            state.bytes -= writes.reduce(0) { $0 + $1.bytes }
            state.isScheduled = false
            return writes
        }
        for write in writes { write.settled?(error) }
    }
}

extension StorageError {
    /// Whether the fault is with what was written, not with the file.
    fileprivate var isOfOneWrite: Bool { [.constraint, .misuse, .unexpectedValue].contains(kind) }
}
