/// Weather as a shard hands it out.
struct ShelvedWeather: Sendable {
    var stored: StoredWeather
    var freshness: Freshness
    var age: Int
    /// Seconds for which a failure is still remembered.
    var retryAfter: Int?
}

/// What a flight brings.
enum WeatherOutcome: Sendable {
    case fetched(StoredWeather)
    /// Another process, or this one before its restart, had fetched it.
    case archived(StoredWeather)
    case failed(WeatherError)
}

/// The weather of one shard, with its lives. Time is told to it, so that it only decides.
struct WeatherShelf: FlightShelf {
    typealias Key = WeatherKey
    typealias Outcome = WeatherOutcome
    typealias Value = Result<ShelvedWeather, WeatherError>

    private struct Failure: Sendable {
        let error: WeatherError
        let at: Int
        let life: Int

        /// A clock that was set back ends it too.
        func isRemembered(at now: Int) -> Bool {
            now >= at && now - at < life
        }
    }

    private struct Entry: Sendable {
        var stored: StoredWeather
        var freshUntil: Int
        /// The last refresh failed, and none has succeeded since.
        var failure: Failure?
        /// When somebody last asked past fresh weather.
        var forcedAt: Int?
    }

    /// What there is under a key.
    enum Look: Sendable {
        /// Answer this; nothing is to be asked.
        case answer(ShelvedWeather)
        /// Answer this, and refresh behind.
        case answerAndRefresh(ShelvedWeather)
        /// Wait for a flight, with this to fall back on.
        case wait(ShelvedWeather)
        /// Upstream failed just now, and there is nothing else.
        case refused(WeatherError)
        case missing
    }

    private let policy: CachePolicy
    private let environment: CacheEnvironment
    private let freshnessFactor: @Sendable () -> Double
    private var entries: RecentTable<WeatherKey, Entry>
    /// Failures of places without weather. They stand apart, so that an outage pushes no weather out.
    private var failures: RecentTable<WeatherKey, Failure>

    init(
        policy: CachePolicy, environment: CacheEnvironment, freshnessFactor: @escaping @Sendable () -> Double
    ) {
        self.policy = policy
        self.environment = environment
        self.freshnessFactor = freshnessFactor
        let bounds = policy.bounds
        entries = RecentTable(count: bounds.entriesInShard, bytes: bounds.bytesInShard)
        failures = RecentTable(count: min(256, bounds.entriesInShard), bytes: 64 << 10)
    }

    static var outOfTime: WeatherOutcome { .failed(.outOfTime) }

    // MARK: Looking

    mutating func look(_ key: WeatherKey, at now: Int) -> Look {
        guard let slot = entries.use(key), let entry = entries[slot] else {
            return lookWithoutWeather(key, at: now)
        }
        let fetchedAt = entry.stored.fetchedAt
        let age = max(0, now - fetchedAt)
        // A clock that was set back makes no weather fresh for longer.
        let isFromFuture = fetchedAt > now + WeatherShelf.clockTolerance
        if now < entry.freshUntil, !isFromFuture {
            return .answer(ShelvedWeather(stored: entry.stored, freshness: .fresh, age: age))
        }
        guard age < policy.staleIfError.wholeSeconds else { return lookWithoutWeather(key, at: now) }
        let factor = min(max(1, freshnessFactor()), 24)
        let freshUntil = fetchedAt + Int(Double(entry.freshUntil - fetchedAt) * factor)
        if now < freshUntil, !isFromFuture, entry.failure == nil {
            return .answer(ShelvedWeather(stored: entry.stored, freshness: .fresh, age: age))
        }
        if let failure = entry.failure {
            let left = failure.isRemembered(at: now) ? failure.at + failure.life - now : nil
            let shelved = ShelvedWeather(
                stored: entry.stored, freshness: .error(failure.error), age: age, retryAfter: left)
            return failure.isRemembered(at: now) ? .answer(shelved) : .wait(shelved)
        }
        let shelved = ShelvedWeather(stored: entry.stored, freshness: .revalidating, age: age)
        return now < freshUntil + policy.staleWhileRevalidate.wholeSeconds
            ? .answerAndRefresh(shelved) : .wait(shelved)
    }

    private func lookWithoutWeather(_ key: WeatherKey, at now: Int) -> Look {
        guard let slot = failures.slot(of: key), let failure = failures[slot], failure.isRemembered(at: now)
        else { return .missing }
        return .refused(failure.error)
    }

