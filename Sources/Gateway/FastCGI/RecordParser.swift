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

    private enum State {
        /// So many bytes of a header have come, the last one lowest.
        case header(bits: UInt64, count: Int)
        case content(left: Int, padding: Int)
        case padding(left: Int)
    }

    private var state = State.header(bits: 0, count: 0)

    /// Whether the stream so far ends inside a record.
    var isInsideRecord: Bool {
        if case .header(_, count: 0) = state { return false }
        return true
    }

    /// The next event in `input` from `position` on, which moves over what was read; nil when all was.
    mutating func next(_ input: Span<UInt8>, _ position: inout Int) -> Event? {
        while position < input.count {
            switch state {
            case .header(var bits, var count):
                while count < RecordHeader.byteCount, position < input.count {
                    bits = bits << 8 | UInt64(input[position])
                    count += 1
                    position += 1
                    if count == 1, bits != UInt64(RecordHeader.version) {
                        return .wrongVersion(UInt8(truncatingIfNeeded: bits))
                    }
                }
                guard count == RecordHeader.byteCount else {
                    state = .header(bits: bits, count: count)
                    return nil
                }
                let header = RecordHeader(bits: bits)
                enterContent(left: Int(header.contentLength), padding: Int(header.paddingLength))
                return .record(header)
            case .content(let left, let padding):
                let count = min(left, input.count - position)
                let range = position..<position + count
                position += count
                enterContent(left: left - count, padding: padding)
                return .content(range, isLast: count == left)
            case .padding(let left):
                let count = min(left, input.count - position)
                position += count
                enterContent(left: 0, padding: left - count)
            }
        }
        return nil
    }

    private mutating func enterContent(left: Int, padding: Int) {
        if left > 0 {
            state = .content(left: left, padding: padding)
        } else if padding > 0 {
            state = .padding(left: padding)
        } else {
            state = .header(bits: 0, count: 0)
        }
    }
}
