import Trips
import Weather

/// Text around something that is filled in.
struct Template: Sendable {
    let before: StaticString
    let after: StaticString

    init(_ before: StaticString, _ after: StaticString = "") {
        self.before = before
        self.after = after
    }
}

/// Everything that people read, each phrase once with its languages side by side. Phrases of every answer are static,
/// so that they are copied and nothing more; rarer sentences are made by functions.
///
/// None of the static phrases holds a character that JSON or HTML would have to escape. What functions return is
/// escaped where it is written.
struct Phrases: Sendable {
    let language: Language

    // A further language is one more parameter here: the compiler then names each phrase that lacks it.

    @inline(__always)
    func pick<Phrase>(_ english: @autoclosure () -> Phrase, _ german: @autoclosure () -> Phrase) -> Phrase {
        switch language {
        case .english: english()
        case .german: german()
        }
    }

    // MARK: The sky

    /// Nil for a sky that has nothing but its number.
    func sky(_ kind: Sky.Kind) -> StaticString? {
        switch kind {
        case .clear: pick("Clear sky", "Klarer Himmel")
        case .mainlyClear: pick("Mainly clear", "Überwiegend klar")
        case .partlyCloudy: pick("Partly cloudy", "Teilweise bewölkt")
        case .overcast: pick("Overcast", "Bedeckt")
        case .fog: pick("Fog", "Nebel")
        case .drizzle: pick("Drizzle", "Nieselregen")
        case .rain: pick("Rain", "Regen")
        case .snow: pick("Snow", "Schnee")
        case .thunderstorm: pick("Thunderstorm", "Gewitter")
        case .unknown: nil
        }
    }

    /// Before the number.
    var weatherCode: StaticString { pick("Weather code ", "Wettercode ") }

    // MARK: Numbers

    var decimalPoint: StaticString { pick(".", ",") }
    /// Between the digits of a number in threes.
    var thousands: String { pick(",", ".") }
    /// Around an amount of dollars.
    var dollars: Template { pick(Template("$"), Template("", "\u{A0}$")) }

    /// "$1,250".
    func dollars(_ amount: Int) -> String {
        "\(dollars.before)\(amount.grouped(by: thousands))\(dollars.after)"
    }

    /// What follows a number, with the space between them if the language has one. A bare symbol is tied to its
    /// number by U+00A0.
    func suffix(of unit: Unit) -> StaticString {
        switch unit {
        case .celsius: pick("°C", "\u{A0}°C")
        case .fahrenheit: pick("°F", "\u{A0}°F")
        case .kilometresAnHour: " km/h"
        case .milesAnHour: " mph"
        case .millimetres: " mm"
        case .inches: pick(" inch", " Zoll")
        case .percent: pick("%", "\u{A0}%")
        }
    }

    // MARK: Dates and times

    /// Monday first.
    var weekdays: [StaticString] { pick(Phrases.englishWeekdays, Phrases.germanWeekdays) }
    /// January first.
    var months: [StaticString] { pick(Phrases.englishMonths, Phrases.germanMonths) }
    /// Between weekday and day of the month.
    var afterWeekday: StaticString { pick(" ", ", ") }
    /// Between day of the month and month.
    var afterDay: StaticString { pick(" ", ". ") }
    /// After the first day of a range within a month.
    var dayInRange: StaticString { pick("", ".") }
    /// Around a time of the clock, such as "15:30".
    var clock: Template { pick(Template(""), Template("", " Uhr")) }
    /// Between a date and a time of the clock.
    var afterDate: StaticString { pick(" at ", ", um ") }
    /// Before the time of current weather: today, and on another date.
    var atTime: StaticString { pick("At ", "Um ") }
    var onDate: StaticString { pick("On ", "Am ") }
    /// After a time on the place's clock, and after one in UTC.
    var localTime: StaticString { pick(", local time", " Ortszeit") }
    var universalTime: StaticString { " UTC" }

    // MARK: The weather now

    /// In place of temperature and sky if neither is known.
    var unknownNow: StaticString { pick("current weather not known", "aktuelles Wetter nicht bekannt") }
    var feelsLike: StaticString { pick("Feels like ", "Gefühlt ") }
    var humidity: StaticString { pick("Humidity ", "Luftfeuchte ") }
    var wind: StaticString { "Wind " }
    var precipitation: StaticString { pick("Precipitation ", "Niederschlag ") }
    /// Before the first time, as a sentence and within one; `sunset` stands before the second.
    var sunrise: StaticString { pick("Sunrise ", "Sonnenaufgang ") }
    var andSunrise: StaticString { pick("sunrise ", "Sonnenaufgang ") }
    var sunset: StaticString { pick(", sunset ", ", Sonnenuntergang ") }
    var neverRises: StaticString { pick("The sun does not rise", "Die Sonne geht nicht auf") }
    var andNeverRises: StaticString { pick("the sun does not rise", "die Sonne geht nicht auf") }
    var neverSets: StaticString { pick("The sun does not set", "Die Sonne geht nicht unter") }
    var andNeverSets: StaticString { pick("the sun does not set", "die Sonne geht nicht unter") }

