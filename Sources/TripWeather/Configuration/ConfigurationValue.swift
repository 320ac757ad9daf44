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
        // The decoder has no way to ask what a value is but to try.
        if let container = try? decoder.container(keyedBy: Key.self) {
            var members: [String: ConfigurationValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(ConfigurationValue.self, forKey: key)
            }
            self = .object(members)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [ConfigurationValue] = []
            while !container.isAtEnd {
                elements.append(try container.decode(ConfigurationValue.self))
            }
            self = .list(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
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
