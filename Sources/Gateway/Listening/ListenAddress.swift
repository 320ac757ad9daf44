internal import Glibc

/// Where to listen: "unix:/path", "127.0.0.1:9000" or "[::1]:9000".
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    case unix(path: String)
    /// A numeric IPv4 address; port 0 lets the system choose.
    case ipv4(String, port: UInt16)
    /// A numeric IPv6 address, without brackets.
    case ipv6(String, port: UInt16)

    /// Reads an address. "localhost" is 127.0.0.1; other names aren't looked up.
    public init(_ text: String) throws(ListenError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw .unreadableAddress(text) }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { throw .unreadableAddress(text) }
        let host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = String(host.dropFirst().dropLast())
            var address = in6_addr()
            guard inet_pton(AF_INET6, inner, &address) == 1 else { throw .unreadableAddress(text) }
            self = .ipv6(inner, port: port)
        } else {
            let numeric = host == "localhost" ? "127.0.0.1" : host
            var address = in_addr()
            guard inet_pton(AF_INET, numeric, &address) == 1 else { throw .unreadableAddress(text) }
            self = .ipv4(numeric, port: port)
        }
    }

    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .ipv4(let host, let port): "\(host):\(port)"
        case .ipv6(let host, let port): "[\(host)]:\(port)"
        }
    }
}
