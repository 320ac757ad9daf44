internal import FoundationEssentials

/// A value of JSON or JSON5, as Foundation's decoder reads it.
enum JSONValue: Decodable, Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// Reads a whole document.
    ///
    /// - Throws: `DecodingError`, which tells no line.
    init(_ bytes: [UInt8], isJSON5: Bool = false) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = isJSON5
        self = try decoder.decode(JSONValue.self, from: Data(bytes))
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        // The decoder has no way to ask what kind a value is of, but to try one kind after another.
        func decoded<Value: Decodable>(_ kind: Value.Type) throws -> Value? {
            do {
                return try value.decode(kind)
            } catch DecodingError.typeMismatch {
                return nil
            }
        }
        if value.decodeNil() {
            self = .null
        } else if let flag = try decoded(Bool.self) {
            self = .flag(flag)
        } else if let number = try decoded(Double.self) {
            self = .number(number)
        } else if let text = try decoded(String.self) {
            self = .text(text)
        } else if let list = try decoded([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    // What it holds, or nil if it is of another kind.
    var asFlag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    var asText: String? { if case .text(let text) = self { text } else { nil } }
    var asWholeNumber: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }

    /// How many members its objects have, at any depth.
    var memberCount: Int {
        switch self {
        case .list(let elements): elements.reduce(0) { $0 + $1.memberCount }
        case .object(let members): members.values.reduce(members.count) { $0 + $1.memberCount }
        default: 0
        }
    }

    /// What it is, in words for an error.
    var kind: String {
        switch self {
        case .null: "null"
        case .flag(let flag): "\(flag)"
        case .number(let number):
            Int(exactly: number).map { "the number \($0)" } ?? "the number \(number)"
        case .text(let text): "\"\(text.prefix(80))\""
        case .list: "a list"
        case .object: "a section"
        }
    }
}
