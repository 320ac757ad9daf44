internal import FoundationEssentials
internal import Storage
internal import Transport
internal import Weather

/// What the caches know as rows of tables. On the storage thread; writes inside a transaction.
extension Connection {
    // MARK: Weather

    func weather(for key: String) throws(StorageError) -> DiskEntry<WeatherContext>? {
        let found = try first(
            """
            SELECT id, fetched, latitude, longitude, zone, utc_offset, has_current, time, temperature,
                apparent, humidity, precipitation, wind, sky, is_day FROM weather WHERE key = ?
            """, .text(key)
        ) { row throws(StorageError) -> (Int, DiskEntry<WeatherContext>)? in
            guard let coordinate = try row.coordinate(2) else { return nil }
            var context = WeatherContext(
                coordinate: coordinate, current: nil, days: [], timeZone: try row.value(4),
                utcOffset: try row.value(5))
            if try row.value(6) {
                context.current = CurrentWeather(
                    time: try row.time(7), temperature: try row.value(8),
                    apparentTemperature: try row.value(9),
                    relativeHumidity: try row.value(10), precipitation: try row.value(11),
                    windSpeed: try row.value(12), sky: try row.sky(13), isDay: try row.value(14))
            }
            return (try row.value(0), DiskEntry(context, fetchedAt: try row.value(1)))
        }
        guard case (let id, var entry)?? = found else { return nil }
        entry.value.days = try rows(
            """
            SELECT date, sky, maximum, minimum, precipitation, probability, sun, sunrise, sunset, wind, gust, uv
            FROM day WHERE weather = ? ORDER BY date LIMIT 100
            """, .integer(id)
        ) { row throws(StorageError) in
            DayForecast(
                date: CalendarDate(daysSinceEpoch: try row.value(0)), sky: try row.sky(1),
                maximum: try row.value(2), minimum: try row.value(3), precipitation: try row.value(4),
                precipitationProbability: try row.value(5), sun: try row.sun(6), wind: try row.value(9),
                gust: try row.value(10), uv: try row.value(11))
        }
        return entry
    }

