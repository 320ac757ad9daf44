/// Text from outside, made fit for one line of a log or a page. It is not escaped: that depends on where it goes.
enum CleanText {
    /// The text without control and format characters (those that turn the direction of writing among them), its
    /// white space single, trimmed, and cut at `limit` scalars with "…".
    static func line(_ text: String, limit: Int) -> String {
        if isClean(text, limit: limit) { return text }
        var result = String.UnicodeScalarView()
        var count = 0
        var isSpacePending = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace || scalar.properties.generalCategory == .control {
                isSpacePending = count > 0
                continue
            }
            if isUnwanted(scalar) { continue }
            if count + (isSpacePending ? 1 : 0) >= limit {
                result.append("…")
                break
            }
            if isSpacePending {
                result.append(" ")
                count += 1
                isSpacePending = false
            }
            result.append(scalar)
            count += 1
        }
        return String(result)
    }

    /// Whether nothing needs doing, as with most names: short, printable ASCII, single spaces inside.
    static func isClean(_ text: String, limit: Int) -> Bool {
        var previous = UInt8(ascii: " ")
        var count = 0
        for byte in text.utf8 {
            count += 1
            guard (0x20...0x7E).contains(byte), byte != 0x20 || previous != 0x20 else { return false }
            previous = byte
        }
        return count <= limit && (count == 0 || previous != 0x20)
    }

    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format:
            // Joiners are part of how some scripts are spelt.
            scalar != "\u{200C}" && scalar != "\u{200D}"
        case .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
