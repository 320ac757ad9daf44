internal import Storage

/// The cache's file: what is in it, and how it is treated.
enum ArchiveSchema {
    /// In the file's header: "TrWc".
    static let applicationID: Int32 = 0x5472_5763

    /// `spot` is a coordinate as `Coordinate.spot` numbers it, `saved` and `position` are told in seconds
    /// and in windows since 1970, `content` is `ArchiveCoding`'s.
    static let migrations: [Migration] = [
        .sql(
            """
            CREATE TABLE weather (
                spot INTEGER PRIMARY KEY, saved INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
            CREATE INDEX weather_by_age ON weather (saved);
            CREATE TABLE place (
                question TEXT PRIMARY KEY, saved INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
            CREATE INDEX place_by_age ON place (saved);
            CREATE TABLE budget (
                length INTEGER NOT NULL, position INTEGER NOT NULL, spent REAL NOT NULL,
                PRIMARY KEY (length, position)) STRICT, WITHOUT ROWID;
            """)
    ]

    /// - Parameter busyTimeout: The longest wait for other processes.
    static func options(folder: String, busyTimeout: Duration, limits: ArchiveLimits) -> DatabaseOptions {
        var options = DatabaseOptions(
            path: "\(folder)/cache.sqlite", applicationID: applicationID, migrations: migrations)
        options.synchronous = .normal
        options.busyTimeout = busyTimeout
        options.createsFolder = true
        // Trimming keeps it well below.
        options.maximumFileBytes = 2 * limits.bytes
        return options
    }
}

/// How much the archive holds.
struct ArchiveLimits: Sendable {
    /// The most rows of weather, and of places.
    var rows = 100_000
    /// The most bytes of the file that are in use. The oldest goes first.
    var bytes = 256 << 20
    /// The age at which weather is of no use any more.
    var weatherLife: Duration = .seconds(24 * 60 * 60)
    /// The same of places.
    var placeLife: Duration = .seconds(30 * 24 * 60 * 60)
    /// After how many writes, on average, what is too much or too old is removed.
    var trimEvery = 256
    /// The most rows of a table that are removed at a time, so that others don't wait long.
    var trimAtOnce = 2_000
}
