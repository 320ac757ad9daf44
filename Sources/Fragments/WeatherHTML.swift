import Trips
import Weather

/// Writes the weather as one HTML `<section>` that works inside any page: no headings, no style, no script and no
/// live region of its own. Read from top to bottom it is a handful of sentences.
///
/// | element | what it is |
/// | --- | --- |
/// | `section.weather[data-state][data-days]` | the whole: `loaded`, `loading` or `failed`; `data-days` is `loading` as long as days of the trip are being asked for |
/// | `div.weather-card[lang]` | what is inside, in the language of its words |
/// | `p.weather-sample` | "Sample weather", if it is made up |
/// | `p.weather-lead` | the trip, before anything else, if it is more than a day ahead or over |
/// | `p.weather-line` | place, temperature and sky: `bdi.weather-place`, `span.weather-temperature`, `span.weather-sky` |
/// | `span.weather-symbol[data-symbol]` | an empty element for an icon that the page draws, hidden from screen readers |
/// | `p.weather-details` | `span.weather-apparent`, `-humidity`, `-wind`, `-precipitation`; those that are known |
/// | `p.weather-time[data-time-zone]` | the time that the weather stands for; the IANA zone, if it is known |
/// | `p.weather-sun` | today's sunrise and sunset |
/// | `ol.weather-days > li.weather-day[data-kind][data-state]` | a day of the trip, `observed`, `forecast` or `usual`; `loaded`, `loading` or `unknown`: `span.weather-sky`, `-high`, `-low`, `-range`, `-rain`, `-wind`, `-uv`, `-sun`, and `-source`, which says that it is usual or as it was forecast |
/// | `svg.weather-chart[aria-label]`, `details.weather-chart-words` | in the form of a chart: the days drawn, and the list of them, folded |
/// | `p.weather-packing` | what to pack for these days, if the rules name anything |
/// | `p.weather-note` | what can't be shown of the trip |
/// | `p.weather-updated[data-stale]` | how old the weather is; `data-stale` is `revalidating` or `error` if it is old |
/// | `p.weather-message`, `span.weather-message` | why there is no weather, or no newer |
/// | `span.weather-fault[data-field]` | inside the message: what is wrong with one parameter |
/// | `a.retry[data-retry-after]` | the link that asks again: it reloads the document it stands in; the seconds after which that will help, if known |
/// | `a.edit` | in its place, if it is a trip's weather and there is no such place |
/// | `p.weather-attribution` | the credit that the data's licence asks for |
///
/// In the form of a line it is `section.weather.weather-short` with `p.weather-line`, `p.weather-updated` if the weather
/// is old, `p.weather-sample` and `p.weather-attribution`; or with the message if there is none.
struct WeatherHTML {
    private let sentences: Sentences
    private let language: Language
    private var phrases: Phrases { sentences.phrases }

    init(_ presentation: Presentation) {
        sentences = Sentences(presentation)
        language = presentation.language
    }

    func write(
        _ state: WeatherState, form: CardForm = .card, asked: Coordinate? = nil, to out: inout HTMLOutput
    ) {
        section(state, to: &out) { out in
            if let report = state.report {
                weather(report, state, isDrawn: form == .chart, to: &out)
            } else {
                withoutWeather(state, asked, to: &out)
            }
        }
    }

    /// The line alone, and one short note if it is old or missing.
    ///
    /// - Parameter isAlone: whether nobody else says whom the weather is from, and that it is made up.
    func writeLine(_ state: WeatherState, isAlone: Bool, to out: inout HTMLOutput) {
        section(state, isShort: true, to: &out) { out in
            guard let report = state.report else { return withoutWeather(state, nil, to: &out) }
            if let trip = report.leadingTrip {
                out.paragraph("weather-lead") { sentences.lead(trip, today: report.today, to: &$0) }
            }
            line(report, to: &out)
            if state.stale != nil { updated(report, state, saysWhy: false, to: &out) }
            if isAlone {
                if report.isSample { out.paragraph("weather-sample") { $0.write(phrases.sample) } }
                attribution(withPlaces: report.isNamed, to: &out)
            }
        }
    }

