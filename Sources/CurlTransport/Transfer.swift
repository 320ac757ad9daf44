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
        case queued(HostGate.TransferID, Caller)
        /// In libcurl. Without a caller, who has his answer, for the sake of its name lookup only.
        case running(Active, Caller?)
        case finished
    }

    /// What libcurl is at work on.
    private struct Active {
        let id: HostGate.TransferID
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
        do throws(TransportError) {
            guard ContinuousClock.now < deadline else {
                throw .timedOut(
                    TransferFault(phase: .queue, code: 0, message: "the deadline had passed before the start")
                )
            }
            let (id, verdict) = driver.gates.arrive(self, at: address.host, cache: try driver.cache())
            switch verdict {
            case .start(let looksUp): start(id, looksUp: looksUp, caller)
            case .wait:
                state = .queued(id, caller)
                timer = driver.loop.schedule(at: deadline) { [unowned self] in self.queueTimedOut() }
            case .refuse(let error): throw error
            }
        } catch {
            state = .finished
            caller.resume(returning: .failure(error))
        }
    }

    /// The gate's verdict after the wait. If the transfer has left meanwhile, it has given back what the gate gave.
    func admit(_ verdict: HostGate.Verdict) {
        guard case .queued(let id, let caller) = state else { return }
        switch verdict {
        case .start(let looksUp):
            stopTimer()
            start(id, looksUp: looksUp, caller)
        case .refuse(let error): finish(.failure(error))
        case .wait: break
        }
    }

    func cancel() {
        switch state {
        case .new: state = .finished
        case .queued: finish(.failure(.cancelled))
        case .running(let active, .some): stop(active, .failure(.cancelled))
        // Too late, or a second time.
        case .running, .finished: break
        }
    }

    /// The transport closes: nothing is kept, not even a lookup.
    func shutDown() {
        switch state {
        case .new, .queued: cancel()
        case .running(let active, _):
            driver.end(active.handle)
            finish(.failure(.cancelled))
        case .finished: break
        }
    }

    // MARK: On the loop, from libcurl

    /// The transfer came further.
    func moved() {
        guard case .running(var active, let caller) = state, active.looksUp, active.handle.phase != .resolve
        else { return }
        active.looksUp = false
        state = .running(active, caller)
        if caller == nil {
            state = .finished
            driver.end(active.handle)
        }
        driver.gates.lookupEnded(
            active.id, of: address.host, active.handle.opensSocket ? .resolved : .notNeeded)
    }

    /// libcurl has done what it could for now, and the transfer isn't over.
    func settled() {
        guard case .running(var active, let caller?) = state, active.meter == nil,
            let firstByteAt = active.handle.firstByteAt
        else { return }
        active.meter = SpeedMeter(driver.configuration, start: firstByteAt)
        state = .running(active, caller)
        watch(active, from: .now)
    }

    /// libcurl has ended the transfer.
    func ended(_ code: CURLcode) {
        guard case .running(let active, _) = state else { return }
        let answer = self.answer(active, code)
        let result = lookupResult(active, code)
        driver.end(active.handle)
        if active.looksUp { driver.gates.lookupEnded(active.id, of: address.host, result) }
        finish(answer)
    }

    /// libcurl's multi handle failed, and all its transfers with it.
    func broke(_ words: String) {
        guard case .running(let active, .some) = state else { return shutDown() }
        let fault = fault(active, CURLE_FAILED_INIT, words)
        driver.end(active.handle)
        finish(.failure(.failed(fault)))
    }

    // MARK: Time

    private func queueTimedOut() {
        guard case .queued(let id, _) = state else { return }
        let name = address.host.name
        let (phase, words): (TransferFault.Phase, String) =
            driver.gates.isBehindLookup(id, of: address.host)
            ? (.resolve, "no time left while the name \(name) was looked up")
            : (.queue, "no time left while others were asking \(name)")
        let fault = TransferFault(phase: phase, code: 0, message: words)
        finish(.failure(.timedOut(fault)))
    }

    /// Sets the timer for the next moment at which a limit may be reached.
    private func watch(_ active: Active, from now: ContinuousClock.Instant) {
        let next =
            active.meter?.nextTick
            ?? (active.handle.requestedAt ?? now).advanced(by: driver.configuration.firstByteTimeout)
        stopTimer()
        timer = driver.loop.schedule(at: min(next, active.end)) { [unowned self] in self.checkTime() }
    }

    private func checkTime() {
        guard case .running(var active, let caller?) = state else { return }
        let now = ContinuousClock.now
        let handle = active.handle
        let limits = driver.configuration
        if now >= active.end {
            let allowed = active.begun.duration(to: active.end)
            return expire(active, "not finished after \(allowed), \(handle.receivedBytes) bytes received")
        }
        if active.meter != nil {
            let isSlow = active.meter?.tick(bytes: handle.receivedBytes, at: now) == true
            state = .running(active, caller)
            if isSlow {
                return expire(
                    active, "less than \(limits.lowSpeedBytes) bytes a second for \(limits.lowSpeedTime)")
            }
        } else if let requestedAt = handle.requestedAt,
            requestedAt.duration(to: now) >= limits.firstByteTimeout
        {
            return expire(active, "no answer \(limits.firstByteTimeout) after the request was sent")
        }
        watch(active, from: now)
    }

    private func expire(_ active: Active, _ words: String) {
        let fault = fault(active, CURLE_OPERATION_TIMEDOUT, words)
        stop(active, refusal(active) ?? .failure(.timedOut(fault)))
    }

    private func stopTimer() {
        if let timer { driver.loop.cancel(timer) }
        timer = nil
    }

    // MARK: From state to state

    private func start(_ id: HostGate.TransferID, looksUp: Bool, _ caller: Caller) {
        let now = ContinuousClock.now
        let end = min(deadline, now.advanced(by: driver.configuration.transferTimeout))
        // A lookup may go on after its caller's time.
        let limit = max(now.duration(to: end), looksUp ? driver.configuration.connectTimeout : .zero)
        do {
            let handle = try driver.start(self, address, limit: limit)
            driver.started(request)
            let active = Active(id: id, handle: handle, looksUp: looksUp, end: end, begun: now)
            state = .running(active, caller)
            watch(active, from: now)
        } catch {
            state = .queued(id, caller)
            finish(.failure(error))
        }
    }

    /// Ends a running transfer before libcurl does. A lookup that others wait for goes on without its caller: its
    /// thread couldn't be ended anyway, and the next would start another.
    private func stop(_ active: Active, _ answer: Answer) {
        guard active.looksUp, active.handle.phase == .resolve else {
            driver.end(active.handle)
            return finish(answer)
        }
        active.handle.wantsOnlyLookup = true
        finish(answer, leaving: active)
    }

    /// Gives the place back, then the answer to the caller. Without one the place was given back already.
    private func finish(_ answer: Answer, leaving orphan: Active? = nil) {
        let id: HostGate.TransferID
        let caller: Caller
        switch state {
        case .queued(let queued, let waiting): (id, caller) = (queued, waiting)
        case .running(let active, let waiting?): (id, caller) = (active.id, waiting)
        case .running: return state = .finished
        case .new, .finished: return
        }
        stopTimer()
        // Before the place goes to another, who would be given the same connection.
        if isStaleHTTP2(answer) { driver.startAfresh() }
        state = orphan.map { .running($0, nil) } ?? .finished
        let label =
            switch answer {
            case .success: "answered"
            case .failure(let error): error.label
            }
        driver.gates.leave(id, of: address.host, as: label, keepsLookup: orphan != nil)
        caller.resume(returning: answer)
    }

    // MARK: What it came to

    private func answer(_ active: Active, _ code: CURLcode) -> Answer {
        let handle = active.handle
        if let refusal = refusal(active) { return refusal }
        if case .tooLarge(let limit) = handle.reader.full { return .failure(.tooLarge(limit: limit)) }
        if code == CURLE_OK, handle.reader.isHeaderComplete {
            return .success(HTTPAnswer(body: handle.reader.takeBody()))
        }
        let fault = fault(active, code)
        return .failure(code == CURLE_OPERATION_TIMEDOUT ? .timedOut(fault) : .failed(fault))
    }

    /// The server's refusal, if it has said so, however the transfer went on.
    private func refusal(_ active: Active) -> Answer? {
        let reader = active.handle.reader
        guard reader.isHeaderComplete, reader.status != 200 else { return nil }
        if case .tooLarge = reader.full { return nil }
        let refusal = HTTPRefusal(
            status: reader.status,
            retryAfter: reader.retryAfter.flatMap { RetryAfter.delay($0, now: time(nil)) },
            body: active.handle.reader.takeBody())
        return .failure(.status(refusal))
    }

    private func fault(_ active: Active, _ code: CURLcode, _ words: String? = nil) -> TransferFault {
        TransferFault(
            phase: code.isTLS ? .tls : active.handle.exactPhase, code: Int(code.rawValue),
            message: Secret.redact(request.secretQuery, from: words ?? active.handle.words(for: code)),
            isOfConnection: code.isOfConnection)
    }

    private func lookupResult(_ active: Active, _ code: CURLcode) -> HostGate.LookupResult {
        guard active.handle.phase == .resolve else {
            return active.handle.opensSocket ? .resolved : .notNeeded
        }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .failed(fault(active, code))
        default: return .notNeeded
        }
    }

    /// libcurl 7.88 uses an HTTP/2 connection again on which a transfer just ran out of time, dead or not.
    private func isStaleHTTP2(_ answer: Answer) -> Bool {
        guard driver.configuration.http2, case .failure(.timedOut(let fault)) = answer else { return false }
        return fault.phase == .wait || fault.phase == .receive
    }
}
