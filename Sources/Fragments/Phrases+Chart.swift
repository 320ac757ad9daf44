import Weather

/// The words in the drawing of a trip's days.
extension Phrases {
    /// Monday first.
    var shortWeekdays: [StaticString] {
        pick(Phrases.englishShortWeekdays, Phrases.germanShortWeekdays)
    }

    /// At the line after the forecast's last day.
    var forecastEnds: StaticString { pick("no forecast from here on", "ab hier keine Vorhersage") }

    func name(of texture: TripDay.Texture) -> StaticString {
        switch texture {
        case .outline: pick("observed", "beobachtet")
        case .dashedOutline: pick("over, as forecast", "vorbei, wie vorhergesagt")
        case .full: pick("forecast", "Vorhersage")
        case .hatching: pick("usual", "üblich")
        }
    }

    /// Before what a drawing shows, for those who don't see it.
    var drawing: StaticString { pick("Drawing of the days. ", "Zeichnung der Tage. ") }
    /// What unfolds the days as sentences.
    var daysInWords: StaticString { pick("The days in words", "Die Tage in Worten") }

    private static let englishShortWeekdays: [StaticString] = [
        "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun",
    ]
    private static let germanShortWeekdays: [StaticString] = ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"]
}
