internal import EventLoop
internal import Glibc

/// The one request of a CGI process, on its loop.
final class CGIExchange {
    private enum State {
        case new
        /// The body is read.
        case reading(CGIBody)
        /// A task of the handler answers.
        case handling(GatewayRequest, Task<Void, Never>)
        /// The handler's task was cancelled, and its end is waited for.
        case cancelling(GatewayRequest)
        case writing(Writing)
        case over
    }

    private struct Writing {
        var request: GatewayRequest
        var response: GatewayResponse
        var refusal: Refusal?
        var bytes: [UInt8]
        var start = 0
        var lastProgress = ContinuousClock.now
    }

    private let environment: Parameters
    private let handler: any GatewayHandler
    private let loop: EventLoop
    private let limits: GatewayLimits
    private let input: CGIPort
    private let output: CGIPort
    private let errorOutput: CGIPort
    private let whenOver: (GatewayEnd) -> Void

    private let arrival = ContinuousClock.now
    private var state = State.new
    private var inputRegistration: Registration?
    private var outputRegistration: Registration?
    private var timer: LoopTimer?

    init(
        environment: Parameters, handler: any GatewayHandler, loop: EventLoop, limits: GatewayLimits,
        input: Int32, output: Int32, errorOutput: Int32, whenOver: @escaping (GatewayEnd) -> Void
    ) {
        self.environment = environment
        self.handler = handler
        self.loop = loop
        self.limits = limits
        self.input = CGIPort(input)
        self.output = CGIPort(output)
        self.errorOutput = CGIPort(errorOutput)
        self.whenOver = whenOver
    }

    func start() {
        // Nothing is waited for but errors: that the reader goes away is told always.
        outputRegistration = register(output, [])
        do throws(Refusal) {
            let body = try CGIBody(parameters: environment, limit: limits.bodyBytes)
            state = .reading(body)
            if body.isWhole { return handle() }
            setTimer(at: arrival.advanced(by: limits.arrivalTimeout))
            inputRegistration = register(input, .readable)
            if inputRegistration == nil { readInput() }
        } catch {
            refuse(error)
        }
    }

    // MARK: The body

    fileprivate func readInput() {
        guard case .reading(var body) = state else { return }
        state = .new
        let waits = inputRegistration != nil
        var outcome: CGIPort.Outcome
        repeat {
            outcome = body.read(from: input)
            if body.isWhole { break }
            if case .bytes = outcome, !waits { continue }
            break
        } while true
        state = .reading(body)
        if body.isWhole { return handle() }
        switch outcome {
        case .bytes, .wouldBlock: break
        case .ended: refuse(.bodyTooShort)
        case .failed: refuse(.bodyTooShort)
        }
    }

    // MARK: The answer

    private func handle() {
        guard case .reading(let body) = state else { return }
        stopReading()
        let request = GatewayRequest(parameters: environment, body: body.bytes, arrival: arrival)
        switch handler.answer(request, on: loop) {
        case .ready(let response):
            write(response, to: request)
        case .pending(let body):
            let bound = LoopBound(self, to: loop)
            let task = Task(executorPreference: loop) {
                let response = await body()
                bound.value.complete(response)
            }
            state = .handling(request, task)
        }
    }

    private func complete(_ response: GatewayResponse) {
        switch state {
        case .handling(let request, _): write(response, to: request)
        case .cancelling(let request): end(request, .cancelled)
        case .new, .reading, .writing, .over: return
        }
    }

    private func refuse(_ refusal: Refusal) {
        stopReading()
        write(refusal.response, to: GatewayRequest(parameters: environment, arrival: arrival), refusal)
    }

    private func write(_ response: GatewayResponse, to request: GatewayRequest, _ refusal: Refusal? = nil) {
        var bytes: [UInt8] = []
        ResponseHead.append(response, lineEnd: .lineFeed, to: &bytes)
        if !request.isHead, ResponseHead.hasBody(ResponseHead.statusToSend(response.status)) {
            bytes.append(contentsOf: response.body)
        }
        // What the log doesn't take at once is lost: the answer is what counts.
        if !response.standardError.isEmpty, !errorOutput.canWait || errorOutput.isReady(for: Int32(POLLOUT)) {
            _ = response.standardError.withUnsafeBytes(errorOutput.write)
        }
        state = .writing(Writing(request: request, response: response, refusal: refusal, bytes: bytes))
        setTimer(at: ContinuousClock.now.advanced(by: limits.writeTimeout))
        if let outputRegistration {
            do throws(SystemError) {
                try loop.modify(outputRegistration, for: .writable)
            } catch {
                return endWriting(isWhole: false)
            }
        }
        writeOutput()
    }

