internal import CLinux
internal import EventLoop
internal import Glibc
internal import Synchronization

/// A socket that connections are accepted from, non-blocking and closed on exec.
public final class ListeningSocket: Sendable {
    /// The file that a unix socket made, so that none that came after it is removed.
    private struct SocketFile {
        var path: String
        var device: dev_t
        var inode: ino_t
    }

    let descriptor: Int32
    /// What it is bound to, for people: "unix:/path", "127.0.0.1:9000", or "descriptor 0" if that isn't known.
    public let name: String
    /// What it is bound to; of TCP with the port that the system chose.
    public let address: ListenAddress?
    /// Whether connections are TCP's.
    let isTCP: Bool
    /// Whether others may hold it too, so that what waits in it isn't lost when it is closed.
    let isInherited: Bool
    /// Nil once it is removed.
    private let file: Mutex<SocketFile?>
    private let isOpen = Atomic(true)

    private init(
        descriptor: Int32, isInherited: Bool, file: SocketFile?, renamedTo renamed: ListenAddress? = nil
    ) {
        self.descriptor = descriptor
        self.isInherited = isInherited
        let bound = SocketAddress(of: descriptor) { getsockname($0, $1, $2) }
        address = renamed ?? bound?.listenAddress
        name = address?.description ?? "descriptor \(descriptor)"
        isTCP = bound?.family == AF_INET || bound?.family == AF_INET6
        self.file = Mutex(file)
    }

    deinit {
        close()
    }

    /// Binds and listens with the largest backlog that the system allows.
    ///
    /// A unix socket's file that no process listens on any more is replaced.
    ///
    /// - Parameters:
    ///   - mode: The permissions of a unix socket's file.
    ///   - replacing: Takes a unix socket's place from the process that listens there now: a socket of another name
    ///     is renamed over its file, so that there is no moment without one. That process keeps what waits in its own
    ///     backlog, and serves it when it is told to stop.
    public static func listen(
        on address: ListenAddress, mode: UInt32 = 0o660, replacing: Bool = false
    ) throws(ListenError) -> ListeningSocket {
        var bound = address
        if replacing, case .unix(let path) = address {
            let temporary = "\(path).\(getpid())"
            // Left by a process of the same number that died in between.
            unlink(temporary)
            bound = .unix(path: temporary)
        }
        let socketAddress = try SocketAddress(bound)
        if case .unix(let path) = bound { try removeStale(path, socketAddress) }
        let descriptor = try open(socketAddress, as: bound)
        do throws(ListenError) {
            return try bind(descriptor, to: bound, socketAddress, mode, renamingTo: address)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    private static func open(
        _ address: SocketAddress, as name: ListenAddress
    ) throws(ListenError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else {
            throw .system(address: name.description, SystemError(call: "socket"))
        }
        return descriptor
    }

    private static func bind(
        _ descriptor: Int32, to address: ListenAddress, _ socketAddress: SocketAddress, _ mode: mode_t,
        renamingTo final: ListenAddress
    ) throws(ListenError) -> ListeningSocket {
        func check(_ call: String, _ result: Int32) throws(ListenError) {
            guard result != 0 else { return }
            let error = SystemError(call: call)
            if error.number == EADDRINUSE { throw .inUse(address.description) }
            throw .system(address: address.description, error)
        }
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if case .unix = address {
            // The file is made with no more than these, whatever the umask; chmod then adds what the umask took.
            try check("fchmod", fchmod(descriptor, mode))
        } else {
            try check("setsockopt", setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, size))
        }
        if socketAddress.family == AF_INET6 {
            try check(
                "setsockopt", setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, size))
        }
        try check("bind", socketAddress.with { Glibc.bind(descriptor, $0, $1) })
        var file: SocketFile?
        if case .unix(let path) = address {
            var status = stat()
            try check("chmod", chmod(path, mode))
            try check("lstat", lstat(path, &status))
            file = SocketFile(path: path, device: status.st_dev, inode: status.st_ino)
        }
        // As many as net.core.somaxconn lets wait: nginx makes a 502 at once of a full backlog of a unix socket.
        try check("listen", Glibc.listen(descriptor, .max))
        if final != address, case .unix(let path) = final, let temporary = file?.path {
            let result = rename(temporary, path)
            if result != 0 { unlink(temporary) }
            try check("rename", result)
            file?.path = path
        }
        return ListeningSocket(
            descriptor: descriptor, isInherited: false, file: file, renamedTo: final == address ? nil : final)
    }

