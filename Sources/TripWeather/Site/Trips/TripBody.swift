internal import Fragments
internal import Gateway
internal import Trips
internal import Weather

/// What a write says about a trip, read from its body.
struct TripBody: Sendable {
    /// How the body is written; the raw value is the type of content.
    enum Form: String {
        case json = "application/json"
        case mergePatch = "application/merge-patch+json"
        case form = "application/x-www-form-urlencoded"

        /// Nil for any other type of content. Parameters, such as a charset, are not looked at: all are UTF-8.
        init?(contentType: String?) {
            let type = (contentType ?? "").prefix { $0 != ";" }
            self.init(rawValue: type.lowercased().filter { $0 != " " && $0 != "\t" })
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

    /// The fields that a write may name.
    private static let writable = [
        "city", "country", "start", "nights", "price", "picture", "favourite", "place",
    ]
    /// The same of a form, which has no objects.
    private static let fieldsOfPlace = ["placeId", "latitude", "longitude"]
    /// What a trip in JSON holds that nobody writes: it may come back as it was sent out.
    private static let readOnly = ["id", "version", "share", "totalNights", "next"]

    // MARK: Forms

    /// Reads a form: `application/x-www-form-urlencoded`.
    init(form bytes: [UInt8]) {
        var form = Query(bytes)
        let known = TripBody.writable.filter { $0 != "place" } + TripBody.fieldsOfPlace + ["key", "version"]
        form.refuseAll(but: known, repeated: ["favourite"])
        var members: [String: JSONValue] = [:]
        // A box that isn't ticked is not sent: a hidden field before it says so.
        for (name, text) in form.fields { members[name] = TripBody.value(text, of: name) }
        let place = members.filter { TripBody.fieldsOfPlace.contains($0.key) && $0.value.asText != nil }
        if !place.isEmpty {
            members["place"] = .object(
                place.compactMapValues { $0.asText.flatMap(Double.init).map { .number($0) } })
        }
        draft = TripDraft(members)
        key = form["key"]
        version = form["version"]
        fields = TripFields(form)
        fields.isFavourite = draft.isFavourite == .value(true)
        unknown = form.faults
    }

    /// A form's field as JSON would have it.
    private static func value(_ text: String, of name: String) -> JSONValue {
        if text.isEmpty { return .null }
        switch name {
        case "nights", "price":
            let number = text.utf8.count <= 12 ? Int(text) : nil
            return number.map { .number(Double($0)) } ?? .text(text)
        case "favourite": return Bool(text).map { .flag($0) } ?? .text(text)
        default: return .text(text)
        }
    }

    // MARK: JSON

    /// Reads an object, for a whole trip or a merge patch (RFC 7396).
    ///
    /// - Throws: if it is no JSON object.
    init(json bytes: [UInt8]) throws {
        let document = try JSONValue(bytes)
        guard case .object(let members) = document,
            TripBody.isStrict(bytes, members: document.memberCount)
        else { throw NoObject() }
        draft = TripDraft(members)
        if let value = members["key"] {
            key = value.asText
            if key == nil { unknown.append(("key", .notAKey(lengths: CreationKey.lengthRange))) }
        }
        let known = TripBody.writable + TripBody.readOnly + ["key"]
        unknown += members.keys.filter { !known.contains($0) }.sorted().map { ($0, .unknown) }
    }

    /// Whether JSON that Foundation has read holds neither of what it lets pass: a comma before a closing bracket, and
    /// a member that comes twice in one object, of which each reader may take another.
    ///
    /// - Parameter members: how many Foundation found, at any depth.
    private static func isStrict(_ bytes: [UInt8], members: Int) -> Bool {
        var (colons, last) = (0, UInt8(0))
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
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard last != UInt8(ascii: ",") else { return false }
            case UInt8(ascii: ":"): colons += 1
            default: break
            }
            last = byte
        }
        return colons == members
    }
}

/// The body is no JSON object, or only to a lenient reader.
private struct NoObject: Error {}

extension TripDraft {
    /// - Parameter members: an object in JSON.
    fileprivate init(_ members: [String: JSONValue]) {
        self.init()
        func input<Value>(_ name: String, _ read: (JSONValue) -> Value?) -> TripInput<Value> {
            guard let value = members[name] else { return .absent }
            if case .null = value { return .cleared }
            return read(value).map { .value($0) } ?? .unreadable
        }
        city = input("city", \.asText)
        country = input("country", \.asText)
        start = input("start") { $0.asText.flatMap { CalendarDate($0) } }
        nights = input("nights", \.asWholeNumber)
        price = input("price", \.asWholeNumber)
        picture = input("picture", \.asText)
        isFavourite = input("favourite", \.asFlag)
        place = input("place", \.asMeantPlace)
    }
}

extension JSONValue {
    /// Nil for anything but an object with a number of the service's, or a latitude and a longitude. What else a trip's
    /// place holds when it is read is passed over: names are asked for by language.
    fileprivate var asMeantPlace: MeantPlace? {
        guard case .object(let members) = self else { return nil }
        func number(_ name: String) -> Double? {
            if case .number(let number)? = members[name] { number } else { nil }
        }
        if let id = members["placeId"], id.asWholeNumber.map({ $0 > 0 }) != true, !id.isNull { return nil }
        var coordinate: Coordinate?
        if members["latitude"] != nil || members["longitude"] != nil {
            guard let latitude = number("latitude"), let longitude = number("longitude"),
                let point = Coordinate(latitude: latitude, longitude: longitude)
            else { return nil }
            coordinate = point
        }
        return MeantPlace(id: members["placeId"]?.asWholeNumber, coordinate: coordinate)
    }

    private var isNull: Bool { if case .null = self { true } else { false } }
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
        placeID = form["placeId"] ?? ""
        latitude = form["latitude"] ?? ""
        longitude = form["longitude"] ?? ""
    }
}
