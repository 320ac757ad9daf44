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

/// A failure that is remembered for a while, so that not everybody asks again: in memory, and by processes together.
package struct CacheFailure: Sendable, Hashable {
    package var error: WeatherError
    /// When it happened, in seconds since 1970, and for how many it is remembered.
    package var failedAt: Int
    package var seconds: Int

    package init(_ error: WeatherError, failedAt: Int, seconds: Int) {
        self.error = error
        self.failedAt = failedAt
        self.seconds = seconds
    }

    /// For how many seconds more it is remembered; nil if it isn't. A clock that was set back ends it too.
    func secondsLeft(at now: Int) -> Int? {
        now >= failedAt && now - failedAt < seconds ? failedAt + seconds - now : nil
    }
}

/// What the disk has of one key.
package struct DiskRecord<Value: Sendable>: Sendable {
    /// However old.
    package var entry: DiskEntry<Value>?
    package var failure: CacheFailure?

    package init(entry: DiskEntry<Value>? = nil, failure: CacheFailure? = nil) {
        self.entry = entry
        self.failure = failure
    }

    func map<Other>(_ change: (Value) -> Other) -> DiskRecord<Other> {
        DiskRecord<Other>(
            entry: entry.map { DiskEntry<Other>(change($0.value), fetchedAt: $0.fetchedAt) }, failure: failure
        )
    }
}

extension DiskRecord: Equatable where Value: Equatable {}

/// Keeps what the caches know over restarts and between processes, by the name of its key.
///
/// It is never on the way of an answer that is in memory. It fails silently towards the caches: what can't be read
/// is missing, what can't be written is dropped, and it counts and logs that itself.
package protocol DiskCache: Sendable {
    /// What is kept of each key, in the same order.
    func weather(for keys: [String]) async -> [DiskRecord<WeatherContext>]

    /// As `weather(for:)`, of places.
    func places(for keys: [String]) async -> [DiskRecord<Place>]

    /// Queues weather to be kept, and gives its key's claim back; never waits.
    func save(_ weather: DiskEntry<WeatherContext>, for key: String)

    /// As for weather, of a place.
    func save(_ place: DiskEntry<Place>, for key: String)

    /// As `weather(for:)`, of the archive's days.
    func archive(for keys: [String]) async -> [DiskRecord<ArchiveDays>]

    /// As for weather, of the archive's days.
    func save(_ days: DiskEntry<ArchiveDays>, for key: String)

    /// As for weather, of a failure.
    func save(_ failure: CacheFailure, for key: String)

    /// Claims the right to ask upstream for keys that the disk doesn't have.
    ///
    /// - Parameter time: When a claim ends by itself, should its process die.
    /// - Returns: For each key false if another process has a claim on it: look again soon. If that can't be told,
    ///   for want of a disk, true: each process then asks for itself.
    func claim(_ keys: [String], for time: Duration) async -> [Bool]

    /// Queues the end of a claim that came to nothing; never waits.
    func release(_ key: String)
}
