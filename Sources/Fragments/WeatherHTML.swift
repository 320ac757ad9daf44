import Weather

/// Writes the weather as one HTML `<section>` that works inside any page: no headings, no style, no script and no
/// live region of its own. Read from top to bottom it is a handful of sentences.
///
/// | element | what it is |
/// | --- | --- |
/// | `section.weather[data-state]` | the whole: `loaded`, `loading` or `failed` |
/// | `div.weather-card[lang]` | what is inside, in the language of its words |
/// | `p.weather-sample` | "Sample weather", where it is made up |
/// | `p.weather-line` | place, temperature and sky: `bdi.weather-place`, `span.weather-temperature`, `span.weather-sky` |
/// | `span.weather-symbol[data-symbol]` | an empty element for an icon that the page draws, hidden from screen readers |
/// | `p.weather-details` | `span.weather-apparent`, `-humidity`, `-wind`, `-precipitation`; those that are known |
/// | `p.weather-time[data-time-zone]` | the time that the weather stands for; the IANA zone, where it is known |
/// | `p.weather-sun` | today's sunrise and sunset |
/// | `ol.weather-days > li.weather-day` | a day of the trip: `span.weather-sky`, `-high`, `-low`, `-rain`, `-sun` |
/// | `p.weather-packing` | what to pack for these days, where the rules name anything |
/// | `p.weather-note` | what can't be shown of the trip |
/// | `p.weather-updated[data-stale]` | how old the weather is; `data-stale` is `revalidating` or `error` where it is old |
/// | `p.weather-message`, `span.weather-message` | why there is no weather, or no newer |
/// | `span.weather-fault[data-field]` | inside the message: what is wrong with one parameter |
/// | `a.retry` | the link that asks again: it reloads the document it stands in |
/// | `p.weather-attribution` | the credit that the data's licence asks for |
///
/// In the form of a line it is `section.weather.weather-short` with `p.weather-line` alone, then `p.weather-updated`
/// where the weather is old; or with the message where there is none. Who shows lines shows the credit beside them.
struct WeatherHTML {
    private let sentences: Sentences
    private let language: Language
    private var words: any Words { sentences.words }

    init(_ sentences: Sentences, _ language: Language) {
        self.sentences = sentences
        self.language = language
    }

    func write(_ card: Card, with pen: inout HTMLPen) {
        section(card.state.name, with: &pen) { pen in
            if let report = card.report {
                weather(report, card, with: &pen)
            } else {
                withoutWeather(card, with: &pen)
            }
        }
    }

    /// The line alone, and one short note where it is old or missing.
    func writeLine(_ card: Card, with pen: inout HTMLPen) {
        section(card.state.name, isShort: true, with: &pen) { pen in
            if let report = card.report {
                line(report, with: &pen)
                if card.stale != nil { updated(report, card, saysWhy: false, with: &pen) }
            } else {
                withoutWeather(card, with: &pen)
            }
        }
    }

    /// A failed card for a problem.
    func write(_ problem: Problem, form: CardForm = .card, with pen: inout HTMLPen) {
        section("failed", isShort: form == .line, with: &pen) { pen in
            pen.words("<p class=\"weather-message\">")
            if problem.fields.isEmpty {
                pen.text(problem.detail)
            } else {
                faults(problem.fields, with: &pen)
            }
            pen.words("</p>\n")
            retry(with: &pen)
        }
    }

    private func section(
        _ state: StaticString, isShort: Bool = false, with pen: inout HTMLPen, _ body: (inout HTMLPen) -> Void
    ) {
        pen.words(isShort ? "<section class=\"weather weather-short" : "<section class=\"weather")
        pen.words("\" data-state=\"")
        pen.words(state)
        pen.words("\">\n<div class=\"weather-card\" lang=\"")
        pen.text(language.rawValue)
        pen.words("\">\n")
        body(&pen)
        pen.words("</div>\n</section>\n")
    }

    // MARK: With weather

    private func weather(_ report: WeatherReport, _ card: Card, with pen: inout HTMLPen) {
        if report.isSample { paragraph("weather-sample", with: &pen) { $0.words(words.sample) } }
        line(report, with: &pen)
        if let current = report.context.current {
            self.current(current, report, with: &pen)
        }
        if let sun = report.context.days.first(where: { $0.date == report.today })?.sun {
            paragraph("weather-sun", with: &pen) { sentences.sun(sun, with: &$0) }
        }
        if let trip = report.trip { self.trip(trip, today: report.today, with: &pen) }
        updated(report, card, saysWhy: true, with: &pen)
        if case .named = report.location {
            attribution(withPlaces: true, with: &pen)
        } else {
            attribution(withPlaces: false, with: &pen)
        }
    }

    private func line(_ report: WeatherReport, with pen: inout HTMLPen) {
        paragraph("weather-line", with: &pen) { pen in
            let current = report.context.current
            symbol(current?.sky, isDay: current?.isDay ?? true, with: &pen)
            sentences.line(report, with: &pen)
        }
    }