    // MARK: A day

    var high: StaticString { pick("high ", "Höchstwert ") }
    var low: StaticString { pick("low ", "Tiefstwert ") }

    /// After the percentage.
    func chance(of kind: Precipitation) -> StaticString {
        switch kind {
        case .rain: pick(" chance of rain", " Regenwahrscheinlichkeit")
        case .snow: pick(" chance of snow", " Schneewahrscheinlichkeit")
        case .either: pick(" chance of precipitation", " Niederschlagswahrscheinlichkeit")
        }
    }

    /// Around an amount in brackets after the chance, and before one alone.
    var amount: Template { Template(" (", ")") }
    var amountOfSnow: Template { pick(Template(" (", " melted)"), Template(" (geschmolzen ", ")")) }
    var amountAlone: Template { pick(Template("precipitation "), Template("Niederschlag ")) }
    /// In place of everything if nothing is known of a day.
    var noForecast: StaticString { pick("no forecast", "keine Vorhersage") }

    // MARK: The days of a trip

    var tripIsOver: StaticString { pick("This trip is over.", "Diese Reise ist vorbei.") }
    /// Around the last day of the forecast, and around the day to come back on.
    var forecastReachesTo: Template {
        pick(Template("The forecast reaches to ", "."), Template("Die Vorhersage reicht bis zum ", "."))
    }
    var comeBackOn: Template {
        pick(Template("Come back on ", "."), Template("Schauen Sie am ", " wieder vorbei."))
    }

    /// Around the things to pack.
    var toPack: Template { pick(Template("To pack: ", "."), Template("Einpacken: ", ".")) }

    func name(of item: PackingItem) -> StaticString {
        switch item {
        case .umbrella: pick("umbrella", "Regenschirm")
        case .rainJacket: pick("rain jacket", "Regenjacke")
        case .warmJacket: pick("warm jacket", "warme Jacke")
        case .hatAndGloves: pick("hat and gloves", "Mütze und Handschuhe")
        case .snowBoots: pick("snow boots", "Winterstiefel")
        case .lightClothes: pick("light clothes", "leichte Kleidung")
        case .sunHat: pick("sun hat", "Sonnenhut")
        case .sunscreen: pick("sunscreen", "Sonnencreme")
        case .windproof: pick("windproof jacket", "Windjacke")
        case .sleepMask: pick("sleep mask", "Schlafmaske")
        case .headTorch: pick("head torch", "Stirnlampe")
        }
    }

    // MARK: A card

    var loading: StaticString { pick("Asking about the weather…", "Das Wetter wird abgefragt …") }
    var updated: StaticString { pick("Updated ", "Stand: ") }
    var notRefreshed: StaticString { pick(", could not be refreshed", ", konnte nicht aktualisiert werden") }
    var sample: StaticString { pick("Sample weather", "Beispielwetter") }
    var retry: StaticString { pick("Retry", "Erneut versuchen") }
    /// Before whom the places are from: after whom the weather is from, and alone.
    var placesBy: StaticString { pick("places by ", "Orte von ") }
    var placesFrom: StaticString { pick("Places by ", "Orte von ") }

    // MARK: Places

    var north: StaticString { "N" }
    var south: StaticString { "S" }
    var east: StaticString { pick("E", "O") }
    var west: StaticString { "W" }
    var samplePlaces: StaticString { pick("Sample places", "Beispielorte") }

    func noPlaces(beginningWith text: String, isSample: Bool) -> String {
        isSample
            ? pick(
                "The sample data has no place that begins with \(text).",
                "Die Beispieldaten enthalten keinen Ort, der mit \(text) beginnt.")
            : pick(
                "Open-Meteo knows no place that begins with \(text).",
                "Open-Meteo kennt keinen Ort, der mit \(text) beginnt.")
    }

    private static let englishWeekdays: [StaticString] = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let germanWeekdays: [StaticString] = [
        "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag",
    ]
    private static let englishMonths: [StaticString] = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]
    private static let germanMonths: [StaticString] = [
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
        "November", "Dezember",
    ]
}

extension Language {
    var phrases: Phrases { Phrases(language: self) }
}

extension Int {
    /// "16,250": its digits in threes.
    func grouped(by separator: String) -> String {
        var digits = String(magnitude)[...]
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        groups.append(digits)
        return (self < 0 ? "−" : "") + groups.reversed().joined(separator: separator)
    }

    /// "−90", with a real minus.
    var forPeople: String {
        self < 0 ? "−\(magnitude)" : "\(self)"
    }
}
