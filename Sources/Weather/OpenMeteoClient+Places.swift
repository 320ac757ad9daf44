extension OpenMeteoClient: PlaceSearch {
    /// The place of a city, chosen as `PlaceChoice` says from the answers to at most three questions, whose order
    /// is that of `PlaceQuestions`.
    package func place(
        for query: PlaceQuery, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        let normalised = query.normalised
        var questions = PlaceQuestions(normalised)
        while let question = questions.next() {
            let found = try await search(
                name: question.name, language: normalised.language, count: question.limit, until: deadline)
            if let place = questions.choose(from: found) { return place }
        }
        throw .noSuchPlace(CleanText.line(query.city, limit: PlaceText.lengthLimit))
    }

    /// Places for a search field. Fewer than two characters find nothing, and aren't asked about. Two that would
    /// look the same, of one title and region, are one.
    package func places(
        beginningWith text: String, language: String, limit: Int, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Place] {
        let name = PlaceText.normalised(text)
        guard limit > 0, name.count >= 2, name.count <= PlaceText.lengthLimit else { return [] }
        let found = try await search(
            name: name, language: PlaceQuery.language(language), count: max(limit, PlaceQuestions.limit),
            until: deadline)
        var seen: Set<[String]> = []
        let places = found.map(\.place).filter { seen.insert([$0.title, $0.region ?? ""]).inserted }
        return Array(places.prefix(limit))
    }

    private func search(
        name: String, language: String, count: Int, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [FoundPlace] {
        let request = requests.search(name: name, language: language, count: count)
        return try PlaceDecoder.places(from: try await get(request, until: deadline))
    }
}
