internal import Storage

/// The cache's file: what is in it, and how it is treated. It may be lost at any time.
enum DiskSchema {
    /// In the file's header: "TrWc".
    static let applicationID: Int32 = 0x5472_5763

    /// Times are seconds since 1970. `key` is a cache key's name.
    static let migrations: [StaticString] = [
        // The tables of 0.2.0, which are made again below.
        "SELECT 1",
        """
        DROP TABLE IF EXISTS weather;
        DROP TABLE IF EXISTS place;
        DROP TABLE IF EXISTS budget;
        CREATE TABLE weather (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, fetched INTEGER NOT NULL,
            latitude REAL NOT NULL, longitude REAL NOT NULL, zone TEXT, utc_offset INTEGER,
            has_current INTEGER NOT NULL, time TEXT, temperature REAL, apparent REAL, humidity REAL,
            precipitation REAL, wind REAL, sky INTEGER, is_day INTEGER) STRICT;
        CREATE INDEX weather_by_age ON weather (fetched);
        CREATE TABLE day (
            weather INTEGER NOT NULL REFERENCES weather ON DELETE CASCADE, date INTEGER NOT NULL,
            sky INTEGER, maximum REAL, minimum REAL, precipitation REAL, probability REAL,
            sun INTEGER, sunrise TEXT, sunset TEXT,
            PRIMARY KEY (weather, date)) STRICT, WITHOUT ROWID;
        CREATE TABLE place (
            key TEXT PRIMARY KEY, fetched INTEGER NOT NULL, identifier INTEGER, name TEXT NOT NULL,
            country TEXT, country_code TEXT, region TEXT, latitude REAL NOT NULL, longitude REAL NOT NULL,
            zone TEXT, district TEXT) STRICT;
        CREATE INDEX place_by_age ON place (fetched);
        CREATE TABLE claim (
            key TEXT PRIMARY KEY, made INTEGER NOT NULL, ends INTEGER NOT NULL, owner INTEGER NOT NULL
        ) STRICT;
        """,
        SharedLimits.migration,
        """
        DROP TABLE IF EXISTS failure;
        CREATE TABLE failure (
            key TEXT PRIMARY KEY, failed INTEGER NOT NULL, seconds INTEGER NOT NULL, error TEXT NOT NULL) STRICT;
        """,
        Connection.archiveMigration,
    ]

    /// - Parameter busyTimeout: The longest wait for other processes.
    static func options(folder: String, busyTimeout: Duration, limits: DiskLimits) -> DatabaseOptions {
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

/// How much the disk holds.
struct DiskLimits: Sendable {
    /// The most bytes of the file that are in use. The oldest goes first.
    var bytes = 256 << 20
    /// The age at which weather is of no use any more.
    var weatherTTL: Duration = .seconds(24 * 60 * 60)
    /// The same of the archive's days: another year has other keys.
    var archiveTTL: Duration = .seconds(400 * 24 * 60 * 60)
    /// The same of places.
    var placeTTL: Duration = .seconds(30 * 24 * 60 * 60)
    /// After how many writes, on average, what is too much or too old is removed.
    var trimEvery = 256
    /// The most rows of a table that are removed at a time, so that others don't wait long.
    var trimAtOnce = 2_000
}
