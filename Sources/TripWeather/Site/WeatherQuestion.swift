package import Fragments
package import Weather

/// What a reader asks of `/weather`, checked.
package struct WeatherQuestion: Sendable, Hashable {
    /// Where.
    package enum Subject: Sendable, Hashable {
        case city(PlaceQuery)
        case coordinate(Coordinate)
    }

    package var subject: Subject
    package var span: TripSpan?
    package var units: Units
    package var language: Language

    static let parameters = ["city", "country", "latitude", "longitude", "start", "nights", "units", "lang"]

    /// The longest city or country, in characters: GeoNames has none longer.
    static let longestName = 200
}

/// Reads the parameters of a route, noting a fault for each that can't be used.
struct QuestionReader {
    private(set) var query: Query
    private let defaults: (units: Units, language: Language)

    init(_ query: Query, defaults: (units: Units, language: Language)) {
        self.query = query
        self.defaults = defaults
    }

    /// Nil where there are faults.
    mutating func weatherQuestion() -> WeatherQuestion? {
        query.refuseAll(but: WeatherQuestion.parameters)
        let units = choice("units", default: defaults.units)
        let language = language()
        let subject = subject(language: language)
        let span = span()
        guard query.faults.isEmpty, let subject else { return nil }
        return WeatherQuestion(subject: subject, span: span, units: units, language: language)
    }

    /// The beginning of a name to find places by, and the language of the answer; nil where there are faults.
    mutating func placesQuestion() -> (text: String, language: Language)? {
        query.refuseAll(but: ["q", "lang"])
        let language = language()
        let text = name("q", isNeeded: true)
        guard query.faults.isEmpty, let text else { return nil }
        return (text, language)
    }

    mutating func language() -> Language {
        choice("lang", default: defaults.language)
    }

    private mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ parameter: String, default usual: Choice
    ) -> Choice {
        guard let text = query[parameter] else { return usual }
        guard let choice = Choice(rawValue: text) else {
            query.fault(parameter, .notOneOf(Choice.allCases.map(\.rawValue)))
            return usual
        }
        return choice
    }

    private mutating func subject(language: Language) -> WeatherQuestion.Subject? {
        guard query["latitude"] != nil || query["longitude"] != nil else {
            let country = name("country", isNeeded: false)
            return name("city", isNeeded: true).map {
                .city(PlaceQuery(city: $0, country: country, language: language.rawValue))
            }
        }
        if query["city"] != nil { query.fault("city", .excludes("latitude")) }
        if query["country"] != nil { query.fault("country", .needs("city")) }
        let latitude = degrees("latitude", limit: 90, beside: "longitude")
        let longitude = degrees("longitude", limit: 180, beside: "latitude")
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude).map { .coordinate($0) }
    }

    /// A name without spaces around it and with single ones within; nil where it is missing or faulty.
    private mutating func name(_ parameter: String, isNeeded: Bool) -> String? {
        guard let text = query[parameter] else {
            if isNeeded, !query.isFaulty(parameter) { query.fault(parameter, .missing) }
            return nil
        }
        let name = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if name.isEmpty {
            if isNeeded { query.fault(parameter, .empty) }
            return nil
        }
        guard name.count <= WeatherQuestion.longestName else {
            query.fault(parameter, .tooLong(limit: WeatherQuestion.longestName))
            return nil
        }
        return name
    }

    private mutating func degrees(_ parameter: String, limit: Int, beside other: String) -> Double? {
        guard let text = query[parameter] else {
            if !query.isFaulty(parameter) { query.fault(other, .needs(parameter)) }
            return nil
        }
        // Double reads "nan", "inf" and "0x1p3" too.
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ "0123456789.+-".utf8.contains($0) }),
            let degrees = Double(text)
        else {
            query.fault(parameter, .notANumber)
            return nil
        }
        guard abs(degrees) <= Double(limit) else {
            query.fault(parameter, .outOfRange(-limit...limit))
            return nil
        }
        return degrees
    }

    private mutating func span() -> TripSpan? {
        guard query["start"] != nil || query["nights"] != nil else { return nil }
        let start = query["start"].flatMap { CalendarDate($0) }
        if query["start"] == nil {
            query.fault("nights", .needs("start"))
        } else if start == nil {
            query.fault("start", .notADate)
        }
        guard let text = query["nights"] else {
            query.fault("start", .needs("nights"))
            return nil
        }
        guard text.utf8.count <= 6, let nights = Int(text) else {
            query.fault("nights", .notAWholeNumber)
            return nil
        }
        guard TripSpan.nightsRange.contains(nights) else {
            query.fault("nights", .outOfRange(TripSpan.nightsRange))
            return nil
        }
        return start.flatMap { TripSpan(start: $0, nights: nights) }
    }
}
