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

    /// REQUEST_METHOD, "GET" where there is none.
    public var method: String { parameters["REQUEST_METHOD"] ?? "GET" }

    var isHead: Bool { parameters.holds("HEAD", for: "REQUEST_METHOD") }
}
