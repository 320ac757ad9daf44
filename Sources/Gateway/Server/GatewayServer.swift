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
    ///   - log: Told what belongs to no request, in words, on a loop's thread.
    public init(
        loops: [EventLoop], sockets: [ListeningSocket], limits: GatewayLimits = GatewayLimits(),
        handler: any GatewayHandler, allowedPeers: PeerAddresses? = nil,
        log: @escaping @Sendable (String) -> Void
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
                    let names = sockets.map(\.name).joined(separator: ", ")
                    shared.log("can't accept a connection on \(names): \(error)")
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
    let log: @Sendable (String) -> Void
    let requestsInFlight = Atomic<Int>(0)

    init(
        limits: GatewayLimits, handler: any GatewayHandler, allowedPeers: PeerAddresses?,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.limits = limits
        self.handler = handler
        self.allowedPeers = allowedPeers
        self.log = log
    }
}

/// Numbers of a server at one moment; those that count events only grow.
public struct GatewayCounters: Sendable, Hashable {
    /// Open connections of each loop, in the order of the loops; those over the limit aren't among them.
    public var connectionsByLoop: [Int] = []
    /// Requests begun and not over.
    public var requestsInFlight = 0
    /// Connections accepted, those over the limit among them.
    public var acceptedConnections = 0
    /// Connections closed for what they sent.
    public var malformedConnections = 0
    /// Requests handed to the handler.
    public var requests = 0
    /// Answers taken whole by the kernel, refusals not among them.
    public var answered = 0
    /// Requests given up by the server while they were handled.
    public var cancelled = 0
    /// Requests given up by the server before they had arrived whole.
    public var dropped = 0
    /// Answers that the server didn't take whole.
    public var cut = 0
    /// Requests answered in the handler's place, by reason.
    public var refused: [String: Int] = [:]

    /// Open connections.
    public var connections: Int { connectionsByLoop.reduce(0, +) }

    private static var events: [WritableKeyPath<GatewayCounters, Int>] {
        [
            \.acceptedConnections, \.malformedConnections, \.requests, \.answered, \.cancelled, \.dropped,
            \.cut,
        ]
    }

    /// Adds what another loop has counted.
    mutating func add(_ other: GatewayCounters) {
        for event in GatewayCounters.events { self[keyPath: event] += other[keyPath: event] }
        refused.merge(other.refused, uniquingKeysWith: +)
    }
}
