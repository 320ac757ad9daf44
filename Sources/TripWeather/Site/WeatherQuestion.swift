internal import Fragments
internal import Weather

/// What a reader asks of `/weather`, checked.
struct WeatherQuestion: Sendable, Hashable {
    /// Where.
    enum Subject: Sendable, Hashable {
        case city(PlaceQuery)
        case coordinate(Coordinate)
        /// The service's number for a place.
        case id(Int)
        /// Where a trip goes, as is known already.
        case place(Place)
        /// Several at once, as they were asked for, duplicates too.
        case many([Coordinate])
    }

    var subject: Subject
    var span: TripSpan?
    /// Whether to ask again past fresh weather.
    var isRefresh = false
    /// How much of a page the answer takes, if it is HTML.
    var form = CardForm.card

    static let parameters = [
        "city", "country", "latitude", "longitude", "place", "placeId", "start", "nights", "units", "lang",
        "refresh",
        "form",
    ]

    /// How many places one request may name.
    static let placesAtMost = 100

    /// The longest city or country, in characters: GeoNames has none longer.
    static let longestName = 200
}

/// Reads the parameters of a route, noting a fault for each that can't be used.
struct QuestionReader {
    /// What holds for a reader that asks for nothing else.
    struct Defaults {
        var units: Units
        /// The configured one.
        var language: Language
        /// The Accept-Language field's value: it is read only if no parameter says more.
        var acceptLanguage: String?

        var preferredLanguage: Language {
            Negotiation.language(acceptLanguage: acceptLanguage, usual: language)
        }

        /// The language that a reader names first, whatever it is: a browser names its reader's own.
        var readerLanguage: String? { Defaults.readerLanguage(acceptLanguage) }

        static func readerLanguage(_ acceptLanguage: String?) -> String? {
            guard let letters = acceptLanguage?.utf8.prefix(while: { (97...122).contains($0 | 0x20) }),
                !letters.isEmpty
            else { return nil }
            return String(Substring(letters))
        }
    }

    var query: Query
    private let defaults: Defaults

    init(_ query: Query, defaults: Defaults) {
        self.query = query
        self.defaults = defaults
    }

    // A question's units and language are those of its answer: they go into its presentation.

    /// Nil if there are faults.
    mutating func weatherQuestion(_ presentation: inout Presentation) -> WeatherQuestion? {
        query.refuseAll(but: WeatherQuestion.parameters, repeated: ["place"])
        presentation.units = units()
        presentation.language = language()
        let form = form()
        let subject = subject(language: presentation.language)
        let span = span()
        let isRefresh = flag("refresh")
        guard query.faults.isEmpty, let subject else { return nil }
        return WeatherQuestion(subject: subject, span: span, isRefresh: isRefresh, form: form)
    }

    /// The beginning of a name to find places by; nil if there are faults.
    mutating func placesQuestion(_ presentation: inout Presentation) -> PlaceQuery? {
        query.refuseAll(but: ["q", "lang"])
        presentation.language = language()
        let text = name("q", isNeeded: true)
        guard query.faults.isEmpty, let text else { return nil }
        return PlaceQuery(
            city: text, language: presentation.language.rawValue, readerLanguage: defaults.readerLanguage)
    }

    /// False if there are faults.
    mutating func ideasQuestion(_ presentation: inout Presentation) -> Bool {
        query.refuseAll(but: ["lang", "units"])
        presentation.units = units()
        presentation.language = language()
        return query.faults.isEmpty
    }

    mutating func language() -> Language {
        query["lang"] == nil
            ? defaults.preferredLanguage : choice("lang", default: defaults.preferredLanguage)
    }

    /// The language of a page, for which a `lang` that isn't ours is as if it weren't there.
    mutating func pageLanguage() -> Language {
        query["lang"].flatMap(Language.init(rawValue:)) ?? defaults.preferredLanguage
    }

    mutating func units() -> Units {
        choice("units", default: defaults.units)
    }

    mutating func form() -> CardForm {
        choice("form", default: .card)
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

    mutating func flag(_ parameter: String) -> Bool {
        guard let text = query[parameter] else { return false }
        guard text == "1" || text == "0" else {
            query.fault(parameter, .notOneOf(["0", "1"]))
            return false
        }
        return text == "1"
    }

    private mutating func subject(language: Language) -> WeatherQuestion.Subject? {
        if query["place"] != nil { return many() }
        if let text = query["placeId"] { return identifier(text) }
        guard query["latitude"] != nil || query["longitude"] != nil else {
            let country = name("country", isNeeded: false)
            return name("city", isNeeded: true).map {
                .city(
                    PlaceQuery(
                        city: $0, country: country, language: language.rawValue,
                        readerLanguage: defaults.readerLanguage))
            }
        }
        if query["city"] != nil { query.fault("city", .excludes("latitude")) }
        if query["country"] != nil { query.fault("country", .needs("city")) }
        let latitude = degrees("latitude", limit: 90, beside: "longitude")
        let longitude = degrees("longitude", limit: 180, beside: "latitude")
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude).map { .coordinate($0) }
    }

    private mutating func identifier(_ text: String) -> WeatherQuestion.Subject? {
        for other in ["city", "country", "latitude", "longitude"] where query[other] != nil {
            query.fault(other, .excludes("placeId"))
        }
        guard text.utf8.count <= 10, let id = Int(text), id > 0 else {
            query.fault("placeId", .notAWholeNumber)
            return nil
        }
        return .id(id)
    }

    /// "place=60.39,5.32", repeated.
    private mutating func many() -> WeatherQuestion.Subject? {
        for other in ["city", "country", "latitude", "longitude", "placeId"] where query[other] != nil {
            query.fault(other, .excludes("place"))
        }
        let texts = query.fields.filter { $0.name == "place" }.map(\.value)
        guard texts.count <= WeatherQuestion.placesAtMost else {
            query.fault("place", .tooMany(limit: WeatherQuestion.placesAtMost))
            return nil
        }
        var coordinates: [Coordinate] = []
        for text in texts {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count == 2, let latitude = number(parts[0]), let longitude = number(parts[1]),
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else {
                query.fault("place", .notACoordinate)
                return nil
            }
            coordinates.append(coordinate)
        }
        return .many(coordinates)
    }

    /// A number as people write degrees: Double reads "nan", "inf" and "0x1p3" too.
    private func number(_ text: some StringProtocol) -> Double? {
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ "0123456789.+-".utf8.contains($0) }) else {
            return nil
        }
        return Double(text)
    }

    /// A name without spaces around it and with single ones within; nil if it is missing or faulty.
    private mutating func name(_ parameter: String, isNeeded: Bool) -> String? {
        guard let text = query[parameter] else {
            if isNeeded, !query.isFaulty(parameter) { query.fault(parameter, .missing) }
            return nil
        }
        let name = PlaceText.normalised(text)
        if name.isEmpty {
            if isNeeded { query.fault(parameter, .empty) }
            return nil
        }
        guard name.utf8.count <= WeatherQuestion.longestName || name.count <= WeatherQuestion.longestName
        else {
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
        guard let degrees = number(text) else {
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
