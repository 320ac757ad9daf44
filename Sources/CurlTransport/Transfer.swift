internal import CCurl
internal import EventLoop
internal import Glibc
internal import Transport

/// One `get`, from its call to its answer.
///
/// - Note: `@unchecked Sendable` is safe because everything that changes is touched on the loop's thread only; each
///   way in from elsewhere posts to the loop first, and what comes too late finds another state and does nothing.
final class Transfer: @unchecked Sendable {
    typealias Answer = Result<HTTPAnswer, TransportError>
    typealias Caller = CheckedContinuation<Answer, Never>

    private enum State {
        /// Not begun.
        case new
        /// In front of its host's gate.
        case queued(HostGate.Ticket, Caller)
        /// In libcurl.
        case running(Exchange, Caller)
        /// In libcurl still, for the sake of its name lookup: who asked has his answer.
        case orphaned(Exchange)
        case finished
    }

    private struct Exchange {
        let ticket: HostGate.Ticket
        let handle: EasyHandle
        /// The gate waits to hear of the name from this transfer.
        var looksUp: Bool
        /// When all must be over.
        let end: ContinuousClock.Instant
        let begun: ContinuousClock.Instant
        var meter: SpeedMeter?
    }

    private let request: HTTPRequest
    private let address: UpstreamAddress
    private let deadline: ContinuousClock.Instant
    private let driver: CurlDriver
    private var state = State.new
    private var timer: LoopTimer?

    init(
        _ request: HTTPRequest, _ address: UpstreamAddress, deadline: ContinuousClock.Instant,
        driver: CurlDriver
    ) {
        self.request = request
        self.address = address
        self.deadline = deadline
        self.driver = driver
    }

    // MARK: From any thread

    /// Runs `body` on the transfer's loop: at once if this is its thread and libcurl isn't being called there.
    func onItsLoop(_ body: @escaping @Sendable (Transfer) -> Void) {
        if driver.loop.isCurrent, !driver.isInsideLibcurl {
            body(self)
        } else {
            driver.loop.execute { body(self) }
        }
    }

    // MARK: On the loop, from the caller and the gate

    func begin(_ caller: Caller) {
        guard case .new = state else { return caller.resume(returning: .failure(.cancelled)) }
        guard ContinuousClock.now < deadline else {
            state = .finished
            let fault = TransferFault(
                phase: .queue, code: 0, message: "the deadline had passed before the start")
            return caller.resume(returning: .failure(.timedOut(fault)))
        }
        do {
            let (ticket, verdict) = driver.gates.arrive(self, at: address.host, cache: try driver.cache())
            switch verdict {
            case .start(let looksUp): start(ticket, looksUp: looksUp, caller)
            case .wait:
                state = .queued(ticket, caller)
                timer = driver.loop.schedule(at: deadline) { [unowned self] in self.queueTimedOut() }
            case .refuse(let error):
                state = .finished
                caller.resume(returning: .failure(error))
            }
        } catch {
            state = .finished
            caller.resume(returning: .failure(error))
        }
    }

    /// The gate's verdict after the wait. If the transfer has left meanwhile, it has given back what the gate gave.
    func admit(_ verdict: HostGate.Verdict) {
        guard case .queued(let ticket, let caller) = state else { return }
        switch verdict {
        case .start(let looksUp):
            stopTimer()
            start(ticket, looksUp: looksUp, caller)
        case .refuse(let error): finish(.failure(error))
        case .wait: break
        }
    }

    func cancel() {
        switch state {
        case .new: state = .finished
        case .queued: finish(.failure(.cancelled))
        case .running(let exchange, _): stop(exchange, .failure(.cancelled))
        // Too late, or a second time.
        case .orphaned, .finished: break
        }
    }

    /// The transport closes: nothing is kept, not even a lookup.
    func shutDown() {
        switch state {
        case .new, .queued: cancel()
        case .running(let exchange, _):
            driver.end(exchange.handle)
            finish(.failure(.cancelled))
        case .orphaned(let exchange):
            state = .finished
            driver.end(exchange.handle)
        case .finished: break
        }
    }

    // MARK: On the loop, from libcurl

