internal import CLinux
internal import EventLoop
internal import Glibc
internal import Synchronization

/// Accepts connections of one listening socket on one loop, and hands each to the loop that has the fewest.
///
/// The kernel doesn't spread them: it wakes the same loop again and again, and a web server's kept connections live
/// long.
final class Acceptor: EventHandler {
    let socket: ListeningSocket
    private let worker: GatewayWorker
    private let workers: [GatewayWorker]
    private var registration: Registration?
    /// Given up for a moment when no descriptor is left, so that a connection can be accepted and closed.
    private var reserve: Int32
    private var pause: LoopTimer?
    private var lastComplaint: ContinuousClock.Instant?

    /// How long accepting rests after an error that would otherwise repeat at once.
    private static let pauseDuration = Duration.milliseconds(100)

    init(socket: ListeningSocket, worker: GatewayWorker, workers: [GatewayWorker]) throws(SystemError) {
        self.socket = socket
        self.worker = worker
        self.workers = workers
        reserve = Acceptor.openReserve()
        registration = try worker.loop.register(socket.descriptor, for: [.readable, .shared], handler: self)
    }

    deinit {
        if reserve >= 0 { Glibc.close(reserve) }
    }

    func stop() {
        if let registration { worker.loop.deregister(registration) }
        registration = nil
        if let pause { worker.loop.cancel(pause) }
        pause = nil
    }

    /// Accepts what waits, and closes the socket with nothing in between: what waits in one of which this process is
    /// the last holder is reset with it.
    func acceptLast() {
        var accepted: [Int32] = []
        repeat {
            let descriptor = clinux_accept(socket.descriptor)
            if descriptor >= 0 { accepted.append(descriptor) } else if !Acceptor.isPassing(errno) { break }
        } while true
        socket.close()
        for descriptor in accepted { place(descriptor) }
    }

    /// Whether a connection failed before it was accepted (accept(2)); the next may be whole.
    private static func isPassing(_ number: Int32) -> Bool {
        switch number {
        case EINTR, ECONNABORTED, EPROTO, ECONNRESET, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN,
            EHOSTDOWN,
            ENONET, ENOPROTOOPT, EOPNOTSUPP, EPERM:
            true
        default: false
        }
    }

    func ready(_ readiness: Readiness) {
        // Level-triggered readiness comes again, so a flood can't keep the loop from its other work.
        for _ in 0..<1_024 {
            let descriptor = clinux_accept(socket.descriptor)
            guard descriptor < 0 else {
                place(descriptor)
                continue
            }
            switch errno {
            case EAGAIN:
                return
            case let number where Acceptor.isPassing(number):
                continue
            case EMFILE, ENFILE:
                guard turnAway() else { return rest() }
            default:
                complain("can't accept a connection on \(socket.name): \(SystemError(call: "accept"))")
                return rest()
            }
        }
    }

    // MARK: Placing

    private func place(_ descriptor: Int32) {
        worker.count { $0.acceptedConnections += 1 }
        guard !socket.isTCP || prepareTCP(descriptor) else {
            Glibc.close(descriptor)
            return
        }
        let (best, total) = worker.leastBusy(of: workers)
        guard total < worker.limits.connections else {
            worker.adopt(descriptor, isOverflow: true)
            return
        }
        best.connectionCount.add(1, ordering: .relaxed)
        if best === worker {
            worker.adopt(descriptor, isOverflow: false)
        } else {
            best.loop.execute { best.adopt(descriptor, isOverflow: false) }
        }
    }

    /// Whether the peer may connect.
    private func prepareTCP(_ descriptor: Int32) -> Bool {
        var one: Int32 = 1
        // An answer is written whole; there is nothing to gather. A failure would cost time only.
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        guard let allowed = worker.shared.allowedPeers else { return true }
        let host = SocketAddress(of: descriptor) { getpeername($0, $1, $2) }?.host
        if let host, allowed.contains(host) { return true }
        complain(
            "refused a connection from \(host ?? "an unknown address"), which FCGI_WEB_SERVER_ADDRS doesn't name"
        )
        return false
    }

    // MARK: Errors

    /// Closes one waiting connection with the descriptor held in reserve; leaving it to wait would turn to a flood of
    /// wake-ups.
    private func turnAway() -> Bool {
        complain(
            "no descriptor left for a connection on \(socket.name): raise the limit of open files (ulimit -n)"
        )
        guard reserve >= 0 else {
            reserve = Acceptor.openReserve()
            return false
        }
        Glibc.close(reserve)
        let descriptor = clinux_accept(socket.descriptor)
        if descriptor >= 0 { Glibc.close(descriptor) }
        reserve = Acceptor.openReserve()
        return descriptor >= 0
    }

    private func rest() {
        guard let registration else { return }
        worker.loop.deregister(registration)
        self.registration = nil
        pause = worker.loop.schedule(after: Acceptor.pauseDuration) { [unowned self] in
            pause = nil
            do throws(SystemError) {
                self.registration = try worker.loop.register(
                    socket.descriptor, for: [.readable, .shared], handler: self)
            } catch {
                complain("can't accept a connection on \(socket.name): \(error)")
            }
        }
    }

    /// Logs once a second at the most.
    private func complain(_ words: String) {
        let now = ContinuousClock.now
        if let lastComplaint, lastComplaint.duration(to: now) < .seconds(1) { return }
        lastComplaint = now
        worker.shared.log(words)
    }

    private static func openReserve() -> Int32 {
        clinux_open("/dev/null", O_RDONLY | O_CLOEXEC, 0)
    }
}
