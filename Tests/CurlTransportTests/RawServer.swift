import CLinux
import Foundation
import Synchronization

/// What a scripted server does with one connection, once it has read a request's header.
enum Step: Sendable {
    case send(String)
    case sendBytes([UInt8])
    /// Sends this piece again and again, `every` so often, until the peer leaves.
    case drip(String, every: Duration)
    /// Sends zeroes as fast as it can.
    case flood(bytes: Int)
    case wait(Duration)
    /// Goes on when as many requests are in flight on the server, or the peer leaves.
    case gather(Int)
    /// Says nothing more, and waits for the peer to leave.
    case hang
    case close
    /// Closes with a reset.
    case reset
}

/// A small HTTP server on threads of its own, on a free loopback port, that answers by script.
///
/// Each request is answered by what `script` makes of it; after its steps the next request of the connection is read.
final class RawServer: Sendable {
    struct Request: Sendable {
        /// "GET /path HTTP/1.1".
        let line: String
        let head: String
        /// Which connection, counted from 0.
        let connection: Int
        /// Which request of its connection, counted from 0.
        let number: Int

        var path: String { String(line.split(separator: " ").dropFirst().first ?? "") }
    }

    struct Seen: Sendable {
        var connections = 0
        var open = 0
        var mostOpen = 0
        /// Requests that were read, and whose last step is yet to come.
        var inFlight = 0
        var mostInFlight = 0
        var requests: [Request] = []
    }

    let port: Int
    private let listener: Int32
    private let script: @Sendable (Request) -> [Step]
    private let state = Mutex(Seen())

    init(script: @escaping @Sendable (Request) -> [Step]) {
        self.script = script
        (listener, port) = RawServer.listen(backlog: 1_024)
        let listener = listener
        let thread = Thread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 {
                    if errno == EINTR { continue }
                    break
                }
                let number = state.withLock { seen in
                    seen.connections += 1
                    seen.open += 1
                    seen.mostOpen = max(seen.mostOpen, seen.open)
                    return seen.connections - 1
                }
                let thread = Thread { [self] in
                    serve(connection, number)
                    Glibc.close(connection)
                    state.withLock { $0.open -= 1 }
                }
                thread.stackSize = 256 * 1_024
                thread.start()
            }
        }
        thread.start()
    }

    /// Ends accepting. Connections end as their peers leave.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
    }

    var seen: Seen { state.withLock { $0 } }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    static func listen(backlog: Int32) -> (descriptor: Int32, port: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, length) == 0)
                precondition(Glibc.listen(listener, backlog) == 0)
                precondition(getsockname(listener, $0, &length) == 0)
            }
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    private func serve(_ connection: Int32, _ number: Int) {
        var requests = 0
        while let head = readHead(connection) {
            let line = head.split(separator: "\r\n").first.map(String.init) ?? ""
            let request = Request(line: line, head: head, connection: number, number: requests)
            requests += 1
            state.withLock { seen in
                seen.requests.append(request)
                seen.inFlight += 1
                seen.mostInFlight = max(seen.mostInFlight, seen.inFlight)
            }
            let steps = script(request)
            var lives = true
            for (index, step) in steps.enumerated() where lives {
                // Before the peer can have the whole answer, and send the next request.
                if index == steps.count - 1 { state.withLock { $0.inFlight -= 1 } }
                lives = carryOut(step, connection)
                if !lives, index < steps.count - 1 { state.withLock { $0.inFlight -= 1 } }
            }
            guard lives else { return }
        }
    }

    /// - Returns: Whether the connection lives on.
    private func carryOut(_ step: Step, _ connection: Int32) -> Bool {
        switch step {
        case .send(let text): return write(Array(text.utf8), connection)
        case .sendBytes(let bytes): return write(bytes, connection)
        case .drip(let text, let every):
            while write(Array(text.utf8), connection) {
                if peerLeaves(connection, within: every) { return false }
            }
            return false
        case .flood(var bytes):
            let piece = [UInt8](repeating: 0x30, count: 65_536)
            while bytes > 0 {
                guard write(Array(piece.prefix(bytes)), connection) else { return false }
                bytes -= piece.count
            }
            return true
        case .wait(let time): return !peerLeaves(connection, within: time)
        case .gather(let number):
            while state.withLock({ $0.mostInFlight }) < number {
                if peerLeaves(connection, within: .milliseconds(5)) { return false }
            }
            return true
        case .hang:
            _ = peerLeaves(connection, within: .seconds(60))
            return false
        case .close: return false
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            return false
        }
    }

    private func readHead(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard recv(connection, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(_ bytes: [UInt8], _ connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Waits for the peer to close, no longer than this.
    private func peerLeaves(_ connection: Int32, within time: Duration) -> Bool {
        let end = ContinuousClock.now.advanced(by: time)
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return false }
            var descriptor = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, Int32(left / .milliseconds(1)) + 1) > 0 else { continue }
            var byte: UInt8 = 0
            if recv(connection, &byte, 1, Int32(MSG_PEEK)) <= 0 { return true }
        }
    }
}

/// An answer with a body and its length.
func answer(
    _ status: String = "200 OK", _ body: String, _ fields: [String] = ["Content-Type: application/json"]
) -> Step {
    .send(
        "HTTP/1.1 \(status)\r\n" + fields.map { $0 + "\r\n" }.joined()
            + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
}
