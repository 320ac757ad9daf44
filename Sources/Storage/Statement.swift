internal import CSQLite

/// A prepared statement. It never leaves the connection that made it.
final class Statement {
    let handle: OpaquePointer
    /// Whether it leaves the file as it is.
    let isReadOnly: Bool
    private let connection: OpaquePointer

    /// - Throws: `misuse` where the text is not one statement.
    init(_ sql: StaticString, on connection: OpaquePointer) throws(StorageError) {
        var made: OpaquePointer?
        var hasMore = false
        let result = sql.withUTF8Buffer { text -> Int32 in
            text.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                let result = sqlite3_prepare_v3(
                    connection, text.baseAddress, Int32(clamping: text.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT), &made, &tail)
                if let tail, let start = text.baseAddress {
                    let blank: Set<CChar> = [0x20, 0x0a, 0x0d, 0x09, 0x3b]
                    hasMore = text.dropFirst(tail - start).contains { !blank.contains($0) }
                }
                return result
            }
        }
        guard result == SQLITE_OK else { throw StorageError(code: result, of: connection) }
        guard let made else { throw StorageError(.misuse, "no SQL in the text") }
        guard !hasMore else {
            sqlite3_finalize(made)
            throw StorageError(.misuse, "more than one statement in the text")
        }
        handle = made
        isReadOnly = sqlite3_stmt_readonly(made) != 0
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    func bind(_ values: [Value]) throws(StorageError) {
        let expected = Int(sqlite3_bind_parameter_count(handle))
        guard values.count == expected else {
            throw StorageError(.misuse, "\(values.count) values for \(expected) parameters")
        }
        for (index, value) in values.enumerated() {
            let result = bind(value, at: Int32(index + 1))
            guard result == SQLITE_OK else { throw StorageError(code: result, of: connection) }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, Int64(number))
        case .real(let number): return sqlite3_bind_double(handle, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                guard let length = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
                // Without an address SQLite would take empty text for NULL.
                guard let start = bytes.baseAddress, length > 0 else {
                    return csqlite_bind_text(handle, index, "", 0)
                }
                return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    csqlite_bind_text(handle, index, $0, length)
                }
            }
        case .bytes(let bytes):
            guard let length = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
            guard length > 0 else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return bytes.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, length) }
        }
    }

    /// Returns whether there is a row.
    func step() throws(StorageError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw StorageError(code: code, of: connection)
        }
    }

    /// Makes it ready for the next use, and lets go of the values.
    func reset() {
        // The result is that of the last step, which was reported already.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}
