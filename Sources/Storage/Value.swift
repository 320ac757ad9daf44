/// A value as SQLite keeps it. Bound to a `?`, it is data and never SQL.
package enum Value: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    package static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    package static func integer(_ number: Int64?) -> Value { number.map { .integer($0) } ?? .null }
    package static func integer(_ number: Int) -> Value { .integer(Int64(number)) }
    package static func real(_ number: Double?) -> Value { number.map { .real($0) } ?? .null }
    package static func bytes(_ bytes: [UInt8]?) -> Value { bytes.map { .bytes($0) } ?? .null }
    /// Kept as 0 or 1.
    package static func flag(_ flag: Bool) -> Value { .integer(flag ? 1 as Int64 : 0) }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByNilLiteral
{
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .real(value) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(nilLiteral: ()) { self = .null }
}

/// What a column can be read as: `Int64`, `Int`, `Double`, `Bool`, `String`, `[UInt8]`, and each as an optional.
package protocol ColumnValue: Sendable {
    /// Nil where the value is of another type.
    init?(_ value: Value)
}

extension Int64: ColumnValue {
    package init?(_ value: Value) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Int: ColumnValue {
    package init?(_ value: Value) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

extension Double: ColumnValue {
    package init?(_ value: Value) {
        switch value {
        case .real(let number): self = number
        case .integer(let number): self = Double(number)
        default: return nil
        }
    }
}

extension Bool: ColumnValue {
    package init?(_ value: Value) {
        switch value {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }
}

extension String: ColumnValue {
    package init?(_ value: Value) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension [UInt8]: ColumnValue {
    package init?(_ value: Value) {
        guard case .bytes(let bytes) = value else { return nil }
        self = bytes
    }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    package init?(_ value: Value) {
        if case .null = value {
            self = Wrapped?.none
        } else {
            guard let wrapped = Wrapped(value) else { return nil }
            self = wrapped
        }
    }
}