    private static var clockTolerance: Int { 60 }

    /// What there is, however old, as long as it may be shown.
    mutating func old(_ key: WeatherKey, at now: Int) -> ShelvedWeather? {
        switch look(key, at: now) {
        case .answer(let shelved), .answerAndRefresh(let shelved), .wait(let shelved): shelved
        case .refused, .missing: nil
        }
    }

    /// When what is kept was fetched; nil where nothing is.
    func fetchedAt(_ key: WeatherKey) -> Int? {
        entries.slot(of: key).flatMap { entries[$0]?.stored.fetchedAt }
    }

    /// Whether a place may be asked again past its fresh weather, which is then counted as done. A place that
    /// isn't kept may.
    mutating func force(_ key: WeatherKey, at now: Int) -> Bool {
        guard let slot = entries.use(key) else { return true }
        if let forcedAt = entries[slot]?.forcedAt, now >= forcedAt,
            now - forcedAt < policy.refreshAtMostEvery.wholeSeconds
        {
            return false
        }
        entries[slot]?.forcedAt = now
        return true
    }

    // MARK: Keeping

    mutating func settle(
        _ outcome: WeatherOutcome, for key: WeatherKey, counting counters: inout CacheCounters
    ) -> Value {
        let now = environment.unixTime()
        switch outcome {
        case .fetched(let stored):
            counters.successes += 1
            keep(stored, under: key)
            return .success(ShelvedWeather(stored: stored, freshness: .fresh, age: 0))
        case .archived(let stored):
            counters.archiveHits += 1
            adopt(stored, under: key)
            let age = max(0, now - stored.fetchedAt)
            let shelved = old(key, at: now)
            return .success(shelved ?? ShelvedWeather(stored: stored, freshness: .revalidating, age: age))
        case .failed(let error):
            if error != .cancelled { counters.failures += 1 }
            return settle(error, for: key, at: now)
        }
    }

    /// A failure is noted beside what is kept, never in its place.
    private mutating func settle(_ error: WeatherError, for key: WeatherKey, at now: Int) -> Value {
        let life = policy.negativeSeconds(for: error, chance: environment.random())
        let failure = Failure(error: error, at: now, life: life)
        guard let slot = entries.use(key), let stored = entries[slot]?.stored else {
            if life > 0 { failures.set(key, to: failure, bytes: 64) }
            return .failure(error)
        }
        if error != .cancelled { entries[slot]?.failure = failure }
        let age = max(0, now - stored.fetchedAt)
        guard age < policy.staleIfError.wholeSeconds else {
            if life > 0 { failures.set(key, to: failure, bytes: 64) }
            return .failure(error)
        }
        return .success(
            ShelvedWeather(stored: stored, freshness: .error(error), age: age, retryAfter: life))
    }

    /// Seconds for which a failure without weather is still remembered; nil where none is.
    func failureSecondsLeft(_ key: WeatherKey, at now: Int) -> Int? {
        guard let slot = failures.slot(of: key), let failure = failures[slot], failure.isRemembered(at: now)
        else { return nil }
        return failure.at + failure.life - now
    }

    /// Keeps archived weather, unless what is kept is as new.
    mutating func adopt(_ stored: StoredWeather, under key: WeatherKey) {
        if let fetchedAt = fetchedAt(key), fetchedAt >= stored.fetchedAt { return }
        keep(stored, under: key)
    }

    private mutating func keep(_ stored: StoredWeather, under key: WeatherKey) {
        let freshUntil = policy.freshUntil(fetchedAt: stored.fetchedAt, chance: environment.random())
        let forcedAt = entries.slot(of: key).flatMap { entries[$0]?.forcedAt }
        entries.set(
            key, to: Entry(stored: stored, freshUntil: freshUntil, forcedAt: forcedAt), bytes: stored.bytes)
        failures.remove(key)
    }

    /// Counts an entry anew whose renderings have changed.
    mutating func recount(_ stored: StoredWeather) {
        guard let slot = entries.slot(of: stored.key), entries[slot]?.stored === stored else { return }
        entries.resize(slot, to: stored.bytes)
    }

    // MARK: Counting

    var entryCount: Int { entries.count }
    var bytes: Int { entries.bytes + failures.bytes }
    var evictions: Int { entries.evictions }
}
