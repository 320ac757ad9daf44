/// Something that the gateway wants logged and that belongs to no request.
public enum GatewayEvent: Sendable, CustomStringConvertible {
    /// A connection sent what can't be read and was closed; its requests were cancelled.
    case malformed(reason: String)
    /// A handler's answer had a header block of more than 4 kB, which servers don't take; 500 was sent.
    case headTooLarge
    /// accept(2) failed on a listening socket; it is tried again.
    case acceptFailed(address: String, error: String)
    /// No descriptor was left for a connection, which was closed unanswered. Told once a second at the most.
    case descriptorsExhausted(address: String)
    /// A TCP peer isn't in FCGI_WEB_SERVER_ADDRS.
    case peerRefused(address: String)
    /// A connection couldn't be waited for with epoll.
    case connectionFailed(error: String)

    public var description: String {
        switch self {
        case .malformed(let reason): "closed a FastCGI connection: \(reason)"
        case .headTooLarge: "an answer's header fields took more than 4 kB; 500 was sent in its place"
        case .acceptFailed(let address, let error): "can't accept a connection on \(address): \(error)"
        case .descriptorsExhausted(let address):
            "no descriptor left for a connection on \(address): raise the limit of open files (ulimit -n)"
        case .peerRefused(let address):
            "refused a connection from \(address), which FCGI_WEB_SERVER_ADDRS doesn't name"
        case .connectionFailed(let error): "can't wait for a connection: \(error)"
        }
    }
}
