/// Takes a byte stream apart into records, in whatever pieces it comes. It keeps no content: that is told by
/// where it stands in the bytes just given.
struct RecordParser {
    enum Event: Hashable {
        /// A record's header is whole.
        case record(RecordHeader)
        /// Some of the content of the record told last, as a range of the bytes given. A record without content
        /// has no such event.
        case content(Range<Int>, isLast: Bool)
        /// The stream can't be read any further: the layout of other versions is unknown.
        case wrongVersion(UInt8)
    }

    /// The bytes of a header that have come, the last one lowest, and how many they are.
    private var headerBits: UInt64 = 0
    private var headerCount = 0
    private var contentLeft = 0
    private var paddingLeft = 0

    /// Whether the stream so far ends inside a record.
    var isInsideRecord: Bool { headerCount + contentLeft + paddingLeft > 0 }

    /// The next event in `input` from `position` on, which moves over what was read; nil when all was.
    mutating func next(_ input: Span<UInt8>, _ position: inout Int) -> Event? {
        while position < input.count {
            if contentLeft > 0 {
                let range = position..<position + min(contentLeft, input.count - position)
                position = range.upperBound
                contentLeft -= range.count
                return .content(range, isLast: contentLeft == 0)
            }
            if paddingLeft > 0 {
                let count = min(paddingLeft, input.count - position)
                position += count
                paddingLeft -= count
                continue
            }
            if headerCount == 0, input[position] != RecordHeader.version {
                position += 1
                return .wrongVersion(input[position - 1])
            }
            while headerCount < RecordHeader.byteCount, position < input.count {
                headerBits = headerBits << 8 | UInt64(input[position])
                headerCount += 1
                position += 1
            }
            guard headerCount == RecordHeader.byteCount else { return nil }
            headerCount = 0
            let header = RecordHeader(bits: headerBits)
            contentLeft = Int(header.contentLength)
            paddingLeft = Int(header.paddingLength)
            return .record(header)
        }
        return nil
    }
}
