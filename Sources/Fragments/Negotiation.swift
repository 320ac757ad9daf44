/// What a reader gets of what there is: the address decides if it says so, else the request's header fields
/// (RFC 9110, section 12.5).
package enum Negotiation {
    /// - Parameters:
    ///   - accept: The Accept field's value, several lines joined by commas; nil if there is none.
    ///   - suffix: What the address's suffix names.
    ///   - offers: What the address has, in our own order of preference.
    /// - Returns: Nil if Accept wants none of them: a 406. Without Accept, or with one that holds nothing readable,
    ///   JSON.
    package static func representation(
        accept: String?, suffix: Representation? = nil, of offers: [Representation] = Representation.written
    ) -> Representation? {
        if let suffix { return suffix }
        let ranges = WeightedItem.items(in: accept ?? "").filter { $0.name.contains("/") }
        if ranges.isEmpty { return .json }
        return best(of: offers, in: ranges) { range, representation in
            let (type, subtype): (Substring, Substring) =
                switch representation {
                case .json: ("application/*", "application/json")
                case .html: ("text/*", "text/html")
                case .text: ("text/*", "text/plain")
                case .svg: ("image/*", "image/svg+xml")
                }
            if range.name == subtype { return range.specificity }
            return range.name == type ? 1 : range.name == "*/*" ? 0 : nil
        }
    }

    /// The language that a reader prefers of ours, by the weights in Accept-Language; a range names ours by its first
    /// subtag, so that "de-AT" is German.
    ///
    /// - Parameter usual: the one for who prefers none of ours.
    package static func language(acceptLanguage: String?, usual: Language) -> Language {
        guard let acceptLanguage, !acceptLanguage.isEmpty else { return usual }
        let ours = [usual] + Language.allCases.filter { $0 != usual }
        return best(of: ours, in: WeightedItem.items(in: acceptLanguage)) { range, language in
            if range.name == "*" { return 0 }
            return range.name.prefix { $0 != "-" } == language.rawValue ? 1 : nil
        } ?? usual
    }

    /// Of all offers the one with the highest weight; of two that are wanted alike, the one named more exactly, then
    /// the one named first. The most specific range that matches an offer decides its weight, wherever it stands.
    ///
    /// - Parameter match: how exactly a range names an offer; nil if it doesn't.
    private static func best<Offer>(
        of offers: [Offer], in ranges: [WeightedItem], _ match: (WeightedItem, Offer) -> Int?
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

/// An element of a list field, in lower case: "text/html;level=1;q=0.3".
private struct WeightedItem {
    let name: Substring
    /// How exactly it names what has its name and no parameter but UTF-8's. Whoever asks for
    /// "application/json;version=1" alone is still better served with JSON than with a 406.
    private(set) var specificity = 3
    /// 0…1000.
    private(set) var quality = 1000

    /// More elements than this are no honest reader's: the rest is ignored.
    private static let limit = 64

    /// The readable elements of a field; malformed ones are ignored, and so is what a quoted string has been cut into.
    static func items(in field: String) -> [WeightedItem] {
        field.lowercased().split(separator: ",", maxSplits: limit).prefix(limit).compactMap(WeightedItem.init)
    }

    private init?(_ text: Substring) {
        let parts = text.split(separator: ";").map(WeightedItem.trim)
        guard let first = parts.first, !first.isEmpty else { return nil }
        name = first
        for part in parts.dropFirst() where !part.isEmpty {
            guard let equals = part.firstIndex(of: "=") else { return nil }
            let value = part[part.index(after: equals)...]
            if part[..<equals] == "q" {
                guard let thousandths = WeightedItem.thousandths(value) else { return nil }
                quality = thousandths
                // What follows the weight says nothing of the name.
                return
            }
            let isUTF8 = part[..<equals] == "charset" && (value == "utf-8" || value == "\"utf-8\"")
            specificity = isUTF8 && specificity >= 3 ? 4 : 2
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

    private static func trim(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
