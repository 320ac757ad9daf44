/// What a reader gets of what there is: the address decides if it says so, else the request's header fields
/// (RFC 9110, section 12.5).
package enum Negotiation {
    /// - Parameters:
    ///   - accept: The Accept field's value, several lines joined by commas; nil if there is none.
    ///   - suffix: What the address's suffix names.
    /// - Returns: Nil if Accept wants none of them: a 406. Without Accept, or with one that holds nothing readable,
    ///   JSON.
    package static func representation(accept: String?, suffix: Representation? = nil) -> Representation? {
        if let suffix { return suffix }
        let ranges = WeightedItem.items(in: accept ?? "").compactMap(MediaRange.init)
        if ranges.isEmpty { return .json }
        // In our own order of preference, for ranges that leave it open.
        return best(of: [.json, .html, .text], in: ranges) { $0.match($1) }
    }

    /// The language that a reader prefers of ours, by the weights in Accept-Language; a range names ours by its first
    /// subtag, so that "de-AT" is German.
    ///
    /// - Parameter usual: the one for who prefers none of ours.
    package static func language(acceptLanguage: String?, usual: Language) -> Language {
        guard let acceptLanguage, !acceptLanguage.isEmpty else { return usual }
        let ranges = WeightedItem.items(in: acceptLanguage).map { LanguageRange(item: $0) }
        let ours = [usual] + Language.allCases.filter { $0 != usual }
        return best(of: ours, in: ranges) { $0.match($1) } ?? usual
    }

    /// Of all offers the one with the highest weight; of two that are wanted alike, the one named more exactly, then
    /// the one named first. The most specific range that matches an offer decides its weight, wherever it stands.
    ///
    /// - Parameter match: how exactly a range names an offer; nil if it doesn't.
    private static func best<Offer, Range: Weighted>(
        of offers: [Offer], in ranges: [Range], _ match: (Range, Offer) -> Int?
    ) -> Offer? {
        var best: (offer: Offer, rank: (quality: Int, specificity: Int, position: Int))?
        for offer in offers {
            var rank: (quality: Int, specificity: Int, position: Int)?
            for (position, range) in ranges.enumerated() {
                guard let specificity = match(range, offer) else { continue }
                if let rank, rank.specificity >= specificity { continue }
                rank = (range.quality, specificity, -position)
            }
            guard let rank, rank.quality > 0 else { continue }
            if let best, best.rank >= rank { continue }
            best = (offer, rank)
        }
        return best?.offer
    }
}

private protocol Weighted {
    /// 0…1000.
    var quality: Int { get }
}

/// A language of an Accept-Language field: "de-AT", or "*".
private struct LanguageRange: Weighted {
    let item: WeightedItem
    var quality: Int { item.quality }

    func match(_ language: Language) -> Int? {
        if item.name == "*" { return 0 }
        return item.name.prefix { $0 != "-" } == language.rawValue ? 1 : nil
    }
}

/// A range of an Accept field: "text/*".
private struct MediaRange: Weighted {
    /// Lower case, or "*".
    let type: Substring
    let subtype: Substring
    let quality: Int
    /// How exactly the range names a representation of its type and subtype.
    let specificity: Int

    init?(_ item: WeightedItem) {
        guard let slash = item.name.firstIndex(of: "/") else { return nil }
        type = item.name[..<slash]
        subtype = item.name[item.name.index(after: slash)...]
        guard type.isToken, subtype.isToken, type != "*" || subtype == "*" else { return nil }
        quality = item.quality
        // All our representations are in UTF-8, and none has another parameter. Whoever asks for
        // "application/json;version=1" alone is still better served with JSON than with a 406.
        let isOurs = item.parameters.allSatisfy { $0 == "charset=utf-8" || $0 == "charset=\"utf-8\"" }
        specificity = item.parameters.isEmpty ? 3 : isOurs ? 4 : 2
    }

    func match(_ representation: Representation) -> Int? {
        if type == "*" { return 0 }
        let own: (type: Substring, subtype: Substring) =
            switch representation {
            case .json: ("application", "json")
            case .html: ("text", "html")
            case .text: ("text", "plain")
            }
        guard type == own.type else { return nil }
        if subtype == "*" { return 1 }
        return subtype == own.subtype ? specificity : nil
    }
}

/// An element of a list field, in lower case: "text/html;level=1;q=0.3".
private struct WeightedItem {
    let name: Substring
    /// Those before the weight, each as "name=value".
    private(set) var parameters: [Substring] = []
    /// 0…1000.
    private(set) var quality = 1000

    /// More elements than this are no honest reader's: the rest is ignored.
    private static let limit = 64

    /// The readable elements of a field; malformed ones are ignored.
    static func items(in field: String) -> [WeightedItem] {
        split(field.lowercased()[...], at: ",").prefix(limit).compactMap(WeightedItem.init)
    }

    private init?(_ text: Substring) {
        let parts = WeightedItem.split(text, at: ";").map(WeightedItem.trim)
        guard let first = parts.first else { return nil }
        name = first
        for part in parts.dropFirst() where !part.isEmpty {
            guard let equals = part.firstIndex(of: "="), part[..<equals].isToken else { return nil }
            if part[..<equals] == "q" {
                guard let thousandths = WeightedItem.thousandths(part[part.index(after: equals)...]) else {
                    return nil
                }
                quality = thousandths
                // What follows the weight says nothing of the name.
                return
            }
            parameters.append(part)
        }
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
        return text.split { character in
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
}

extension Substring {
    /// Whether it is a token (RFC 9110, section 5.6.2).
    fileprivate var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
