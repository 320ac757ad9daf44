internal import CLinux
internal import Glibc

/// How the process was started, and so which protocol it speaks.
public enum StartMode: Sendable {
    /// Listening sockets were handed over: by systemd (LISTEN_FDS), or as descriptor 0 by a process manager
    /// (FastCGI 1.0, section 2.2).
    case fastCGI([ListeningSocket])
    /// One request stands in the environment and on standard input (RFC 3875). Arguments must be ignored: a query
    /// without "=" arrives as such (section 4.4).
    case cgi
    /// By neither: listen where the configuration says, or tell how to start the program.
    case standalone

    /// Looks at the environment and descriptor 0. The variables of systemd's protocol are taken out of the process's
    /// environment, so that no process started from here takes them for its own.
    ///
    /// Call it before other threads run, since it changes the environment.
    ///
    /// - Parameter environment: `Parameters.ofProcess()` but for tests.
    public static func detect(
        environment: Parameters = .ofProcess(), standardInput: Int32 = 0
    ) throws(ListenError) -> StartMode {
        defer { for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"] { unsetenv(name) } }
        if let count = handedOver(environment) {
            let descriptors = firstHandedOver..<firstHandedOver + count
            return .fastCGI(try descriptors.map(ListeningSocket.inherited))
        }
        if ListeningSocket.isListening(standardInput) {
            return .fastCGI([try ListeningSocket.inherited(standardInput)])
        }
        return environment.bytes("GATEWAY_INTERFACE") == nil ? .standalone : .cgi
    }

    /// SD_LISTEN_FDS_START.
    private static let firstHandedOver: Int32 = 3

    /// How many sockets systemd handed to this process; nil if it handed none, or to another.
    private static func handedOver(_ environment: Parameters) -> Int32? {
        guard let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0, count < 1_024,
            environment["LISTEN_PID"].flatMap({ pid_t($0) }) == getpid()
        else { return nil }
        return count
    }
}

extension Parameters {
    /// The process's environment without HTTP_PROXY, which in a CGI process is a browser's header.
    public static func ofProcess() -> Parameters {
        var parameters = Parameters()
        var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let text = entry.pointee {
            let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
            if let equals = bytes.firstIndex(of: UInt8(ascii: "=")) {
                parameters.append(name: bytes[..<equals], value: bytes[(equals + 1)...])
            }
            entry += 1
        }
        return parameters
    }
}

/// Makes a process fit to hold connections; call it first in `main`, before any descriptor is opened.
///
/// Descriptors 0 to 2 that were closed by whoever started the process are opened on /dev/null (the FastCGI
/// specification, section 2.2, starts responders without 1 and 2): else a connection could become standard output,
/// and a stray line of text would go to a web server. A write to a closed connection becomes an error instead of
/// SIGPIPE. The soft limit of open files is raised to the hard one.
///
/// - Returns: How many descriptors the process may have.
@discardableResult
public func prepareProcess() -> Int {
    for descriptor: Int32 in 0...2 where clinux_fcntl_get(descriptor, F_GETFD) < 0 && errno == EBADF {
        // The lowest free descriptor is this one, since those below are open by now.
        _ = clinux_open("/dev/null", O_RDWR, 0)
    }
    signal(SIGPIPE, SIG_IGN)
    return Int(clinux_raise_descriptor_limit())
}
