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
        guard enter(.accepting, from: [.new]) else { return }
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
        guard enter(.stopped, from: [.new, .accepting]) else { return }
        let deadline = ContinuousClock.now.advanced(by: grace)
        await onEachLoop { $0.stopAccepting() }
        for socket in sockets { socket.stopListening() }
        if let first = workers.first {
            if sockets.contains(where: \.letsHandshakesFinish) {
                do {
                    try await first.loop.sleep(for: .milliseconds(100))
                } catch {
                    // Whoever drains is cancelled: what has come by now is accepted all the same.
                }
            }
            await Task(executorPreference: first.loop) { first.acceptLast() }.value
        }
        for socket in sockets { socket.close() }
        await onEachLoop { await $0.drain(until: deadline) }
    }

    /// The numbers of this moment.
    public var counters: GatewayCounters {
        var counters = GatewayCounters()
        for worker in workers { worker.addCounters(to: &counters) }
        counters.requestsInFlight = shared.requestsInFlight.load(ordering: .relaxed)
        return counters
    }

    private func enter(_ next: State, from known: [State]) -> Bool {
        state.withLock { state in
            guard known.contains(state) else { return false }
            state = next
            return true
        }
    }

    /// Runs `body` on each loop, and returns when all are over.
    private func onEachLoop(_ body: @escaping @Sendable (GatewayWorker) async -> Void) async {
        await withTaskGroup { group in
            for worker in workers {
                group.addTask(executorPreference: worker.loop) { await body(worker) }
            }
        }
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
