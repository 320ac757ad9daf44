/// Places that many ask for, asked of upstream as seldom as can be: a layer over any `PlaceSearch`, for all event
/// loops.
///
/// A place is kept under its normalised question for long (`PlacePolicy`), and serves on if a later search fails.
/// Questions for the same place share a call, which ends when its last waiter leaves.
package final class PlaceCache: PlaceSearch {
    private let places: Singleflight<PlaceSource>
    private let suggestions: Singleflight<PlaceSource>

    /// - Parameter search: Upstream.
    package init(
        over search: any PlaceSearch, policy: PlacePolicy = PlacePolicy(), environment: CacheEnvironment,
        disk: (any DiskCache)? = nil
    ) {
        places = Singleflight(
            PlaceSource(search: search, disk: disk), ttl: policy.ttl(of: policy.ttl), bounds: policy.bounds,
            environment: environment)
        // They aren't kept on disk.
        suggestions = Singleflight(
            PlaceSource(search: search, disk: nil), ttl: policy.ttl(of: policy.suggestionsTTL),
            bounds: policy.suggestionBounds, environment: environment)
    }

    // MARK: One place

    /// What is known of a question without asking: a place, or that there is none, or that the service failed
    /// just now. Needs no task, and takes one mutex for a moment.
    ///
    /// - Parameter payer: Whose share of the budget a refresh is taken from.
    package func hit(
        _ query: PlaceQuery, payer: () -> RequestBudget? = { RequestBudget.current }
    ) -> Result<Place, WeatherError>? {
        places.hit(PlaceKey(query), failures: true, payer: payer) { _ in .query(query) }?.place
            .naming(query.city)
    }

    /// As `hit(_:)`, for a place that is asked for by the service's number.
    package func hit(
        id: Int, language: String, payer: () -> RequestBudget? = { RequestBudget.current }
    ) -> Result<Place, WeatherError>? {
        let key = PlaceKey(id: id, language: language)
        return places.hit(key, failures: true, payer: payer) { _ in
            .id(id, language: language)
        }?.place
    }

    package func place(
        for query: PlaceQuery, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        try await find(PlaceKey(query), .query(query), until: deadline).naming(query.city).get()
    }

    package func place(
        id: Int, language: String, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        let question = PlaceSource.Question.id(id, language: language)
        return try await find(PlaceKey(id: id, language: language), question, until: deadline).get()
    }

    /// How long a failure to find a place is still remembered: asking helps from then on. Nil if it does at once.
    package func retryAfter(for query: PlaceQuery) -> Duration? {
        places.retryAfter(PlaceKey(query))
    }

    /// The same of a place that is asked for by the service's number.
    package func retryAfter(id: Int, language: String) -> Duration? {
        places.retryAfter(PlaceKey(id: id, language: language))
    }

    private func find(
        _ key: PlaceKey, _ question: PlaceSource.Question, until deadline: ContinuousClock.Instant
    ) async -> Result<Place, WeatherError> {
        let results = await places.results(for: [(key, question)], until: deadline)
        return results.first?.place ?? .failure(.cancelled)
    }

    // MARK: Suggestions

    package func places(
        beginningWith query: PlaceQuery, limit: Int, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Place] {
        let key = PlaceKey(beginning: query, limit: limit)
        let question = PlaceSource.Question.beginning(query, limit: limit)
        let results = await suggestions.results(for: [(key, question)], until: deadline)
        guard let result = results.first else { throw .cancelled }
        return try result.get().value
    }

    // MARK: Counting

    /// What was counted and what is held now, places and suggestions together.
    package var counters: CacheCounters {
        var total = places.counters
        total += suggestions.counters
        return total
    }
}

/// Where places come from: one that is asked for, or those that are suggested for a beginning.
struct PlaceSource: CacheSource {
    /// Indirect, since it goes through several hands.
    indirect enum Question: Sendable {
        case query(PlaceQuery)
        case id(Int, language: String)
        case beginning(PlaceQuery, limit: Int)
    }

    let search: any PlaceSearch
    let disk: (any DiskCache)?

    func ask(
        _ questions: [Question], until deadline: ContinuousClock.Instant
    ) async -> [Result<[Place], WeatherError>] {
        guard let question = questions.first else { return [] }
        do throws(WeatherError) {
            switch question {
            case .query(let query): return [.success([try await search.place(for: query, until: deadline)])]
            case .id(let id, let language):
                return [.success([try await search.place(id: id, language: language, until: deadline)])]
            case .beginning(let query, let limit):
                let places = try await search.places(
                    beginningWith: query, limit: limit, until: deadline)
                return [.success(places)]
            }
        } catch {
            return [.failure(error)]
        }
    }

    func bytes(of value: [Place], for key: PlaceKey) -> Int {
        value.reduce(key.bytes + 32) { $0 + $1.bytes }
    }

    func records(of keys: [PlaceKey]) async -> [DiskRecord<[Place]>] {
        guard let disk else { return [] }
        return await disk.places(for: keys.map(\.name)).map { $0.map { [$0] } }
    }

    func save(_ entry: DiskEntry<[Place]>, for key: PlaceKey) {
        for place in entry.value { disk?.save(DiskEntry(place, fetchedAt: entry.fetchedAt), for: key.name) }
    }
}

extension Result<CacheAnswer<[Place]>, WeatherError> {
    /// The place that was asked for.
    fileprivate var place: Result<Place, WeatherError> {
        flatMap { $0.value.first.map { .success($0) } ?? .failure(.unreadable(path: "no place")) }
    }
}

extension Place {
    /// What it costs in memory, as far as that can be told.
    fileprivate var bytes: Int {
        let texts = [name, country ?? "", countryCode ?? "", region ?? "", district ?? "", timeZone ?? ""]
        return MemoryLayout<Place>.stride + texts.reduce(0) { $0 + $1.utf8.count }
    }
}

extension Result<Place, WeatherError> {
    /// A shared failure names the city as this reader wrote it.
    fileprivate func naming(_ city: String) -> Self {
        guard case .failure(.noSuchPlace(_, let elsewhere)) = self else { return self }
        return .failure(.noSuchPlace(city, elsewhere: elsewhere))
    }
}
