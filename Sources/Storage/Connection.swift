internal import CSQLite
internal import Glibc

/// A database as the closure sees it that `read` or `write` runs on the storage thread.
///
/// SQL is a literal: what comes from outside goes in as values for its `?`. A list of values goes in as one JSON
/// text: `WHERE key IN (SELECT value FROM json_each(?))`.
package final class Connection {
    /// How the present transaction may use the file.
    private enum Mode {
        case none
        case reading
        case writing
    }

    let isReadOnly: Bool
    private let handle: OpaquePointer
    private let thread: StorageThread
    private let busyTimeout: Duration
    /// Prepared statements by the place of their text, each out of here while it is in use. A literal is the same
    /// text for as long as the program runs, so there are as many as the program has.
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]
    private var mode = Mode.none
    private var isClosed = false
    private var deadline: ContinuousClock.Instant?
    private var waitsSince = ContinuousClock.now

    /// Opens the file; `DatabaseSchema` checks and prepares it.
    init(_ file: DatabaseFile, _ options: DatabaseOptions, on thread: StorageThread) throws(StorageError) {
        thread.checkIsolated()
        var made: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = sqlite3_open_v2(file.path, &made, flags, nil)
        guard result == SQLITE_OK, let made else {
            let error = StorageError(code: result, of: made)
            sqlite3_close(made)
            throw error
        }
        handle = made
        self.thread = thread
        busyTimeout = options.busyTimeout
        isReadOnly = sqlite3_db_readonly(made, "main") == 1
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            made,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().waitForLock(count)
                    ? 1 : 0
            }, context)
        sqlite3_progress_handler(
            made, 4_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().isOutOfTime ? 1 : 0
            }, context)
    }

    deinit {
        assert(isClosed, "a connection was left open")
    }

    /// Closes the file. A second call does nothing.
    func close() {
        thread.checkIsolated()
        guard !isClosed else { return }
        isClosed = true
        statements.removeAll()
        // Should a statement be left, SQLite closes when it goes.
        sqlite3_close_v2(handle)
    }

    // MARK: For the closure

    /// Runs a statement that answers no rows.
    ///
    /// - Returns: how many rows it inserted, changed or deleted.
    @discardableResult
    package func run(_ sql: StaticString, _ values: Value...) throws(StorageError) -> Int {
        var changed = 0
        try with(sql, values) { statement throws(StorageError) in
            while try statement.step() {}
            changed = statement.isReadOnly ? 0 : Int(sqlite3_changes64(handle))
        }
        return changed
    }

    /// Collects what `make` makes of each row. The statement bounds their number: write a `LIMIT`.
    package func rows<T>(
        _ sql: StaticString, _ values: Value..., make: (borrowing Row) throws(StorageError) -> T
    ) throws(StorageError) -> [T] {
        var made: [T] = []
        try with(sql, values) { statement throws(StorageError) in
            while try statement.step() { made.append(try make(Row(statement.handle))) }
        }
        return made
    }

    /// What `make` makes of the first row, or nil where there is none.
    package func first<T>(
        _ sql: StaticString, _ values: Value..., make: (borrowing Row) throws(StorageError) -> T
    ) throws(StorageError) -> T? {
        var made: T?
        try with(sql, values) { statement throws(StorageError) in
            if try statement.step() { made = try make(Row(statement.handle)) }
        }
        return made
    }

    /// The first column of the first row, or nil where there is none.
    package func value<T: ColumnValue>(
        _ sql: StaticString, _ values: Value..., as type: T.Type = T.self
    ) throws(StorageError) -> T? {
        try value(sql, values, mayWrite: false)
    }

    private func with(
        _ sql: StaticString, _ values: [Value], mayWrite: Bool = false,
        _ use: (Statement) throws(StorageError) -> Void
    ) throws(StorageError) {
        thread.checkIsolated()
        guard !isClosed else { throw .closed }
        // One character alone has no place, and is no statement.
        guard sql.hasPointerRepresentation else { throw StorageError(.misuse, "no SQL in the text") }
        let statement: Statement
        if let known = statements.removeValue(forKey: sql.utf8Start) {
            statement = known
        } else {
            statement = try Statement(sql, on: handle)
        }
        defer {
            statement.reset()
            statements[sql.utf8Start] = statement
        }
        guard mode == .writing || mayWrite || statement.isReadOnly else {
            throw StorageError(.misuse, "a write outside a write transaction")
        }
        try statement.bind(values)
        try use(statement)
    }

    // MARK: Transactions

    /// Whether a transaction is open, whoever began it.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs `body` on one unchanging view of the file.
    func read<T>(
        by deadline: ContinuousClock.Instant?, _ body: (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try transact("BEGIN", .reading, by: deadline, body)
    }

    /// Runs `body` as the only writer; committed when it returns, taken back when it throws.
    func write<T>(
        by deadline: ContinuousClock.Instant?, _ body: (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        guard !isReadOnly else { throw StorageError(.readOnly, "the file can only be read") }
        return try transact("BEGIN IMMEDIATE", .writing, by: deadline, body)
    }

    private func transact<T>(
        _ begin: String, _ mode: Mode, by deadline: ContinuousClock.Instant?,
        _ body: (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        thread.checkIsolated()
        guard !isClosed else { throw .closed }
        guard self.mode == .none else { throw StorageError(.misuse, "a transaction inside another") }
        if let deadline, deadline <= .now { throw .outOfTime }
        self.deadline = deadline
        self.mode = mode
        defer {
            self.mode = .none
            self.deadline = nil
        }
        do throws(StorageError) {
            try execute(begin)
            let result = try body(self)
            guard isInTransaction else {
                throw StorageError(.misuse, "the transaction ended before its time")
            }
            // From here it is too late to give up: the answer shall say what became of it.
            self.deadline = nil
            try execute("COMMIT")
            return result
        } catch {
            self.deadline = nil
            let isLate = error.kind == .busy && deadline.map { $0 <= .now } ?? false
            // A failure to go back leaves the transaction to the next BEGIN, which says so.
            if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw isLate ? StorageError(.timedOut, code: error.code, error.words) : error
        }
    }

    // MARK: Waiting

    /// Called by SQLite when another has the lock; returns whether to try again.
    private func waitForLock(_ count: Int32) -> Bool {
        let now = ContinuousClock.now
        if count == 0 { waitsSince = now }
        var limit = waitsSince.advanced(by: busyTimeout)
        if let deadline { limit = min(limit, deadline) }
        if let closing = thread.closingDeadline { limit = min(limit, closing) }
        guard now < limit else { return false }
        let pause = min(Duration.milliseconds(min(Int(count) + 1, 10)), now.duration(to: limit))
        usleep(UInt32(pause / .microseconds(1)))
        return true
    }

    private var isOutOfTime: Bool {
        guard let deadline else { return false }
        return deadline <= .now
    }

    // MARK: For this room

    /// Runs a script of our own.
    func execute(_ script: String) throws(StorageError) {
        let result = sqlite3_exec(handle, script, nil, nil, nil)
        guard result == SQLITE_OK else { throw StorageError(code: result, of: handle) }
    }

    /// The first value that a pragma answers.
    func pragma<T: ColumnValue>(_ sql: StaticString, as type: T.Type = T.self) throws(StorageError) -> T? {
        try value(sql, [], mayWrite: true)
    }

    private func value<T: ColumnValue>(
        _ sql: StaticString, _ values: [Value], mayWrite: Bool
    ) throws(StorageError) -> T? {
        var value: T?
        try with(sql, values, mayWrite: mayWrite) { statement throws(StorageError) in
            if try statement.step() { value = try Row(statement.handle).value(0) }
        }
        return value
    }

    /// Asks again while the file is locked, up to the busy time-out, for what SQLite doesn't wait for by itself.
    func executeWaiting(_ script: String) throws(StorageError) {
        let limit = ContinuousClock.now.advanced(by: busyTimeout)
        while true {
            do {
                return try execute(script)
            } catch {
                guard error.kind == .busy, ContinuousClock.now < limit, thread.closingDeadline == nil else {
                    throw error
                }
                usleep(2_000)
            }
        }
    }

    /// Turns a switch of sqlite3_db_config on or off.
    func configure(_ option: Int32, _ isOn: Bool) throws(StorageError) {
        let result = csqlite_configure(handle, option, isOn ? 1 : 0)
        guard result == SQLITE_OK else { throw StorageError(code: result, of: handle) }
    }

    /// Whether the path names another file by now than the one that is open, or none.
    var hasMoved: Bool {
        var moved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }
}
