import Weather

/// Writes the weather as a few lines of plain text, for a terminal. Whom the data are from is the last line.
struct WeatherText {
    private let sentences: Sentences
    private var words: any Words { sentences.words }

    init(_ sentences: Sentences) {
        self.sentences = sentences
    }

    /// The line alone, with how old it is where it is old.
    func writeLine(_ card: Card, with pen: inout PlainPen) {
        guard let report = card.report else { return withoutWeather(card, with: &pen) }
        sentences.line(report, with: &pen)
        if card.stale != nil {
            pen.words(". ")
            sentences.updated(report, hasFailed: card.state == .failed, with: &pen)
        }
        pen.words("\n")
    }

    func write(_ card: Card, with pen: inout PlainPen) {
        guard let report = card.report else { return withoutWeather(card, with: &pen) }
        sentences.line(report, with: &pen)
        pen.words("\n")
        if let current = report.context.current {
            self.current(current, report, with: &pen)
        }
        if let sun = report.context.days.first(where: { $0.date == report.today })?.sun {
            line(with: &pen) { sentences.sun(sun, with: &$0) }
        }
        if let trip = report.trip {
            for day in trip.days {
                line(with: &pen) { sentences.day(day, today: report.today, with: &$0) }
            }
            let items = PackingItem.items(for: trip.days)
            if !items.isEmpty { line(with: &pen) { sentences.packing(for: items, with: &$0) } }
            for note in sentences.notes(on: trip) {
                line(with: &pen) { sentences.note(note, today: report.today, with: &$0) }
            }
        }
        updated(report, card, with: &pen)
        if report.isSample { line(with: &pen) { $0.words(words.sample) } }
        attribution(report, with: &pen)
    }

    private func withoutWeather(_ card: Card, with pen: inout PlainPen) {
        if let asked = card.asked {
            sentences.title(asked, with: &pen)
            pen.words(": ")
        }
        if let message = card.message {
            pen.text(message)
        } else {
            pen.words(words.loading)
        }
        pen.words("\n")
    }

    private func current(_ current: CurrentWeather, _ report: WeatherReport, with pen: inout PlainPen) {
        if sentences.hasDetails(current) {
            line(with: &pen) { sentences.details(current, with: &$0) }
        }
        if let time = current.time {
            line(with: &pen) { sentences.time(time, of: report, with: &$0) }
        }
    }

    private func updated(_ report: WeatherReport, _ card: Card, with pen: inout PlainPen) {
        line(with: &pen) { pen in
            sentences.updated(report, hasFailed: card.state == .failed, with: &pen)
            if card.state == .failed, let message = card.message {
                pen.words(". ")
                pen.text(message)
            }
        }
    }

    private func attribution(_ report: WeatherReport, with pen: inout PlainPen) {
        line(with: &pen) { pen in
            pen.words(Attribution.weather)
            pen.words(" (")
            pen.words(Attribution.weatherURL)
            pen.words(")")
            if case .named = report.location {
                pen.words(", ")
                pen.words(words.placesBy)
                pen.words(Attribution.places)
                pen.words(" (")
                pen.words(Attribution.placesURL)
                pen.words(")")
            }
        }
    }

    private func line(with pen: inout PlainPen, _ body: (inout PlainPen) -> Void) {
        body(&pen)
        pen.words("\n")
    }
}
