/// Places that many ask for, asked of upstream as seldom as can be: a layer over any `PlaceSearch`, for all event
/// loops.
///
/// A place is kept under its normalised question for long (`PlacePolicy`), and serves on if a later search fails.
/// Questions for the same place share a call, which ends when its last waiter leaves.
package final class PlaceCache: PlaceSearch {
    private let places: Singleflight<PlaceSource>
    private let suggestions: Singleflight<SuggestionSource>

    /// - Parameter search: Upstream.
    package init(
        over search: any PlaceSearch, policy: PlacePolicy = PlacePolicy(), environment: CacheEnvironment,
        disk: (any DiskCache)? = nil
    ) {
        places = Singleflight(
            PlaceSource(search: search, disk: disk), ttl: policy.ttl(of: policy.ttl), bounds: policy.bounds,
            environment: environment)
        suggestions = Singleflight(
            SuggestionSource(search: search), ttl: policy.ttl(of: policy.suggestionsTTL),
            bounds: policy.suggestionBounds, environment: environment)
    }

    // MARK: One place

    /// What is known of a question without asking: a place, or that there is none, or that the service failed
    /// just now. Needs no task, and takes one mutex for a moment.
    package func hit(_ query: PlaceQuery) -> Result<Place, WeatherError>? {
        let known = places.hit(PlaceKey(query), failures: true, question: { _ in .query(query) })
        return known?.map(\.value.place).naming(query.city)
    }

    /// As `hit(_:)`, for a place that is asked for by the service's number.
    package func hit(id: Int, language: String) -> Result<Place, WeatherError>? {
        let key = PlaceKey(id: id, language: language)
        return places.hit(key, failures: true, question: { _ in .id(id, language: language) })?
            .map(\.value.place)
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

    private func find(
        _ key: PlaceKey, _ question: PlaceSource.Question, until deadline: ContinuousClock.Instant
    ) async -> Result<Place, WeatherError> {
        let results = await places.results(for: [(key, question)], until: deadline)
        return results.first?.map(\.value.place) ?? .failure(.cancelled)
    }

    // MARK: Suggestions

    package func places(
        beginningWith text: String, language: String, limit: Int, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Place] {
        let query = PlaceQuery(city: text, language: language)
        let key = PlaceKey(beginning: query, limit: limit)
        let question = SuggestionSource.Question(query: query, limit: limit)
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

/// A place in the cache: an object, since a place is large and an answer of the cache is copied.
final class StoredPlace: Sendable {
    let place: Place

    init(_ place: Place) {
        self.place = place
    }
}

/// Where places come from.
struct PlaceSource: CacheSource {
    /// Indirect, since it goes through several hands.
    indirect enum Question: Sendable {
        case query(PlaceQuery)
        case id(Int, language: String)
    }

    let search: any PlaceSearch
    let disk: (any DiskCache)?
    let questionsAtOnce = 1

    func ask(
        _ questions: [Question], until deadline: ContinuousClock.Instant
    ) async -> [Result<StoredPlace, WeatherError>] {
        guard let question = questions.first else { return [] }
        do throws(WeatherError) {
            let place =
                switch question {
                case .query(let query): try await search.place(for: query, until: deadline)
                case .id(let id, let language):
                    try await search.place(id: id, language: language, until: deadline)
                }
            return [.success(StoredPlace(place))]
        } catch {
            return [.failure(error)]
        }
    }

    func bytes(of value: StoredPlace, for key: PlaceKey) -> Int { key.bytes + 16 + value.place.bytes }

    func records(of keys: [PlaceKey]) async -> [DiskRecord<StoredPlace>] {
        guard let disk else { return [] }
        return await disk.places(for: keys.map(\.name)).map { $0.map(StoredPlace.init) }
    }

    func save(_ entry: DiskEntry<StoredPlace>, for key: PlaceKey) {
        disk?.save(DiskEntry(entry.value.place, fetchedAt: entry.fetchedAt), for: key.name)
    }
}

/// Where suggestions come from. They aren't kept on disk.
struct SuggestionSource: CacheSource {
    struct Question: Sendable {
        let query: PlaceQuery
        let limit: Int
    }

    let search: any PlaceSearch
    let disk: (any DiskCache)? = nil
    let questionsAtOnce = 1

    func ask(
        _ questions: [Question], until deadline: ContinuousClock.Instant
    ) async -> [Result<[Place], WeatherError>] {
        guard let question = questions.first else { return [] }
        do throws(WeatherError) {
            return [
                .success(
                    try await search.places(
                        beginningWith: question.query.city, language: question.query.language,
                        limit: question.limit, until: deadline))
            ]
        } catch {
            return [.failure(error)]
        }
    }

    func bytes(of value: [Place], for key: PlaceKey) -> Int {
        value.reduce(key.bytes + 32) { $0 + $1.bytes }
    }

    func records(of keys: [PlaceKey]) async -> [DiskRecord<[Place]>] { [] }
    func save(_ entry: DiskEntry<[Place]>, for key: PlaceKey) {}
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
