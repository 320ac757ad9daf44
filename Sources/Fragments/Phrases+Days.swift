import Weather

/// The words for days that aren't forecast, and for a trip as a whole.
extension Phrases {
    // MARK: A usual day

    /// Around the mean high, and after the range that follows it.
    var usually: StaticString { pick("usually ", "meist ") }
    var byDay: StaticString { pick(" by day", " am Tag") }
    var byNight: StaticString { pick(" by night", " in der Nacht") }
    var to: StaticString { pick(" to ", " bis ") }

    /// "rain on 3 days of 10"; how many of ten days are wet.
    func wet(on days: Int, isSnow: Bool) -> String {
        switch (days, isSnow) {
        case (0, false): pick("hardly any rain", "kaum Regen")
        case (0, true): pick("hardly any snow", "kaum Schnee")
        case (10, false): pick("rain every day", "jeden Tag Regen")
        case (10, true): pick("snow every day", "jeden Tag Schnee")
        case (_, false): pick("rain on \(days.counting("day")) of 10", "Regen an \(days) von 10 Tagen")
        case (_, true): pick("snow on \(days.counting("day")) of 10", "Schnee an \(days) von 10 Tagen")
        }
    }

    func sky(_ sky: UsualDay.Sky) -> StaticString {
        switch sky {
        case .clear: pick("mostly clear", "meist klar")
        case .partlyCloudy: pick("partly cloudy", "teilweise bewölkt")
        case .overcast: pick("mostly overcast", "meist bedeckt")
        case .rain: pick("mostly rain", "meist Regen")
        case .snow: pick("mostly snow", "meist Schnee")
        }
    }

    // MARK: A day

    /// After a past day that the archive doesn't have yet.
    var asForecast: StaticString { pick(" (as it was forecast)", " (wie vorhergesagt)") }
    var dayIsLoading: StaticString { pick("being asked for…", "wird abgefragt …") }
    var dayIsUnknown: StaticString { pick("not known", "nicht bekannt") }
    var windUpTo: StaticString { pick("wind up to ", "Wind bis ") }
    var gusts: StaticString { pick(" with gusts of ", " mit Böen von ") }
    var uv: StaticString { pick("UV index ", "UV-Index ") }

    // MARK: A trip

    /// Around the day on which the first forecast comes.
    var firstForecastOn: Template {
        pick(
            Template("There is no forecast yet; the first comes on ", "."),
            Template("Noch gibt es keine Vorhersage; die erste kommt am ", "."))
    }

    /// Around the years. The archive is no station's.
    var usualIsNoForecast: Template {
        pick(
            Template("Usual weather is that of the same days in ", ", by a reanalysis; it is no forecast."),
            Template(
                "Übliches Wetter ist das der gleichen Tage in ",
                " nach einer Reanalyse; es ist keine Vorhersage."))
    }

    var pastIsReanalysed: StaticString {
        pick(
            "Past days are as a reanalysis has them; no station measured them.",
            "Vergangene Tage sind so, wie eine Reanalyse sie zeigt; keine Station hat sie gemessen.")
    }

    var archiveNotSubscribed: StaticString {
        pick(
            "Past and usual weather is not part of this site's Open-Meteo subscription.",
            "Vergangenes und übliches Wetter gehört nicht zum Open-Meteo-Abonnement dieser Seite.")
    }

    /// Around the things to pack, if it is not all by a forecast.
    var toPackAsUsual: Template {
        pick(
            Template("To pack, by what is usual: ", "."), Template("Einpacken, nach dem Üblichen: ", "."))
    }

    /// How many days of a trip are wet, for its headline.
    func wetDays(_ days: Int, isSnow: Bool) -> String {
        switch (days, isSnow) {
        case (0, _): pick("dry", "trocken")
        case (_, false):
            pick("rain on \(days.counting("day"))", "Regen an \(days) \(days == 1 ? "Tag" : "Tagen")")
        case (_, true):
            pick("snow on \(days.counting("day"))", "Schnee an \(days) \(days == 1 ? "Tag" : "Tagen")")
        }
    }
}

extension Int {
    /// "1 day", "3 days".
    fileprivate func counting(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
