import Synchronization
import Transport

/// A transport that answers by a function, and remembers what it was asked.
final class ScriptedTransport: Transport {
    typealias Script = @Sendable (HTTPRequest) -> Result<String, TransportError>

    private let script: Script
    private let log = Mutex<[HTTPRequest]>([])

    init(_ script: @escaping Script) {
        self.script = script
    }

    /// Answers one after the other, then again and again the last one.
    convenience init(answers: Result<String, TransportError>...) {
        let left = Mutex(answers[...])
        self.init { _ in
            left.withLock { left in
                left.count > 1 ? left.removeFirst() : left.first ?? .failure(.queueFull)
            }
        }
    }

    var requests: [HTTPRequest] { log.withLock { $0 } }

    /// The values of one parameter over all requests, as they stand in the address.
    func values(of parameter: String) -> [String?] {
        requests.map { ScriptedTransport.value(of: parameter, in: $0.url) }
    }

    static func value(of parameter: String, in url: String) -> String? {
        guard let query = url.split(separator: "?").last else { return nil }
        return query.split(separator: "&").first { $0.hasPrefix("\(parameter)=") }
            .map { String($0.dropFirst(parameter.count + 1)) }
    }

    func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        log.withLock { $0.append(request) }
        switch script(request) {
        case .success(let body):
            return HTTPAnswer(body: Array(body.utf8))
        case .failure(let error): throw error
        }
    }
}

extension TransportError {
    static func refusal(_ status: Int, reason: String? = nil, retryAfter: Duration? = nil) -> TransportError {
        let body = reason.map { #"{"error":true,"reason":"\#($0)"}"# } ?? "<html><h1>Bad Gateway</h1></html>"
        return .status(HTTPRefusal(status: status, retryAfter: retryAfter, body: Array(body.utf8)))
    }
}
