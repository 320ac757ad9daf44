/// Weather as it was kept on disk.
package struct ArchivedWeather: Sendable, Hashable {
    package var context: WeatherContext
    /// Seconds since 1970.
    package var fetchedAt: Int

    package init(context: WeatherContext, fetchedAt: Int) {
        self.context = context
        self.fetchedAt = fetchedAt
    }
}

/// A place as it was kept on disk.
package struct ArchivedPlace: Sendable, Hashable {
    package var place: Place
    /// Seconds since 1970.
    package var foundAt: Int

    package init(place: Place, foundAt: Int) {
        self.place = place
        self.foundAt = foundAt
    }
}

/// Keeps what the caches know over restarts and between processes.
///
/// It is never on the way of an answer but for a key that isn't in memory. It fails silently towards the caches:
/// what can't be read is nil, what can't be written is dropped, and it counts and logs that itself. What it
/// hands out is checked by `ArchiveCoding`.
package protocol CacheArchive: Sendable {
    /// The weather kept for a coordinate (to two decimals), however old.
    func weather(for coordinate: Coordinate) async -> ArchivedWeather?

    /// Queues weather to be kept; never waits. `done` is called once, from any thread, when it is on disk or
    /// was dropped.
    func save(_ weather: ArchivedWeather, done: @escaping @Sendable () -> Void)

    /// The place kept under a normalised question, however old.
    func place(for question: String) async -> ArchivedPlace?

    /// Queues a place to be kept; as `save(_:done:)`.
    func save(_ place: ArchivedPlace, for question: String, done: @escaping @Sendable () -> Void)

    /// As `weather(for:)`, for many at once, in the same order.
    func weather(for coordinates: [Coordinate]) async -> [ArchivedWeather?]
}

extension CacheArchive {
    package func weather(for coordinates: [Coordinate]) async -> [ArchivedWeather?] {
        var found: [ArchivedWeather?] = []
        for coordinate in coordinates { found.append(await weather(for: coordinate)) }
        return found
    }
}
