internal import CSQLite

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
            PRAGMA cache_size = \(-max(options.pageCacheBytes / 1024, 64));
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

    /// How far a file is.
    private struct Progress {
        /// It bears our id: it isn't empty and new.
        let isOurs: Bool
        let version: Int
    }

    private static func progress(
        of connection: Connection, _ options: DatabaseOptions
    ) throws(StorageError) -> Progress {
        let owner = try connection.pragma("PRAGMA application_id", as: Int.self) ?? 0
        let version = try connection.pragma("PRAGMA user_version", as: Int.self) ?? 0
        guard owner == Int(options.applicationID) else {
            let tables = try connection.pragma("SELECT count(*) FROM sqlite_schema", as: Int.self)
            guard owner == 0, version == 0, tables == 0 else {
                throw StorageError(.foreign, "the file bears the application id \(owner)")
            }
            return Progress(isOurs: false, version: 0)
        }
        let known = options.migrations.count
        guard version <= known else {
            throw StorageError(.tooNew, "the schema is of version \(version), known are \(known)")
        }
        guard version >= 0 else { throw StorageError(.corrupt, "the schema is of version \(version)") }
        return Progress(isOurs: true, version: version)
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
                switch options.migrations[present.version] {
                case .sql(let script): try database.execute(script.description)
                case .steps(let steps): try steps(database)
                }
                try database.execute("PRAGMA user_version = \(present.version + 1)")
                return false
            }
        }
    }
}