    func save(_ entry: DiskEntry<WeatherContext>, for key: String) throws(StorageError) {
        let (context, current) = (entry.value, entry.value.current)
        // The days of the row that is replaced go with it.
        let id = try first(
            """
            INSERT OR REPLACE INTO weather (
                key, fetched, latitude, longitude, zone, utc_offset, has_current, time, temperature, apparent,
                humidity, precipitation, wind, sky, is_day)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
            """, .text(key), .integer(entry.fetchedAt), .real(context.coordinate.latitude),
            .real(context.coordinate.longitude), .text(context.timeZone), .integer(context.utcOffset),
            .flag(current != nil), .text(current?.time?.description), .real(current?.temperature),
            .real(current?.apparentTemperature), .real(current?.relativeHumidity),
            .real(current?.precipitation), .real(current?.windSpeed), .integer(current?.sky?.code),
            current?.isDay.map { .flag($0) } ?? .null
        ) { row throws(StorageError) in try row.value(0, as: Int.self) }
        for day in context.days {
            let sun = day.sun.columns
            try run(
                """
                INSERT OR REPLACE INTO day (
                    weather, date, sky, maximum, minimum, precipitation, probability, sun, sunrise, sunset,
                    wind, gust, uv)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, .integer(id), .integer(day.date.daysSinceEpoch), .integer(day.sky?.code),
                .real(day.maximum), .real(day.minimum), .real(day.precipitation),
                .real(day.precipitationProbability), sun.kind, sun.rise, sun.set, .real(day.wind),
                .real(day.gust), .real(day.uv))
        }
    }

    // MARK: Places

    func place(for key: String) throws(StorageError) -> DiskEntry<Place>? {
        let found = try first(
            """
            SELECT fetched, identifier, name, country, country_code, region, latitude, longitude, zone, district
            FROM place WHERE key = ?
            """, .text(key)
        ) { row throws(StorageError) -> DiskEntry<Place>? in
            guard let coordinate = try row.coordinate(6) else { return nil }
            let place = Place(
                identifier: try row.value(1), name: try row.value(2), country: try row.value(3),
                countryCode: try row.value(4), region: try row.value(5),
                district: try row.value(9), coordinate: coordinate, timeZone: try row.value(8))
            return DiskEntry(place, fetchedAt: try row.value(0))
        }
        return found ?? nil
    }

    func save(_ entry: DiskEntry<Place>, for key: String) throws(StorageError) {
        let place = entry.value
        try run(
            """
            INSERT OR REPLACE INTO place (
                key, fetched, identifier, name, country, country_code, region, latitude, longitude, zone,
                district)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .text(key), .integer(entry.fetchedAt), .integer(place.identifier), .text(place.name),
            .text(place.country), .text(place.countryCode), .text(place.region),
            .real(place.coordinate.latitude), .real(place.coordinate.longitude), .text(place.timeZone),
            .text(place.district))
    }

    // MARK: Failures and claims

    func failure(for key: String, at now: Int) throws(StorageError) -> CacheFailure? {
        let found = try first(
            """
            SELECT failed, seconds, error FROM failure
            WHERE key = ? AND failed <= ? AND failed + seconds > ?
            """, .text(key), .integer(now), .integer(now)
        ) { row throws(StorageError) -> CacheFailure? in
            let (failedAt, seconds): (Int, Int) = (try row.value(0), try row.value(1))
            let error = WeatherError(stored: try row.value(2))?.after(.seconds(now - failedAt))
            return error.map { CacheFailure($0, failedAt: failedAt, seconds: seconds) }
        }
        return found ?? nil
    }

    func save(_ failure: CacheFailure, for key: String) throws(StorageError) {
        try run(
            "INSERT OR REPLACE INTO failure (key, failed, seconds, error) VALUES (?, ?, ?, ?)", .text(key),
            .integer(failure.failedAt), .integer(failure.seconds), .text(failure.error.stored))
    }

    func forgetFailure(of key: String) throws(StorageError) {
        try run("DELETE FROM failure WHERE key = ?", .text(key))
    }

    /// Whether the key is this owner's now: nobody had a claim on it that is still good.
    func claim(_ key: String, by owner: Int, at now: Int, until end: Int) throws(StorageError) -> Bool {
        // A claim made in the future is one from before the clock was set back.
        try run(
            """
            INSERT INTO claim (key, made, ends, owner) VALUES (?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET made = excluded.made, ends = excluded.ends, owner = excluded.owner
            WHERE claim.ends <= excluded.made OR claim.made > excluded.made + 1
            """, .text(key), .integer(now), .integer(end), .integer(owner)) > 0
    }

    func release(_ key: String, by owner: Int) throws(StorageError) {
        try run("DELETE FROM claim WHERE key = ? AND owner = ?", .text(key), .integer(owner))
    }

    // MARK: Room

    /// Removes what is too old, or too much: then the oldest eighth goes.
    func trim(_ limits: DiskLimits, at now: Int) throws(StorageError) {
        try run("DELETE FROM failure WHERE failed + seconds <= ?", .integer(now))
        try run("DELETE FROM claim WHERE ends <= ?", .integer(now))
        // Pages that earlier removals have freed are used again, and don't count.
        let isFull =
            try first(
                """
                SELECT (page_count - freelist_count) * page_size > ?
                FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()
                """, .integer(limits.bytes)
            ) { row throws(StorageError) in try row.value(0, as: Bool.self) } ?? false
        func trim(_ statement: StaticString, after ttl: Duration) throws(StorageError) {
            try run(
                statement, .integer(limits.trimAtOnce), .integer(now - ttl.wholeMilliseconds / 1_000),
                .flag(isFull))
        }
        try trim(
            """
            DELETE FROM weather WHERE id IN (
                SELECT id FROM weather ORDER BY fetched LIMIT min(?1, max(
                    (SELECT count(*) FROM weather WHERE fetched < ?2),
                    ?3 * (SELECT count(*) + 7 FROM weather) / 8)))
            """, after: limits.weatherTTL)
        try trim(
            """
            DELETE FROM place WHERE key IN (
                SELECT key FROM place ORDER BY fetched LIMIT min(?1, max(
                    (SELECT count(*) FROM place WHERE fetched < ?2),
                    ?3 * (SELECT count(*) + 7 FROM place) / 8)))
            """, after: limits.placeTTL)
        try trim(
            """
            DELETE FROM archive WHERE id IN (
                SELECT id FROM archive ORDER BY fetched LIMIT min(?1, max(
                    (SELECT count(*) FROM archive WHERE fetched < ?2),
                    ?3 * (SELECT count(*) + 7 FROM archive) / 8)))
            """, after: limits.archiveTTL)
    }
}

extension DayForecast.Sun? {
    /// Its kind, and when the sun rises and sets.
    var columns: (kind: Value, rise: Value, set: Value) {
        switch self {
        case .neverRises: (.integer(0), .null, .null)
        case .neverSets: (.integer(1), .null, .null)
        case .risesAndSets(let rise, let set): (.integer(2), .text(rise.description), .text(set.description))
        case nil: (.null, .null, .null)
        }
    }
}

extension Row {
    /// Nil if it is none on Earth.
    fileprivate func coordinate(_ column: Int) throws(StorageError) -> Coordinate? {
        Coordinate(latitude: try value(column), longitude: try value(column + 1))
    }

    func sky(_ column: Int) throws(StorageError) -> Sky? {
        try value(column, as: Int?.self).map { Sky(code: $0) }
    }

    fileprivate func time(_ column: Int) throws(StorageError) -> LocalTime? {
        try value(column, as: String?.self).flatMap { LocalTime($0) }
    }

    func sun(_ column: Int) throws(StorageError) -> DayForecast.Sun? {
        switch try value(column, as: Int?.self) {
        case 0: return .neverRises
        case 1: return .neverSets
        case 2:
            guard let rise = try time(column + 1), let set = try time(column + 2) else { return nil }
            return .risesAndSets(rise: rise, set: set)
        default: return nil
        }
    }
}

extension WeatherError {
    /// As JSON.
    fileprivate var stored: String {
        do {
            return String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        } catch {
            // Nothing in it can fail; the next one will ask again.
            return ""
        }
    }

    /// Nil for one that this version doesn't know.
    fileprivate init?(stored: String) {
        do {
            self = try JSONDecoder().decode(WeatherError.self, from: Data(stored.utf8))
        } catch {
            return nil
        }
    }

    /// The same some time later, when less is left to wait.
    fileprivate func after(_ time: Duration) -> WeatherError {
        func left(_ wait: Duration) -> Duration { max(.seconds(1), wait - time) }
        switch self {
        case .limited(let reason, let wait, let window):
            return .limited(reason: reason, retryAfter: wait.map(left), window: window)
        case .unavailable(let status, let wait):
            return .unavailable(status: status, retryAfter: wait.map(left))
        case .transport(.gateShut(let wait)): return .transport(.gateShut(retryAfter: left(wait)))
        case .transport(.held(let reason, let wait)): return .transport(.held(reason, retryAfter: left(wait)))
        default: return self
        }
    }
}
