/// A database file whose content must not be lost, owned by one thread of its own.
///
/// Every call into SQLite runs on that thread, one after the other in the order of the calls. What is damaged, of
/// a newer version or somebody else's is refused and left as it is; for a file that may be thrown away see
/// `DisposableStore`.
package actor Database {
    package nonisolated let options: DatabaseOptions
    nonisolated let thread: StorageThread
    /// Any use of it off the storage thread traps.
    private nonisolated(unsafe) var connection: Connection?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private init(_ options: DatabaseOptions) {
        self.options = options
        thread = StorageThread(name: options.threadName, waitingLimit: options.waitingLimit)
    }

    deinit {
        if let connection {
            nonisolated(unsafe) let last = connection
            thread.execute { last.close() }
        }
        thread.end(waits: false)
    }

    /// Opens the file, makes it where it is missing, and brings its schema up to date.
    ///
    /// - Throws: `cannotOpen`, `readOnly` or `full` for what the file system forbids (a file that can only be read
    ///   opens if its schema is up to date; its writes throw `readOnly`), `corrupt`, `tooNew`, `foreign`, `busy`.
    package static nonisolated(nonsending) func open(
        _ options: DatabaseOptions
    ) async throws(StorageError) -> Database {
        let database = Database(options)
        do {
            try database.thread.start()
            try await database.start()
            return database
        } catch {
            database.thread.end()
            throw error
        }
    }

    private func start() throws(StorageError) {
        let file = try DatabaseFile(options.path)
        if options.createsFolder { try DatabaseFile.createFolder(file.folder) }
        try file.createIfMissing(syncingFolder: options.synchronous == .full)
        connection = try DatabaseSchema.open(file, options, on: thread)
    }

    /// Runs `body` on the storage thread, on one unchanging view of the file.
    ///
    /// - Parameter deadline: when to give up with `timedOut`: the body isn't begun after it, and locks and long
    ///   queries end at it. Without one, only the busy time-out bounds the wait for a lock.
    /// - Throws: what the body throws; `overloaded`, `unavailable` once closed.
    package nonisolated(nonsending) func read<T: Sendable>(
        by deadline: ContinuousClock.Instant? = nil,
        _ body: @Sendable (Connection) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await withConnection { connection throws(StorageError) in
            try connection.read(by: deadline, body)
        }
    }

    /// Runs `body` on the storage thread as the file's only writer, and returns once its changes are committed: with
    /// `synchronous` full they survive power loss from then on. When the body throws, nothing is changed.
    ///
    /// A task that is cancelled meanwhile still waits for, and gets, the outcome.
    ///
    /// - Parameter deadline: as for `read`; a commit that has begun is waited for.
    /// - Throws: what the body throws; `busy`, `full`, `readOnly`, `overloaded`, `unavailable` once closed.
    package nonisolated(nonsending) func write<T: Sendable>(
        by deadline: ContinuousClock.Instant? = nil,
        _ body: @Sendable (Connection) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await withConnection { [options] connection throws(StorageError) in
            try connection.write(by: deadline) { connection throws(StorageError) in
                let result = try body(connection)
                // What is written to a file that was removed is lost when the program ends.
                guard !connection.hasMoved else {
                    throw StorageError(.moved, "\(options.path) is not the file that was opened")
                }
                return result
            }
        }
    }

    private nonisolated(nonsending) func withConnection<T: Sendable>(
        _ use: @Sendable (Connection) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try thread.enter()
        defer { thread.leave() }
        return try await isolated(use)
    }

    private func isolated<T: Sendable>(
        _ use: @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        guard let connection else { throw .closed }
        return try use(connection)
    }

    /// Whether the path names another file by now than the one that is open, or none.
    package var isMoved: Bool { connection?.hasMoved ?? false }

    /// Looks through the whole file for damage, indexes too; its time grows with the file.
    ///
    /// - Throws: `corrupt`, with SQLite's first finding; `timedOut` at the deadline.
    package nonisolated(nonsending) func check(
        by deadline: ContinuousClock.Instant? = nil
    ) async throws(StorageError) {
        let finding = try await read(by: deadline) { database throws(StorageError) in
            try database.value("PRAGMA integrity_check(1)", as: String.self)
        }
        guard finding == "ok" else { throw StorageError(.corrupt, finding ?? "no finding") }
    }

    /// Closes the file and ends the thread.
    ///
    /// - Parameter limit: how long locks are waited for.
    package nonisolated(nonsending) func close(within limit: Duration = .seconds(5)) async {
        thread.setClosingDeadline(.now.advanced(by: limit))
        await shut()
        thread.end()
    }

    private func shut() {
        connection?.close()
        connection = nil
    }
}
