/// What the service is asked to find one place, in a fixed order, as long as nothing that fits was found:
///
/// 1. the city as it was typed;
/// 2. if it was typed with a comma ("London, UK"), the part before it, of which the part behind it chooses; else, if
///    the trip names a country and the first answer was cut at its limit, "city, country";
/// 3. the city in its other spelling ("Tromsø" for "Tromso"), if it has one; else, if the first answer was cut, the
///    city again with a limit ten times as high;
/// 4. the city with hyphens for its spaces ("Saint-Tropez"), or the other way round;
/// 5. the city as a name of its country's language ("Firenze, Italy"), then of the reader's own.
///
/// A question that an earlier answer makes pointless is left out: an answer below its limit held all there is, and
/// one that reached it says that the spelling is right.
struct PlaceQuestions {
    struct Question: Hashable {
        var name: String
        var limit: Int
        var language: String
    }

    private enum Step {
        case typed
        case qualified
        case spelt(String)
        case wide
        case hyphened
        case language(String)
    }

    static let limit = 10
    static let highLimit = 100

    private let query: PlaceQuery
    private let city: String
    private let head: String
    private let qualifiers: [String]
    private let isBeginning: Bool
    private var steps: ArraySlice<Step> = []
    private var isTyped = true
    private var wasCut = false
    /// A place of the asked name that is elsewhere.
    private var near: FoundPlace?

    /// - Parameters:
    ///   - query: A name that is too short, or longer than any, is no place: nothing is asked.
    ///   - isBeginning: Whether the city is what somebody has typed so far.
    init(_ query: PlaceQuery, isBeginning: Bool = false) {
        let parts = query.city.split(separator: ",", omittingEmptySubsequences: false)
            .map { PlaceText.normalised(String($0)) }
        head = parts.first ?? ""
        qualifiers = parts.dropFirst().filter { !$0.isEmpty }
        city = qualifiers.isEmpty ? head : query.city
        self.query = query
        self.isBeginning = isBeginning
        guard head.count >= 2, city.count <= PlaceText.lengthLimit else { return }
        steps = [.typed, .qualified, PlaceSpelling.other(than: head).map { .spelt($0) } ?? .wide, .hyphened]
        let country = ([query.country].compactMap(\.self) + qualifiers).lazy.flatMap {
            Countries.codes(of: $0)
        }.first
        let languages = [country.flatMap { Countries.language(code: $0) }, query.readerLanguage].compactMap(
            \.self)
        var asked: Set = [query.language]
        steps += languages.filter { asked.insert($0).inserted }.map { .language($0) }
    }

    /// The next question, or nil when there is none left.
    mutating func next() -> Question? {
        while let step = steps.popFirst() {
            guard let question = question(step) else { continue }
            if case .typed = step { isTyped = true } else { isTyped = false }
            return question
        }
        return nil
    }

    /// Chooses from the answer to the last question; nil leads to the next one.
    mutating func choose(from places: [FoundPlace]) -> Place? {
        if places.count >= PlaceQuestions.limit { wasCut = true }
        if isTyped, !qualifiers.isEmpty {
            // A name may itself have a comma.
            let whole = PlaceChoice(name: city, country: query.country)
            if let found = whole.best(of: whole.named(places)) { return found.place }
        }
        if let found = choice.best(of: places) { return found.place }
        if near == nil {
            let anywhere = PlaceChoice(name: head)
            near = anywhere.best(of: anywhere.named(places))
        }
        return nil
    }

    /// All that fit of the answer to the last question; none leads to the next one.
    func all(of places: [FoundPlace]) -> [FoundPlace] {
        choice.all(of: places)
    }

    /// What to say when nothing was found.
    var miss: WeatherError {
        let elsewhere = near.flatMap { near in
            choice.misfit(of: near).map { WeatherError.Elsewhere(place: near.place, wanted: $0) }
        }
        return .noSuchPlace(CleanText.line(query.city, limit: PlaceText.lengthLimit), elsewhere: elsewhere)
    }

    private var choice: PlaceChoice {
        PlaceChoice(name: head, country: query.country, qualifiers: qualifiers, isBeginning: isBeginning)
    }

    private func question(_ step: Step) -> Question? {
        let limit = qualifiers.isEmpty ? PlaceQuestions.limit : PlaceQuestions.highLimit
        switch step {
        case .typed:
            return ask(city, PlaceQuestions.limit)
        case .qualified:
            if head != city { return ask(head, PlaceQuestions.highLimit) }
            guard wasCut, let country = query.country else { return nil }
            let known = Countries.codes(of: country).first.flatMap {
                Countries.name(code: $0, language: query.language)
            }
            return ask("\(head), \(known ?? country)", PlaceQuestions.limit)
        case .spelt(let spelling):
            return ask(spelling, limit)
        case .wide:
            return wasCut && head == city && query.country != nil ? ask(head, PlaceQuestions.highLimit) : nil
        case .hyphened:
            return wasCut ? nil : PlaceSpelling.hyphened(head).map { ask($0, limit) }
        case .language(let language):
            return Question(name: head, limit: limit, language: language)
        }
    }

    private func ask(_ name: String, _ limit: Int) -> Question {
        Question(name: name, limit: limit, language: query.language)
    }
}

/// Other spellings of a name, since the service compares exactly what isn't a letter with an accent: ø, ł, ß, æ, đ,
/// ı, and hyphens.
enum PlaceSpelling {
    static func other(than name: String) -> String? {
        if let local = local[name.lowercased()] { return local }
        let bare = PlaceText.stripped(name)
        return bare == name ? nil : bare
    }

    /// The name with hyphens for its spaces, or with spaces for its hyphens; nil if it has neither. A French article
    /// keeps its space: La Roche-sur-Yon.
    static func hyphened(_ name: String) -> String? {
        guard name.contains(" ") else {
            return name.contains("-") ? String(name.map { $0 == "-" ? " " : $0 }) : nil
        }
        let article = ["la ", "le ", "les "].first { name.lowercased().hasPrefix($0) }?.count ?? 0
        let rest = name.dropFirst(article)
        return rest.contains(" ") ? String(name.prefix(article) + rest.map { $0 == " " ? "-" : $0 }) : nil
    }

    /// Well-known places that people type without such a letter, which can't be guessed.
    private static let local = [
        "tromso": "Tromsø", "bodo": "Bodø", "roros": "Røros", "svolvaer": "Svolvær", "vardo": "Vardø",
        "vadso": "Vadsø", "alesund": "Ålesund", "drobak": "Drøbak", "kobenhavn": "København",
        "koebenhavn": "København", "helsingor": "Helsingør", "sonderborg": "Sønderborg", "tonder": "Tønder",
        "lodz": "Łódź", "wroclaw": "Wrocław", "bialystok": "Białystok", "plock": "Płock", "elk": "Ełk",
        "giessen": "Gießen", "meissen": "Meißen", "fussen": "Füssen", "weissenburg": "Weißenburg",
        "isafjordur": "Ísafjörður", "siglufjordur": "Siglufjörður", "seydisfjordur": "Seyðisfjörður",
    ]
}
