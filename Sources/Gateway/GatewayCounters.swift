/// Numbers of a server at one moment; those that count events only grow.
public struct GatewayCounters: Sendable, Hashable {
    /// Open connections of each loop, in the order of the loops; those over the limit aren't among them.
    public var connectionsByLoop: [Int] = []
    /// Requests begun and not over.
    public var requestsInFlight = 0
    /// Connections accepted, those over the limit among them.
    public var acceptedConnections = 0
    /// Connections closed for what they sent.
    public var malformedConnections = 0
    /// Requests handed to the handler.
    public var requests = 0
    /// Answers taken whole by the kernel, refusals not among them.
    public var answered = 0
    /// Requests given up by the server while they were handled.
    public var cancelled = 0
    /// Requests given up by the server before they had arrived whole.
    public var dropped = 0
    /// Answers that the server didn't take whole.
    public var cut = 0
    /// Requests answered in the handler's place, by reason.
    public var refused: [String: Int] = [:]

    /// Open connections.
    public var connections: Int { connectionsByLoop.reduce(0, +) }

    /// Adds what another loop has counted.
    mutating func add(_ other: GatewayCounters) {
        acceptedConnections += other.acceptedConnections
        malformedConnections += other.malformedConnections
        requests += other.requests
        answered += other.answered
        cancelled += other.cancelled
        dropped += other.dropped
        cut += other.cut
        refused.merge(other.refused, uniquingKeysWith: +)
    }
}
