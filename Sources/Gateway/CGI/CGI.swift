public import EventLoop
internal import Glibc
internal import Synchronization

/// One CGI/1.1 request (RFC 3875): from the environment and standard input, to standard output.
///
/// A CGI process has nothing else to do, so reading and writing block. Only while the handler answers does the loop
/// run: then the request is cancelled when the reader of standard output goes away, and by `cancel()`.
public final class CGI: Sendable {
    private let request: GatewayRequest
    private let refusal: GatewayRefusal?
    /// How much of the body may still come.
    private let unread: Int
    private let loop: EventLoop
    private let limits: GatewayLimits
    private let input: Int32
    private let output: Int32
    private let errorOutput: Int32
    private let isCancelled = Atomic<Bool>(false)
    private let pending = Mutex<LoopBound<PendingAnswer>?>(nil)

    /// Reads the request. It blocks until the body is there, or for `limits.arrivalTimeout`: do it before SIGTERM is
    /// blocked, if it is.
    ///
    /// - Parameters:
    ///   - environment: `Parameters.ofProcess()` but for tests. HTTP_PROXY in it is left out.
    ///   - loop: Must run when the request is answered.
    ///   - input: Where the body is read; a pipe, a socket, a file or a device.
    ///   - output: Where the answer is written.
    ///   - errorOutput: Where `GatewayResponse.standardError` is written.
    public init(
        environment: Parameters = .ofProcess(), loop: EventLoop, limits: GatewayLimits = GatewayLimits(),
        input: Int32 = 0, output: Int32 = 1, errorOutput: Int32 = 2
    ) {
        (self.loop, self.limits, self.input, self.output) = (loop, limits, input, output)
        self.errorOutput = errorOutput
        let arrival = ContinuousClock.now
        var request = GatewayRequest(parameters: environment, arrival: arrival)
        var unread = 0
        do throws(GatewayRefusal) {
            let length = try CGI.bodyLength(environment)
            unread = length ?? .max
            var body = try BodyCollector(parameters: environment, expected: length, limit: limits.bodyBytes)
            let isWhole = try CGI.read(&unread, of: input, until: arrival.advanced(by: limits.arrivalTimeout))
            {
                piece throws(GatewayRefusal) in try body.append(piece)
            }
            guard isWhole else { throw .tooSlow }
            request.body = try body.finish()
            refusal = nil
        } catch {
            if error == .lengthRequired { unread = .max }
            refusal = error
        }
        self.request = request
        self.unread = unread
    }

    /// How long the body is; nil if it goes to the stream's end. Without CONTENT_LENGTH there is none (RFC 3875, section
    /// 4.1.2), unless it was sent in chunks, which the web server has taken apart.
    private static func bodyLength(_ parameters: Parameters) throws(GatewayRefusal) -> Int? {
        if let length = try BodyCollector.contentLength(in: parameters) { return length }
        let coding = parameters["HTTP_TRANSFER_ENCODING"]?.lowercased() ?? ""
        if coding.split(whereSeparator: { $0 == "," || $0 == " " }).contains("chunked") { return nil }
        guard parameters.holds("-1", for: "CONTENT_LENGTH") else { return 0 }
        throw .lengthRequired
    }

    /// Reads the input to its end, or until no byte is left to read. False if that took too long.
    private static func read<Failure: Error>(
        _ left: inout Int, of input: Int32, until deadline: ContinuousClock.Instant,
        _ take: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        var buffer = [UInt8](repeating: 0, count: min(left, 65_536))
        while left > 0 {
            guard wait(for: POLLIN, on: input, until: deadline) else { return false }
            let count = Glibc.read(input, &buffer, min(left, buffer.count))
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else {
                left = 0
                break
            }
            if left < .max { left -= count }
            try take(buffer.span.extracting(first: count))
        }
        return true
    }

    /// Answers the request, and returns how it ended; the process exits then, with status 0.
    public func answer(by handler: any GatewayHandler) async -> GatewayEnd {
        await Task(executorPreference: loop) { [self] in
            let outcome = await respond(by: handler)
            let end = GatewayEnd(outcome: outcome, elapsed: request.arrival.duration(to: .now))
            handler.finished(request, end)
            discardInput()
            return end
        }.value
    }

    /// Cancels the request. May be called from any thread, and again.
    public func cancel() {
        isCancelled.store(true, ordering: .releasing)
        loop.execute { [self] in pending.withLock { $0 }?.value.cancel() }
    }

