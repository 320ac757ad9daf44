/// What the service is asked to find one place, in a fixed order, as long as nothing that fits was found:
///
/// 1. the city as it was typed;
/// 2. where it was typed with a comma ("London, UK"), the part before it, of which the part behind it chooses;
///    else, where the trip names a country, "city, country";
/// 3. the city in its other spelling ("Tromsø" for "Tromso", "Oslo" for "Øslo"), where there is one; else, where
///    the first answer was cut at its limit, the city again with a limit ten times as high.
///
/// A question that an earlier answer makes pointless is left out: an answer below its limit held all there is.
struct PlaceQuestions {
    struct Question: Hashable {
        var name: String
        var limit: Int
    }

    /// How many questions at the most.
    static let most = 3
    static let limit = 10
    static let highLimit = 100

    private let city: String
    private let country: String?
    private let language: String
    private let head: String
    private let qualifiers: [String]
    private var asked = 0
    private var wasCut = false

    /// - Parameter query: Normalised. A name that is too short, or longer than any, is no place: nothing is asked.
    init(_ query: PlaceQuery) {
        let parts = query.city.split(separator: ",", omittingEmptySubsequences: false)
            .map { PlaceText.normalised(String($0)) }
        head = parts.first ?? ""
        qualifiers = parts.dropFirst().filter { !$0.isEmpty }
        city = qualifiers.isEmpty ? head : query.city
        country = query.country
        language = query.language
        if head.count < 2 || city.count > PlaceText.lengthLimit { asked = PlaceQuestions.most }
    }

    /// The next question, or nil when there is none left.
    mutating func next() -> Question? {
        while asked < PlaceQuestions.most {
            asked += 1
            if let question = question(asked) { return question }
        }
        return nil
    }

    /// Chooses from the answer to the last question; nil leads to the next one.
    mutating func choose(from places: [FoundPlace]) -> Place? {
        let isTyped = asked == 1
        if asked <= 2, places.count >= PlaceQuestions.limit { wasCut = true }
        if isTyped, !qualifiers.isEmpty {
            // A name may itself have a comma.
            let whole = PlaceText.folded(city)
            let named = places.filter { PlaceText.folded($0.place.name) == whole }
            let choice = PlaceChoice(name: city, country: country, qualifiers: [])
            if let place = choice.best(of: named) { return place }
        }
        return PlaceChoice(name: head, country: country, qualifiers: qualifiers).best(of: places)
    }

    private func question(_ number: Int) -> Question? {
        switch number {
        case 1:
            return Question(name: city, limit: PlaceQuestions.limit)
        case 2:
            if head != city { return Question(name: head, limit: PlaceQuestions.highLimit) }
            guard wasCut, let country else { return nil }
            let code = Countries.code(of: country)
            let known = code.flatMap { Countries.name(code: $0, language: language) }
            return Question(name: "\(head), \(known ?? country)", limit: PlaceQuestions.limit)
        default:
            if let spelling = PlaceSpelling.other(than: head) {
                let limit = qualifiers.isEmpty ? PlaceQuestions.limit : PlaceQuestions.highLimit
                return Question(name: spelling, limit: limit)
            }
            guard wasCut, head == city, country != nil else { return nil }
            return Question(name: head, limit: PlaceQuestions.highLimit)
        }
    }
}

/// Other spellings of names whose letters the service compares exactly, since they don't decompose into a letter
/// and an accent: ø, ł, ß, æ, đ, ı.
enum PlaceSpelling {
    static func other(than name: String) -> String? {
        if let local = local[name.lowercased()] { return local }
        let bare = PlaceText.stripped(name)
        return bare == name ? nil : bare
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
