public import EventLoop

/// Answers requests.
public protocol GatewayHandler: Sendable {
    /// Called on the loop that owns the request's connection, which it must not keep waiting.
    func answer(_ request: GatewayRequest, on loop: EventLoop) -> GatewayAnswer

    /// Answers a request that the gateway refuses, in the form that it was asked in. Its parameters may be missing.
    /// Must not block.
    func answer(
        refused request: GatewayRequest, because refusal: GatewayRefusal, limits: GatewayLimits
    ) -> GatewayResponse

    /// Called once for each request, on its loop, when it is over.
    func finished(_ request: GatewayRequest, _ end: GatewayEnd)
}

/// How a request is answered.
public enum GatewayAnswer: Sendable {
    /// Now, without a task.
    case ready(GatewayResponse)
    /// By a task on the connection's loop, which is cancelled when the server leaves or aborts the request.
    case pending(@Sendable () async -> GatewayResponse)
}

/// How a request ended.
public struct GatewayEnd: Sendable {
    public enum Outcome: Sendable {
        /// The whole answer was handed to the kernel.
        case answered(GatewayResponse)
        /// The server closed the connection or aborted the request before its answer; the handler's task was cancelled.
        case cancelled
        /// The server refused to take the answer whole.
        case cut(GatewayResponse)
        /// A limit of the gateway's own answered in the handler's place.
        case refused(status: Int, reason: String)
    }

    public var outcome: Outcome
    /// From the request's first byte to its end.
    public var elapsed: Duration
}
