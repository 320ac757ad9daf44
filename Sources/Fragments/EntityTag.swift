/// A strong validator of an answer's bytes (RFC 9110, section 8.8.3): the same bytes have the same tag in every
/// run and on every machine.
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The bytes' SipHash-2-4 under a fixed key. That tells versions apart; it protects nothing.
    private let hash: UInt64

    package init(of bytes: [UInt8]) {
        hash = SipHash.hash(bytes, key: (0x7472_6970_2077_6561, 0x7468_6572_2065_7467))
    }

    /// As the ETag field's value, with its quotes: 18 bytes.
    package var description: String {
        var out = ByteWriter(reserving: 18)
        out.append(UInt8(ascii: "\""))
        for shift in stride(from: 60, through: 0, by: -4) {
            out.append(hexadecimal(UInt8(truncatingIfNeeded: hash >> UInt64(shift) & 0x0F)))
        }
        out.append(UInt8(ascii: "\""))
        return String(decoding: out.bytes, as: UTF8.self)
    }

    /// Whether an If-None-Match field names this tag (RFC 9110, section 13.1.2): then a GET is answered with 304.
    /// Tags are compared weakly, since a web server that compresses an answer weakens its tag. What follows a
    /// malformed part isn't read.
    package func matches(ifNoneMatch field: String) -> Bool {
        EntityTag.matches(description, ifNoneMatch: field)
    }

    /// The same for a tag that is written already, with its quotes.
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

/// SipHash (Aumasson and Bernstein, 2012) with 2 and 4 rounds.
enum SipHash {
    static func hash(_ bytes: [UInt8], key: (UInt64, UInt64)) -> UInt64 {
        var state = State(key: key)
        bytes.withUnsafeBytes { buffer in
            let whole = buffer.count & ~7
            for offset in stride(from: 0, to: whole, by: 8) {
                state.absorb(
                    UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
            var last = UInt64(truncatingIfNeeded: buffer.count) << 56
            for index in whole..<buffer.count {
                last |= UInt64(buffer[index]) << UInt64(8 * (index - whole))
            }
            state.absorb(last)
        }
        return state.finish()
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        init(key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736f_6d65_7073_6575
            v1 = key.1 ^ 0x646f_7261_6e64_6f6d
            v2 = key.0 ^ 0x6c79_6765_6e65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        mutating func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xFF
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 &+= v1
            v1 = rotated(v1, by: 13) ^ v0
            v0 = rotated(v0, by: 32)
            v2 &+= v3
            v3 = rotated(v3, by: 16) ^ v2
            v0 &+= v3
            v3 = rotated(v3, by: 21) ^ v0
            v2 &+= v1
            v1 = rotated(v1, by: 17) ^ v2
            v2 = rotated(v2, by: 32)
        }

        private func rotated(_ word: UInt64, by bits: UInt64) -> UInt64 {
            word << bits | word >> (64 - bits)
        }
    }
}
