/// One step of a schema. Steps are only ever added at the end: the number of steps is the schema's version.
package enum Migration: Sendable {
    /// A script of one or more statements.
    case sql(StaticString)
    /// What SQL alone can't say.
    case steps(@Sendable (Connection) throws(StorageError) -> Void)
}

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
    /// The steps to the present schema, oldest first. The file's `user_version` counts those that were made.
    package var migrations: [Migration]
    package var synchronous = Synchronous.full
    /// The longest wait for another connection's lock.
    package var busyTimeout = Duration.seconds(5)
    /// The most memory that SQLite's page cache takes, in bytes.
    package var pageCacheBytes = 2 << 20
    /// The largest that the file may grow, in bytes; then writes fail as `full`. Nil: as large as the disk.
    package var maximumFileBytes: Int?
    /// Whether a missing folder is made, with mode 0700.
    package var createsFolder = false
    /// The most reads and writes that may wait for the thread; one more fails as `overloaded`.
    package var waitingLimit = 1024
    /// The thread's name, of which the kernel keeps 15 bytes.
    package var threadName = "storage"

    package init(path: String, applicationID: Int32, migrations: [Migration]) {
        self.path = path
        self.applicationID = applicationID
        self.migrations = migrations
    }
}
