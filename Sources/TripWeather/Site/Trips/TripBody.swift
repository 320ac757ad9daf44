internal import FoundationEssentials
internal import Fragments
internal import Gateway
internal import Trips
internal import Weather

/// What a write says about a trip, read from its body.
struct TripBody: Sendable {
    /// How the body is written.
    enum Form: Sendable, Hashable {
        case json
        case mergePatch
        case form

        /// Nil for any other type of content. Parameters, such as a charset, are not looked at: all are UTF-8.
        init?(contentType: String?) {
            guard let contentType else { return nil }
            let type = contentType.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
            switch type {
            case "application/json": self = .json
            case "application/merge-patch+json": self = .mergePatch
            case "application/x-www-form-urlencoded": self = .form
            default: return nil
            }
        }

        var contentType: String {
            switch self {
            case .json: "application/json"
            case .mergePatch: "application/merge-patch+json"
            case .form: "application/x-www-form-urlencoded"
            }
        }
    }

    private(set) var draft = TripDraft()
    /// The same as it was typed, to be shown again.
    private(set) var fields = TripFields()
    /// Of a form, and of a creation by JSON.
    private(set) var key: String?
    private(set) var version: String?
    /// What can't be meant for a trip, by name.
    private(set) var unknown: [(field: String, fault: Problem.Fault)] = []

    /// What a trip in JSON holds that nobody writes: it may come back as it was sent out.
    private static let readOnly: Set<String> = ["id", "place", "version", "share", "totalNights", "next"]

    // MARK: Forms

    /// Reads a form: `application/x-www-form-urlencoded`.
    init(form bytes: [UInt8]) {
        var form = Query(bytes)
        form.refuseAll(
            but: [
                "city", "country", "start", "nights", "price", "picture", "favourite", "key", "version",
            ], repeated: ["favourite"])
        draft.city = TripInput(form["city"]) { $0 }
        draft.country = TripInput(form["country"]) { $0 }
        draft.start = TripInput(form["start"]) { CalendarDate($0) }
        draft.nights = TripInput(form["nights"], read: TripBody.wholeNumber)
        draft.price = TripInput(form["price"], read: TripBody.wholeNumber)
        draft.picture = TripInput(form["picture"]) { $0 }
        draft.isFavourite = TripInput(form.favourite) { $0 == "true" ? true : $0 == "false" ? false : nil }
        key = form["key"]
        version = form["version"]
        fields = TripFields(form)
        unknown = form.faults
    }

    private static func wholeNumber(_ text: String) -> Int? {
        text.utf8.count <= 12 ? Int(text) : nil
    }

    // MARK: JSON

    /// Reads an object, for a whole trip or a merge patch (RFC 7396).
    ///
    /// - Throws: if it is no JSON object.
    init(json bytes: [UInt8]) throws {
        let members = try JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
        guard TripBody.isStrict(bytes, members: members.count) else { throw LenientJSON() }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "city": draft.city = value.text()
            case "country": draft.country = value.text()
            case "start": draft.start = value.text { CalendarDate($0) }
            case "nights": draft.nights = value.wholeNumber
            case "price": draft.price = value.wholeNumber
            case "picture": draft.picture = value.text()
            case "favourite": draft.isFavourite = value.flag
            case "key":
                if case .text(let text) = value {
                    key = text
                } else {
                    unknown.append((name, .notAKey(lengths: CreationKey.lengthRange)))
                }
            default:
                if !TripBody.readOnly.contains(name) { unknown.append((name, .unknown)) }
            }
        }
    }

    /// Whether JSON that Foundation has read holds neither of what it lets pass: a comma before a closing bracket, and
    /// a member that comes twice, of which each reader may take another.
    ///
    /// - Parameter members: how many Foundation found.
    private static func isStrict(_ bytes: [UInt8], members: Int) -> Bool {
        var (depth, colons, last) = (0, 0, UInt8(0))
        var (isInString, isEscaped) = (false, false)
        for byte in bytes {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard last != UInt8(ascii: ",") else { return false }
                depth -= 1
            case UInt8(ascii: ":") where depth == 1: colons += 1
            default: break
            }
            last = byte
        }
        return colons == members
    }
}

/// The body is JSON only to a lenient reader.
private struct LenientJSON: Error {}

/// A value in JSON as far as a trip's fields need it.
private enum JSONValue: Decodable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case other

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = JSONValue.decoded(Bool.self, from: value) {
            self = .flag(flag)
        } else if let number = JSONValue.decoded(Double.self, from: value) {
            self = .number(number)
        } else if let text = JSONValue.decoded(String.self, from: value) {
            self = .text(text)
        } else {
            self = .other
        }
    }

    /// Nil if the value is of another kind: which of them it is can only be learnt by trying.
    private static func decoded<Value: Decodable>(
        _ type: Value.Type, from container: any SingleValueDecodingContainer
    ) -> Value? {
        do {
            return try container.decode(type)
        } catch {
            return nil
        }
    }

    func text<Value>(_ read: (String) -> Value?) -> TripInput<Value> {
        switch self {
        case .null: .cleared
        case .text(let text): read(text).map { .value($0) } ?? .unreadable
        default: .unreadable
        }
    }

    func text() -> TripInput<String> { text { $0 } }

    var wholeNumber: TripInput<Int> {
        switch self {
        case .null: .cleared
        case .number(let number): Int(exactly: number).map { .value($0) } ?? .unreadable
        default: .unreadable
        }
    }

    var flag: TripInput<Bool> {
        switch self {
        case .null: .cleared
        case .flag(let flag): .value(flag)
        default: .unreadable
        }
    }
}
/// Which state of a trip a write is meant for: what If-Match says (RFC 9110, section 13.1.1), or a form's `version`.
enum Precondition: Sendable, Hashable {
    /// Whatever state it is in, so long as it is there: "*".
    case any
    /// One of these.
    case versions([TripVersion])

    /// Nil if there is none. Tags that were never a trip's are none of its versions.
    init?(ifMatch: String?) {
        guard let ifMatch, !ifMatch.isEmpty else { return nil }
        let value = ifMatch.drop { $0 == " " }
        if value == "*" {
            self = .any
            return
        }
        // A trip's tags hold no comma.
        self = .versions(
            value.split(separator: ",").compactMap { tag in
                let tag = tag.drop { $0 == " " || $0 == "\t" }
                return TripVersion(entityTag: tag.prefix { $0 != " " && $0 != "\t" })
            })
    }

    /// Nil if the form has no such field.
    init?(version: String?) {
        guard let version else { return nil }
        self = .versions(TripVersion(version).map { [$0] } ?? [])
    }

    /// The version to hold the store to, if a trip in this state may be written.
    func version(of trip: Trip) -> TripVersion? {
        switch self {
        case .any: trip.version
        case .versions(let versions): versions.contains(trip.version) ? trip.version : nil
        }
    }
}

extension Query {
    /// A box that isn't ticked is not sent: a hidden field before it says so.
    fileprivate var favourite: String? { fields.last { $0.name == "favourite" }?.value }
}

extension TripFields {
    /// What a form's fields hold.
    init(_ form: Query) {
        self.init()
        city = form["city"] ?? ""
        country = form["country"] ?? ""
        start = form["start"] ?? ""
        nights = form["nights"] ?? ""
        price = form["price"] ?? ""
        picture = form["picture"] ?? ""
        isFavourite = form.favourite == "true"
    }
}