    /// The transfer came further.
    func moved() {
        switch state {
        case .running(var exchange, let caller):
            guard exchange.looksUp, exchange.handle.phase != .resolve else { return }
            exchange.looksUp = false
            state = .running(exchange, caller)
            tellGate(of: exchange)
        case .orphaned(let exchange):
            guard exchange.handle.phase != .resolve else { return }
            state = .finished
            driver.end(exchange.handle)
            tellGate(of: exchange)
        case .new, .queued, .finished: break
        }
    }

    /// libcurl has done what it could for now, and the transfer isn't over.
    func settled() {
        guard case .running(var exchange, let caller) = state, exchange.meter == nil,
            let firstByteAt = exchange.handle.firstByteAt
        else { return }
        exchange.meter = SpeedMeter(
            bytesPerSecond: driver.configuration.lowSpeedBytes, time: driver.configuration.lowSpeedTime,
            start: firstByteAt)
        state = .running(exchange, caller)
        watch(exchange, from: .now)
    }

    /// libcurl has ended the transfer.
    func ended(_ code: CURLcode) {
        switch state {
        case .running(let exchange, _):
            let answer = self.answer(exchange, code)
            let isStale = isStaleHTTP2(answer)
            let result = lookupResult(exchange, code)
            driver.end(exchange.handle)
            if isStale { driver.startAfresh() }
            if exchange.looksUp { driver.gates.lookupEnded(exchange.ticket, of: address.host, result) }
            finish(answer)
        case .orphaned(let exchange):
            let result = lookupResult(exchange, code)
            state = .finished
            driver.end(exchange.handle)
            driver.gates.lookupEnded(exchange.ticket, of: address.host, result)
        case .new, .queued, .finished: break
        }
    }

    /// libcurl's multi handle failed, and all its transfers with it.
    func broke(_ words: String) {
        guard case .running(let exchange, _) = state else { return shutDown() }
        let fault = TransferFault(
            phase: exchange.handle.exactPhase, code: Int(CURLE_FAILED_INIT.rawValue), message: words)
        driver.end(exchange.handle)
        finish(.failure(.failed(fault)))
    }

    // MARK: Time

    private func queueTimedOut() {
        guard case .queued(let ticket, _) = state else { return }
        let fault =
            driver.gates.isBehindLookup(ticket, of: address.host)
            ? TransferFault(
                phase: .resolve, code: 0,
                message: "no time left while the name \(address.host.name) was looked up")
            : TransferFault(
                phase: .queue, code: 0, message: "no time left while others were asking \(address.host.name)")
        finish(.failure(.timedOut(fault)))
    }

    /// Sets the timer for the next moment at which a limit may be reached.
    private func watch(_ exchange: Exchange, from now: ContinuousClock.Instant) {
        let next: ContinuousClock.Instant
        if let meter = exchange.meter {
            next = meter.nextTick
        } else {
            next = (exchange.handle.requestedAt ?? now).advanced(by: driver.configuration.firstByteTimeout)
        }
        stopTimer()
        timer = driver.loop.schedule(at: min(next, exchange.end)) { [unowned self] in self.checkTime() }
    }

    private func checkTime() {
        guard case .running(var exchange, let caller) = state else { return }
        let now = ContinuousClock.now
        let handle = exchange.handle
        let limits = driver.configuration
        if now >= exchange.end {
            let allowed = exchange.begun.duration(to: exchange.end)
            return expire(exchange, "not finished after \(allowed), \(handle.receivedBytes) bytes received")
        }
        if exchange.meter != nil {
            let isSlow = exchange.meter?.tick(bytes: handle.receivedBytes, at: now) == true
            state = .running(exchange, caller)
            if isSlow {
                return expire(
                    exchange, "less than \(limits.lowSpeedBytes) bytes a second for \(limits.lowSpeedTime)")
            }
        } else if let requestedAt = handle.requestedAt,
            requestedAt.duration(to: now) >= limits.firstByteTimeout
        {
            return expire(exchange, "no answer \(limits.firstByteTimeout) after the request was sent")
        }
        watch(exchange, from: now)
    }

    private func expire(_ exchange: Exchange, _ words: String) {
        let fault = TransferFault(
            phase: exchange.handle.exactPhase, code: Int(CURLE_OPERATION_TIMEDOUT.rawValue), message: words)
        let answer = refusal(exchange) ?? .failure(.timedOut(fault))
        let isStale = isStaleHTTP2(answer)
        stop(exchange, answer)
        if isStale { driver.startAfresh() }
    }

    private func stopTimer() {
        if let timer { driver.loop.cancel(timer) }
        timer = nil
    }

