internal import Storage
internal import Synchronization
internal import Weather

/// Elects the process that asks for a key by a lock on a file named by the key's hash.
///
/// The lock dies with its process. It is taken on the storage thread, and only while the archive is in use: others
/// would wait at it in vain for what is never written.
final class FileElection: FlightElection {
    private let store: DisposableStore
    private let folder: String
    private let patience: Patience
    private let log: Log
    private let whenFollowing: @Sendable () -> Void
    private let hasComplained = Atomic<Bool>(false)

    /// - Parameters:
    ///   - folder: Where the locks stand; made where it is missing.
    ///   - patience: How long the disk is waited for.
    ///   - whenFollowing: Called each time that another process is found to lead.
    init(
        _ store: DisposableStore, folder: String, patience: Patience, log: Log,
        whenFollowing: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.folder = folder
        self.patience = patience
        self.log = log
        self.whenFollowing = whenFollowing
    }

    private enum Outcome: Sendable {
        case elected(FileLock)
        case another
        case failed(StorageError)
    }

    func lead(_ key: String) async -> (any FlightLease)? {
        let outcome = await patience.wait { [store, folder] () async -> Outcome in
            do throws(StorageError) {
                let lock = try await store.besideFile { () throws(StorageError) in
                    try FileLock.tryLock(key, in: folder)
                }
                return lock.map { .elected($0) } ?? .another
            } catch {
                return .failed(error)
            }
        }
        switch outcome {
        case .elected(let lock): return FileLease(lock, store)
        case .another:
            whenFollowing()
            return nil
        case .failed(let error): return unelected("\(error)")
        case nil: return unelected("the disk took longer than \(patience.limit)")
        }
    }

    private func unelected(_ reason: String) -> any FlightLease {
        if !hasComplained.exchange(true, ordering: .relaxed) {
            log.write(
                "locks", level: "warning",
                [
                    ("folder", folder), ("reason", reason),
                    ("message", "without locks each process asks upstream for itself"),
                ])
        }
        return EmptyLease()
    }
}

/// A lock, given back on the storage thread.
private final class FileLease: FlightLease {
    private let lock: FileLock
    private let store: DisposableStore

    init(_ lock: FileLock, _ store: DisposableStore) {
        self.lock = lock
        self.store = store
    }

    func release() {
        store.hand { [lock] in lock.release() }
    }
}

/// The lease where there are no locks.
private struct EmptyLease: FlightLease {
    func release() {}
}
