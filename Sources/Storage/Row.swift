internal import CSQLite

/// One row of an answer, for as long as the closure runs that it was given to.
package struct Row: ~Copyable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    /// The value of a column, counted from 0, as the type that the context asks for.
    ///
    /// - Throws: `unexpectedValue` where the column holds another type (NULL fits optionals only, an integer fits
    ///   `Double` too) or text that is not UTF-8; `misuse` where there is no such column.
    package func value<T: ColumnValue>(_ column: Int, as type: T.Type = T.self) throws(StorageError) -> T {
        guard let index = Int32(exactly: column), index >= 0, index < sqlite3_column_count(handle) else {
            throw StorageError(.misuse, "no column \(column)")
        }
        guard let value = T(try raw(index)) else {
            throw StorageError(.unexpectedValue, "column \(column) is not \(T.self)")
        }
        return value
    }

    private func raw(_ index: Int32) throws(StorageError) -> Value {
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .integer(Int(sqlite3_column_int64(handle, index)))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, index) else {
                throw StorageError(.other, code: SQLITE_NOMEM, "no memory for a column")
            }
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw StorageError(.unexpectedValue, "column \(index) is not UTF-8")
            }
            return .text(text)
        case SQLITE_BLOB:
            // An empty blob has no address.
            guard let start = sqlite3_column_blob(handle, index) else { return .bytes([]) }
            let count = Int(sqlite3_column_bytes(handle, index))
            return .bytes([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
        default: return .null
        }
    }
}

/// A value as SQLite keeps it. Bound to a `?`, it is data and never SQL.
package enum Value: Sendable, Hashable {
    case null
    case integer(Int)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    package static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
    package static func integer(_ number: Int?) -> Value { number.map { .integer($0) } ?? .null }
    package static func real(_ number: Double?) -> Value { number.map { .real($0) } ?? .null }
    package static func bytes(_ bytes: [UInt8]?) -> Value { bytes.map { .bytes($0) } ?? .null }
    /// Kept as 0 or 1.
    package static func flag(_ flag: Bool) -> Value { .integer(flag ? 1 : 0) }
}

/// What a column can be read as: `Int`, `Double`, `Bool`, `String`, `[UInt8]`, and each as an optional.
package protocol ColumnValue: Sendable {
    /// Nil where the value is of another type.
    init?(_ value: Value)
}

extension Int: ColumnValue {
    package init?(_ value: Value) {
        guard case .integer(let number) = value else { return nil }
        self = number
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
