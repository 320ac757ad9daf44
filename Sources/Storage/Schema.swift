internal import CSQLite

/// What a database file is and how it is treated.
package struct DatabaseOptions: Sendable {
    /// What an acknowledged write survives.
    package enum Synchronous: Sendable {
        /// The end of the process, not of power: for caches.
        case normal
        /// Power loss too: each commit waits for the disk.
        case full
    }

    /// The file. A missing one is made with mode 0600.
    package var path: String
    /// A number of our own, not 0, in the file's header: a database that bears another is refused, never changed.
    package var applicationID: Int32
    /// The steps to the present schema, each a script of SQL, oldest first. Steps are only ever added at the end:
    /// the file's `user_version` counts those that were made.
    package var migrations: [StaticString]
    package var synchronous = Synchronous.full
    /// The longest wait for another connection's lock.
    package var busyTimeout = Duration.seconds(5)
    /// The largest that the file may grow, in bytes; then writes fail as `full`. Nil: as large as the disk.
    package var maximumFileBytes: Int?
    /// Whether a missing folder is made, with mode 0700.
    package var createsFolder = false
    /// The most reads and writes that may wait for the thread; one more fails as `overloaded`.
    package var waitingLimit = 1024
    /// The thread's name, of which the kernel keeps 15 bytes.
    package var threadName = "storage"

    package init(path: String, applicationID: Int32, migrations: [StaticString]) {
        self.path = path
        self.applicationID = applicationID
        self.migrations = migrations
    }
}

/// Brings a file that was just opened to the present schema.
enum DatabaseSchema {
    /// Opens a file with all that belongs to it.
    static func open(
        _ file: DatabaseFile, _ options: DatabaseOptions, on thread: StorageThread
    ) throws(StorageError) -> Connection {
        let connection = try Connection(file, options, on: thread)
        do {
            try prepare(connection, options)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    private static func prepare(_ connection: Connection, _ options: DatabaseOptions) throws(StorageError) {
        guard options.applicationID != 0 else { throw StorageError(.misuse, "an application id of 0") }
        try connection.configure(SQLITE_DBCONFIG_DEFENSIVE, true)
        try connection.configure(SQLITE_DBCONFIG_DQS_DML, false)
        try connection.configure(SQLITE_DBCONFIG_DQS_DDL, false)
        try connection.configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        // Without mmap, a file that shrinks under us is an error and not a signal.
        try connection.execute(
            """
            PRAGMA mmap_size = 0;
            PRAGMA cell_size_check = 1;
            PRAGMA foreign_keys = 1;
            PRAGMA temp_store = 2;
            PRAGMA cache_size = -2048;
            """)
        // Looked at before anything is changed.
        let found = try connection.read(by: nil) { database throws(StorageError) in
            try progress(of: database, options)
        }
        let isUpToDate = found.isOurs && found.version == options.migrations.count
        guard !connection.isReadOnly else {
            guard isUpToDate else {
                throw StorageError(
                    .readOnly, "the schema is of version \(found.version) and can't be changed")
            }
            return
        }
        try connection.executeWaiting("PRAGMA journal_mode = WAL;")
        let mode = try connection.pragma("PRAGMA journal_mode", as: String.self)
        guard mode == "wal" else { throw StorageError(.other, "no write-ahead log here: \(mode ?? "none")") }
        try connection.execute(
            """
            PRAGMA synchronous = \(options.synchronous == .full ? "FULL" : "NORMAL");
            PRAGMA journal_size_limit = \(4 << 20);
            """)
        if let most = options.maximumFileBytes {
            let page = try connection.pragma("PRAGMA page_size", as: Int.self)
            try connection.execute("PRAGMA max_page_count = \(max(most / max(page ?? 4096, 512), 1));")
        }
        if !isUpToDate { try migrate(connection, options) }
    }

    /// How far a file is, and whether it bears our id: it isn't empty and new.
    private static func progress(
        of connection: Connection, _ options: DatabaseOptions
    ) throws(StorageError) -> (isOurs: Bool, version: Int) {
        let owner = try connection.pragma("PRAGMA application_id", as: Int.self) ?? 0
        let version = try connection.pragma("PRAGMA user_version", as: Int.self) ?? 0
        guard owner == Int(options.applicationID) else {
            let tables = try connection.pragma("SELECT count(*) FROM sqlite_schema", as: Int.self)
            guard owner == 0, version == 0, tables == 0 else {
                throw StorageError(.foreign, "the file bears the application id \(owner)")
            }
            return (false, 0)
        }
        let known = options.migrations.count
        guard version <= known else {
            throw StorageError(.tooNew, "the schema is of version \(version), known are \(known)")
        }
        guard version >= 0 else { throw StorageError(.corrupt, "the schema is of version \(version)") }
        return (true, version)
    }

    /// Takes the missing steps, each in a transaction of its own.
    private static func migrate(_ connection: Connection, _ options: DatabaseOptions) throws(StorageError) {
        var isDone = false
        while !isDone {
            isDone = try connection.write(by: nil) { database throws(StorageError) in
                // Another process may have been here meanwhile.
                let present = try progress(of: database, options)
                if !present.isOurs {
                    try database.execute("PRAGMA application_id = \(options.applicationID)")
                }
                guard present.version < options.migrations.count else { return true }
                try database.execute(options.migrations[present.version].description)
                try database.execute("PRAGMA user_version = \(present.version + 1)")
                return false
            }
        }
    }
}
