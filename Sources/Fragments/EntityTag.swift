/// A strong validator of an answer's bytes (RFC 9110, section 8.8.3): the same bytes have the same tag in every
/// run and on every machine.
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    private let hash: UInt64

    /// Eight bytes a step are multiplied in and folded back, as in wyhash and FxHash. That tells versions apart;
    /// it protects nothing.
    package init(of bytes: [UInt8]) {
        let odd: UInt64 = 0x9E37_79B9_7F4A_7C15
        var hash = UInt64(bytes.count) &* odd
        func mix(_ word: UInt64) {
            let (high, low) = (hash ^ word ^ odd).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = (hash << 23 | hash >> 41) ^ high ^ low
        }
        bytes.withUnsafeBytes { buffer in
            let whole = buffer.count & ~7
            for offset in stride(from: 0, to: whole, by: 8) {
                mix(UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
            mix(buffer[whole...].reduce(0) { $0 << 8 | UInt64($1) })
        }
        self.hash = hash
    }

    /// As the ETag field's value, with its quotes: 18 bytes.
    package var description: String {
        let digits = String(hash, radix: 16, uppercase: true)
        return "\"" + String(repeating: "0", count: 16 - digits.utf8.count) + digits + "\""
    }

    /// Whether an If-None-Match field names this tag, written with its quotes (RFC 9110, section 13.1.2): then a GET is
    /// answered with 304. Tags are compared weakly, since a web server that compresses an answer weakens its tag. What
    /// follows a malformed part isn't read.
    package static func matches(_ tag: String, ifNoneMatch field: String) -> Bool {
        let own = Array(tag.utf8)
        var rest = Array(field.utf8)[...]
        while true {
            rest = rest.drop {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: ",")
            }
            if rest.first == UInt8(ascii: "*") { return true }
            if rest.starts(with: [UInt8(ascii: "W"), UInt8(ascii: "/")]) { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""),
                let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            else { return false }
            if rest[...end].elementsEqual(own) { return true }
            rest = rest[(end + 1)...]
        }
    }
}
