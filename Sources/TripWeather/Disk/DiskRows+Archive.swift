internal import Storage
internal import Weather

/// What the archive said, as rows of tables. On the storage thread; writes inside a transaction.
extension Connection {
    /// `archive` has a row for each answer, of which either table has its days.
    static let archiveMigration: StaticString = """
        ALTER TABLE day ADD COLUMN wind REAL;
        ALTER TABLE day ADD COLUMN gust REAL;
        ALTER TABLE day ADD COLUMN uv REAL;
        CREATE TABLE archive (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, fetched INTEGER NOT NULL,
            is_usual INTEGER NOT NULL) STRICT;
        CREATE INDEX archive_by_age ON archive (fetched);
        CREATE TABLE observed_day (
            archive INTEGER NOT NULL REFERENCES archive ON DELETE CASCADE, date INTEGER NOT NULL,
            sky INTEGER, maximum REAL, minimum REAL, precipitation REAL, sun INTEGER, sunrise TEXT,
            sunset TEXT, wind REAL, gust REAL, PRIMARY KEY (archive, date)) STRICT, WITHOUT ROWID;
        CREATE TABLE usual_day (
            archive INTEGER NOT NULL REFERENCES archive ON DELETE CASCADE, month INTEGER NOT NULL,
            day INTEGER NOT NULL, maximum REAL NOT NULL, maximum_low REAL NOT NULL,
            maximum_high REAL NOT NULL, minimum REAL NOT NULL, minimum_low REAL NOT NULL,
            minimum_high REAL NOT NULL, wet_share REAL NOT NULL, precipitation REAL NOT NULL, sky TEXT,
            wind REAL, gust REAL, first_year INTEGER NOT NULL, last_year INTEGER NOT NULL,
            PRIMARY KEY (archive, month, day)) STRICT, WITHOUT ROWID;
        """

    func archive(for key: String) throws(StorageError) -> DiskEntry<ArchiveDays>? {
        let found = try first("SELECT id, fetched, is_usual FROM archive WHERE key = ?", .text(key)) {
            row throws(StorageError) -> (id: Int, fetched: Int, isUsual: Bool) in
            (try row.value(0), try row.value(1), try row.value(2))
        }
        guard let found else { return nil }
        let days: ArchiveDays =
            found.isUsual ? .usual(try usualDays(of: found.id)) : .observed(try observedDays(of: found.id))
        return DiskEntry(days, fetchedAt: found.fetched)
    }

    func save(_ entry: DiskEntry<ArchiveDays>, for key: String) throws(StorageError) {
        var isUsual = false
        if case .usual = entry.value { isUsual = true }
        let id = try first(
            "INSERT OR REPLACE INTO archive (key, fetched, is_usual) VALUES (?, ?, ?) RETURNING id",
            .text(key), .integer(entry.fetchedAt), .flag(isUsual)
        ) { row throws(StorageError) in try row.value(0, as: Int.self) }
        switch entry.value {
        case .usual(let days): for day in days { try save(day, of: id) }
        case .observed(let days): for day in days { try save(day, of: id) }
        }
    }

    private func observedDays(of id: Int) throws(StorageError) -> [DayForecast] {
        try rows(
            """
            SELECT date, sky, maximum, minimum, precipitation, sun, sunrise, sunset, wind, gust
            FROM observed_day WHERE archive = ? ORDER BY date LIMIT 100
            """, .integer(id)
        ) { row throws(StorageError) in
            DayForecast(
                date: CalendarDate(daysSinceEpoch: try row.value(0)), sky: try row.sky(1),
                maximum: try row.value(2), minimum: try row.value(3), precipitation: try row.value(4),
                sun: try row.sun(5), wind: try row.value(8), gust: try row.value(9))
        }
    }

    private func save(_ day: DayForecast, of id: Int?) throws(StorageError) {
        let sun = day.sun.columns
        try run(
            """
            INSERT OR REPLACE INTO observed_day (
                archive, date, sky, maximum, minimum, precipitation, sun, sunrise, sunset, wind, gust)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .integer(id), .integer(day.date.daysSinceEpoch), .integer(day.sky?.code), .real(day.maximum),
            .real(day.minimum), .real(day.precipitation), sun.kind, sun.rise, sun.set, .real(day.wind),
            .real(day.gust))
    }

    private func usualDays(of id: Int) throws(StorageError) -> [UsualDay] {
        try rows(
            """
            SELECT month, day, maximum, maximum_low, maximum_high, minimum, minimum_low, minimum_high, wet_share,
                precipitation, sky, wind, gust, first_year, last_year
            FROM usual_day WHERE archive = ? ORDER BY month, day LIMIT 100
            """, .integer(id)
        ) { row throws(StorageError) in
            let (first, last): (Int, Int) = (try row.value(13), try row.value(14))
            return UsualDay(
                month: try row.value(0), day: try row.value(1), maximum: try row.spread(2),
                minimum: try row.spread(5), wetShare: try row.value(8), precipitation: try row.value(9),
                sky: try row.value(10, as: String?.self).flatMap { UsualDay.Sky(rawValue: $0) },
                wind: try row.value(11), gust: try row.value(12), years: min(first, last)...max(first, last))
        }
    }

    private func save(_ day: UsualDay, of id: Int?) throws(StorageError) {
        try run(
            """
            INSERT OR REPLACE INTO usual_day (
                archive, month, day, maximum, maximum_low, maximum_high, minimum, minimum_low, minimum_high,
                wet_share, precipitation, sky, wind, gust, first_year, last_year)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .integer(id), .integer(day.month), .integer(day.day), .real(day.maximum.mean),
            .real(day.maximum.low), .real(day.maximum.high), .real(day.minimum.mean), .real(day.minimum.low),
            .real(day.minimum.high), .real(day.wetShare), .real(day.precipitation), .text(day.sky?.rawValue),
            .real(day.wind), .real(day.gust), .integer(day.years.lowerBound), .integer(day.years.upperBound))
    }
}

extension Row {
    fileprivate func spread(_ column: Int) throws(StorageError) -> UsualDay.Spread {
        UsualDay.Spread(
            mean: try value(column), low: try value(column + 1), high: try value(column + 2))
    }
}