    private func respond(by handler: any GatewayHandler) async -> GatewayEnd.Outcome {
        if let refusal {
            _ = write(handler.answer(refused: request, because: refusal, limits: limits))
            return .refused(status: refusal.status, reason: refusal.rawValue)
        }
        var response: GatewayResponse?
        if !isCancelled.load(ordering: .acquiring) {
            switch handler.answer(request, on: loop) {
            case .ready(let answer): response = answer
            case .pending(let body): response = await self.response(of: body)
            }
        }
        guard let response else { return .cancelled }
        return write(response) ? .answered(response) : .cut(response)
    }

    /// Nil if the request was cancelled.
    private func response(of body: @escaping @Sendable () async -> GatewayResponse) async -> GatewayResponse?
    {
        await withCheckedContinuation { continuation in
            let answer = PendingAnswer(loop: loop, cancellationTimeout: limits.cancellationTimeout) {
                continuation.resume(returning: $0)
            }
            pending.withLock { $0 = LoopBound(answer, to: loop) }
            answer.start(body, output: output)
            if isCancelled.load(ordering: .acquiring) { answer.cancel() }
        }
    }

    // MARK: Writing

    /// Whether the answer was taken whole.
    private func write(_ response: GatewayResponse) -> Bool {
        var bytes: [UInt8] = []
        ResponseHead.append(response, lineEnd: "\n", to: &bytes)
        if !request.isHead, ResponseHead.hasBody(ResponseHead.statusToSend(response.status)) {
            bytes.append(contentsOf: response.body)
        }
        // What the log doesn't take at once is lost: the answer is what counts.
        _ = CGI.write(response.standardError, to: errorOutput, timeout: .zero)
        return CGI.write(bytes, to: output, timeout: limits.writeTimeout)
    }

    /// - Parameter timeout: Without progress.
    private static func write(_ bytes: [UInt8], to descriptor: Int32, timeout: Duration) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard wait(for: POLLOUT, on: descriptor, until: .now.advanced(by: timeout)) else { return false }
            // A pipe that is ready takes a page without blocking (PIPE_BUF, pipe(7)).
            let count = rest.prefix(4_096).withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads what is left of the body: several web servers lose an answer if they can't get rid of it.
    private func discardInput() {
        var left = min(unread, limits.lingerBytes)
        // Neither time nor a fault matters any more.
        _ = CGI.read(&left, of: input, until: .now.advanced(by: limits.lingerTimeout)) { _ in }
    }

    /// Whether the descriptor is ready by then. Files and devices always are.
    private static func wait(
        for event: Int32, on descriptor: Int32, until deadline: ContinuousClock.Instant
    ) -> Bool {
        while true {
            let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
            let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
            var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
            let count = poll(&request, 1, Int32(clamping: max(0, milliseconds)))
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }
}

/// The handler's task, which ends early when nobody reads its answer. It belongs to one loop.
private final class PendingAnswer: EventHandler {
    private let loop: EventLoop
    private let cancellationTimeout: Duration
    private var whenOver: ((GatewayResponse?) -> Void)?
    private var task: Task<Void, Never>?
    private var registration: Registration?
    private var isCancelled = false

    init(loop: EventLoop, cancellationTimeout: Duration, whenOver: @escaping (GatewayResponse?) -> Void) {
        self.loop = loop
        self.cancellationTimeout = cancellationTimeout
        self.whenOver = whenOver
    }

    func start(_ body: @escaping @Sendable () async -> GatewayResponse, output: Int32) {
        do throws(SystemError) {
            // Nothing is waited for but errors and hang-ups, which are told always.
            registration = try loop.register(output, for: [], handler: self)
        } catch {
            // A file or a device (EPERM): nobody goes away from those.
        }
        let bound = LoopBound(self, to: loop)
        task = Task(executorPreference: loop) {
            let response = await body()
            bound.value.end(response)
        }
    }

    func ready(_ readiness: Readiness) {
        if !readiness.isDisjoint(with: [.failed, .hungUp]) { cancel() }
    }

    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        stopWatching()
        task?.cancel()
        loop.schedule(after: cancellationTimeout) { self.end(nil) }
    }

    private func end(_ response: GatewayResponse?) {
        stopWatching()
        whenOver?(isCancelled ? nil : response)
        whenOver = nil
    }

    private func stopWatching() {
        if let registration { loop.deregister(registration) }
        registration = nil
    }
}
