/// One request as a web server hands it on, by FastCGI or CGI.
public struct GatewayRequest: Sendable {
    /// The CGI variables (RFC 3875, section 4.1; FastCGI 1.0, section 5.2), without HTTP_PROXY: that one is a
    /// browser's header and would be taken for a setting.
    public var parameters: Parameters
    /// The body, whole.
    public var body: [UInt8]
    /// When the request began to arrive.
    public var arrival: ContinuousClock.Instant

    public init(
        parameters: Parameters, body: [UInt8] = [], arrival: ContinuousClock.Instant = .now
    ) {
        self.parameters = parameters
        self.body = body
        self.arrival = arrival
    }

    /// REQUEST_METHOD, "GET" if there is none.
    public var method: String { parameters["REQUEST_METHOD"] ?? "GET" }

    var isHead: Bool { parameters.holds("HEAD", for: "REQUEST_METHOD") }
}

/// An answer to a web server: a CGI document response (RFC 3875, section 6.2.1).
public struct GatewayResponse: Sendable {
    /// A header field.
    ///
    /// When it is written, a field is left out whose name isn't an HTTP token, whose value holds CR, LF or NUL, or
    /// that belongs to the web server (Status and Content-Length, which are written from `status` and `body`,
    /// and those of one connection, such as Transfer-Encoding).
    public struct Field: Sendable, Hashable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The HTTP status, 200…599.
    public var status: Int
    /// The header fields but Status and Content-Length, which are written from `status` and `body`.
    public var fields: [Field]
    /// More header lines, encoded already: "Name: value\r\n" each. What is answered often is kept so.
    public var encodedFields: [UInt8] = []
    /// The body; of a HEAD request the one that GET would have, which is then measured and not sent.
    public var body: [UInt8]
    /// What goes to the web server's error log (the STDERR stream; standard error of a CGI process).
    public var standardError: [UInt8] = []
    /// What the handler wants to know of the request again when it is finished.
    public var tag: Int?
    /// What the handler wants to say of this request in the log, by key.
    public var notes: [(key: StaticString, value: String)]

    public init(
        status: Int, fields: [Field] = [], body: [UInt8] = [],
        notes: [(key: StaticString, value: String)] = []
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.notes = notes
    }
}

/// Why the gateway itself refuses a request, which the handler then never gets: in words for metrics and logs.
public enum GatewayRefusal: String, Error, CaseIterable, Sendable {
    case tooManyConnections = "too many connections"
    case tooManyRequests = "too many requests"
    case tooManyOnConnection = "too many requests on one connection"
    case stopping = "stopping"
    case parametersTooLarge = "parameters too large"
    case parametersUnreadable = "parameters unreadable"
    case contentLengthUnreadable = "content length unreadable"
    case lengthRequired = "content length missing"
    case bodyTooLarge = "body too large"
    case bodyTooShort = "body shorter than its content length"
    case bodyTooLong = "body longer than its content length"
    case tooSlow = "request arrived too slowly"

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
}
