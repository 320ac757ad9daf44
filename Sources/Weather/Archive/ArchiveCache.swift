/// What the archive says, asked of it as seldom as can be: a layer over any `ArchiveClient`, for all event loops.
///
/// What is settled is kept as long as there is room. What was observed in the last days is asked again after some hours.
package final class ArchiveCache: Sendable {
    private let settled: Singleflight<ArchiveSource>
    private let recent: Singleflight<ArchiveSource>

    package init(
        over client: any ArchiveClient, policy: ArchivePolicy = ArchivePolicy(),
        environment: CacheEnvironment, disk: (any DiskCache)? = nil
    ) {
        let source = ArchiveSource(client: client, disk: disk)
        settled = Singleflight(
            source, ttl: policy.ttl(of: policy.settledTTL), bounds: policy.bounds, environment: environment)
        recent = Singleflight(
            source, ttl: policy.ttl(of: policy.recentTTL), bounds: policy.bounds, environment: environment)
    }

    /// What is known without asking: days, or why there are none. Nil if the archive has to be asked.
    package func hit(
        _ period: ArchivePeriod, at coordinate: Coordinate,
        payer: () -> RequestBudget? = { RequestBudget.current }
    ) -> Result<ArchiveAnswer, WeatherError>? {
        calls(for: period).hit(
            ArchiveKey(period, at: coordinate), failures: true, payer: payer,
            question: { _ in ArchiveSource.Question(period: period, coordinate: coordinate, zone: nil) })?
            .map(ArchiveAnswer.init)
    }

    /// Asks for what isn't known, whether anybody waits for it or not.
    ///
    /// - Returns: Whether a question was started.
    package func prefetch(_ period: ArchivePeriod, at coordinate: Coordinate, zone: String?) -> Bool {
        let question = ArchiveSource.Question(period: period, coordinate: coordinate.rounded, zone: zone)
        return calls(for: period).prefetch(ArchiveKey(period, at: coordinate), question)
    }

    /// Waits for what is being asked for, or asks.
    package func days(
        of period: ArchivePeriod, at coordinate: Coordinate, zone: String?,
        until deadline: ContinuousClock.Instant
    ) async -> Result<ArchiveAnswer, WeatherError> {
        let question = ArchiveSource.Question(period: period, coordinate: coordinate.rounded, zone: zone)
        let results = await calls(for: period).results(
            for: [(ArchiveKey(period, at: coordinate), question)], until: deadline)
        return results.first?.map(ArchiveAnswer.init) ?? .failure(.cancelled)
    }

    package var counters: CacheCounters {
        var total = settled.counters
        total += recent.counters
        return total
    }

    private func calls(for period: ArchivePeriod) -> Singleflight<ArchiveSource> {
        if case .observed(_, _, false) = period { recent } else { settled }
    }
}

/// What the archive says, out of the cache.
package struct ArchiveAnswer: Sendable {
    package var days: ArchiveDays
    /// Seconds since 1970.
    package var fetchedAt: Int

    init(_ answer: CacheAnswer<ArchiveDays>) {
        (days, fetchedAt) = (answer.value, answer.fetchedAt)
    }
}

/// What the archive says of a half of a month.
package enum ArchiveDays: Sendable, Hashable {
    case usual([UsualDay])
    /// The days that are over, where they are known.
    case observed([DayForecast])
}

/// How long what the archive says is kept, and how much of it.
package struct ArchivePolicy: Sendable, Hashable {
    /// Another year has another key, so that this only bounds what is kept in vain.
    package var settledTTL: Duration = .seconds(400 * 24 * 60 * 60)
    /// After how long the last days are asked for again.
    package var recentTTL: Duration = .seconds(6 * 60 * 60)
    /// As in `CachePolicy`.
    package var failureTTL: Duration = .seconds(15)
    package var staleWait: Duration = .seconds(2)
    package var refreshesInBackground = true
    package var bounds = CacheBounds(entries: 4_000, bytes: 16 << 20, shards: 16)

    package init() {}

    func ttl(of entries: Duration) -> EntryTTL {
        let most = entries.wholeSeconds
        return EntryTTL(
            freshUntil: { $0 + most - Int(Double(most) * 0.1 * $1) }, staleWhileRevalidate: .max / 4,
            staleIfError: .max, failure: failureTTL, noSuchPlace: 0, refreshAtMostEvery: 0,
            staleWait: staleWait, refreshesInBackground: refreshesInBackground, freshnessFactor: { 1 })
    }
}

/// A coordinate to two decimals, and which days.
struct ArchiveKey: CacheKey {
    private let place: WeatherKey
    private let period: ArchivePeriod

    init(_ period: ArchivePeriod, at coordinate: Coordinate) {
        place = WeatherKey(coordinate.rounded)
        self.period = period
    }

    var spread: UInt { place.spread }
    var bytes: Int { 0 }

    var name: String {
        switch period {
        case .usual(let half, let lastYear):
            "usual \(lastYear) \(half.month)\(half.isSecond ? "b" : "a") \(place.name)"
        case .observed(let half, let year, let isSettled):
            "observed \(year) \(half.month)\(half.isSecond ? "b" : "a") \(isSettled ? "settled" : "recent") \(place.name)"
        }
    }
}

/// Where the archive's days come from.
struct ArchiveSource: CacheSource {
    struct Question: Sendable {
        let period: ArchivePeriod
        /// To two decimals.
        let coordinate: Coordinate
        let zone: String?
    }

    let client: any ArchiveClient
    let disk: (any DiskCache)?

    func ask(
        _ questions: [Question], until deadline: ContinuousClock.Instant
    ) async -> [Result<ArchiveDays, WeatherError>] {
        guard let question = questions.first else { return [] }
        do throws(WeatherError) {
            let days: ArchiveDays =
                switch question.period {
                case .usual(let half, let lastYear):
                    .usual(
                        try await client.usualDays(
                            of: half, lastYear: lastYear, at: question.coordinate, zone: question.zone,
                            until: deadline))
                case .observed(let half, let year, _):
                    .observed(
                        try await client.observedDays(
                            of: half, year: year, at: question.coordinate, zone: question.zone,
                            until: deadline))
                }
            return [.success(days)]
        } catch {
            return [.failure(error)]
        }
    }

    func bytes(of value: ArchiveDays, for key: ArchiveKey) -> Int {
        switch value {
        case .usual(let days): 96 + days.count * MemoryLayout<UsualDay>.stride
        case .observed(let days): 96 + days.count * MemoryLayout<DayForecast>.stride
        }
    }

    func records(of keys: [ArchiveKey]) async -> [DiskRecord<ArchiveDays>] {
        guard let disk else { return [] }
        return await disk.archive(for: keys.map(\.name))
    }

    func save(_ entry: DiskEntry<ArchiveDays>, for key: ArchiveKey) {
        disk?.save(entry, for: key.name)
    }
}
