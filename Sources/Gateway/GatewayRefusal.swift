/// Why the gateway itself refuses a request, which the handler then never gets.
public enum GatewayRefusal: Error, CaseIterable, Sendable {
    case tooManyConnections
    case tooManyRequests
    case tooManyOnConnection
    case stopping
    case parametersTooLarge
    case parametersUnreadable
    case contentLengthUnreadable
    case lengthRequired
    case bodyTooLarge
    case bodyTooShort
    case bodyTooLong
    case tooSlow

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .tooManyConnections, .tooManyRequests, .tooManyOnConnection, .stopping: 503
        case .parametersTooLarge: 431
        case .bodyTooLarge: 413
        case .lengthRequired: 411
        case .tooSlow: 408
        case .parametersUnreadable, .contentLengthUnreadable, .bodyTooShort, .bodyTooLong: 400
        }
    }

    /// A short label of fixed wording, for metrics and logs.
    public var reason: String {
        switch self {
        case .tooManyConnections: "too many connections"
        case .tooManyRequests: "too many requests"
        case .tooManyOnConnection: "too many requests on one connection"
        case .stopping: "stopping"
        case .parametersTooLarge: "parameters too large"
        case .parametersUnreadable: "parameters unreadable"
        case .contentLengthUnreadable: "content length unreadable"
        case .lengthRequired: "content length missing"
        case .bodyTooLarge: "body too large"
        case .bodyTooShort: "body shorter than its content length"
        case .bodyTooLong: "body longer than its content length"
        case .tooSlow: "request arrived too slowly"
        }
    }

    /// What a person reads.
    private var sentence: String {
        switch self {
        case .tooManyConnections, .tooManyRequests, .tooManyOnConnection:
            "The server is too busy. Please try again in a moment."
        case .stopping: "The server is restarting. Please try again in a moment."
        case .parametersTooLarge: "The request's address and header fields are too large together."
        case .parametersUnreadable: "The request's parameters can't be read."
        case .contentLengthUnreadable: "The request's Content-Length is not a number."
        case .lengthRequired: "The request needs a Content-Length."
        case .bodyTooLarge: "The request's body is too large."
        case .bodyTooShort: "The request's body ended before its Content-Length."
        case .bodyTooLong: "The request's body goes on after its Content-Length."
        case .tooSlow: "The request didn't arrive in time."
        }
    }

    /// The answer as plain text, for handlers that don't write one of their own.
    public var response: GatewayResponse {
        var fields = [
            GatewayResponse.Field("Content-Type", "text/plain; charset=utf-8"),
            GatewayResponse.Field("Cache-Control", "no-store"),
        ]
        if status == 503 { fields.append(GatewayResponse.Field("Retry-After", "1")) }
        return GatewayResponse(status: status, fields: fields, body: Array((sentence + "\n").utf8))
    }
}
