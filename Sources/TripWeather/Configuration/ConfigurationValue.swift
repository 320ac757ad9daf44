internal import FoundationEssentials

/// A value of the configuration file, as Foundation's JSON5 decoder reads it.
enum ConfigurationValue: Decodable, Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([ConfigurationValue])
    case object([String: ConfigurationValue])

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }

    /// Reads a whole file.
    ///
    /// - Throws: `DecodingError`, which tells no line.
    init(json5 bytes: [UInt8]) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        self = try decoder.decode(ConfigurationValue.self, from: Data(bytes))
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let flag = try ConfigurationValue.unlessAnotherKind({ try value.decode(Bool.self) }) {
            self = .flag(flag)
        } else if let number = try ConfigurationValue.unlessAnotherKind({ try value.decode(Double.self) }) {
            self = .number(number)
        } else if let text = try ConfigurationValue.unlessAnotherKind({ try value.decode(String.self) }) {
            self = .text(text)
        } else if var list = try ConfigurationValue.unlessAnotherKind({ try decoder.unkeyedContainer() }) {
            var elements: [ConfigurationValue] = []
            while !list.isAtEnd { elements.append(try list.decode(ConfigurationValue.self)) }
            self = .list(elements)
        } else {
            let container = try decoder.container(keyedBy: Key.self)
            var members: [String: ConfigurationValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(ConfigurationValue.self, forKey: key)
            }
            self = .object(members)
        }
    }

    /// The decoder has no way to ask what kind a value is of, but to try one kind after another.
    private static func unlessAnotherKind<Value>(_ read: () throws -> Value) throws -> Value? {
        do {
            return try read()
        } catch DecodingError.typeMismatch {
            return nil
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
