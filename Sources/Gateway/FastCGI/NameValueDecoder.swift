/// Collects a stream of name-value pairs (FastCGI 1.0, section 3.4), which may be cut anywhere.
struct NameValueDecoder {
    enum Failure: Error {
        /// The stream is, or says that it will be, larger than the limit.
        case tooLarge
        /// The stream ended inside a pair.
        case truncated
    }

    /// The stream as it came. The pairs point into it, so that names and values are copied once.
    private var bytes: [UInt8] = []
    private var pairs: [Parameters.Pair] = []
    /// Where the first pair begins that isn't whole.
    private var position = 0
    private let limit: Int

    /// - Parameter limit: How many bytes the stream may have, at most 2³¹ − 1.
    init(limit: Int) {
        self.limit = min(limit, Int(Int32.max))
    }

    /// What is whole so far.
    var parameters: Parameters { Parameters(bytes: bytes, pairs: pairs) }

    /// Takes the next piece of the stream.
    mutating func append(_ input: Span<UInt8>) throws(Failure) {
        guard input.count <= limit - bytes.count else { throw .tooLarge }
        if pairs.isEmpty, input.count >= 64 { pairs.reserveCapacity(32) }
        input.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        while try decodePair() {}
    }

    /// Ends the stream.
    func finish() throws(Failure) -> Parameters {
        guard position == bytes.count else { throw .truncated }
        return parameters
    }

    /// Moves over one pair, if a whole one is there.
    private mutating func decodePair() throws(Failure) -> Bool {
        var cursor = position
        guard let nameCount = decodeLength(&cursor), let valueCount = decodeLength(&cursor) else {
            return false
        }
        // Both are below 2³¹, so the sum can't overflow. What can never fit is refused before it comes.
        let count = nameCount + valueCount
        guard count <= limit - cursor else { throw .tooLarge }
        guard count <= bytes.count - cursor else { return false }
        let pair = Parameters.Pair(
            start: UInt32(cursor), nameCount: UInt32(nameCount), valueCount: UInt32(valueCount))
        if !isProxy(pair) { pairs.append(pair) }
        position = cursor + count
        return true
    }

    /// A length of one byte, or of four if the highest bit of the first is set; nil if it isn't whole.
    private func decodeLength(_ cursor: inout Int) -> Int? {
        guard cursor < bytes.count else { return nil }
        let first = bytes[cursor]
        if first < 0x80 {
            cursor += 1
            return Int(first)
        }
        guard bytes.count - cursor >= 4 else { return nil }
        let length =
            Int(first & 0x7f) << 24 | Int(bytes[cursor + 1]) << 16 | Int(bytes[cursor + 2]) << 8
            | Int(bytes[cursor + 3])
        cursor += 4
        return length
    }

    /// HTTP_PROXY, which a browser can send as the header `Proxy`, and which much software takes for a setting.
    private func isProxy(_ pair: Parameters.Pair) -> Bool {
        pair.nameCount == 10 && bytes[pair.name].elementsEqual("HTTP_PROXY".utf8)
    }
}
