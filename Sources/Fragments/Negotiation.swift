/// Which representation a reader gets: the address's suffix decides where there is one, else Accept
/// (RFC 9110, section 12.5.1).
package enum Negotiation {
    /// - Parameters:
    ///   - accept: The Accept field's value, several lines joined by commas; nil where there is none.
    ///   - suffix: What the address's suffix names.
    /// - Returns: Nil where Accept wants none of them: a 406. Without Accept, or with one that holds nothing
    ///   readable, JSON.
    package static func representation(accept: String?, suffix: Representation? = nil) -> Representation? {
        if let suffix { return suffix }
        let ranges = MediaRange.ranges(in: accept ?? "")
        if ranges.isEmpty { return .json }
        var best: Offer?
        // In our own order of preference, for ranges that leave it open.
        for representation in [Representation.json, .html, .text] {
            guard let offer = Offer(representation, ranges), offer.quality > 0 else { continue }
            if best.map({ offer.isBetter(than: $0) }) ?? true { best = offer }
        }
        return best?.representation
    }
}

/// A representation, and how much a reader wants it.
private struct Offer {
    let representation: Representation
    /// 0…1000.
    let quality: Int
    let specificity: MediaRange.Specificity
    /// Which of the field's ranges named it.
    let position: Int

    /// Nil where no range matches. The most specific range that matches decides, wherever it stands.
    init?(_ representation: Representation, _ ranges: [MediaRange]) {
        var chosen: (specificity: MediaRange.Specificity, range: MediaRange, position: Int)?
        for (position, range) in ranges.enumerated() {
            guard let specificity = range.match(representation) else { continue }
            if let chosen, chosen.specificity >= specificity { continue }
            chosen = (specificity, range, position)
        }
        guard let chosen else { return nil }
        self.representation = representation
        quality = chosen.range.quality
        specificity = chosen.specificity
        position = chosen.position
    }

    /// Of two that are wanted alike, the one named more exactly, then the one named first.
    func isBetter(than other: Offer) -> Bool {
        if quality != other.quality { return quality > other.quality }
        if specificity != other.specificity { return specificity > other.specificity }
        return position < other.position
    }
}

/// A part of an Accept field: "text/*;q=0.3".
private struct MediaRange {
    enum Specificity: Int, Comparable {
        case anything, anySubtype, withForeignParameters, exact, withOurParameters

        static func < (first: Specificity, second: Specificity) -> Bool {
            first.rawValue < second.rawValue
        }
    }

    /// Lower case, or "*".
    let type: Substring
    let subtype: Substring
    /// How exactly the range names a representation of its type and subtype.
    let ownSpecificity: Specificity
    /// 0…1000.
    let quality: Int

    /// More than this many ranges are no honest reader's: the rest is ignored.
    private static let limit = 64

    /// The readable parts of a field; malformed ones are ignored.
    static func ranges(in field: String) -> [MediaRange] {
        split(field.lowercased()[...], at: ",").prefix(limit).compactMap(MediaRange.init)
    }

    private init?(_ text: Substring) {
        let parts = MediaRange.split(text, at: ";").map(MediaRange.trim)
        guard let range = parts.first, let slash = range.firstIndex(of: "/") else { return nil }
        type = range[..<slash]
        subtype = range[range.index(after: slash)...]
        guard MediaRange.isToken(type), MediaRange.isToken(subtype), type != "*" || subtype == "*"
        else { return nil }
        var quality = 1000
        var ownSpecificity = Specificity.exact
        for part in parts.dropFirst() where !part.isEmpty {
            guard let equals = part.firstIndex(of: "="), MediaRange.isToken(part[..<equals]) else {
                return nil
            }
            let value = part[part.index(after: equals)...]
            if part[..<equals] == "q" {
                guard let thousandths = MediaRange.thousandths(value) else { return nil }
                quality = thousandths
                // What follows the weight says nothing of the type.
                break
            }
            if part[..<equals] == "charset", value == "utf-8" || value == "\"utf-8\"" {
                // What all our representations are in.
                if ownSpecificity == .exact { ownSpecificity = .withOurParameters }
            } else {
                // None of ours has this parameter. Whoever asks for "application/json;version=1" alone is still
                // better served with JSON than with a 406.
                ownSpecificity = .withForeignParameters
            }
        }
        self.quality = quality
        self.ownSpecificity = ownSpecificity
    }

    /// How exactly the range names the representation, or nil where it doesn't.
    func match(_ representation: Representation) -> Specificity? {
        if type == "*" { return .anything }
        let own: (type: Substring, subtype: Substring) =
            switch representation {
            case .json: ("application", "json")
            case .html: ("text", "html")
            case .text: ("text", "plain")
            }
        guard type == own.type else { return nil }
        if subtype == "*" { return .anySubtype }
        return subtype == own.subtype ? ownSpecificity : nil
    }

    /// A weight (RFC 9110, section 12.4.2): "0.8" is 800.
    private static func thousandths(_ text: Substring) -> Int? {
        let bytes = Array(text.utf8)
        guard (1...5).contains(bytes.count), bytes[0] == UInt8(ascii: "0") || bytes[0] == UInt8(ascii: "1"),
            bytes.count == 1 || bytes[1] == UInt8(ascii: ".")
        else { return nil }
        var value = Int(bytes[0] - UInt8(ascii: "0"))
        for index in 2..<5 {
            value *= 10
            guard index < bytes.count else { continue }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
            value += Int(bytes[index] - UInt8(ascii: "0"))
        }
        return value <= 1000 ? value : nil
    }

    /// Parts between separators that don't stand inside a quoted string.
    private static func split(_ text: Substring, at separator: Character) -> [Substring] {
        var isQuoted = false
        var isEscaped = false
        return text.split(omittingEmptySubsequences: true) { character in
            if isEscaped {
                isEscaped = false
            } else if isQuoted && character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            }
            return character == separator && !isQuoted
        }
    }

    private static func trim(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    /// A token (RFC 9110, section 5.6.2).
    private static func isToken(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
