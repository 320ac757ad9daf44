import Weather

extension ByteWriter {
    /// Writes text as HTML text or as a quoted attribute's value: both are safe with the same five characters
    /// escaped. Control characters, which HTML has no place for, become U+FFFD.
    mutating func append(html text: String) {
        append(text, replacing: markup)
    }

    /// The same for XML, which has no place for U+FFFE and U+FFFF either (XML 1.0, section 2.2).
    mutating func append(xml text: String) {
        append(text) { bytes, index in
            let isNoCharacter =
                bytes[index] == 0xEF && index + 2 < bytes.count && bytes[index + 1] == 0xBF
                && bytes[index + 2] >= 0xBE
            return isNoCharacter ? ("\u{FFFD}", 3) : markup(bytes, index)
        }
    }

    /// Writes text for a terminal: control characters, which would steer it, become U+FFFD, and so do line
    /// breaks.
    mutating func append(plain text: String) {
        append(text) { bytes, index in
            switch bytes[index] {
            case 0x09, 0x0A, 0x0D: ("\u{FFFD}", 1)
            default: controlCharacter(bytes, index).map { ("\u{FFFD}", $0) }
            }
        }
    }

    /// Writes text as the inside of a JSON string (RFC 8259, section 7). U+2028 and U+2029 are escaped for
    /// readers that take JSON for JavaScript, and "<" so that no `</script>` can stand in an answer that a page
    /// includes.
    mutating func append(json text: String) {
        append(text) { bytes, index in
            switch bytes[index] {
            case UInt8(ascii: "\""): return ("\\\"", 1)
            case UInt8(ascii: "\\"): return ("\\\\", 1)
            case UInt8(ascii: "<"): return ("\\u003C", 1)
            case 0x00..<0x20: return (jsonControls[Int(bytes[index])], 1)
            case 0xE2:
                guard index + 2 < bytes.count, bytes[index + 1] == 0x80 else { return nil }
                return switch bytes[index + 2] {
                case 0xA8: ("\\u2028", 3)
                case 0xA9: ("\\u2029", 3)
                default: nil
                }
            default: return nil
            }
        }
    }

    /// Writes text as one part of a URL's path or as a value of its query: everything but the unreserved
    /// characters (RFC 3986, section 2.3) is percent-encoded, so that it may stand in an attribute as it is.
    mutating func append(url text: String) {
        append(PercentEncoding.value(text))
    }
}

/// What stands for a character of markup.
private func markup(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> (StaticString, Int)? {
    switch bytes[index] {
    case UInt8(ascii: "&"): ("&amp;", 1)
    case UInt8(ascii: "<"): ("&lt;", 1)
    case UInt8(ascii: ">"): ("&gt;", 1)
    case UInt8(ascii: "\""): ("&quot;", 1)
    case UInt8(ascii: "'"): ("&#39;", 1)
    default: controlCharacter(bytes, index).map { ("\u{FFFD}", $0) }
    }
}

/// How many bytes the control character at `index` has: of C0 but tab and line breaks, DEL, or of C1.
private func controlCharacter(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
    switch bytes[index] {
    case 0x09, 0x0A, 0x0D: nil
    case 0x00..<0x20, 0x7F: 1
    case 0xC2 where index + 1 < bytes.count && (0x80..<0xA0).contains(bytes[index + 1]): 2
    default: nil
    }
}

private let jsonControls: [StaticString] = [
    "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
    "\\b", "\\t", "\\n", "\\u000B", "\\f", "\\r", "\\u000E", "\\u000F",
    "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
    "\\u0018", "\\u0019", "\\u001A", "\\u001B", "\\u001C", "\\u001D", "\\u001E", "\\u001F",
]
