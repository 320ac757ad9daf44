/// What one process takes on. Every number must be positive.
public struct GatewayLimits: Sendable {
    /// FastCGI connections at once. One more is accepted, answered 503 and closed.
    public var connections = 12_000
    /// Requests at once over all connections. One more is answered 503.
    public var requestsInFlight = 12_000
    /// Requests at once on one connection. One more is answered 503.
    public var requestsPerConnection = 64
    /// Bytes of the CGI variables of one request, with their lengths as FastCGI sends them. More is answered 431.
    public var parameterBytes = 32_768
    /// Bytes of one request's body. More is answered 413.
    public var bodyBytes = 65_536
    /// For a request to arrive whole, from its first record on, and for the first byte of a new connection.
    public var arrivalTimeout = Duration.seconds(5)
    /// Without progress in writing an answer, after which the connection is closed.
    public var writeTimeout = Duration.seconds(10)
    /// Bytes of answers that wait for one connection's peer, above which nothing more is read from it.
    public var queuedBytes = 262_144
    /// Bytes that are read and thrown away after the last answer, so that closing doesn't reset the connection.
    public var lingerBytes = 1_048_576
    /// How long bytes are thrown away so.
    public var lingerTimeout = Duration.seconds(2)
    /// How long a connection that has said nothing yet is waited for when the process stops.
    public var silenceTimeout = Duration.milliseconds(300)
    /// How long a cancelled task is waited for when the process stops.
    public var cancellationTimeout = Duration.seconds(2)

    public init() {}
}
