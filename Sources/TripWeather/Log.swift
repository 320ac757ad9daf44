internal import CLinux
internal import Glibc
internal import Synchronization
internal import Weather

/// The program's log: JSON lines, gathered and written to a descriptor before a loop waits, so that a slow
/// reader of the log never keeps a request waiting. Lines that find no room are dropped and counted.
final class Log: Sendable {
    /// Which lines of requests are written.
    enum Requests: String, Sendable, CaseIterable {
        /// All of them in a daemon, failures in a CGI process, whose log is the web server's error log.
        case auto
        case all, failures, none
    }

    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var requests = Requests.auto
    }

    /// What waits at most, in bytes.
    private static let bound = 1 << 20
    /// What a pipe that is ready takes without blocking (PIPE_BUF, pipe(7)).
    private static let step = 4_096

    private let state = Mutex(State())
    /// Held by whoever writes: an empty array whose room is used again.
    private let writing = Mutex([UInt8]())
    private let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    var requests: Requests {
        get { state.withLock { $0.requests } }
        set { state.withLock { $0.requests = newValue } }
    }

    /// How many lines were dropped since the start.
    var dropped: Int { state.withLock { $0.dropped } }

    func write(_ line: consuming LogLine) {
        let bytes = line.finished()
        state.withLock { state in
            if state.waiting.count + bytes.count > Log.bound {
                state.dropped += 1
            } else {
                state.waiting.append(contentsOf: bytes)
            }
        }
    }

    /// Writes a line about the program itself, for example "listening".
    func write(
        _ event: StaticString, level: StaticString = "info", _ fields: [(StaticString, String)] = []
    ) {
        var line = LogLine(level: level, event: event, unixTime: unixTimeNow())
        for (key, value) in fields { line.field(key, text: value) }
        write(line)
    }

    /// Writes what an operator should change in the configuration.
    func warn(_ warnings: [String]) {
        for warning in warnings { write("configuration", level: "warning", [("message", warning)]) }
    }

    /// Writes what waits, as far as the descriptor takes it without blocking.
    func flush() {
        // Another loop may be writing: it takes these lines too, or they go next time.
        writing.withLockIfAvailable { lines in
            // Swapped: emptying an array that somebody still holds would allocate it again.
            state.withLock { swap(&$0.waiting, &lines) }
            guard !lines.isEmpty else { return }
            let written = put(lines)
            if written < lines.count {
                state.withLock { $0.waiting.insert(contentsOf: lines[written...], at: 0) }
            }
            lines.removeAll(keepingCapacity: lines.capacity <= 65_536)
        }
    }

    private func put(_ bytes: [UInt8]) -> Int {
        var written = 0
        while written < bytes.count {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&request, 1, 0) == 1 else { return written }
            // Nobody reads any more: the lines have nowhere to go.
            guard Int32(request.revents) & (POLLERR | POLLNVAL) == 0 else { return bytes.count }
            let result = bytes[written..<min(bytes.count, written + Log.step)].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard result > 0 else { return errno == EINTR || errno == EAGAIN ? written : bytes.count }
            written += result
        }
        return written
    }
}

/// One line of the log: a JSON object, written field by field into bytes.
struct LogLine {
    private(set) var bytes: [UInt8] = []

    init(level: StaticString, event: StaticString, unixTime: Double) {
        bytes.reserveCapacity(256)
        bytes.append(UInt8(ascii: "{"))
        field("time", text: utcTime(unixTime))
        field("level", text: "\(level)")
        field("event", text: "\(event)")
    }

    mutating func field(_ key: StaticString, text: String) {
        name(key)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { append(escaped: byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func field(_ key: StaticString, number: Int) {
        name(key)
        bytes.append(contentsOf: String(number).utf8)
    }

    /// In milliseconds, to a tenth.
    mutating func field(_ key: StaticString, duration: Duration) {
        name(key)
        let tenths = Int((duration.inSeconds * 10_000).rounded())
        bytes.append(contentsOf: "\(tenths / 10).\(tenths % 10)".utf8)
    }

    /// Ends the line.
    consuming func finished() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private mutating func name(_ key: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0..<0x20, 0x7f:
            bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}

/// Seconds since 1970, UTC.
func unixTimeNow() -> Double {
    Double(clinux_unix_nanoseconds()) / 1e9
}

/// "2026-12-10T14:05:09.123Z" (RFC 3339).
func utcTime(_ unixTime: Double) -> String {
    let milliseconds = Int((unixTime * 1_000).rounded(.down))
    let seconds = milliseconds / 1_000
    let time = LocalTime(unixTime: seconds, utcOffset: 0)
    // With a digit before them, which goes: it keeps their leading zeros.
    let (second, millisecond) = ("\(100 + seconds % 60)", "\(1_000 + milliseconds % 1_000)")
    return "\(time.date)T\(time.clock):\(second.dropFirst()).\(millisecond.dropFirst())Z"
}
