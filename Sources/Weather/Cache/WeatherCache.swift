/// Weather that many ask for, asked of upstream as seldom as can be: a layer over any `WeatherClient`, for all
/// event loops.
///
/// - Weather is kept under its coordinate to two decimals, fresh until the model's next quarter hour, then
///   answered old with a refresh behind, and kept as long as refreshes fail, up to a limit (`CachePolicy`).
/// - Questions for the same place share a flight. It ends when its last waiter leaves.
/// - What is kept is bounded in entries and bytes; the least recently used goes first.
package final class WeatherCache: WeatherClient {
    private let table: FlightTable<WeatherShelf>
    private let flight: WeatherFlight
    private let policy: CachePolicy
    private let environment: CacheEnvironment

    /// - Parameters:
    ///   - client: Upstream.
    ///   - manyClient: Upstream for many places at once; without it each is asked for itself.
    ///   - archive: The disk.
    ///   - election: Which process asks; it needs the archive.
    ///   - freshnessFactor: How many times as long as usual weather is fresh just now, 1 or more: a budget that
    ///     is nearly spent says 2. Called only for what would not be fresh otherwise, under a mutex: it must be
    ///     quick and must not call the cache.
    package init(
        over client: any WeatherClient, manyClient: (any MultiWeatherClient)? = nil,
        policy: CachePolicy = CachePolicy(), environment: CacheEnvironment,
        archive: (any CacheArchive)? = nil, election: (any FlightElection)? = nil,
        freshnessFactor: @escaping @Sendable () -> Double = { 1 }
    ) {
        self.policy = policy
        self.environment = environment
        table = FlightTable(
            shards: policy.bounds.effectiveShards, limits: policy.flight, environment: environment
        ) {
            WeatherShelf(policy: policy, environment: environment, freshnessFactor: freshnessFactor)
        }
        flight = WeatherFlight(
            client: client, manyClient: manyClient, archive: archive, election: election, policy: policy,
            table: table)
    }

    // MARK: One place

    /// What can be answered at once: fresh weather, old weather with a refresh behind (which this starts), or
    /// old weather whose refresh failed just now. Nil where `lookUp` has to be asked.
    ///
    /// Needs no task, and takes one mutex for a moment.
    package func hit(_ coordinate: Coordinate) -> CachedWeather? {
        let coordinate = coordinate.rounded
        let key = WeatherKey(coordinate)
        let now = environment.unixTime()
        let (shelved, begun) = table.withState(of: key) {
            state -> (ShelvedWeather?, (FlightTicket<WeatherKey>, FlightHandle)?) in
            switch state.shelf.look(key, at: now) {
            case .answer(let shelved):
                WeatherCache.count(shelved, in: &state.counters)
                return (shelved, nil)
            case .answerAndRefresh(let shelved):
                WeatherCache.count(shelved, in: &state.counters)
                return (shelved, table.hold(key, in: &state))
            case .wait, .refused, .missing: return (nil, nil)
            }
        }
        guard let shelved else { return nil }
        if let (ticket, handle) = begun {
            flight.refresh(
                ticket, handle, coordinate, zone: shelved.stored.context.timeZone,
                knownAt: shelved.stored.fetchedAt)
        }
        return CachedWeather(shelved, in: table)
    }

    /// The weather at a coordinate, from the cache or from upstream.
    ///
    /// Old weather that is past answering at once is waited for a moment (`CachePolicy.staleWait`) and then
    /// answered after all. Cancelling the task leaves the flight.
    ///
    /// - Parameters:
    ///   - zone: As in `WeatherClient`.
    ///   - refresh: Ask again past fresh weather; done at most once in a while for each place
    ///     (`CachePolicy.refreshAtMostEvery`), and any failure keeps the old.
    ///   - deadline: This caller's own; the flight has the policy's.
    /// - Throws: `WeatherError` where there is nothing to show, or the task was cancelled.
    package func lookUp(
        _ coordinate: Coordinate, zone: String? = nil, refresh: Bool = false,
        until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> CachedWeather {
        if !refresh, let cached = hit(coordinate) { return cached }
        let coordinate = coordinate.rounded
        let key = WeatherKey(coordinate)
        let now = environment.unixTime()
        let old = refresh ? nil : table.withState(of: key) { $0.shelf.old(key, at: now) }
        let patience = old == nil ? deadline : min(deadline, environment.now().advanced(by: policy.staleWait))
        let knownAt = table.withState(of: key) { $0.shelf.fetchedAt(key) }
        let end = await table.wait(
            for: key, until: patience, staysBehind: old != nil,
            look: { state in
                if refresh, state.shelf.force(key, at: now) { return nil }
                return WeatherCache.answer(key, at: now, in: &state)
            },
            fly: { [flight] ticket, deadline in
                let leg = WeatherFlight.Leg(
                    ticket: ticket, coordinate: coordinate, zone: zone, knownAt: knownAt,
                    notBefore: refresh ? now : nil)
                await flight.fly([leg], until: deadline)
            })
        return CachedWeather(try settle(end, for: key, refresh: refresh), in: table)
    }

    /// How long a failure of a place of which nothing is kept is still remembered: asking helps from then on.
    package func retryAfter(at coordinate: Coordinate) -> Duration? {
        let key = WeatherKey(coordinate.rounded)
        let now = environment.unixTime()
        return table.withState(of: key) { $0.shelf.failureSecondsLeft(key, at: now) }.map { .seconds($0) }
    }

    package func weather(
        for coordinate: Coordinate, zone: String?, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> WeatherContext {
        try await lookUp(coordinate, zone: zone, until: deadline).context
    }

    // MARK: Many places

    /// The weather at each coordinate, in the same order; a place that fails fails alone.
    ///
    /// Those that aren't fresh are asked for with one question to upstream (or as few as its limit allows);
    /// those that are being asked for already are waited for.
    package func weather(
        for coordinates: [Coordinate], until deadline: ContinuousClock.Instant
    ) async -> [Result<CachedWeather, WeatherError>] {
        let now = environment.unixTime()
        var indices: [WeatherKey: Int] = [:]
        var places: [(key: WeatherKey, coordinate: Coordinate)] = []
        let order = coordinates.map { coordinate in
            let coordinate = coordinate.rounded
            let key = WeatherKey(coordinate)
            if let index = indices[key] { return index }
            indices[key] = places.count
            places.append((key, coordinate))
            return places.count - 1
        }
        let known = places.map { place in
            table.withState(of: place.key) { $0.shelf.fetchedAt(place.key) }
        }
        let hasOld = places.allSatisfy { place in
            table.withState(of: place.key) { $0.shelf.old(place.key, at: now) } != nil
        }
        let patience = hasOld ? min(deadline, environment.now().advanced(by: policy.staleWait)) : deadline
        let ends = await table.waitForMany(
            places.map(\.key), until: patience, inQuestion: policy.placesInQuestion,
            look: { index, state in WeatherCache.part(places[index].key, at: now, in: &state) },
            fly: { [flight, places, indices, known] tickets, deadline in
                let legs = tickets.compactMap { ticket in
                    indices[ticket.key].map { index in
                        WeatherFlight.Leg(
                            ticket: ticket, coordinate: places[index].coordinate, zone: nil,
                            knownAt: known[index], notBefore: nil)
                    }
                }
                await flight.fly(legs, until: deadline)
            })
        let results = places.indices.map { index -> Result<CachedWeather, WeatherError> in
            do throws(WeatherError) {
                let shelved = try settle(ends[index], for: places[index].key, refresh: false)
                return .success(CachedWeather(shelved, in: table))
            } catch {
                return .failure(error)
            }
        }
        return order.map { results[$0] }
    }

    // MARK: Counting

    /// What was counted and what is held now, summed over the shards; none of them is held for long.
    package var counters: CacheCounters {
        table.total { state in
            var counters = state.counters
            counters.entries = state.shelf.entryCount
            counters.bytes = state.shelf.bytes
            counters.evictions = state.shelf.evictions
            return counters
        }
    }

    // MARK: Deciding

    private static func count(_ shelved: ShelvedWeather, in counters: inout CacheCounters) {
        if shelved.freshness == .fresh { counters.hits += 1 } else { counters.stale += 1 }
    }

    /// What a waiter gets without waiting.
    private static func answer(
        _ key: WeatherKey, at now: Int, in state: inout FlightTable<WeatherShelf>.State
    ) -> WeatherShelf.Value? {
        switch state.shelf.look(key, at: now) {
        case .answer(let shelved), .answerAndRefresh(let shelved):
            count(shelved, in: &state.counters)
            return .success(shelved)
        case .refused(let error):
            state.counters.negativeHits += 1
            return .failure(error)
        case .wait, .missing: return nil
        }
    }

    private static func part(
        _ key: WeatherKey, at now: Int, in state: inout FlightTable<WeatherShelf>.State
    ) -> FlightTable<WeatherShelf>.Part {
        switch state.shelf.look(key, at: now) {
        case .answer(let shelved):
            count(shelved, in: &state.counters)
            return .answer(.success(shelved))
        case .answerAndRefresh(let shelved):
            count(shelved, in: &state.counters)
            return .answerAndAsk(.success(shelved))
        case .refused(let error):
            state.counters.negativeHits += 1
            return .answer(.failure(error))
        case .wait: return .wait(staysBehind: true)
        case .missing: return .wait(staysBehind: false)
        }
    }

    /// What a wait has come to. Whoever ran out of time gets what is kept, if anything is.
    private func settle(
        _ end: FlightEnd<WeatherShelf.Value>, for key: WeatherKey, refresh: Bool
    ) throws(WeatherError) -> ShelvedWeather {
        switch end {
        case .landed(let value): return try value.get()
        case .cancelled: throw .cancelled
        case .outOfTime:
            let now = environment.unixTime()
            let old = table.withState(of: key) { state in
                let old = state.shelf.old(key, at: now)
                if let old { WeatherCache.count(old, in: &state.counters) }
                return old
            }
            guard var old else { throw .outOfTime }
            if refresh { old.freshness = .error(.outOfTime) }
            return old
        }
    }
}
