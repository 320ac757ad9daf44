public import EventLoop
internal import Glibc

/// Where to listen: "unix:/path", "127.0.0.1:9000" or "[::1]:9000".
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    case unix(path: String)
    /// A numeric address, of IPv6 without brackets; port 0 lets the system choose.
    case tcp(String, port: UInt16)

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
        let isIPv6 = host.hasPrefix("[") && host.hasSuffix("]")
        let bare = isIPv6 ? String(host.dropFirst().dropLast()) : host == "localhost" ? "127.0.0.1" : host
        self = .tcp(bare, port: port)
        guard let address = try? SocketAddress(self), address.family == (isIPv6 ? AF_INET6 : AF_INET) else {
            throw .unreadableAddress(text)
        }
    }

    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}

/// Why a socket can't be listened on, in words for the person who starts the program.
public enum ListenError: Error, Sendable, Hashable, CustomStringConvertible {
    /// An address that is neither "unix:/path" nor "host:port".
    case unreadableAddress(String)
    /// A path longer than the system's 107 bytes.
    case pathTooLong(String)
    /// A live process listens on the socket file already.
    case inUse(String)
    /// The path exists and isn't a socket.
    case notASocket(String)
    /// A descriptor handed over isn't a listening socket.
    case notListening(Int32)
    /// A system call failed.
    case system(address: String, SystemError)

    public var description: String {
        switch self {
        case .unreadableAddress(let text):
            "can't listen on \"\(text)\": write unix:/path, 127.0.0.1:9000 or [::1]:9000"
        case .pathTooLong(let path): "can't listen on unix:\(path): the path has more than 107 bytes"
        case .inUse(let address):
            "can't listen on \(address): another process listens there; stop it or choose another address"
        case .notASocket(let path):
            "can't listen on unix:\(path): there is a file that isn't a socket; move it away"
        case .notListening(let descriptor):
            "descriptor \(descriptor) was handed over to listen on, and isn't a listening socket"
        case .system(let address, let error): "can't listen on \(address): \(error)"
        }
    }
}
