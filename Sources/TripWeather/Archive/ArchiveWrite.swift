internal import Storage
internal import Weather

/// Something to be written into the archive.
struct ArchiveWrite: Sendable {
    enum Content: Sendable {
        case weather(ArchivedWeather)
        case place(ArchivedPlace, question: String)
        /// Removes what is too old, or too much.
        case trim(unixTime: Int)
    }

    let content: Content
    /// Called once, when it is on disk or was dropped.
    var done: @Sendable () -> Void = {}

    /// What the log calls it; nil for what is no entry.
    var title: String? {
        switch content {
        case .weather(let weather): weather.context.coordinate.description
        case .place(let archived, _): archived.place.name
        case .trim: nil
        }
    }

    /// About how many bytes it keeps in memory.
    var bytes: Int {
        switch content {
        case .weather(let weather): 256 + weather.context.days.count * MemoryLayout<DayForecast>.stride
        case .place(_, let question): 512 + question.utf8.count
        case .trim: 64
        }
    }

    /// On the storage thread, inside a transaction.
    func write(to connection: Connection, limits: ArchiveLimits) throws(StorageError) {
        switch content {
        case .weather(let weather):
            try connection.run(
                """
                INSERT INTO weather (spot, saved, content) VALUES (?, ?, ?)
                ON CONFLICT (spot) DO UPDATE SET saved = excluded.saved, content = excluded.content
                """, .integer(weather.context.coordinate.spot), .integer(weather.fetchedAt),
                .bytes(ArchiveCoding.bytes(of: weather)))
        case .place(let archived, let question):
            try connection.run(
                """
                INSERT INTO place (question, saved, content) VALUES (?, ?, ?)
                ON CONFLICT (question) DO UPDATE SET saved = excluded.saved, content = excluded.content
                """, .text(question), .integer(archived.foundAt), .bytes(ArchiveCoding.bytes(of: archived)))
        case .trim(let unixTime):
            try trim(connection, limits, at: unixTime)
        }
    }

    private func trim(
        _ connection: Connection, _ limits: ArchiveLimits, at unixTime: Int
    ) throws(StorageError) {
        let most = Value.integer(limits.trimAtOnce)
        try connection.run(
            """
            DELETE FROM weather WHERE spot IN (SELECT spot FROM weather WHERE saved < ? ORDER BY saved LIMIT ?)
            """, .integer(unixTime - limits.weatherLife.inWholeSeconds), most)
        try connection.run(
            """
            DELETE FROM place WHERE rowid IN (SELECT rowid FROM place WHERE saved < ? ORDER BY saved LIMIT ?)
            """, .integer(unixTime - limits.placeLife.inWholeSeconds), most)
        let weatherRows = try ArchiveWrite.number("SELECT count(*) FROM weather", in: connection)
        let placeRows = try ArchiveWrite.number("SELECT count(*) FROM place", in: connection)
        var (weatherSurplus, placeSurplus) = (weatherRows - limits.rows, placeRows - limits.rows)
        // Pages that earlier removals have freed are used again, and don't count.
        let used = try ArchiveWrite.number(
            """
            SELECT (page_count - freelist_count) * page_size
            FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()
            """, in: connection)
        if used > limits.bytes {
            weatherSurplus = max(weatherSurplus, (weatherRows + 7) / 8)
            placeSurplus = max(placeSurplus, (placeRows + 7) / 8)
        }
        try connection.run(
            "DELETE FROM weather WHERE spot IN (SELECT spot FROM weather ORDER BY saved LIMIT ?)",
            .integer(min(max(weatherSurplus, 0), limits.trimAtOnce)))
        try connection.run(
            "DELETE FROM place WHERE rowid IN (SELECT rowid FROM place ORDER BY saved LIMIT ?)",
            .integer(min(max(placeSurplus, 0), limits.trimAtOnce)))
    }

    private static func number(
        _ sql: StaticString, in connection: Connection
    ) throws(StorageError) -> Int {
        try connection.first(sql) { row throws(StorageError) in try row.value(0, as: Int.self) } ?? 0
    }
}

extension Coordinate {
    /// The number that weather is kept under: hundredths of degrees from 90° south and 180° west, the northward
    /// ones in steps of 40,000.
    var spot: Int {
        let rounded = rounded
        let north = Int((rounded.latitude * 100).rounded()) + 9_000
        let east = Int((rounded.longitude * 100).rounded()) + 18_000
        return north * 40_000 + east
    }
}

extension Duration {
    var inWholeSeconds: Int { Int(components.seconds) }
}
