/// The body of a CGI request: exactly CONTENT_LENGTH bytes of standard input, whatever more is there
/// (RFC 3875, section 4.2).
struct CGIBody {
    private(set) var bytes: [UInt8] = []
    private let count: Int

    init(parameters: Parameters, limit: Int) throws(Refusal) {
        // Without CONTENT_LENGTH there is no body (section 4.1.2).
        count = try BodyCollector.contentLength(in: parameters) ?? 0
        guard count <= limit else { throw .bodyTooLarge }
        bytes.reserveCapacity(count)
    }

    var isWhole: Bool { bytes.count == count }

    /// Reads once, of what is left to read.
    mutating func read(from port: CGIPort) -> CGIPort.Outcome {
        let left = min(count - bytes.count, 65_536)
        return withUnsafeTemporaryAllocation(byteCount: left, alignment: 1) { buffer in
            let outcome = port.read(into: buffer)
            if case .bytes(let count) = outcome { bytes.append(contentsOf: buffer[..<count]) }
            return outcome
        }
    }
}
