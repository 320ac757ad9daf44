/// A value as it was kept on disk.
package struct DiskEntry<Value: Sendable>: Sendable {
    package var value: Value
    /// When it was fetched, in seconds since 1970.
    package var fetchedAt: Int

    package init(_ value: Value, fetchedAt: Int) {
        self.value = value
        self.fetchedAt = fetchedAt
    }
}

extension DiskEntry: Equatable where Value: Equatable {}

/// A failure that processes remember together, so that not each of them asks again.
package struct DiskFailure: Sendable, Hashable {
    package var error: WeatherError
    /// When it happened, in seconds since 1970, and for how many it is remembered.
    package var failedAt: Int
    package var seconds: Int

    package init(_ error: WeatherError, failedAt: Int, seconds: Int) {
        self.error = error
        self.failedAt = failedAt
        self.seconds = seconds
    }
}

/// What the disk has of one key.
package struct DiskRecord<Value: Sendable>: Sendable {
    /// However old.
    package var entry: DiskEntry<Value>?
    package var failure: DiskFailure?

    package init(entry: DiskEntry<Value>? = nil, failure: DiskFailure? = nil) {
        self.entry = entry
        self.failure = failure
    }
}

/// Keeps what the caches know over restarts and between processes.
///
/// It is never on the way of an answer that is in memory. It fails silently towards the caches: what can't be read
/// is missing, what can't be written is dropped, and it counts and logs that itself.
package protocol DiskCache: Sendable {
    /// What is kept of each coordinate (to two decimals), in the same order.
    func weather(for coordinates: [Coordinate]) async -> [DiskRecord<WeatherContext>]

    /// What is kept of each place, by its normalised question, in the same order.
    func places(for questions: [String]) async -> [DiskRecord<Place>]

    /// Queues weather to be kept, and gives its claim back; never waits.
    func save(_ weather: DiskEntry<WeatherContext>, for coordinate: Coordinate)

    /// Queues a place to be kept, and gives its claim back; never waits.
    func save(_ place: DiskEntry<Place>, for question: String)

    /// Queues a failure to be remembered, and gives the key's claim back; never waits.
    func save(_ failure: DiskFailure, for key: String)

    /// Claims the right to ask upstream for a key, for which every process looks here first.
    ///
    /// - Parameter expiry: When the claim ends by itself (seconds since 1970), should its process die.
    /// - Returns: false if another process holds a live claim: look again soon. Where that can't be told (no disk),
    ///   true: each process then asks for itself.
    func claim(_ key: String, until expiry: Int) async -> Bool

    /// Queues the end of a claim that came to nothing; never waits.
    func release(_ key: String)
}
