import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Gateway

/// The web server's side of one connection: a socket that is polled, so that no test can hang on it.
final class TestClient {
    let descriptor: Int32
    private(set) var received = ReadRecords()
    private(set) var byteCount = 0
    private(set) var isAtEnd = false
    private(set) var wasReset = false
    private var isOpen = true

    init(to address: ListenAddress, receiveBuffer: Int32? = nil) throws {
        let socketAddress = try SocketAddress(address)
        descriptor = socket(
            socketAddress.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        let result = socketAddress.with { Glibc.connect(descriptor, $0, $1) }
        guard result == 0 else { throw SystemError(call: "connect") }
    }

    deinit { close() }

    /// Sends all. What the peer doesn't take (EPIPE) is lost.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads what is there.
    func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isAtEnd {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                byteCount += count
                received.append(Array(buffer[..<count]))
            } else if count == 0 {
                isAtEnd = true
            } else if errno == EAGAIN {
                return
            } else {
                isAtEnd = true
                wasReset = true
            }
        }
    }

    /// Reads until an END_REQUEST for `id` has come.
    func answer(id: UInt16 = 1, count: Int = 1, within limit: Duration = .seconds(30)) async throws -> Answer
    {
        let came = await eventually(within: limit) {
            read()
            return received.ends(id: id) >= count || isAtEnd
        }
        try #require(came && received.ends(id: id) >= count, "no answer: \(received.records.count) records")
        return received.answer(id: id)
    }

    func waitForEnd(within limit: Duration = .seconds(30)) async -> Bool {
        await eventually(within: limit) {
            read()
            return isAtEnd
        }
    }

    func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with a reset.
    func reset() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }
}
