internal import EventLoop
internal import Synchronization

/// What one loop has of a server: its connections, and the buffers that they share.
///
/// - Note: `@unchecked Sendable` is safe because other threads touch `connectionCount` and `counted` alone, which
///   are an atomic and a mutex, and what never changes; all else is for the loop's thread.
final class GatewayWorker: @unchecked Sendable {
    let loop: EventLoop
    let shared: GatewayShared
    var limits: GatewayLimits { shared.limits }

    /// Connections that this loop has or is about to get, those over the limit not among them.
    let connectionCount = Atomic<Int>(0)
    /// What this loop has counted.
    private let counted = Mutex(GatewayCounters())

    /// What one read may bring: a record at its largest, so that few need two reads.
    let input: UnsafeMutableBufferPointer<UInt8>
    /// The output of the connection at hand. It goes round, so that its memory is used again.
    private var output: [UInt8] = []
    /// The answers in `output`.
    var unwritten: [UnwrittenAnswer] = []

    private var connections: [GatewayConnection] = []
    private var acceptors: [Acceptor] = []
    private var sweep: LoopTimer?
    /// Who waits for all to be over, once the server drains.
    private var drained: CheckedContinuation<Void, Never>?
    private var drainTimer: LoopTimer?

    init(loop: EventLoop, shared: GatewayShared) {
        self.loop = loop
        self.shared = shared
        input = .allocate(capacity: 66_560)
        input.initialize(repeating: 0)
    }

    deinit {
        input.deallocate()
    }

    // MARK: From any thread

    func count(_ change: (inout GatewayCounters) -> Void) {
        counted.withLock { change(&$0) }
    }

    func addCounters(to counters: inout GatewayCounters) {
        counted.withLock { counters.add($0) }
        counters.connectionsByLoop.append(connectionCount.load(ordering: .relaxed))
    }

    // MARK: Accepting

    func startAccepting(from sockets: [ListeningSocket], for workers: [GatewayWorker]) throws(SystemError) {
        for socket in sockets {
            acceptors.append(try Acceptor(socket: socket, worker: self, workers: workers))
        }
    }

    /// Leaves what waits in the sockets for `acceptLast()`.
    func stopAccepting() {
        for acceptor in acceptors { acceptor.stop() }
    }

    /// Accepts what waits in the sockets, and closes them.
    func acceptLast() {
        for acceptor in acceptors { acceptor.acceptLast() }
        acceptors = []
    }

    /// The worker with the fewest connections, this one if others have as few, and how many all have.
    func leastBusy(of workers: [GatewayWorker]) -> (GatewayWorker, total: Int) {
        var best = self
        var fewest = connectionCount.load(ordering: .relaxed)
        var total = 0
        for other in workers {
            let count = other.connectionCount.load(ordering: .relaxed)
            total += count
            if count < fewest {
                best = other
                fewest = count
            }
        }
        return (best, total)
    }

    /// Takes over a connection that was accepted for this loop, and that `connectionCount` counts already.
    ///
    /// - Parameter isOverflow: The connection is over the limit, and isn't counted.
    func adopt(_ descriptor: Int32, isOverflow: Bool) {
        let connection = GatewayConnection(
            descriptor: descriptor, worker: self, index: connections.count, isOverflow: isOverflow)
        connections.append(connection)
        connection.open()
        if drained != nil { connection.drain() }
        if sweep == nil { scheduleSweep() }
    }

    func remove(_ connection: GatewayConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.index] = last
            last.index = connection.index
        }
        if !connection.isOverflow { connectionCount.subtract(1, ordering: .relaxed) }
        checkStopped()
    }

    /// Closes connections that never said anything.
    private func scheduleSweep() {
        sweep = loop.schedule(after: limits.arrivalTimeout) { [weak self] in
            guard let self else { return }
            sweep = nil
            let limit = ContinuousClock.now.advanced(by: .zero - limits.arrivalTimeout)
            for connection in connections { connection.closeIfSilent(since: limit) }
            if !connections.isEmpty { scheduleSweep() }
        }
    }

    // MARK: Output

    func takeOutput() -> [UInt8] {
        let taken = output
        output = []
        return taken
    }

    func giveBack(_ used: consuming [UInt8]) {
        guard used.capacity <= 524_288 else { return }
        output = used
        output.removeAll(keepingCapacity: true)
    }

    // MARK: Requests

    /// Handlers' tasks that aren't over.
    var taskCount = 0 {
        didSet { checkStopped() }
    }

    func finish(_ request: GatewayRequest, _ outcome: GatewayEnd.Outcome) {
        counted.withLock { counters in
            switch outcome {
            case .answered: counters.answered += 1
            case .cancelled: counters.cancelled += 1
            case .cut: counters.cut += 1
            case .refused(_, let reason): counters.refused[reason, default: 0] += 1
            }
        }
        shared.handler.finished(
            request, GatewayEnd(outcome: outcome, elapsed: request.arrival.duration(to: .now)))
    }

    func finish(_ answer: UnwrittenAnswer, isWhole: Bool) {
        if let refusal = answer.refusal {
            finish(answer.request, .refused(status: refusal.status, reason: refusal.rawValue))
        } else {
            finish(answer.request, isWhole ? .answered(answer.response) : .cut(answer.response))
        }
    }

    // MARK: Stopping

    /// Lets what is in flight finish until `deadline`, cancels the rest, and returns when nothing is left or the rest
    /// took longer than it may.
    func drain(until deadline: ContinuousClock.Instant) async {
        await withCheckedContinuation { continuation in
            drained = continuation
            for connection in connections { connection.drain() }
            drainTimer = loop.schedule(at: deadline) { [weak self] in
                guard let self else { return }
                for connection in connections { connection.stop() }
                drainTimer = loop.schedule(after: limits.cancellationTimeout) { [weak self] in
                    guard let self else { return }
                    for connection in connections { connection.close() }
                    endStopping()
                }
                checkStopped()
            }
            checkStopped()
        }
    }

    private func checkStopped() {
        if drained != nil, connections.isEmpty, taskCount == 0 { endStopping() }
    }

    private func endStopping() {
        guard let drained else { return }
        self.drained = nil
        if let drainTimer { loop.cancel(drainTimer) }
        if let sweep { loop.cancel(sweep) }
        sweep = nil
        drained.resume()
    }
}
