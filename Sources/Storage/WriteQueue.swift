internal import Synchronization

/// How much a `WriteQueue` holds and how much of it goes into one transaction.
package struct WriteQueueLimits: Sendable {
    /// The most writes that wait.
    package var waiting = 4096
    /// The most bytes that wait, by the queue's own measure.
    package var waitingBytes = 16 << 20
    /// The most writes in one transaction.
    package var batch = 256
    /// The most bytes in one transaction; a larger write goes alone.
    package var batchBytes = 1 << 20

    package init() {}
}

/// What became of the writes offered to a `WriteQueue`.
package struct WriteQueueCounters: Sendable, Hashable {
    /// Those that the queue took.
    package var queued = 0
    /// Of these, the committed ones.
    package var written = 0
    /// Those that the queue did not take, being full or closed, and those that were left when the store closed.
    package var dropped = 0
    /// Those taken that could not be written.
    package var failed = 0
    /// The transactions tried.
    package var batches = 0
    /// How many wait now.
    package var waiting = 0
}

/// A bounded queue of writes that nobody waits for, written in batches on the storage thread.
///
/// What is offered while a batch is being committed makes up the next. One write that fails by its own fault (a
/// constraint) fails alone; trouble with the file fails its batch.
package final class WriteQueue<Write: Sendable>: Sendable {
    private struct State: ~Copyable {
        var writes: [Write] = []
        var bytes = 0
        /// Writes of the batch at hand, no longer in `writes`.
        var inHand = 0
        var isScheduled = false
        var isClosed = false
        var counters = WriteQueueCounters()
    }

    private struct BatchOutcome {
        /// Why single writes failed, by their place in the batch.
        var failures: [Int: StorageError] = [:]
        /// Why all of them did.
        var failure: StorageError?

        func failure(of index: Int) -> StorageError? { failure ?? failures[index] }
    }

    private let store: DisposableStore
    private let limits: WriteQueueLimits
    private let size: @Sendable (Write) -> Int
    private let write: @Sendable (Connection, Write) throws(StorageError) -> Void
    private let settled: @Sendable (Write, StorageError?) -> Void
    private let state = Mutex(State())

    /// Makes a queue in front of a store, whose `close` writes what it holds.
    ///
    /// - Parameters:
    ///   - size: about how many bytes a write keeps in memory.
    ///   - write: carries one write out, inside a transaction that others share.
    ///   - settled: told once of each write that the queue took: it is committed, or why it isn't. Mostly called on
    ///     the storage thread, and on the offering one if no thread can be made.
    package init(
        into store: DisposableStore, limits: WriteQueueLimits = WriteQueueLimits(),
        size: @escaping @Sendable (Write) -> Int = { _ in 0 },
        write: @escaping @Sendable (Connection, Write) throws(StorageError) -> Void,
        settled: @escaping @Sendable (Write, StorageError?) -> Void = { _, _ in }
    ) {
        self.store = store
        self.limits = limits
        self.size = size
        self.write = write
        self.settled = settled
        store.beforeClosing { [weak self] deadline in self?.finish(by: deadline) }
    }

    // MARK: From any thread

    /// Queues a write, without waiting for anything. Returns false, and counts the write as dropped, when the queue
    /// is full or its store closed.
    package func offer(_ write: Write) -> Bool {
        let bytes = max(size(write), 0)
        let (isTaken, mustSchedule) = state.withLock { state in
            guard !state.isClosed, state.writes.count + state.inHand < limits.waiting,
                bytes <= limits.waitingBytes - state.bytes
            else {
                state.counters.dropped += 1
                return (false, false)
            }
            state.writes.append(write)
            state.bytes += bytes
            state.counters.queued += 1
            defer { state.isScheduled = true }
            return (true, !state.isScheduled)
        }
        if mustSchedule { schedule() }
        return isTaken
    }

    package var counters: WriteQueueCounters {
        state.withLock { state in
            var counters = state.counters
            counters.waiting = state.writes.count + state.inHand
            return counters
        }
    }

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
            state.isScheduled = !state.writes.isEmpty
            return state.isScheduled
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
        let result = store.transactHere(by: deadline) { connection throws(StorageError) in
            var outcome = BatchOutcome()
            for (index, item) in batch.enumerated() {
                do throws(StorageError) {
                    try connection.attempt { connection throws(StorageError) in try write(connection, item) }
                } catch {
                    guard error.isOfOneWrite, connection.isInTransaction else { throw error }
                    outcome.failures[index] = error
                }
            }
            return outcome
        }
        switch result {
        case .success(let outcome): settle(batch, outcome)
        case .failure(let error): settle(batch, BatchOutcome(failure: error))
        }
    }

    private func takeBatch() -> [Write] {
        state.withLock { state in
            var bytes = 0
            var count = 0
            for write in state.writes.prefix(limits.batch) {
                bytes += max(size(write), 0)
                if count > 0, bytes > limits.batchBytes { break }
                count += 1
            }
            let batch = Array(state.writes.prefix(count))
            state.writes.removeFirst(count)
            state.inHand = count
            return batch
        }
    }

    private func settle(_ batch: [Write], _ outcome: BatchOutcome) {
        for (index, item) in batch.enumerated() { settled(item, outcome.failure(of: index)) }
        let failed = outcome.failure == nil ? outcome.failures.count : batch.count
        state.withLock { state in
            state.bytes -= batch.reduce(0) { $0 + max(size($1), 0) }
            state.inHand = 0
            state.counters.batches += 1
            state.counters.failed += failed
            state.counters.written += batch.count - failed
        }
    }

    private func dropAll(_ error: StorageError) {
        let writes = state.withLock { state in
            let writes = state.writes
            state.counters.dropped += writes.count
            state.writes.removeAll()
            state.bytes = 0
            state.isScheduled = false
            return writes
        }
        for write in writes { settled(write, error) }
    }
}

extension StorageError {
    /// Whether the fault is with what was written, not with the file.
    fileprivate var isOfOneWrite: Bool {
        switch kind {
        case .constraint, .misuse, .unexpectedValue: true
        default: false
        }
    }
}