    /// A failed card for a problem. Asking again doesn't find a place that there isn't: its trip is to be edited.
    func write(_ problem: Problem, form: CardForm, of trip: TripID?, to out: inout HTMLOutput) {
        section("failed", isShort: form == .line, areDaysLoading: false, to: &out) { out in
            out.paragraph("weather-message") { out in
                if problem.fields.isEmpty { out.text(problem.detail) }
                for (index, field) in problem.fields.enumerated() {
                    if index > 0 { out.write(" ") }
                    out.write("<span class=\"weather-fault\"")
                    out.attribute("data-field", field.name)
                    out.element(">", "</span>") { $0.text(field.detail) }
                }
            }
            out.paragraph("weather-retry") { out in
                if let trip, problem.kind == .noSuchPlace {
                    out.link("edit", to: .trip(trip, "/edit"), phrases.edit)
                } else {
                    out.retry(after: problem.retryAfterSeconds, phrases.retry)
                }
            }
        }
    }

    private func section(
        _ state: WeatherState, isShort: Bool = false, to out: inout HTMLOutput,
        _ body: (inout HTMLOutput) -> Void
    ) {
        section(
            state.name, isShort: isShort, areDaysLoading: state.report?.trip?.isLoading == true, to: &out,
            body)
    }

    private func section(
        _ state: StaticString, isShort: Bool, areDaysLoading: Bool, to out: inout HTMLOutput,
        _ body: (inout HTMLOutput) -> Void
    ) {
        out.write(isShort ? #"<section class="weather weather-short""# : #"<section class="weather""#)
        out.attribute("data-state", words: state)
        if areDaysLoading { out.attribute("data-days", words: "loading") }
        out.write(">\n<div class=\"weather-card\"")
        out.attribute("lang", language.rawValue)
        out.element(">\n", "</div>\n</section>\n", body)
    }

    // MARK: With weather

    private func weather(
        _ report: WeatherReport, _ state: WeatherState, isDrawn: Bool, to out: inout HTMLOutput
    ) {
        if report.isSample { out.paragraph("weather-sample") { $0.write(phrases.sample) } }
        if let trip = report.leadingTrip {
            out.paragraph("weather-lead") { sentences.lead(trip, today: report.today, to: &$0) }
        }
        line(report, to: &out)
        if let current = report.context.current {
            self.current(current, report, to: &out)
        }
        if let sun = report.context.days.first(where: { $0.date == report.today })?.sun {
            out.paragraph("weather-sun") { sentences.sun(sun, to: &$0) }
        }
        if isDrawn, let trip = report.drawnTrip { chart(trip, today: report.today, to: &out) }
        if let trip = report.trip { self.trip(trip, today: report.today, isDrawn: isDrawn, to: &out) }
        updated(report, state, saysWhy: true, to: &out)
        attribution(withPlaces: report.isNamed, to: &out)
    }

    private func line(_ report: WeatherReport, to out: inout HTMLOutput) {
        out.paragraph("weather-line") { out in
            let current = report.context.current
            symbol(current?.sky?.symbol(isDay: current?.isDay ?? true), to: &out)
            sentences.line(report, to: &out)
        }
    }

    private func current(_ current: CurrentWeather, _ report: WeatherReport, to out: inout HTMLOutput) {
        if sentences.hasDetails(current) {
            out.paragraph("weather-details") { sentences.details(current, to: &$0) }
        }
        if let time = current.time {
            out.write(#"<p class="weather-time""#)
            if let zone = report.timeZone { out.attribute("data-time-zone", zone) }
            out.element(">", "</p>\n") { sentences.time(time, of: report, to: &$0) }
        }
    }

    /// The days drawn, and folded below it what is drawn.
    private func chart(_ trip: TripForecast, today: CalendarDate, to out: inout HTMLOutput) {
        var label = SVGOutput(reserving: 128)
        label.write(phrases.drawing)
        sentences.lead(trip, today: today, to: &label)
        TripChart(trip.days, today: today, sentences).write(label: label, to: &out)
        out.element("<details class=\"weather-chart-words\">\n", "</details>\n") { out in
            out.element("<summary>", "</summary>\n", text: phrases.daysInWords)
            days(trip.days, today: today, to: &out)
        }
    }

    private func days(_ days: [TripDay], today: CalendarDate, to out: inout HTMLOutput) {
        out.write(#"<ol class="weather-days">"#)
        out.write("\n")
        for day in days {
            out.write(#"<li class="weather-day""#)
            out.attribute("data-kind", day.kind.rawValue)
            out.attribute("data-state", words: day.state.name)
            out.element(">", "</li>\n") { out in
                symbol(day.symbol, to: &out)
                sentences.day(day, today: today, to: &out)
            }
        }
        out.write("</ol>\n")
    }

    private func trip(_ trip: TripForecast, today: CalendarDate, isDrawn: Bool, to out: inout HTMLOutput) {
        if !trip.days.isEmpty {
            if !isDrawn { days(trip.days, today: today, to: &out) }
            if !PackingItem.items(for: trip).isEmpty {
                out.paragraph("weather-packing") { sentences.packing(for: trip, to: &$0) }
            }
        }
        for note in sentences.notes(on: trip) {
            out.paragraph("weather-note") { sentences.note(note, today: today, to: &$0) }
        }
    }

    /// - Parameter saysWhy: whether the reason is told for which there is no newer weather.
    private func updated(
        _ report: WeatherReport, _ state: WeatherState, saysWhy: Bool, to out: inout HTMLOutput
    ) {
        out.write(#"<p class="weather-updated""#)
        if let stale = state.stale { out.attribute("data-stale", words: stale) }
        out.write(">")
        sentences.updated(report, hasFailed: state.hasFailed, to: &out)
        if state.hasFailed {
            out.write(". ")
            if saysWhy, let message = state.message {
                out.segment(.message) { $0.text(message) }
                out.write(" ")
            } else if let seconds = state.retryAfter {
                out.text(phrases.tryAgain(after: seconds))
                out.write(" ")
            }
            out.retry(after: state.retryAfter, phrases.retry)
        }
        out.write("</p>\n")
    }

    func attribution(withPlaces: Bool, to out: inout HTMLOutput) {
        out.paragraph("weather-attribution") { sentences.attribution(withPlaces: withPlaces, to: &$0) }
    }

    // MARK: Without

    private func withoutWeather(_ state: WeatherState, _ asked: Coordinate?, to out: inout HTMLOutput) {
        if let asked {
            out.paragraph("weather-line") { out in
                out.segment(.place) { sentences.title(asked, to: &$0) }
            }
        }
        out.paragraph("weather-message") { out in
            if let message = state.message { out.text(message) } else { out.write(phrases.loading) }
        }
        if state.hasFailed {
            out.paragraph("weather-retry") { $0.retry(after: state.retryAfter, phrases.retry) }
        }
    }

    // MARK: Pieces

    private func symbol(_ name: String?, to out: inout HTMLOutput) {
        out.write(#"<span class="weather-symbol" data-symbol=""#)
        out.text(name ?? "questionmark.circle")
        out.write(#"" aria-hidden="true"></span>"#)
    }
}

extension WeatherReport {
    /// Whether the place was found by its name, and so has a source of its own.
    var isNamed: Bool {
        if case .named = location { true } else { false }
    }

    /// The place's IANA zone, if it is known.
    var timeZone: String? {
        location.timeZone ?? context.timeZone
    }
}
