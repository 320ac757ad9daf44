/// Reads an answer as libcurl hands it over: header lines, then pieces of the decoded body.
struct AnswerReader {
    /// Why it will take no more.
    enum Full: Equatable {
        case tooLarge(limit: Int)
        /// An answer other than 200 whose body was cut: it still counts as an answer.
        case refusal
    }

    private let limits: CurlConfiguration

    /// The status of the last status line; 0 before the first.
    private(set) var status = 0
    /// The Retry-After field as it came.
    private(set) var retryAfter: String?
    private(set) var body: [UInt8] = []
    /// Bytes of all header lines so far.
    private(set) var headerBytes = 0
    /// Whether the blank line after a final status's fields was seen.
    private(set) var isHeaderComplete = false
    private(set) var full: Full?
    private var contentLength = 0

    init(_ limits: CurlConfiguration) {
        self.limits = limits
    }

    /// Takes the body away, so that it is handed on without a copy.
    mutating func takeBody() -> [UInt8] {
        defer { body = [] }
        return body
    }

    /// Takes one header line, its line end included. Answers whether it takes more.
    mutating func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= limits.headerBytes else {
            full = .tooLarge(limit: limits.headerBytes)
            return false
        }
        // What comes after the body are trailers: counted, not read.
        guard !isHeaderComplete else { return true }
        if line.starts(with: "HTTP/".utf8) {
            // An answer may follow interim ones (1xx), whose fields are not its own.
            status = AnswerReader.status(in: line)
            retryAfter = nil
            contentLength = 0
            return true
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
                isHeaderComplete = status >= 200
            }
            return true
        }
        let name = line[..<colon]
        let value = line[(colon + 1)...]
        if AnswerReader.isField(name, "retry-after") {
            retryAfter = AnswerReader.text(value)
        } else if AnswerReader.isField(name, "content-length") {
            contentLength = Int(AnswerReader.text(value)) ?? 0
        }
        return true
    }

    /// Takes a piece of the body. Answers whether it takes more.
    mutating func takeBody(_ piece: UnsafeRawBufferPointer) -> Bool {
        let limit = status == 200 ? limits.answerBytes : limits.refusalBytes
        // Content-Length is the encoded length: only a hint.
        if body.isEmpty { body.reserveCapacity(min(max(contentLength, piece.count), limit)) }
        let room = limit - body.count
        if piece.count <= room {
            body.append(contentsOf: piece)
            return true
        }
        if status == 200 {
            full = .tooLarge(limit: limit)
            body = []
        } else {
            full = .refusal
            body.append(contentsOf: piece.prefix(room))
        }
        return false
    }

    /// The number after the first space of "HTTP/1.1 200 OK"; 0 if there is none.
    private static func status(in line: UnsafeRawBufferPointer) -> Int {
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return 0 }
        var status = 0
        for byte in line[(space + 1)...].prefix(3) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            status = status * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return status
    }

    private static func isField(_ name: Slice<UnsafeRawBufferPointer>, _ wanted: StaticString) -> Bool {
        guard name.count == wanted.utf8CodeUnitCount else { return false }
        return wanted.withUTF8Buffer { wanted in
            // The wanted names are letters and hyphens, which this bit leaves alone.
            zip(name, wanted).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    private static func text(_ value: Slice<UnsafeRawBufferPointer>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a }
        let begun = value.drop(while: isSpace)
        let end = begun.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? begun.startIndex
        return String(decoding: begun[..<end], as: UTF8.self)
    }
}
