/// One request of a connection, as far as it has come.
struct RequestIntake {
    enum Phase {
        /// The variables arrive. With a refusal they are read to their end, and then it is answered.
        case parameters(NameValueDecoder, Refusal?)
        /// The body arrives.
        case body(BodyCollector)
        /// The handler has it.
        case handled(isHead: Bool)
        /// The server gave it up while the handler had it, and is told when the handler is done.
        case aborting
    }

    let id: UInt16
    let keepsConnection: Bool
    let arrival: ContinuousClock.Instant
    var phase: Phase

    /// Whether its records haven't all come.
    var isArriving: Bool {
        switch phase {
        case .parameters, .body: true
        case .handled, .aborting: false
        }
    }
}

/// Collects a body and holds it against its CONTENT_LENGTH.
struct BodyCollector {
    let parameters: Parameters
    private var bytes: [UInt8] = []
    /// Nil where the server didn't know it: then the body goes to the stream's end.
    private let expected: Int?
    private let limit: Int

    init(parameters: Parameters, limit: Int) throws(Refusal) {
        self.parameters = parameters
        self.limit = limit
        expected = try BodyCollector.contentLength(in: parameters)
        if let expected {
            guard expected <= limit else { throw .bodyTooLarge }
            bytes.reserveCapacity(expected)
        }
    }

    mutating func append(_ input: Span<UInt8>) throws(Refusal) {
        if let expected {
            guard input.count <= expected - bytes.count else { throw .bodyTooLong }
        } else {
            guard input.count <= limit - bytes.count else { throw .bodyTooLarge }
        }
        input.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    func finish() throws(Refusal) -> [UInt8] {
        if let expected, bytes.count < expected { throw .bodyTooShort }
        return bytes
    }

    /// CONTENT_LENGTH in bytes; nil where it is absent or empty (RFC 3875, section 4.1.2).
    static func contentLength(in parameters: Parameters) throws(Refusal) -> Int? {
        guard let text = parameters.bytes("CONTENT_LENGTH"), !text.isEmpty else { return nil }
        var length = 0
        for byte in text {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { throw .contentLengthUnreadable }
            // A number that is too large for any limit already needs no more digits.
            guard length < Int(Int32.max) else { throw .bodyTooLarge }
            length = length * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return length
    }
}

extension Refusal: Error {}