    private func current(_ current: CurrentWeather, _ report: WeatherReport, with pen: inout HTMLPen) {
        if sentences.hasDetails(current) {
            paragraph("weather-details", with: &pen) { sentences.details(current, with: &$0) }
        }
        if let time = current.time {
            pen.words("<p class=\"weather-time\"")
            if let zone = report.timeZone {
                pen.words(" data-time-zone=\"")
                pen.text(zone)
                pen.words("\"")
            }
            pen.words(">")
            sentences.time(time, of: report, with: &pen)
            pen.words("</p>\n")
        }
    }

    private func trip(_ trip: TripDays, today: CalendarDate, with pen: inout HTMLPen) {
        if !trip.days.isEmpty {
            pen.words("<ol class=\"weather-days\">\n")
            for day in trip.days {
                pen.words("<li class=\"weather-day\">")
                symbol(day.sky, isDay: true, with: &pen)
                sentences.day(day, today: today, with: &pen)
                pen.words("</li>\n")
            }
            pen.words("</ol>\n")
            let items = PackingItem.items(for: trip.days)
            if !items.isEmpty {
                paragraph("weather-packing", with: &pen) { sentences.packing(for: items, with: &$0) }
            }
        }
        for note in sentences.notes(on: trip) {
            paragraph("weather-note", with: &pen) { sentences.note(note, today: today, with: &$0) }
        }
    }

    /// - Parameter saysWhy: whether the reason is told for which there is no newer weather.
    private func updated(
        _ report: WeatherReport, _ card: Card, saysWhy: Bool, with pen: inout HTMLPen
    ) {
        pen.words("<p class=\"weather-updated\"")
        if let stale = card.stale {
            pen.words(" data-stale=\"")
            pen.words(stale)
            pen.words("\"")
        }
        pen.words(">")
        sentences.updated(report, hasFailed: card.state == .failed, with: &pen)
        if card.state == .failed {
            pen.words(". ")
            if saysWhy, let message = card.message {
                pen.part(.message) { $0.text(message) }
                pen.words(" ")
            }
            link(with: &pen)
        }
        pen.words("</p>\n")
    }

    func attribution(withPlaces: Bool, with pen: inout HTMLPen) {
        paragraph("weather-attribution", with: &pen) { pen in
            HTMLLink.write(Attribution.weather, Attribution.weatherURL, with: &pen)
            if withPlaces {
                pen.words(", ")
                pen.words(words.placesBy)
                HTMLLink.write(Attribution.places, Attribution.placesURL, with: &pen)
            }
        }
    }

    // MARK: Without

    private func withoutWeather(_ card: Card, with pen: inout HTMLPen) {
        if let asked = card.asked {
            paragraph("weather-line", with: &pen) { pen in
                pen.part(.place) { sentences.title(asked, with: &$0) }
            }
        }
        paragraph("weather-message", with: &pen) { pen in
            if let message = card.message {
                pen.text(message)
            } else {
                pen.words(words.loading)
            }
        }
        if card.state == .failed { retry(with: &pen) }
    }

    private func faults(_ fields: [Problem.Field], with pen: inout HTMLPen) {
        for (index, field) in fields.enumerated() {
            if index > 0 { pen.words(" ") }
            pen.words("<span class=\"weather-fault\" data-field=\"")
            pen.text(field.name)
            pen.words("\">")
            pen.text(field.detail)
            pen.words("</span>")
        }
    }

    // MARK: Pieces

    private func paragraph(
        _ name: StaticString, with pen: inout HTMLPen, _ body: (inout HTMLPen) -> Void
    ) {
        pen.words("<p class=\"")
        pen.words(name)
        pen.words("\">")
        body(&pen)
        pen.words("</p>\n")
    }

    private func symbol(_ sky: Sky?, isDay: Bool, with pen: inout HTMLPen) {
        pen.words("<span class=\"weather-symbol\" data-symbol=\"")
        pen.text(sky?.symbol(isDay: isDay) ?? "questionmark.circle")
        pen.words("\" aria-hidden=\"true\"></span>")
    }

    private func retry(with pen: inout HTMLPen) {
        paragraph("weather-retry", with: &pen) { link(with: &$0) }
    }

    private func link(with pen: inout HTMLPen) {
        pen.words("<a class=\"retry\" href=\"\">")
        pen.words(words.retry)
        pen.words("</a>")
    }
}

/// A link to another site.
enum HTMLLink {
    static func write(_ text: StaticString, _ url: StaticString, with pen: inout HTMLPen) {
        pen.words("<a href=\"")
        pen.words(url)
        pen.words("\">")
        pen.words(text)
        pen.words("</a>")
    }
}

extension WeatherReport {
    /// The place's IANA zone, where it is known.
    var timeZone: String? {
        if case .named(let place) = location, let zone = place.timeZone { return zone }
        return context.timeZone
    }
}
