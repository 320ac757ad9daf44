internal import Synchronization

/// A store that write queues stand in front of: `Database` or `DisposableStore`.
protocol WriteStore: Actor {
    nonisolated var thread: StorageThread { get }
    nonisolated var closers: Closers { get }

    /// Runs `body` as one transaction.
    func transact<T: Sendable>(
        by deadline: ContinuousClock.Instant?, _ body: @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T
}

extension WriteStore {
    /// `transact` for code that is on the storage thread without being a task.
    nonisolated func transactHere<T: Sendable>(
        by deadline: ContinuousClock.Instant?, _ body: @Sendable (Connection) throws(StorageError) -> T
    ) -> Result<T, StorageError> {
        assumeIsolated { store in
            do throws(StorageError) {
                return .success(try store.transact(by: deadline, body))
            } catch {
                return .failure(error)
            }
        }
    }
}

/// What is to be done on the storage thread before a store closes.
final class Closers: Sendable {
    private let actions = Mutex<[@Sendable (ContinuousClock.Instant) -> Void]>([])

    func add(_ action: @escaping @Sendable (ContinuousClock.Instant) -> Void) {
        actions.withLock { $0.append(action) }
    }

    func runAll(_ deadline: ContinuousClock.Instant) {
        let all = actions.withLock { actions in
            defer { actions.removeAll() }
            return actions
        }
        for action in all { action(deadline) }
    }
}

/// How much may wait for a storage thread.
final class WaitingLimit: Sendable {
    private let most: Int
    private let count = Atomic<Int>(0)

    init(_ most: Int) {
        self.most = most
    }

    func enter() throws(StorageError) {
        guard count.add(1, ordering: .relaxed).newValue <= most else {
            leave()
            throw StorageError(.overloaded, "\(most) wait for the storage thread")
        }
    }

    func leave() {
        count.subtract(1, ordering: .relaxed)
    }
}
