public import EventLoop
internal import Synchronization

/// A FastCGI responder on some event loops and listening sockets.
///
/// Each loop accepts on each socket, and each connection stays on one loop for its life. A connection that its peer
/// closes, or half of it, cancels what it asked for, as an ABORT_REQUEST does.
public final class GatewayServer: Sendable {
    private enum State {
        case new
        case accepting
        case stopped
    }

    private let shared: GatewayShared
    private let sockets: [ListeningSocket]
    private let workers: [GatewayWorker]
    private let state = Mutex(State.new)

    /// Makes a server that doesn't accept yet.
    ///
    /// - Parameters:
    ///   - loops: At least one; they must run, or be started, by the caller.
    ///   - sockets: Closed when the server stops.
    ///   - allowedPeers: The TCP peers that may connect, from FCGI_WEB_SERVER_ADDRS; nil lets all connect.
    ///   - log: Told what belongs to no request, on a loop's thread.
    public init(
        loops: [EventLoop], sockets: [ListeningSocket], limits: GatewayLimits = GatewayLimits(),
        handler: any GatewayHandler, allowedPeers: PeerAddresses? = nil,
        log: @escaping @Sendable (GatewayEvent) -> Void
    ) {
        let shared = GatewayShared(limits: limits, handler: handler, allowedPeers: allowedPeers, log: log)
        self.shared = shared
        self.sockets = sockets
        workers = loops.map { GatewayWorker(loop: $0, shared: shared) }
    }

    /// Begins to accept on every loop. A second call does nothing.
    public func start() {
        let isFirst = state.withLock { state in
            guard case .new = state else { return false }
            state = .accepting
            return true
        }
        guard isFirst else { return }
        for worker in workers {
            worker.loop.execute { [sockets, workers, shared] in
                do throws(SystemError) {
                    try worker.startAccepting(from: sockets, for: workers)
                } catch {
                    shared.log(
                        .acceptFailed(
                            address: sockets.map(\.name).joined(separator: ", "), error: error.description))
                }
            }
        }
    }

    /// Stops accepting, lets what is in flight finish for `grace`, then cancels the rest, and returns when all is over
    /// or `GatewayLimits.cancellationTimeout` later. The loops must still run; a second call does nothing.
    public func drain(grace: Duration) async {
        let wasStopped = state.withLock { state in
            defer { state = .stopped }
            if case .stopped = state { return true }
            return false
        }
        guard !wasStopped else { return }
        let deadline = ContinuousClock.now.advanced(by: grace)
        await onEachLoop { worker, done in
            worker.stopAccepting()
            done()
        }
        for socket in sockets { socket.stopListening() }
        if sockets.contains(where: \.letsHandshakesFinish) {
            await onFirstLoop { worker, done in worker.loop.schedule(after: .milliseconds(100), done) }
        }
        await onFirstLoop { worker, done in
            worker.acceptLast()
            done()
        }
        for socket in sockets { socket.close() }
        await onEachLoop { worker, done in worker.drain(until: deadline, whenDone: done) }
    }

    /// The numbers of this moment.
    public var counters: GatewayCounters {
        var counters = GatewayCounters()
        for worker in workers { worker.addCounters(to: &counters) }
        counters.requestsInFlight = shared.requestsInFlight.load(ordering: .relaxed)
        return counters
    }

    private func onFirstLoop(
        _ body: @escaping @Sendable (GatewayWorker, _ done: @escaping @Sendable () -> Void) -> Void
    ) async {
        guard let worker = workers.first else { return }
        await withCheckedContinuation { continuation in
            worker.loop.execute { body(worker) { continuation.resume() } }
        }
    }

    /// Runs `body` on each loop, and returns when each has called what it was given.
    private func onEachLoop(
        _ body: @escaping @Sendable (GatewayWorker, _ done: @escaping @Sendable () -> Void) -> Void
    ) async {
        guard !workers.isEmpty else { return }
        let left = Countdown(from: workers.count)
        await withCheckedContinuation { continuation in
            for worker in workers {
                worker.loop.execute {
                    body(worker) { if left.isLast() { continuation.resume() } }
                }
            }
        }
    }
}

private final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(from count: Int) {
        left = Atomic(count)
    }

    /// Counts one down, and tells whether it was the last.
    func isLast() -> Bool {
        left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}

/// What the loops of a server have in common.
final class GatewayShared: Sendable {
    let limits: GatewayLimits
    let handler: any GatewayHandler
    let allowedPeers: PeerAddresses?
    let log: @Sendable (GatewayEvent) -> Void
    let requestsInFlight = Atomic<Int>(0)

    init(
        limits: GatewayLimits, handler: any GatewayHandler, allowedPeers: PeerAddresses?,
        log: @escaping @Sendable (GatewayEvent) -> Void
    ) {
        self.limits = limits
        self.handler = handler
        self.allowedPeers = allowedPeers
        self.log = log
    }
}

/// Something that the gateway wants logged and that belongs to no request.
public enum GatewayEvent: Sendable, CustomStringConvertible {
    /// A connection sent what can't be read and was closed; its requests were cancelled.
    case malformed(reason: String)
    /// A handler's answer had a header block of more than 4 kB, which servers don't take; 500 was sent.
    case headTooLarge
    /// accept(2) failed on a listening socket; it is tried again.
    case acceptFailed(address: String, error: String)
    /// No descriptor was left for a connection, which was closed unanswered. Told once a second at the most.
    case descriptorsExhausted(address: String)
    /// A TCP peer isn't in FCGI_WEB_SERVER_ADDRS.
    case peerRefused(address: String)
    /// A connection couldn't be waited for with epoll.
    case connectionFailed(error: String)

    public var description: String {
        switch self {
        case .malformed(let reason): "closed a FastCGI connection: \(reason)"
        case .headTooLarge: "an answer's header fields took more than 4 kB; 500 was sent in its place"
        case .acceptFailed(let address, let error): "can't accept a connection on \(address): \(error)"
        case .descriptorsExhausted(let address):
            "no descriptor left for a connection on \(address): raise the limit of open files (ulimit -n)"
        case .peerRefused(let address):
            "refused a connection from \(address), which FCGI_WEB_SERVER_ADDRS doesn't name"
        case .connectionFailed(let error): "can't wait for a connection: \(error)"
        }
    }
}
