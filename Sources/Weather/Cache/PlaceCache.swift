/// Places that many ask for, asked of upstream as seldom as can be: a layer over any `PlaceSearch`, for all event
/// loops.
///
/// A place is kept under its normalised question for long (`PlacePolicy`), and serves on where a later search
/// fails. Questions for the same place share a flight, which ends when its last waiter leaves.
package final class PlaceCache: PlaceSearch {
    private typealias PlaceShelf = AnswerShelf<PlaceKey, Place>
    private typealias SuggestionShelf = AnswerShelf<SuggestionKey, [Place]>

    private let search: any PlaceSearch
    private let question: ElectedQuestion?
    private let policy: PlacePolicy
    private let environment: CacheEnvironment
    private let places: FlightTable<PlaceShelf>
    private let suggestions: FlightTable<SuggestionShelf>

    /// - Parameters:
    ///   - search: Upstream.
    ///   - archive: The disk.
    ///   - election: Which process asks; it needs the archive.
    package init(
        over search: any PlaceSearch, policy: PlacePolicy = PlacePolicy(), environment: CacheEnvironment,
        archive: (any CacheArchive)? = nil, election: (any FlightElection)? = nil
    ) {
        self.search = search
        self.policy = policy
        self.environment = environment
        question = archive.map { ElectedQuestion(archive: $0, election: election) }
        places = FlightTable(
            shards: policy.bounds.effectiveShards, limits: policy.flight, environment: environment
        ) {
            PlaceShelf(
                lives: PlaceShelf.Lives(
                    answer: policy.life.wholeSeconds, answerJitter: 0.1,
                    nothing: policy.noSuchPlaceLife.wholeSeconds, failure: policy.negativeLife),
                bounds: policy.bounds, environment: environment,
                size: { $0.bytes + $1.bytes })
        }
        suggestions = FlightTable(
            shards: policy.suggestionBounds.effectiveShards, limits: policy.flight, environment: environment
        ) {
            SuggestionShelf(
                lives: SuggestionShelf.Lives(
                    answer: policy.suggestionsLife.wholeSeconds, answerJitter: 0.1,
                    nothing: policy.noSuchPlaceLife.wholeSeconds, failure: policy.negativeLife),
                bounds: policy.suggestionBounds, environment: environment,
                size: { key, places in places.reduce(key.bytes + 32) { $0 + $1.bytes } })
        }
    }

    // MARK: One place

    /// What is known of a question without asking: a place, or that there is none, or that the service failed
    /// just now. Needs no task, and takes one mutex for a moment.
    package func hit(_ query: PlaceQuery) -> Result<Place, WeatherError>? {
        let key = PlaceKey(query)
        let now = environment.unixTime()
        let known = places.withState(of: key) { PlaceCache.answer(key, at: now, in: &$0) }
        return known.map { $0.naming(query.city) }
    }

    /// The place with this number of the service's, with its names in a language.
    package func place(
        id: Int, language: String, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        if let known = hit(id: id, language: language) { return try known.get() }
        return try await find(PlaceKey(id: id, language: language), until: deadline) {
            [search] deadline throws(WeatherError) in
            try await search.place(id: id, language: language, until: deadline)
        }.get()
    }

    /// As `hit(_:)`, for a place that is asked for by its number.
    package func hit(id: Int, language: String) -> Result<Place, WeatherError>? {
        let key = PlaceKey(id: id, language: language)
        let now = environment.unixTime()
        return places.withState(of: key) { PlaceCache.answer(key, at: now, in: &$0) }
    }

    /// How long a failure to find a place is still remembered: asking helps from then on.
    package func retryAfter(for query: PlaceQuery) -> Duration? {
        let key = PlaceKey(query)
        let now = environment.unixTime()
        return places.withState(of: key) { $0.shelf.failureSecondsLeft(key, at: now) }.map { .seconds($0) }
    }

    package func place(
        for query: PlaceQuery, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        if let known = hit(query) { return try known.get() }
        return try await find(PlaceKey(query), until: deadline) {
            [search] deadline throws(WeatherError) in
            try await search.place(for: query, until: deadline)
        }.naming(query.city).get()
    }

    private typealias Search =
        @Sendable (ContinuousClock.Instant) async throws(WeatherError) -> Place

    private func find(
        _ key: PlaceKey, until deadline: ContinuousClock.Instant, _ query: @escaping Search
    ) async -> Result<Place, WeatherError> {
        let now = environment.unixTime()
        let end = await places.wait(
            for: key, until: deadline, staysBehind: false,
            look: { PlaceCache.answer(key, at: now, in: &$0) },
            fly: { [self, query] ticket, deadline in await fly(ticket, query, until: deadline) })
        return end.result()
    }

    private func fly(
        _ ticket: FlightTicket<PlaceKey>, _ query: Search, until deadline: ContinuousClock.Instant
    ) async {
        guard let question else { return await ask(query, ticket, nil, until: deadline) }
        while !Task.isCancelled, environment.now() < deadline {
            let turn = await question.turn(for: "place \(ticket.key.text)") { archive in
                await archive.place(for: ticket.key.text).flatMap { land(ticket, with: $0) ? $0 : nil }
            }
            switch turn {
            case .found: return
            case .ask(let lease): return await ask(query, ticket, lease, until: deadline)
            case .follow:
                let next = environment.now().advanced(by: policy.flight.followEvery)
                await environment.scheduler.pause(until: min(next, deadline))
            }
        }
    }

    /// Lands a place that is young enough; keeps an older one to fall back on.
    private func land(_ ticket: FlightTicket<PlaceKey>, with archived: ArchivedPlace) -> Bool {
        let age = environment.unixTime() - archived.foundAt
        if age < policy.life.wholeSeconds - policy.life.wholeSeconds / 10 {
            return places.land(ticket, with: .archived(archived.place, at: archived.foundAt))
        }
        places.during(ticket) { $0.adopt(archived.place, for: ticket.key, at: archived.foundAt) }
        return false
    }

    private func ask(
        _ query: Search, _ ticket: FlightTicket<PlaceKey>, _ lease: (any FlightLease)?,
        until deadline: ContinuousClock.Instant
    ) async {
        do throws(WeatherError) {
            let place = try await query(deadline)
            if places.land(ticket, with: .answered(place)), let question {
                let archived = ArchivedPlace(place: place, foundAt: environment.unixTime())
                question.archive.save(archived, for: ticket.key.text) { lease?.release() }
            } else {
                lease?.release()
            }
        } catch {
            places.land(ticket, with: .failed(error))
            lease?.release()
        }
    }

    // MARK: Suggestions

    package func places(
        beginningWith text: String, language: String, limit: Int, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Place] {
        let key = SuggestionKey(beginning: text, language: language, limit: limit)
        let beginning = text.withSingleSpaces
        let now = environment.unixTime()
        if let known = suggestions.withState(of: key, { PlaceCache.answer(key, at: now, in: &$0) }) {
            return try known.get()
        }
        let end = await suggestions.wait(
            for: key, until: deadline, staysBehind: false,
            look: { PlaceCache.answer(key, at: now, in: &$0) },
            fly: { [search, suggestions] ticket, deadline in
                do throws(WeatherError) {
                    let places = try await search.places(
                        beginningWith: beginning, language: language, limit: limit, until: deadline)
                    suggestions.land(ticket, with: .answered(places))
                } catch {
                    suggestions.land(ticket, with: .failed(error))
                }
            })
        return try end.result().get()
    }

    // MARK: Counting

    /// What was counted and what is held now, places and suggestions together.
    package var counters: CacheCounters {
        var total = PlaceCache.counters(of: places)
        total += PlaceCache.counters(of: suggestions)
        return total
    }

    private static func counters<Key: FlightKey, Answer: Sendable>(
        of table: FlightTable<AnswerShelf<Key, Answer>>
    ) -> CacheCounters {
        table.total { state in
            var counters = state.counters
            counters.entries = state.shelf.entryCount
            counters.bytes = state.shelf.bytes
            counters.evictions = state.shelf.evictions
            return counters
        }
    }

    private static func answer<Key: FlightKey, Answer: Sendable>(
        _ key: Key, at now: Int, in state: inout FlightTable<AnswerShelf<Key, Answer>>.State
    ) -> Result<Answer, WeatherError>? {
        let answer = state.shelf.look(key, at: now)
        switch answer {
        case .success: state.counters.hits += 1
        case .failure: state.counters.negativeHits += 1
        case nil: break
        }
        return answer
    }
}

extension FlightEnd {
    /// What a waiter gets that has nothing to fall back on.
    fileprivate func result<Answer>() -> Result<Answer, WeatherError>
    where Value == Result<Answer, WeatherError> {
        switch self {
        case .landed(let value): value
        case .outOfTime: .failure(.outOfTime)
        case .cancelled: .failure(.cancelled)
        }
    }
}

extension Result<Place, WeatherError> {
    /// A shared failure names the city as this reader wrote it.
    fileprivate func naming(_ city: String) -> Self {
        guard case .failure(.noSuchPlace(_, let elsewhere)) = self else { return self }
        return .failure(.noSuchPlace(city.withSingleSpaces, elsewhere: elsewhere))
    }
}
