/// Weather that many ask for, asked of upstream as seldom as can be: a layer over any `WeatherClient`, for all
/// event loops.
///
/// - Weather is kept under its coordinate to two decimals, fresh until the model's next quarter hour, then
///   answered old with a refresh behind, and kept as long as refreshes fail, up to a limit (`CachePolicy`).
/// - Questions for the same place share a call. It ends when its last waiter leaves.
/// - What is kept is bounded in entries and bytes; the least recently used goes first.
package final class WeatherCache: Sendable {
    private let calls: Singleflight<WeatherSource>

    /// - Parameters:
    ///   - client: Upstream.
    ///   - attach: Makes what each entry carries for the one who renders it.
    ///   - freshnessFactor: How many times as long as usual weather is fresh just now, 1 or more: a budget that
    ///     is nearly spent says 2. Called only for what would not be fresh otherwise, under a mutex: it must be
    ///     quick and must not call the cache.
    package init(
        over client: any WeatherClient, policy: CachePolicy = CachePolicy(), environment: CacheEnvironment,
        disk: (any DiskCache)? = nil,
        attach: @escaping @Sendable () -> (any CacheAttachment)? = { nil },
        freshnessFactor: @escaping @Sendable () -> Double = { 1 }
    ) {
        calls = Singleflight(
            WeatherSource(
                client: client, disk: disk, questionsAtOnce: policy.placesInQuestion, attach: attach),
            ttl: policy.ttl(freshnessFactor: freshnessFactor), bounds: policy.bounds,
            environment: environment)
    }

    /// What can be answered at once: fresh weather, or old weather with a refresh behind (which this starts). Nil
    /// if `lookUp` has to be asked.
    ///
    /// Needs no task, and takes one mutex for a moment.
    ///
    /// - Parameter payer: Whose share of the budget a refresh is taken from.
    package func hit(
        _ coordinate: Coordinate, payer: () -> RequestBudget? = { RequestBudget.current }
    ) -> CachedWeather? {
        let result = calls.hit(WeatherKey(coordinate.rounded), failures: false, payer: payer) {
            WeatherSource.Question(coordinate: $0.context.coordinate, zone: $0.context.timeZone)
        }
        guard case .success(let answer)? = result else { return nil }
        return answer
    }

    /// The weather at a coordinate, from the cache or from upstream.
    ///
    /// Old weather that is past answering at once is refreshed for a moment (`CachePolicy.staleWait`) and then
    /// answered after all. Cancelling the task leaves the call.
    ///
    /// - Parameters:
    ///   - zone: As in `WeatherClient`.
    ///   - refresh: Ask again past fresh weather; done at most once in a while for each place
    ///     (`CachePolicy.refreshAtMostEvery`) and not while a failure is remembered. Any failure keeps the old.
    ///   - deadline: This caller's own; the call has the configured time.
    /// - Throws: `WeatherError` if there is nothing to show, or the task was cancelled.
    package func lookUp(
        _ coordinate: Coordinate, zone: String? = nil, refresh: Bool = false,
        until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> CachedWeather {
        let coordinate = coordinate.rounded
        let question = WeatherSource.Question(coordinate: coordinate, zone: zone)
        let results = await calls.results(
            for: [(WeatherKey(coordinate), question)], refresh: refresh, until: deadline)
        guard let result = results.first else { throw .cancelled }
        return try result.get()
    }

    /// The weather at each coordinate, in the same order; a place that fails fails alone.
    ///
    /// Those that aren't fresh are asked for with one question to upstream (or as few as its limit allows);
    /// those that are being asked for already are waited for.
    ///
    /// - Parameter refresh: As for one.
    package func lookUp(
        _ coordinates: [Coordinate], refresh: Bool = false, until deadline: ContinuousClock.Instant
    ) async -> [Result<CachedWeather, WeatherError>] {
        var indices: [WeatherKey: Int] = [:]
        var questions: [(key: WeatherKey, question: WeatherSource.Question)] = []
        let order = coordinates.map { coordinate in
            let coordinate = coordinate.rounded
            let key = WeatherKey(coordinate)
            if let index = indices[key] { return index }
            indices[key] = questions.count
            questions.append((key, WeatherSource.Question(coordinate: coordinate, zone: nil)))
            return questions.count - 1
        }
        let results = await calls.results(for: questions, refresh: refresh, until: deadline)
        return order.map { results[$0] }
    }

    /// How long a failure of a place is still remembered: asking helps from then on. Nil if it does at once.
    package func retryAfter(at coordinate: Coordinate) -> Duration? {
        calls.retryAfter(WeatherKey(coordinate.rounded))
    }

    /// To be called once the attachment of an answer has grown: counts its entry again.
    package func attachmentGrew(_ cached: CachedWeather) {
        let stored = cached.value
        calls.resize(WeatherKey(stored.context.coordinate), of: stored) { $0 === stored }
    }

    /// What was counted and what is held now, summed over the shards; none of them is held for long.
    package var counters: CacheCounters { calls.counters }
}

/// What somebody derives from an entry, such as bytes rendered of it. It is kept as long as the entry and counted
/// in the cache's bytes.
package protocol CacheAttachment: AnyObject, Sendable {
    /// What it costs in memory; read under a mutex of the cache.
    var bytes: Int { get }
}

/// Weather out of the cache.
package typealias CachedWeather = CacheAnswer<StoredWeather>

extension CachedWeather {
    package var context: WeatherContext { value.context }
    /// What was attached to the entry when it was made.
    package var attachment: (any CacheAttachment)? { value.attachment }
}

/// One answer of the service, and what is attached to it. A newer answer is another one of these, so that what was
/// derived from it ends with it.
package final class StoredWeather: Sendable {
    let context: WeatherContext
    let attachment: (any CacheAttachment)?

    init(_ context: WeatherContext, attachment: (any CacheAttachment)?) {
        self.context = context
        self.attachment = attachment
    }

    /// What it costs in memory, as far as that can be told.
    var bytes: Int {
        // The object's head, its fields and two allocations' rounding, then the days' buffer.
        192 + MemoryLayout<WeatherContext>.size + 32
            + context.days.count * MemoryLayout<DayForecast>.stride
            + (context.timeZone.map { $0.utf8.count > 15 ? $0.utf8.count + 32 : 0 } ?? 0)
            + (attachment?.bytes ?? 0)
    }
}

/// Where weather comes from.
struct WeatherSource: CacheSource {
    struct Question: Sendable {
        /// To two decimals.
        let coordinate: Coordinate
        let zone: String?
    }

    let client: any WeatherClient
    let disk: (any DiskCache)?
    let questionsAtOnce: Int
    let attach: @Sendable () -> (any CacheAttachment)?

    func ask(
        _ questions: [Question], until deadline: ContinuousClock.Instant
    ) async -> [Result<StoredWeather, WeatherError>] {
        do throws(WeatherError) {
            if let question = questions.first, questions.count == 1 {
                let context = try await client.weather(
                    for: question.coordinate, zone: question.zone, until: deadline)
                return [.success(stored(context))]
            }
            let results = try await client.weather(for: questions.map(\.coordinate), until: deadline)
            return results.map { $0.map(stored) }
        } catch {
            return questions.map { _ in .failure(error) }
        }
    }

    /// How many days before a forecast's first are kept of the forecasts before: the archive is late by as many.
    private static let pastDays = 3

    func renewed(_ new: StoredWeather, after old: StoredWeather) -> StoredWeather {
        guard let first = new.context.days.first?.date else { return new }
        let past = old.context.days.filter {
            $0.date < first && $0.date.days(until: first) <= WeatherSource.pastDays
        }
        guard !past.isEmpty else { return new }
        var context = new.context
        context.days = past + context.days
        return StoredWeather(context, attachment: new.attachment)
    }

    private func stored(_ context: WeatherContext) -> StoredWeather {
        StoredWeather(context, attachment: attach())
    }

    func bytes(of value: StoredWeather, for key: WeatherKey) -> Int { value.bytes }

    func records(of keys: [WeatherKey]) async -> [DiskRecord<StoredWeather>] {
        guard let disk else { return [] }
        return await disk.weather(for: keys.map(\.name)).map { $0.map(stored) }
    }

    func save(_ entry: DiskEntry<StoredWeather>, for key: WeatherKey) {
        disk?.save(DiskEntry(entry.value.context, fetchedAt: entry.fetchedAt), for: key.name)
    }
}
