public import EventLoop
internal import Synchronization

/// One CGI/1.1 request (RFC 3875): from the environment and standard input, to standard output.
///
/// The request is cancelled when the reader of standard output goes away, and by `cancel()`, which is for SIGTERM.
public final class CGI: Sendable {
    private let loop: EventLoop
    private let exchange: Mutex<LoopBound<CGIExchange>?>
    private let isCancelled = Atomic<Bool>(false)
    private let environment: Parameters
    private let limits: GatewayLimits
    private let handler: any GatewayHandler
    private let input: Int32
    private let output: Int32
    private let errorOutput: Int32

    /// - Parameters:
    ///   - environment: `Parameters.ofProcess()` but for tests. HTTP_PROXY in it is left out.
    ///   - loop: Must run.
    ///   - input: Where the body is read; a pipe, a socket, a file or a device.
    ///   - output: Where the answer is written.
    ///   - errorOutput: Where `GatewayResponse.standardError` is written.
    public init(
        environment: Parameters = .ofProcess(), handler: any GatewayHandler, loop: EventLoop,
        limits: GatewayLimits = GatewayLimits(), input: Int32 = 0, output: Int32 = 1, errorOutput: Int32 = 2
    ) {
        self.environment = environment.withoutProxy
        self.handler = handler
        self.loop = loop
        self.limits = limits
        self.input = input
        self.output = output
        self.errorOutput = errorOutput
        exchange = Mutex(nil)
    }

    /// Answers the request, and returns how it ended; the process exits then, with status 0.
    public func run() async -> GatewayEnd {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                let exchange = CGIExchange(
                    environment: environment, handler: handler, loop: loop, limits: limits, input: input,
                    output: output, errorOutput: errorOutput
                ) { continuation.resume(returning: $0) }
                self.exchange.withLock { $0 = LoopBound(exchange, to: loop) }
                exchange.start()
                if isCancelled.load(ordering: .acquiring) { exchange.cancel() }
            }
        }
    }

    /// Cancels the request. May be called from any thread, and again.
    public func cancel() {
        isCancelled.store(true, ordering: .releasing)
        loop.execute { [self] in exchange.withLock { $0 }?.value.cancel() }
    }

    /// Answers one request. Cancelling the task that calls it cancels the request.
    public static func run(
        environment: Parameters = .ofProcess(), handler: any GatewayHandler, loop: EventLoop,
        limits: GatewayLimits = GatewayLimits()
    ) async -> GatewayEnd {
        let cgi = CGI(environment: environment, handler: handler, loop: loop, limits: limits)
        return await withTaskCancellationHandler {
            await cgi.run()
        } onCancel: {
            cgi.cancel()
        }
    }
}
