internal import Transport

/// How much a cache may hold.
package struct CacheBounds: Sendable, Hashable {
    /// Entries at most.
    package var entries: Int
    /// Bytes at most, as far as they can be counted: an entry's own, what is attached to it and its share of the
    /// table.
    package var bytes: Int
    /// Parts with a mutex each; fewer if there would be less than 64 entries in one. Each holds its share of the
    /// bounds, and forgets its least recently used entry first.
    package var shards: Int

    package init(entries: Int = 20_000, bytes: Int = 64 << 20, shards: Int = 64) {
        self.entries = entries
        self.bytes = bytes
        self.shards = shards
    }

    var effectiveShards: Int { max(1, min(shards, entries / 64)) }
    var entriesInShard: Int { max(1, (max(1, entries) + effectiveShards - 1) / effectiveShards) }
    var bytesInShard: Int { max(1, bytes / effectiveShards) }
}

/// How long weather stays in the cache, and how much of it.
package struct CachePolicy: Sendable, Hashable {
    /// The model's clock: new current conditions appear at each multiple of this in UTC.
    package var modelInterval: Duration = .seconds(15 * 60)
    /// Weather is fresh until the model's next interval, but at least this long.
    package var freshAtLeast: Duration = .seconds(5 * 60)
    /// Up to this much is added by chance, so that what was loaded together doesn't expire together.
    package var freshJitter: Duration = .seconds(60)
    /// How long after it was fresh weather is answered at once, with a refresh behind.
    package var staleWhileRevalidate: Duration = .seconds(60 * 60)
    /// Whether there are refreshes behind an answer; if not, such weather is answered as it is.
    package var refreshesInBackground = true
    /// The age up to which weather is answered if a refresh fails.
    package var staleIfError: Duration = .seconds(24 * 60 * 60)
    /// How long a failure is remembered, so that not every request asks again. Up to a fifth is taken off by
    /// chance.
    package var failureTTL: Duration = .seconds(15)
    /// A place is asked again past its fresh weather at most once in this time.
    package var refreshAtMostEvery: Duration = .seconds(60)
    /// How long a request waits for a refresh while there is old weather to answer with.
    package var staleWait: Duration = .seconds(2)
    /// Places in one question to upstream.
    package var placesInQuestion: Int = 100
    package var bounds = CacheBounds()

    package init() {}

    /// Until when (unix seconds) weather fetched at `fetchedAt` is fresh. `chance` is 0 ..< 1.
    func freshUntil(fetchedAt: Int, chance: Double) -> Int {
        let interval = max(1, modelInterval.wholeSeconds)
        let into = ((fetchedAt % interval) + interval) % interval
        let quarter = fetchedAt + interval - into
        return max(quarter, fetchedAt + freshAtLeast.wholeSeconds)
            + Int(Double(freshJitter.wholeSeconds) * chance)
    }

    func ttl(freshnessFactor: @escaping @Sendable () -> Double) -> EntryTTL {
        EntryTTL(
            freshUntil: { freshUntil(fetchedAt: $0, chance: $1) },
            staleWhileRevalidate: staleWhileRevalidate.wholeSeconds, staleIfError: staleIfError.wholeSeconds,
            failure: failureTTL, noSuchPlace: 0, refreshAtMostEvery: refreshAtMostEvery.wholeSeconds,
            staleWait: staleWait, refreshesInBackground: refreshesInBackground,
            freshnessFactor: freshnessFactor)
    }
}

/// How long places stay in the cache, and how many.
package struct PlacePolicy: Sendable, Hashable {
    /// How long a place that was found is fresh. Up to a tenth is taken off by chance. Then it is searched for
    /// again, and serves on if that fails.
    package var ttl: Duration = .seconds(30 * 24 * 60 * 60)
    /// How long it is remembered that there is no such place.
    package var noSuchPlaceTTL: Duration = .seconds(10 * 60)
    /// How long suggestions for a beginning are kept.
    package var suggestionsTTL: Duration = .seconds(10 * 60)
    /// As `CachePolicy.failureTTL`.
    package var failureTTL: Duration = .seconds(15)
    /// As `CachePolicy.staleWait`.
    package var staleWait: Duration = .seconds(2)
    /// As in `CachePolicy`.
    package var refreshesInBackground = true
    package var bounds = CacheBounds(entries: 20_000, bytes: 16 << 20, shards: 64)
    package var suggestionBounds = CacheBounds(entries: 2_000, bytes: 8 << 20, shards: 16)

    package init() {}

    func ttl(of entries: Duration) -> EntryTTL {
        let most = entries.wholeSeconds
        return EntryTTL(
            freshUntil: { $0 + most - Int(Double(most) * 0.1 * $1) }, staleWhileRevalidate: 0,
            staleIfError: .max, failure: failureTTL, noSuchPlace: noSuchPlaceTTL.wholeSeconds,
            refreshAtMostEvery: 0, staleWait: staleWait, refreshesInBackground: refreshesInBackground,
            freshnessFactor: { 1 })
    }
}

/// The times in an entry's life, in seconds, as a shard goes by them.
struct EntryTTL: Sendable {
    /// Until when an entry is fresh (unix seconds), by when it was fetched and by chance (0 ..< 1).
    let freshUntil: @Sendable (_ fetchedAt: Int, _ chance: Double) -> Int
    let staleWhileRevalidate: Int
    let staleIfError: Int
    let failure: Duration
    let noSuchPlace: Int
    let refreshAtMostEvery: Int
    let staleWait: Duration
    let refreshesInBackground: Bool
    /// How many times as long as usual an entry is fresh just now, 1 or more.
    let freshnessFactor: @Sendable () -> Double

    /// For how many seconds this failure is remembered; 0 for what says nothing about upstream.
    func seconds(of error: WeatherError, chance: Double) -> Int {
        if case .noSuchPlace = error { return noSuchPlace }
        let most = failure.wholeSeconds
        let full =
            switch error {
            case .cancelled, .transport(.queueFull), .transport(.cancelled): 0
            // These concern one client, not the place.
            case .transport(.held(.client, _)), .transport(.held(.request, _)): 0
            case .limited(_, let retryAfter?, _), .unavailable(_, let retryAfter?),
                .transport(.gateShut(retryAfter: let retryAfter)), .transport(.held(_, let retryAfter)):
                // A second at least: a service that says 0 must not be asked by every request.
                min(max(1, retryAfter.wholeSeconds), most)
            default: most
            }
        return full - Int(Double(full) * 0.2 * chance)
    }
}

extension Duration {
    /// Seconds, what is less than one dropped, and within what can be added to a date.
    var wholeSeconds: Int {
        Int(min(max(components.seconds, 0), 1 << 40))
    }
}