    /// Checks whether `listen` could work, and leaves no trace. A live process that listens there now is no fault.
    package static func check(_ address: ListenAddress) throws(ListenError) {
        let socketAddress = try SocketAddress(address)
        if case .unix(let path) = address {
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK { throw .notASocket(path) }
            let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
            guard access(folder ?? ".", W_OK | X_OK) == 0 else {
                throw .system(address: address.description, SystemError(call: "access"))
            }
            return
        }
        let descriptor = try open(socketAddress, as: address)
        defer { Glibc.close(descriptor) }
        guard socketAddress.with({ Glibc.bind(descriptor, $0, $1) }) == 0 || errno == EADDRINUSE else {
            throw .system(address: address.description, SystemError(call: "bind"))
        }
    }

    /// Takes over a listening socket that another process made, such as descriptor 0 from spawn-fcgi.
    public static func inherited(_ descriptor: Int32) throws(ListenError) -> ListeningSocket {
        guard isListening(descriptor) else { throw .notListening(descriptor) }
        let flags = clinux_fcntl_get(descriptor, F_GETFL)
        guard flags >= 0, clinux_fcntl_set(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            clinux_fcntl_set(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw .system(address: "descriptor \(descriptor)", SystemError(call: "fcntl")) }
        return ListeningSocket(descriptor: descriptor, isInherited: true, file: nil)
    }

    /// Whether a descriptor is a listening socket (SO_ACCEPTCONN). getpeername(2), which the FastCGI specification
    /// names, takes a connection whose peer has reset it for one.
    static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
    }

    /// Whether handshakes that have begun may end after `stopListening()`.
    var letsHandshakesFinish: Bool { isTCP && !isInherited }

    /// Lets nobody else in, while those who wait can still be accepted.
    ///
    /// Whoever comes to a TCP socket now is answered neither yes nor no, and comes to a successor a second later if
    /// there is one. A socket that others may hold is left as it is.
    func stopListening() {
        guard !isInherited else { return }
        if isTCP {
            // If it fails, those that come until the socket is closed are reset.
            clinux_drop_new_connections(descriptor)
        } else {
            removeFile()
            shutdown(descriptor, Int32(SHUT_RD))
        }
    }

    /// Closes the socket, and removes a unix socket's file if it is still the one that was made. A second call does
    /// nothing.
    public func close() {
        removeFile()
        if isOpen.exchange(false, ordering: .acquiringAndReleasing) { Glibc.close(descriptor) }
    }

    private func removeFile() {
        guard let file = file.withLock({ $0.take() }) else { return }
        var status = stat()
        if lstat(file.path, &status) == 0, status.st_dev == file.device, status.st_ino == file.inode {
            unlink(file.path)
        }
    }

    // MARK: Details

    /// Removes a socket file that nobody listens on.
    private static func removeStale(_ path: String, _ address: SocketAddress) throws(ListenError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let probe = try open(address, as: .unix(path: path))
        defer { Glibc.close(probe) }
        let result = address.with { connect(probe, $0, $1) }
        let number = errno
        // EAGAIN: it is alive, and its backlog is full.
        if result == 0 || number == EAGAIN { throw .inUse("unix:\(path)") }
        guard number == ECONNREFUSED || number == ENOENT else {
            throw .system(address: "unix:\(path)", SystemError(call: "connect", number: number))
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw .system(address: "unix:\(path)", SystemError(call: "unlink"))
        }
    }
}
