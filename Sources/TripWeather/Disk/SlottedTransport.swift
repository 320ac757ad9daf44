internal import EventLoop
internal import Glibc
internal import Storage
internal import Synchronization
internal import Transport

/// Limits the transfers at once to a host over all CGI processes, by places in a folder that each takes one of.
///
/// Waiting for a place counts into the request's deadline. Where there can be no places, each process keeps to its
/// own limit alone.
final class SlottedTransport: Transport {
    private let transport: any Transport
    private let store: DisposableStore
    private let folder: String
    private let count: Int
    private let patience: Patience
    private let home: EventLoop
    private let log: Log
    private let hasComplained = Atomic<Bool>(false)

    /// - Parameters:
    ///   - count: Transfers at once to a host.
    ///   - folder: Where the places stand; made where it is missing.
    ///   - patience: How long the disk is waited for.
    init(
        _ transport: any Transport, count: Int, store: DisposableStore, folder: String, patience: Patience,
        home: EventLoop, log: Log
    ) {
        self.transport = transport
        self.count = count
        self.store = store
        self.folder = folder
        self.patience = patience
        self.home = home
        self.log = log
    }

    private enum Try: Sendable {
        case taken(FileLock)
        case full
        case failed(StorageError)
    }

    func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        let place = try await place(at: request.host, until: deadline)
        defer { if let place { store.hand { place.release() } } }
        return try await transport.get(request, deadline: deadline)
    }

    /// Nil where there can be no places.
    private func place(
        at host: String, until deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> FileLock? {
        let slots = SlotLock(host, in: folder, count: count)
        var start = Int(getpid())
        var pause = Duration.milliseconds(5)
        while true {
            let first = start
            let outcome = await patience.wait { [store] () async -> Try in
                do throws(StorageError) {
                    let lock = try await store.onThread { () throws(StorageError) in
                        try slots.tryLock(startingAt: first)
                    }
                    return lock.map { .taken($0) } ?? .full
                } catch {
                    return .failed(error)
                }
            }
            switch outcome {
            case .taken(let lock): return lock
            case .full: break
            case .failed(let error): return withoutPlace("\(error)")
            case nil:
                if Task.isCancelled { throw .cancelled }
                return withoutPlace("the disk took longer than \(patience.limit)")
            }
            guard ContinuousClock.now < deadline else {
                throw .timedOut(
                    TransferFault(phase: .queue, code: 0, message: "other processes have all \(count) places")
                )
            }
            do {
                let next = ContinuousClock.now.advanced(by: pause)
                try await (EventLoop.current ?? home).sleep(until: min(next, deadline))
            } catch {
                throw .cancelled
            }
            start &+= 1
            pause = min(pause * 3 / 2, .milliseconds(50))
        }
    }

    private func withoutPlace(_ reason: String) -> FileLock? {
        if !hasComplained.exchange(true, ordering: .relaxed) {
            log.write(
                "places", level: "warning",
                [
                    ("folder", folder), ("reason", reason),
                    ("message", "transfers at once are limited within this process only"),
                ])
        }
        return nil
    }
}

extension HTTPRequest {
    /// Scheme, host and port.
    fileprivate var host: String {
        let slashes = url.indices.filter { url[$0] == "/" }
        return slashes.count > 2 ? String(url[..<slashes[2]]) : url
    }
}
