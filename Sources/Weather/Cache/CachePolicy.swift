internal import Transport

/// How much a cache may hold.
package struct CacheBounds: Sendable, Hashable {
    /// Entries at most.
    package var entries: Int
    /// Bytes at most, as far as they can be counted: an entry's own, its renderings and its share of the table.
    package var bytes: Int
    /// Parts with a mutex each; fewer where there would be less than 64 entries in one. Each holds its share of
    /// the bounds, and forgets its least recently used entry first.
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

/// The limits of a question to upstream that many may wait for.
package struct FlightLimits: Sendable, Hashable {
    /// How long upstream may take, whoever waits.
    package var time: Duration
    /// How much longer until a question is given up whose client doesn't keep to that.
    package var grace: Duration
    /// How often the archive is looked into while another process asks.
    package var followEvery: Duration

    package init(
        time: Duration = .seconds(10), grace: Duration = .milliseconds(500),
        followEvery: Duration = .milliseconds(50)
    ) {
        self.time = time
        self.grace = grace
        self.followEvery = followEvery
    }
}

/// How long weather lives in the cache, and how much of it.
package struct CachePolicy: Sendable, Hashable {
    /// The model's clock: new current conditions appear at each multiple of this in UTC.
    package var modelInterval: Duration = .seconds(15 * 60)
    /// Weather is fresh until the model's next interval, but at least this long.
    package var freshAtLeast: Duration = .seconds(5 * 60)
    /// Up to this much is added by chance, so that what was loaded together doesn't expire together.
    package var freshJitter: Duration = .seconds(60)
    /// How long after it was fresh weather is answered at once, with a refresh behind.
    package var staleWhileRevalidate: Duration = .seconds(60 * 60)
    /// The age up to which weather is answered where a refresh fails.
    package var staleIfError: Duration = .seconds(24 * 60 * 60)
    /// How long a failure is remembered, so that not every request asks again. Up to a fifth is taken off by
    /// chance.
    package var negativeLife: Duration = .seconds(15)
    /// A place is asked again past its fresh weather at most once in this time.
    package var refreshAtMostEvery: Duration = .seconds(60)
    /// How long a request waits for a refresh while there is old weather to answer with.
    package var staleWait: Duration = .seconds(2)
    /// Renderings kept of one entry; the oldest makes room.
    package var renderings: Int = 8
    /// Bytes of the largest rendering that is kept.
    package var largestRendering: Int = 64 << 10
    /// Places in one question to upstream.
    package var placesInQuestion: Int = 100
    package var flight = FlightLimits()
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

    /// For how many seconds this failure is remembered; 0 for what says nothing about upstream.
    func negativeSeconds(for error: WeatherError, chance: Double) -> Int {
        error.negativeSeconds(atMost: negativeLife, chance: chance)
    }
}

/// How long places live in the cache, and how many.
package struct PlacePolicy: Sendable, Hashable {
    /// How long a place that was found is kept. Up to a tenth is taken off by chance.
    package var life: Duration = .seconds(30 * 24 * 60 * 60)
    /// How long it is remembered that there is no such place.
    package var noSuchPlaceLife: Duration = .seconds(10 * 60)
    /// How long suggestions for a beginning are kept.
    package var suggestionsLife: Duration = .seconds(10 * 60)
    /// As `CachePolicy.negativeLife`.
    package var negativeLife: Duration = .seconds(15)
    package var flight = FlightLimits()
    package var bounds = CacheBounds(entries: 20_000, bytes: 16 << 20, shards: 64)
    package var suggestionBounds = CacheBounds(entries: 2_000, bytes: 8 << 20, shards: 16)

    package init() {}
}

extension WeatherError {
    func negativeSeconds(atMost life: Duration, chance: Double) -> Int {
        let full =
            switch self {
            case .cancelled, .transport(.queueFull), .transport(.cancelled): 0
            case .limited(_, let retryAfter?, _), .unavailable(_, let retryAfter?),
                .transport(.gateShut(retryAfter: let retryAfter)), .transport(.held(_, let retryAfter)):
                // A second at least: a service that says 0 is not to be asked by every request.
                min(max(1, retryAfter.wholeSeconds), life.wholeSeconds)
            default: life.wholeSeconds
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