    // MARK: From state to state

    private func start(_ ticket: HostGate.Ticket, looksUp: Bool, _ caller: Caller) {
        let now = ContinuousClock.now
        let end = min(deadline, now.advanced(by: driver.configuration.transferTimeout))
        // A lookup may go on after its caller's time.
        let limit = max(now.duration(to: end), looksUp ? driver.configuration.connectTimeout : .zero)
        do {
            let handle = try driver.start(self, address, limit: limit)
            driver.started(request)
            let exchange = Exchange(ticket: ticket, handle: handle, looksUp: looksUp, end: end, begun: now)
            state = .running(exchange, caller)
            watch(exchange, from: now)
        } catch {
            state = .queued(ticket, caller)
            finish(.failure(error))
        }
    }

    /// Ends a running transfer before libcurl does. A lookup that others wait for goes on without its caller: its
    /// thread couldn't be ended anyway, and the next would start another.
    private func stop(_ exchange: Exchange, _ answer: Answer) {
        guard exchange.looksUp, exchange.handle.phase == .resolve else {
            driver.end(exchange.handle)
            return finish(answer)
        }
        exchange.handle.wantsOnlyLookup = true
        finish(answer, leaving: exchange)
    }

    /// Gives the place back, then the answer to the caller.
    private func finish(_ answer: Answer, leaving orphan: Exchange? = nil) {
        let ticket: HostGate.Ticket
        let caller: Caller
        switch state {
        case .queued(let queued, let waiting): (ticket, caller) = (queued, waiting)
        case .running(let exchange, let waiting): (ticket, caller) = (exchange.ticket, waiting)
        case .new, .orphaned, .finished: return
        }
        stopTimer()
        state = orphan.map { .orphaned($0) } ?? .finished
        let label =
            switch answer {
            case .success: "answered"
            case .failure(let error): error.label
            }
        driver.gates.leave(ticket, of: address.host, as: label, keepsLookup: orphan != nil)
        caller.resume(returning: answer)
    }

    private func tellGate(of exchange: Exchange) {
        driver.gates.lookupEnded(
            exchange.ticket, of: address.host, exchange.handle.opensSocket ? .resolved : .notNeeded)
    }

    // MARK: What it came to

    private func answer(_ exchange: Exchange, _ code: CURLcode) -> Answer {
        let handle = exchange.handle
        if let refusal = refusal(exchange) { return refusal }
        switch handle.reader.full {
        case .header(let limit), .answer(let limit): return .failure(.tooLarge(limit: limit))
        case .refusal, nil: break
        }
        if code == CURLE_OK, handle.reader.isHeaderComplete {
            return .success(HTTPAnswer(body: handle.takeBody()))
        }
        return .failure(.libcurl(code, fault(exchange, code)))
    }

    /// The server's refusal, if it has said so, however the transfer went on.
    private func refusal(_ exchange: Exchange) -> Answer? {
        let reader = exchange.handle.reader
        guard reader.isHeaderComplete, reader.status != 200 else { return nil }
        if case .header = reader.full { return nil }
        let refusal = HTTPRefusal(
            status: reader.status,
            retryAfter: reader.retryAfter.flatMap { RetryAfter($0)?.delay(now: time(nil)) },
            body: exchange.handle.takeBody())
        return .failure(.status(refusal))
    }

    private func fault(_ exchange: Exchange, _ code: CURLcode) -> TransferFault {
        TransferFault(
            phase: code.isTLS ? .tls : exchange.handle.exactPhase, code: Int(code.rawValue),
            message: Secret.strike(request.secretQuery, from: exchange.handle.words(for: code)),
            isOfConnection: code.isOfConnection)
    }

    private func lookupResult(_ exchange: Exchange, _ code: CURLcode) -> HostGate.LookupResult {
        guard exchange.handle.phase == .resolve else {
            return exchange.handle.opensSocket ? .resolved : .notNeeded
        }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .failed(fault(exchange, code))
        default: return .notNeeded
        }
    }

    /// libcurl 7.88 uses an HTTP/2 connection again on which a transfer just ran out of time, dead or not.
    private func isStaleHTTP2(_ answer: Answer) -> Bool {
        guard driver.configuration.http2, case .failure(.timedOut(let fault)) = answer else { return false }
        return fault.phase == .wait || fault.phase == .receive
    }
}
