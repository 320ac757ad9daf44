extension OpenMeteoClient: PlaceSearch {
    /// How many questions are spent beyond those in the page's language.
    private static let questionsInOtherLanguages = 2

    /// The place of a city, chosen as `PlaceChoice` says from the answers to a few questions, whose order is that of
    /// `PlaceQuestions`. Coordinates are a place without asking.
    package func place(
        for query: PlaceQuery, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        if let place = Place(typedPoint: query) { return place }
        var questions = PlaceQuestions(query)
        var others = 0
        while let question = questions.next() {
            if question.language != query.language { others += 1 }
            let found = try await search(question, until: deadline)
            guard var place = questions.choose(from: found) else { continue }
            if question.language != query.language, others < OpenMeteoClient.questionsInOtherLanguages,
                let id = place.identifier
            {
                // Found by a name of another language; shown by the one that the page's has for it.
                do throws(WeatherError) {
                    place = try await self.place(id: id, language: query.language, until: deadline)
                } catch {
                    if error == .cancelled { throw error }
                }
            }
            place.district = nil
            return place
        }
        throw questions.miss
    }

    /// The place of a number of GeoNames, with its names in a language.
    ///
    /// - Throws: `.noSuchPlace` if the service doesn't know the number.
    package func place(
        id: Int, language: String, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        do throws(WeatherError) {
            let body = try await get(requests.place(id: id, language: language), until: deadline)
            var place = try PlaceDecoder.place(from: body)
            place.district = nil
            return place
        } catch {
            if case .refused(400, let reason?) = error, reason.lowercased().contains("not found") {
                throw .noSuchPlace("\(id)")
            }
            throw error
        }
    }

    /// Places for a search field, found by the same rules. Fewer than two characters find nothing, and aren't asked
    /// about. Two that would look the same are one; two of one title and region are told apart by their districts.
    package func places(
        beginningWith query: PlaceQuery, limit: Int, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Place] {
        guard limit > 0 else { return [] }
        if let place = Place(typedPoint: query) { return [place] }
        var questions = PlaceQuestions(query, isBeginning: true)
        while var question = questions.next() {
            question.limit = max(limit, question.limit)
            let found = questions.all(of: try await search(question, until: deadline)).map(\.place)
            if !found.isEmpty { return Array(OpenMeteoClient.distinct(found).prefix(limit)) }
        }
        return []
    }

    private static func distinct(_ places: [Place]) -> [Place] {
        var districts: [[String]: Set<String>] = [:]
        func key(_ place: Place) -> [String] { [place.title, place.region ?? ""] }
        let distinct = places.filter {
            districts[key($0), default: []].insert($0.district ?? "").inserted
        }
        return distinct.map { place in
            var place = place
            if districts[key(place)]?.count == 1 { place.district = nil }
            return place
        }
    }

    private func search(
        _ question: PlaceQuestions.Question, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [FoundPlace] {
        let request = requests.search(
            name: question.name, language: question.language, count: question.limit)
        return try PlaceDecoder.places(from: try await get(request, until: deadline))
    }
}

extension Place {
    /// The point that was typed in the place of a city, named as it was typed; nil for a name. The country beside it
    /// says nothing that the point doesn't.
    fileprivate init?(typedPoint query: PlaceQuery) {
        guard let point = Coordinate(typed: query.city) else { return nil }
        self.init(name: query.city, coordinate: point)
    }
}
