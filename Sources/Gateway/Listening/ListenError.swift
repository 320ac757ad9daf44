public import EventLoop

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
