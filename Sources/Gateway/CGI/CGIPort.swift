internal import CLinux
internal import EventLoop
internal import Glibc

/// A descriptor that was handed over, read or written without ever blocking where the system lets it be known.
///
/// O_NONBLOCK would change it for those who share it, such as a terminal or standard error: pipes and sockets are
/// waited for with epoll instead, and files and devices, which epoll refuses and which don't block for long, are used
/// directly.
struct CGIPort {
    private enum Kind {
        case pipe
        case socket
        case file
    }

    enum Outcome {
        case bytes(Int)
        case wouldBlock
        /// The end of the stream, or nobody at the other end.
        case ended
        case failed(SystemError)
    }

    let descriptor: Int32
    private let kind: Kind

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            kind = .file
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFIFO: kind = .pipe
        case S_IFSOCK: kind = .socket
        default: kind = .file
        }
    }

    /// Whether readiness can be waited for.
    var canWait: Bool { kind != .file }

    /// Reads what is there; of a pipe only after it was told to be readable.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome("read") {
            switch kind {
            case .socket: recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            case .pipe, .file: Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
        } ends: {
            $0 == 0
        }
    }

    /// Writes what fits; of a pipe only after it was told to be writable.
    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        outcome("write") {
            switch kind {
            case .socket: send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            // A writable pipe takes a page without blocking (pipe(7), PIPE_BUF).
            case .pipe: Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, 4_096))
            case .file: Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
        } ends: { _ in
            false
        }
    }

    private func outcome(_ call: String, _ body: () -> Int, ends: (Int) -> Bool) -> Outcome {
        while true {
            let count = body()
            if count >= 0 { return ends(count) ? .ended : .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            case EPIPE, ECONNRESET: return .ended
            default: return .failed(SystemError(call: call))
            }
        }
    }

    /// Whether a pipe or socket would take or give something now.
    func isReady(for events: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0
    }
}
