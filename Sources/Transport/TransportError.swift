/// Why there is no answer with status 200.
package enum TransportError: Error, Sendable, Hashable, Codable {
    /// The server answered with another status. It has answered: this is no failure of the transport.
    case status(HTTPRefusal)
    /// A time limit ran out in this phase.
    case timedOut(TransferFault)
    /// The transfer failed: no such host, refused, reset, TLS, cut short.
    case failed(TransferFault)
    /// The body, decoded, or the header grew over this many bytes, and was cut off.
    case tooLarge(limit: Int)
    /// The address may not be asked: plain http to a host that isn't allowed it, or no address at all.
    case forbidden(reason: String)
    /// The queue in front of the host is full: nothing was sent.
    case queueFull
    /// Nothing was sent: the host's name could not be looked up in time just now; ask again after about this long.
    case gateShut(retryAfter: Duration)
    /// Nothing was sent, to keep to a limit; it may be asked again after about this long.
    case held(HoldReason, retryAfter: Duration)
    /// The task was cancelled.
    case cancelled

    /// A short label of fixed wording, for metrics and logs.
    package var label: String {
        switch self {
        case .status: "status"
        case .timedOut(let fault): "timeout-\(fault.phase.rawValue)"
        case .failed(let fault): "failed-\(fault.phase.rawValue)"
        case .tooLarge: "too-large"
        case .forbidden: "forbidden"
        case .queueFull: "queue-full"
        case .gateShut: "gate-shut"
        case .held(let reason, _): "held-\(reason.rawValue)"
        case .cancelled: "cancelled"
        }
    }
}

/// Why a host is not asked.
package enum HoldReason: String, Sendable, Hashable, Codable {
    /// What may be asked of it in this minute, hour or day is used up.
    case budget
    /// It failed too often, or said that it is asked too much.
    case breaker
    /// The client's share of the budget is used up.
    case client
    /// What one request may cost is used up: what is left can be asked for with the next.
    case request
}

/// An answer whose status is not 200.
package struct HTTPRefusal: Sendable, Hashable, Codable {
    /// A server that asks for a longer wait is taken to ask for this.
    package static let longestRetryAfter = Duration.seconds(3_600)

    /// The HTTP status, 100…999 but never 200.
    package var status: Int
    /// The Retry-After field, if it came as a number of seconds or as a date that can be read: from 0 to the longest.
    package var retryAfter: Duration?
    /// The decoded body, cut at the transport's limit for refusals.
    package var body: [UInt8]

    package init(status: Int, retryAfter: Duration? = nil, body: [UInt8] = []) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

/// What libcurl said of a transfer that failed.
package struct TransferFault: Sendable, Hashable, Codable {
    /// How far a transfer had come.
    package enum Phase: String, Sendable, Hashable, CaseIterable, Codable {
        /// It waited for a place in the queue in front of the host.
        case queue
        /// It was looking the host's name up.
        case resolve
        /// It was connecting.
        case connect
        /// It was agreeing on TLS.
        case tls
        /// It had sent its request and waited for the first byte.
        case wait
        /// It was receiving.
        case receive
    }

    package var phase: Phase
    /// libcurl's CURLcode; 0 if libcurl was not asked.
    package var code: Int
    /// libcurl's own words.
    package var message: String
    /// Whether the connection could not be made, or broke: the same question may be answered on another.
    package var isOfConnection: Bool

    package init(phase: Phase, code: Int, message: String, isOfConnection: Bool = false) {
        self.phase = phase
        self.code = code
        self.message = message
        self.isOfConnection = isOfConnection
    }
}
