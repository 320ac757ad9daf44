import EventLoop
import Gateway
import Synchronization

/// Answers with a closure, and writes down how each request ended.
final class TestHandler: GatewayHandler {
    struct End: Sendable {
        var request: GatewayRequest
        var end: GatewayEnd
        var wasOnLoop: Bool
    }

    private let body: @Sendable (GatewayRequest, EventLoop) -> GatewayAnswer
    private let recorded = Mutex<[End]>([])
    private let counted = Mutex(0)

    init(_ body: @escaping @Sendable (GatewayRequest, EventLoop) -> GatewayAnswer) { self.body = body }

    /// The same at once for every request.
    convenience init(_ text: String = "hello") {
        self.init { _, _ in .ready(plain(text)) }
    }

    func answer(_ request: GatewayRequest, on loop: EventLoop) -> GatewayAnswer {
        counted.withLock { $0 += 1 }
        return body(request, loop)
    }

    func answer(
        refused request: GatewayRequest, because refusal: GatewayRefusal, limits: GatewayLimits
    ) -> GatewayResponse {
        refused(refusal)
    }

    func finished(_ request: GatewayRequest, _ end: GatewayEnd) {
        let end = End(request: request, end: end, wasOnLoop: EventLoop.current != nil)
        recorded.withLock { $0.append(end) }
    }

    var ends: [End] { recorded.withLock { $0 } }
    var asked: Int { counted.withLock { $0 } }

    /// "answered 200", "cancelled", "cut", "refused 503 too many requests".
    var outcomes: [String] {
        ends.map { end in
            switch end.end.outcome {
            case .answered(let response): "answered \(response.status)"
            case .cancelled: "cancelled"
            case .cut: "cut"
            case .refused(let status, let reason): "refused \(status) \(reason)"
            }
        }
    }
}

func refused(_ refusal: GatewayRefusal) -> GatewayResponse {
    GatewayResponse(status: refusal.status, body: Array(refusal.rawValue.utf8))
}

func plain(_ text: String) -> GatewayResponse {
    GatewayResponse(status: 200, fields: [.init("Content-Type", "text/plain")], body: Array(text.utf8))
}

/// A moment on the loop's timers that cancellation doesn't shorten.
func deafSleep(_ loop: EventLoop) async {
    await withCheckedContinuation { continuation in
        loop.execute { loop.schedule(after: .milliseconds(2)) { continuation.resume() } }
    }
}
