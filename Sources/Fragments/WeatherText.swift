import Weather

/// Writes the weather as a few lines of plain text, for a terminal. Whom the data are from is the last line.
struct WeatherText {
    private let sentences: Sentences
    private var phrases: Phrases { sentences.phrases }

    init(_ sentences: Sentences) {
        self.sentences = sentences
    }

    /// The line alone, with how old it is if it is old.
    ///
    /// - Parameter isAlone: whether nobody else says whom the weather is from, and that it is made up.
    func writeLine(_ state: WeatherState, isAlone: Bool, to out: inout PlainOutput) {
        guard let report = state.report else { return withoutWeather(state, nil, to: &out) }
        out.line { out in
            sentences.line(report, to: &out)
            guard state.stale != nil else { return }
            out.write(". ")
            sentences.updated(report, hasFailed: state.hasFailed, to: &out)
            if let seconds = state.retryAfter {
                out.write(". ")
                out.text(phrases.tryAgain(after: seconds))
            }
        }
        if isAlone { sources(of: report, to: &out) }
    }

    func write(_ state: WeatherState, asked: Coordinate? = nil, to out: inout PlainOutput) {
        guard let report = state.report else { return withoutWeather(state, asked, to: &out) }
        if let trip = report.leadingTrip {
            out.line { sentences.lead(trip, today: report.today, to: &$0) }
        }
        out.line { sentences.line(report, to: &$0) }
        if let current = report.context.current {
            if sentences.hasDetails(current) { out.line { sentences.details(current, to: &$0) } }
            if let time = current.time { out.line { sentences.time(time, of: report, to: &$0) } }
        }
        if let sun = report.context.days.first(where: { $0.date == report.today })?.sun {
            out.line { sentences.sun(sun, to: &$0) }
        }
        if let trip = report.trip {
            for day in trip.days {
                out.line { sentences.day(day, today: report.today, to: &$0) }
            }
            if !PackingItem.items(for: trip).isEmpty { out.line { sentences.packing(for: trip, to: &$0) } }
            for note in sentences.notes(on: trip) {
                out.line { sentences.note(note, today: report.today, to: &$0) }
            }
        }
        out.line { out in
            sentences.updated(report, hasFailed: state.hasFailed, to: &out)
            if let message = state.message {
                out.write(". ")
                out.text(message)
            }
        }
        sources(of: report, to: &out)
    }

    private func withoutWeather(_ state: WeatherState, _ asked: Coordinate?, to out: inout PlainOutput) {
        out.line { out in
            if let asked {
                sentences.title(asked, to: &out)
                out.write(": ")
            }
            if let message = state.message { out.text(message) } else { out.write(phrases.loading) }
        }
    }

    private func sources(of report: WeatherReport, to out: inout PlainOutput) {
        if report.isSample { out.line { $0.write(phrases.sample) } }
        attribution(withPlaces: report.isNamed, to: &out)
    }

    func attribution(withPlaces: Bool, to out: inout PlainOutput) {
        out.line { sentences.attribution(withPlaces: withPlaces, to: &$0) }
    }
}
