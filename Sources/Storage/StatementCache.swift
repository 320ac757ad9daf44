/// Prepared statements by their text, each out of the cache while it is in use.
struct StatementCache {
    /// A literal is the same text for as long as the program runs, so its place says which it is.
    private struct Key: Hashable {
        let place: UInt
        let length: Int

        init?(_ sql: StaticString) {
            guard sql.hasPointerRepresentation else { return nil }
            place = UInt(bitPattern: sql.utf8Start)
            length = sql.utf8CodeUnitCount
        }
    }

    private let limit: Int
    private var entries: [Key: (statement: Statement, lastUse: UInt64)] = [:]
    private var uses: UInt64 = 0
    /// How many statements were prepared so far.
    private(set) var prepared = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func take(_ sql: StaticString, on connection: OpaquePointer) throws(StorageError) -> Statement {
        if let key = Key(sql), let found = entries.removeValue(forKey: key) { return found.statement }
        prepared += 1
        return try Statement(sql, on: connection)
    }

    /// Takes a statement back; the one least recently used makes room.
    mutating func put(_ statement: Statement, for sql: StaticString) {
        statement.reset()
        guard let key = Key(sql) else { return }
        if entries.count >= limit, entries[key] == nil,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            entries.removeValue(forKey: oldest.key)
        }
        uses += 1
        entries[key] = (statement, uses)
    }

    mutating func removeAll() {
        entries.removeAll()
    }
}
