import Weather

/// Words around something that is filled in.
struct Phrase: Sendable {
    let before: StaticString
    let after: StaticString

    init(_ before: StaticString, _ after: StaticString = "") {
        self.before = before
        self.after = after
    }
}

/// Everything that people read, in one language. Words that stand in every answer are static, so that they are
/// copied and nothing more; rarer sentences are made by functions.
///
/// None of the static words holds a character that JSON or HTML would have to escape.
protocol Words: TripWords {
    // The sky

    var clear: StaticString { get }
    var mainlyClear: StaticString { get }
    var partlyCloudy: StaticString { get }
    var overcast: StaticString { get }
    var fog: StaticString { get }
    var drizzle: StaticString { get }
    var rain: StaticString { get }
    var snow: StaticString { get }
    var thunderstorm: StaticString { get }
    /// Around the number.
    var weatherCode: Phrase { get }

    // Numbers

    var decimalPoint: StaticString { get }
    /// What follows a number, with the space between them where the language has one. A bare symbol is tied to
    /// its number by U+00A0.
    func suffix(of unit: Unit) -> StaticString

    // Dates and times

    /// Monday first.
    var weekdays: [StaticString] { get }
    /// January first.
    var months: [StaticString] { get }
    /// Between weekday and day of the month.
    var afterWeekday: StaticString { get }
    /// Between day of the month and month.
    var afterDay: StaticString { get }
    /// Around a time of the clock, such as "15:30".
    var clock: Phrase { get }
    /// Between a date and a time of the clock.
    var afterDate: StaticString { get }
    /// Around the time of current weather: today, and on another date.
    var atTime: Phrase { get }
    var onDate: Phrase { get }
    /// Said after a time on the place's clock, and after one of UTC.
    var localTime: StaticString { get }
    var universalTime: StaticString { get }

    // The weather now

    /// In place of temperature and sky where neither is known.
    var unknownNow: StaticString { get }
    var feelsLike: Phrase { get }
    var humidity: Phrase { get }
    var wind: Phrase { get }
    var precipitation: Phrase { get }
    /// Around the first time; the second follows `sunset`. Once as a sentence of its own, once as the end of another.
    var sunrise: StaticString { get }
    var sunset: StaticString { get }
    var neverRises: StaticString { get }
    var neverSets: StaticString { get }
    var andSunrise: StaticString { get }
    var andNeverRises: StaticString { get }
    var andNeverSets: StaticString { get }

    // A day

    var high: StaticString { get }
    var low: StaticString { get }
    /// After the percentage.
    var chanceOfRain: StaticString { get }
    var chanceOfSnow: StaticString { get }
    /// Around an amount in brackets after the chance, and alone.
    var amount: Phrase { get }
    var amountOfSnow: Phrase { get }
    var amountAlone: Phrase { get }
    /// In place of everything where nothing is known of a day.
    var noForecast: StaticString { get }

    // A trip

    var tripIsOver: StaticString { get }
    var noForecastForTrip: StaticString { get }
    /// After the number of days, for one and for more.
    func daysPast(_ days: Int) -> String
    /// Around the last day of the forecast, and around the day to come back on.
    var forecastReachesTo: Phrase { get }
    var comeBackOn: Phrase { get }

    // A card

    var loading: StaticString { get }
    var updated: StaticString { get }
    var notRefreshed: StaticString { get }
    /// As a sentence of its own, where no other reason is known.
    var couldNotBeRefreshed: StaticString { get }
    var sample: StaticString { get }
    var retry: StaticString { get }
    /// Whom the places are from, after whom the weather is from, and alone.
    var placesBy: StaticString { get }
    var placesFrom: Phrase { get }

    // Coordinates

    var north: StaticString { get }
    var south: StaticString { get }
    var east: StaticString { get }
    var west: StaticString { get }

    // Places

    var samplePlaces: StaticString { get }
    func noPlaces(beginningWith text: String) -> String

    // Problems

    func title(of kind: Problem.Kind) -> String
    func detail(of cause: Problem.Cause) -> String
    func sentence(of fault: Problem.Fault, field: String) -> String
}

extension Words {
    /// The words of a sky, or nil where there are none but its number.
    func words(of kind: Sky.Kind) -> StaticString? {
        switch kind {
        case .clear: clear
        case .mainlyClear: mainlyClear
        case .partlyCloudy: partlyCloudy
        case .overcast: overcast
        case .fog: fog
        case .drizzle: drizzle
        case .rain: rain
        case .snow: snow
        case .thunderstorm: thunderstorm
        case .unknown: nil
        }
    }
}

extension Language {
    var words: any Words {
        switch self {
        case .english: English()
        case .german: German()
        }
    }
}