    private func writeOutput() {
        guard case .writing(var writing) = state else { return }
        state = .new
        var isFailed = false
        loop: while writing.start < writing.bytes.count {
            if output.canWait, !output.isReady(for: Int32(POLLOUT)) { break }
            let outcome = writing.bytes.withUnsafeBytes {
                output.write(UnsafeRawBufferPointer(rebasing: $0[writing.start...]))
            }
            switch outcome {
            case .bytes(let count):
                writing.start += count
                writing.lastProgress = .now
            case .wouldBlock:
                break loop
            case .ended, .failed:
                isFailed = true
                break loop
            }
        }
        let isWhole = writing.start == writing.bytes.count
        state = .writing(writing)
        if isWhole || isFailed { endWriting(isWhole: isWhole) }
    }

    private func endWriting(isWhole: Bool) {
        guard case .writing(let writing) = state else { return }
        if let refusal = writing.refusal {
            end(writing.request, .refused(status: refusal.status, reason: refusal.reason))
        } else {
            end(writing.request, isWhole ? .answered(writing.response) : .cut(writing.response))
        }
    }

    // MARK: Cancelling

    /// The reader of standard output went away, or the process shall end.
    func cancel() {
        switch state {
        case .new, .cancelling, .over:
            return
        case .reading:
            stopReading()
            end(GatewayRequest(parameters: environment, arrival: arrival), .cancelled)
        case .handling(let request, let task):
            state = .cancelling(request)
            setTimer(at: ContinuousClock.now.advanced(by: limits.cancellationTimeout))
            task.cancel()
        case .writing:
            endWriting(isWhole: false)
        }
    }

    fileprivate func outputReady(_ readiness: Readiness) {
        if case .writing = state, !readiness.contains(.failed) { return writeOutput() }
        if !readiness.isDisjoint(with: [.failed, .hungUp]) { cancel() }
        // It would be told again and again while the task comes to its end.
        if case .cancelling = state { stopWriting() }
    }

    // MARK: Time

    private func setTimer(at deadline: ContinuousClock.Instant) {
        stopTimer()
        timer = loop.schedule(at: deadline) { self.checkTime() }
    }

    private func checkTime() {
        timer = nil
        switch state {
        case .reading:
            refuse(.tooSlow)
        case .writing(let writing):
            let deadline = writing.lastProgress.advanced(by: limits.writeTimeout)
            if deadline <= .now { endWriting(isWhole: false) } else { setTimer(at: deadline) }
        case .cancelling(let request):
            end(request, .cancelled)
        case .new, .handling, .over:
            return
        }
    }

    // MARK: The end

    private func end(_ request: GatewayRequest, _ outcome: GatewayEnd.Outcome) {
        state = .over
        stopReading()
        stopWriting()
        stopTimer()
        let end = GatewayEnd(outcome: outcome, elapsed: arrival.duration(to: .now))
        handler.finished(request, end)
        whenOver(end)
    }

    private func stopReading() {
        stopTimer()
        if let inputRegistration { loop.deregister(inputRegistration) }
        inputRegistration = nil
    }

    private func stopWriting() {
        if let outputRegistration { loop.deregister(outputRegistration) }
        outputRegistration = nil
    }

    private func stopTimer() {
        if let timer { loop.cancel(timer) }
        timer = nil
    }

    /// Nil where epoll refuses the descriptor (EPERM: a file or a device), which is then used directly.
    private func register(_ port: CGIPort, _ interest: Readiness) -> Registration? {
        guard port.canWait else { return nil }
        let isInput = port.descriptor == input.descriptor
        do throws(SystemError) {
            return try loop.register(
                port.descriptor, for: interest, handler: CGIPortEvents(exchange: self, isInput: isInput))
        } catch {
            return nil
        }
    }
}

/// Tells an exchange which of its two descriptors is ready. The loop holds it, and with it the exchange.
private final class CGIPortEvents: EventHandler {
    private let exchange: CGIExchange
    private let isInput: Bool

    init(exchange: CGIExchange, isInput: Bool) {
        self.exchange = exchange
        self.isInput = isInput
    }

    func ready(_ readiness: Readiness) {
        if isInput { exchange.readInput() } else { exchange.outputReady(readiness) }
    }
}
