import Weather

/// Draws days in SVG, a row each: date, sky, rain, and a bar from low to high on a scale that all of them share. What
/// kind a day is can be told without colour: forecast is a full bar, observed an outline, usual a hatching.
///
/// Nothing in it has an id, a style or an address, so that it can stand in a page as often as somebody likes. Colours
/// are given to classes; without them all is drawn in the colour of the text.
///
/// | class | what it is |
/// | --- | --- |
/// | `weather-chart` | the whole `svg` |
/// | `weather-chart-day` | a `g` for a day, with `data-kind` |
/// | `weather-chart-bar`, `-outline`, `-hatch` | from low to high: forecast, observed, usual |
/// | `weather-chart-sun`, `-cloud`, `-water` | the parts of the sky |
/// | `weather-chart-rain` | how likely rain is, or how much fell |
/// | `weather-chart-soft` | words of less weight |
/// | `weather-chart-line` | a hair line: where a month begins, and where the forecast ends |
struct TripChart {
    static let width = 300.0

    private static let rowHeight = 26.0
    /// Where the bars may be: the numbers stand before and after them.
    private static let plot = 156.0...268.0
    private static let textSize = 13.0
    private static let smallSize = 11.0

    private let days: [TripDay]
    private let today: CalendarDate
    private let sentences: Sentences
    /// °C at both ends of the plot; nil if no temperature is known.
    private let scale: ClosedRange<Double>?

    private var phrases: Phrases { sentences.phrases }

    init(_ days: [TripDay], today: CalendarDate, _ sentences: Sentences) {
        (self.days, self.today, self.sentences) = (days, today, sentences)
        let known = days.flatMap { [$0.bar?.low, $0.bar?.high].compactMap(\.self) }
        scale = known.min().flatMap { low in known.max().map { low...$0 } }
    }

    /// The drawing alone, for a page.
    ///
    /// - Parameter label: what those are told who don't see it.
    func write(label: SVGOutput, to out: inout HTMLOutput) {
        var rows = SVGOutput(reserving: days.count * 512)
        let height = write(from: 0, to: &rows)
        out.write(#"<svg class="weather-chart" role="img" aria-label=""#)
        out.buffer.append(contentsOf: label.buffer.bytes)
        out.write(#"" viewBox="0 0 300 "#)
        out.buffer.append(Int(height))
        out.write(#"" font-size="13" fill="currentColor">"#)
        out.buffer.append(contentsOf: rows.buffer.bytes)
        out.write("</svg>\n")
    }

    /// Writes the rows and what their bars mean, and answers with where that ends.
    func write(from top: Double, to out: inout SVGOutput) -> Double {
        var y = top
        var previous: TripDay?
        for day in days {
            if previous?.kind == .forecast, day.kind == .usual {
                line(at: y + 3.5, to: &out)
                small(x: TripChart.width, y: y + 15, anchor: .end, to: &out) {
                    $0.write(phrases.forecastEnds)
                }
                y += 20
            }
            if previous?.date.month != day.date.month {
                if previous != nil { y += 4 }
                small(x: 0, y: y + 12, to: &out) { month(of: day.date, to: &$0) }
                line(at: y + 17.5, to: &out)
                y += 21
            }
            row(day, at: y, to: &out)
            y += TripChart.rowHeight
            previous = day
        }
        return legend(from: y, to: &out)
    }

    // MARK: A day

    private func row(_ day: TripDay, at y: Double, to out: inout SVGOutput) {
        out.write(#"<g class="weather-chart-day" data-kind=""#)
        out.text(day.kind.rawValue)
        out.write(#"" transform="translate(0 "#)
        out.number(y)
        out.write(day.date == today ? #")"><text y="17" font-weight="700">"# : #")"><text y="17">"#)
        out.write(phrases.shortWeekdays[day.date.weekday])
        out.write(" ")
        out.buffer.append(day.date.day)
        out.write(phrases.dayInRange)
        out.write("</text>")
        if let symbol = day.symbol.flatMap(TripChart.symbol) {
            out.write(#"<g transform="translate(52 2.5) scale(1.15)">"#)
            out.write(symbol)
            out.write("</g>")
        }
        if day.weather == nil {
            small(x: 212, y: 17, anchor: .middle, to: &out) {
                $0.write(day.state == .loading ? phrases.dayIsLoading : phrases.dayIsUnknown)
            }
        }
        rain(on: day, to: &out)
        if let bar = day.bar { self.bar(bar, to: &out) }
        out.write("</g>\n")
    }

    private func rain(on day: TripDay, to out: inout SVGOutput) {
        var share: Double?
        switch day.weather {
        case .usual(let usual): share = usual.wetShare
        case .forecast(let day), .observed(let day, _):
            share = day.precipitationProbability.map { $0 / 100 }
            // What was observed has an amount and no chance.
            if share == nil, let amount = sentences.units.precipitation.forPeople(day.precipitation)?.trimmed
            {
                rainText(y: 17, to: &out) { out in
                    out.buffer.append(amount, minus: "−", point: phrases.decimalPoint)
                    out.write(sentences.units == .metric ? " mm" : "″")
                }
            }
        case nil: break
        }
        guard let share, share >= 0, share <= 1 else { return }
        rainText(y: share > 0 ? 14 : 17, to: &out) { out in
            if day.usual != nil {
                // Of ten days: a percentage could be taken for a forecast.
                out.buffer.append(Int((share * 10).rounded()))
                out.write("/10")
            } else if let percent = Unit.percent.forPeople(share * 100) {
                sentences.number(percent, .percent, to: &out)
            }
        }
        guard share > 0 else { return }
        out.write(#"<path class="weather-chart-water" d="M88 19.5h"#)
        out.number(28 * share)
        out.write(#"" stroke="currentColor" stroke-width="3""#)
        out.write(day.usual == nil ? "/>" : #" stroke-dasharray="2 2"/>"#)
    }

    private func rainText(y: Double, to out: inout SVGOutput, _ words: (inout SVGOutput) -> Void) {
        out.words(
            "weather-chart-rain", x: 116, y: y, size: TripChart.smallSize, anchor: .end, words)
    }

    /// The bar between its two numbers. If only one is known, it is a dot with that.
    private func bar(_ bar: TripDay.Bar, to out: inout SVGOutput) {
        guard let first = bar.low ?? bar.high, let last = bar.high ?? bar.low else { return }
        var (start, end) = (min(x(first), x(last)), max(x(first), x(last)))
        if end - start < 10 { (start, end) = ((start + end) / 2 - 5, (start + end) / 2 + 5) }
        shape(bar.texture, from: start, to: end, y: 13, &out)
        let unit = sentences.units.temperature
        if let low = unit.forPeople(bar.low) {
            out.words("weather-chart-soft", x: start - 4, y: 17, size: 12, anchor: .end) {
                degrees(low, to: &$0)
            }
        }
        if let high = unit.forPeople(bar.high) {
            out.words(nil, x: end + 4, y: 17, size: 12) { degrees(high, to: &$0) }
        }
    }

    /// The unit stands once in what the drawing is called.
    private func degrees(_ number: Rounded, to out: inout SVGOutput) {
        out.buffer.append(number, minus: "−", point: phrases.decimalPoint)
        out.write("°")
    }

    private func x(_ temperature: Double) -> Double {
        let (left, right) = (TripChart.plot.lowerBound, TripChart.plot.upperBound)
        guard let scale, scale.upperBound > scale.lowerBound else { return (left + right) / 2 }
        let part = (temperature - scale.lowerBound) / (scale.upperBound - scale.lowerBound)
        return left + part * (right - left)
    }

    private func shape(
        _ texture: TripDay.Texture, from start: Double, to end: Double, y: Double, _ out: inout SVGOutput
    ) {
        switch texture {
        case .full:
            out.write(#"<rect class="weather-chart-bar" x=""#)
            out.number(start)
            out.write(#"" y=""#)
            out.number(y - 5)
            out.write(#"" width=""#)
            out.number(end - start)
            out.write(#"" height="10" rx="5"/>"#)
        case .outline, .dashedOutline:
            out.write(#"<rect class="weather-chart-outline" x=""#)
            out.number(start + 1)
            out.write(#"" y=""#)
            out.number(y - 4)
            out.write(#"" width=""#)
            out.number(end - start - 2)
            out.write(#"" height="8" rx="4" fill="none" stroke="currentColor" stroke-width="2""#)
            if texture == .dashedOutline { out.write(#" stroke-dasharray="3 2.5""#) }
            out.write("/>")
        case .hatching:
            out.write(#"<path class="weather-chart-hatch" d="M"#)
            out.number(start)
            out.write(" ")
            out.number(y)
            out.write("H")
            out.number(end)
            out.write(#"" stroke="currentColor" stroke-width="10" stroke-dasharray="2 2"/>"#)
        }
    }

    // MARK: Around the days

    private func month(of date: CalendarDate, to out: inout SVGOutput) {
        out.write(phrases.months[date.month - 1])
        guard date.year != today.year else { return }
        out.write(" ")
        out.buffer.append(date.year)
    }

    private func line(at y: Double, to out: inout SVGOutput) {
        out.write(#"<path class="weather-chart-line" d="M0 "#)
        out.number(y)
        out.write(#"H300" stroke="currentColor" stroke-width=".75"/>"#)
    }

    private func small(
        x: Double, y: Double, anchor: SVGOutput.Anchor = .start, to out: inout SVGOutput,
        _ words: (inout SVGOutput) -> Void
    ) {
        out.words("weather-chart-soft", x: x, y: y, size: TripChart.smallSize, anchor: anchor, words)
    }

    /// What the bars mean, unless all are what one expects.
    private func legend(from top: Double, to out: inout SVGOutput) -> Double {
        let textures = days.compactMap(\.bar?.texture)
        guard textures.contains(where: { $0 != .full }) else { return top + 2 }
        var (x, y) = (0.0, top + 16)
        for texture in TripDay.Texture.allCases where textures.contains(texture) {
            let name = phrases.name(of: texture)
            let width = 24 + SVGText.width(of: name.description, size: TripChart.smallSize)
            if x > 0, x + width > TripChart.width { (x, y) = (0, y + 18) }
            shape(texture, from: x, to: x + 18, y: y, &out)
            small(x: x + 23, y: y + 4, to: &out) { $0.write(name) }
            x += width + 12
        }
        return y + 10
    }
}

extension TripDay {
    /// How a day's bar is filled.
    enum Texture: CaseIterable {
        case outline
        /// A past day, by the last forecast for it.
        case dashedOutline
        case full, hatching
    }

    /// °C; never both nil.
    struct Bar {
        var low: Double?
        var high: Double?
        var texture: Texture
    }

    var bar: Bar? {
        let bar: Bar
        switch weather {
        case .forecast(let day): bar = Bar(low: day.minimum, high: day.maximum, texture: .full)
        case .observed(let day, let isForecast):
            bar = Bar(
                low: day.minimum, high: day.maximum, texture: isForecast ? .dashedOutline : .outline)
        case .usual(let day):
            bar = Bar(low: day.minimum.mean, high: day.maximum.mean, texture: .hatching)
        case nil: return nil
        }
        return bar.low == nil && bar.high == nil ? nil : bar
    }
}

// MARK: The sky

extension TripChart {
    private static let cloud: StaticString =
        #"<path class="weather-chart-cloud" d="M5 14h8a3.5 3.5 0 0 0 .3-7A4.5 4.5 0 0 0 4.7 7.6 3.3 3.3 0 0 0 5 14z"/>"#

    /// In a square of 18; nil for what there is no symbol for.
    private static func symbol(_ name: String) -> StaticString? {
        switch name {
        case "sun.max":
            #"<g class="weather-chart-sun"><circle cx="9" cy="9" r="4"/><path d="M9 1v2.3M9 14.7V17M1 9h2.3M14.7 9H17M3.3 3.3 5 5M13 13l1.7 1.7M14.7 3.3 13 5M5 13l-1.7 1.7" stroke="currentColor" stroke-width="1.5"/></g>"#
        case "sun.min":
            #"<g class="weather-chart-sun"><circle cx="9" cy="9" r="4"/><path d="M9 2.5v1M9 14.5v1M2.5 9h1M14.5 9h1M4.2 4.2l.7.7M13.1 13.1l.7.7M13.8 4.2l-.7.7M4.9 13.1l-.7.7" stroke="currentColor" stroke-width="1.5"/></g>"#
        case "cloud.sun":
            #"<g class="weather-chart-sun"><circle cx="12" cy="6.5" r="3.3"/><path d="M12 .8v1.4M17.7 6.5h-1.4M16 2.5l-1 1M8 2.5l1 1" stroke="currentColor" stroke-width="1.4"/></g><path class="weather-chart-cloud" d="M4 16h7.6a3 3 0 0 0 .3-6A4 4 0 0 0 4.2 10.3 2.9 2.9 0 0 0 4 16z"/>"#
        case "cloud": cloud
        case "cloud.fog":
            #"<path class="weather-chart-cloud" d="M5 10h8a3.2 3.2 0 0 0 .3-6.4A4.5 4.5 0 0 0 4.7 4.2 2.9 2.9 0 0 0 5 10z"/><path class="weather-chart-cloud" d="M2.5 12.7h13M4.5 15.7h9" stroke="currentColor" stroke-width="1.4"/>"#
        case "cloud.drizzle":
            #"<path class="weather-chart-cloud" d="M5 11h8a3.3 3.3 0 0 0 .3-6.6A4.5 4.5 0 0 0 4.7 5 3 3 0 0 0 5 11z"/><path class="weather-chart-water" d="M6.5 13v1.5M11.5 13v1.5M9 15.5V17" stroke="currentColor" stroke-width="1.5"/>"#
        case "cloud.rain":
            #"<path class="weather-chart-cloud" d="M5 11h8a3.3 3.3 0 0 0 .3-6.6A4.5 4.5 0 0 0 4.7 5 3 3 0 0 0 5 11z"/><path class="weather-chart-water" d="M6 12.7l-1.3 4M9.7 12.7l-1.3 4M13.4 12.7l-1.3 4" stroke="currentColor" stroke-width="1.5"/>"#
        case "cloud.snow":
            #"<path class="weather-chart-cloud" d="M5 11h8a3.3 3.3 0 0 0 .3-6.6A4.5 4.5 0 0 0 4.7 5 3 3 0 0 0 5 11z"/><path class="weather-chart-water" d="M4.2 14.2h2.6M5.5 12.9v2.6M11.2 14.2h2.6M12.5 12.9v2.6M7.7 16.2h2.6M9 14.9v2.6" stroke="currentColor" stroke-width="1"/>"#
        case "cloud.bolt.rain":
            #"<path class="weather-chart-cloud" d="M5 11h8a3.3 3.3 0 0 0 .3-6.6A4.5 4.5 0 0 0 4.7 5 3 3 0 0 0 5 11z"/><path class="weather-chart-sun" d="M9.8 10.5 6.6 14.3h2.2L7.8 17.6l3.6-4.4H9.2z"/><path class="weather-chart-water" d="M5 12.7l-1 3M14.2 12.7l-1 3" stroke="currentColor" stroke-width="1.4"/>"#
        default: nil
        }
    }
}

// MARK: A picture of its own

/// The weather as a whole SVG document, for `<img>`: where, what is to be said of the trip, its days, and whom they are
/// from. Without a trip it has the days of the forecast. A failure is its sentence.
struct WeatherSVG {
    private static let margin = 12.0

    private let sentences: Sentences
    private let presentation: Presentation
    private var phrases: Phrases { sentences.phrases }

    init(_ presentation: Presentation) {
        sentences = Sentences(presentation)
        self.presentation = presentation
    }

    func write(_ state: WeatherState, to out: inout SVGOutput) {
        guard let report = state.report else {
            return write(sentence: state.message ?? phrases.loading.description, to: &out)
        }
        let trip = report.drawnTrip
        var title = words { sentences.line(report, to: &$0) }
        if report.trip != nil { title = words { sentences.title(report.location, to: &$0) } }
        let lead = trip.map { trip in words { sentences.lead(trip, today: report.today, to: &$0) } }
        var body = SVGOutput(reserving: 512 + (trip?.days.count ?? 0) * 512)
        var y = 4.0
        if report.isSample {
            y = text(phrases.sample.description, "weather-chart-sample", 11, at: y, to: &body)
        }
        y = text(title, nil, 17, lines: 2, isBold: true, at: y, to: &body)
        if let lead { y = text(lead, nil, 13, lines: 3, at: y, to: &body) }
        if let trip {
            y = TripChart(trip.days, today: report.today, sentences).write(from: y + 8, to: &body)
        }
        y += 4
        for sentence in closing(report, state) {
            y = text(sentence, "weather-chart-soft", 11, lines: 4, at: y, to: &body)
        }
        let description = words { out in
            WeatherText(sentences).write(state, to: &out)
            guard report.trip == nil, let trip else { return }
            for day in trip.days { out.line { sentences.day(day, today: report.today, to: &$0) } }
        }
        let full = [title, lead].compactMap(\.self).joined(separator: ". ")
        document(full, description, height: y + WeatherSVG.margin, body, to: &out)
    }

    func write(_ problem: Problem, to out: inout SVGOutput) {
        write(sentence: problem.detail, title: problem.title, to: &out)
    }

    private func write(sentence: String, title: String? = nil, to out: inout SVGOutput) {
        var body = SVGOutput(reserving: 512)
        var y = 4.0
        if let title { y = text(title, nil, 17, lines: 2, isBold: true, at: y, to: &body) }
        y = text(sentence, nil, 13, lines: 12, at: y, to: &body)
        document(title ?? sentence, sentence, height: y + WeatherSVG.margin, body, to: &out)
    }

    /// What stands below the days: what can't be shown, how old it is, and whom it is from.
    private func closing(_ report: WeatherReport, _ state: WeatherState) -> [String] {
        var closing: [String] = []
        if let trip = report.trip {
            closing += sentences.notes(on: trip).map { note in
                words { sentences.note(note, today: report.today, to: &$0) }
            }
        }
        closing.append(
            words { out in
                sentences.updated(report, hasFailed: state.hasFailed, to: &out)
                guard let message = state.message else { return }
                out.write(". ")
                out.text(message)
            })
        // Nothing can be followed here that a link would say.
        closing.append("\(Attribution.weather) (\(Attribution.licence))")
        if case .named = report.location {
            closing.append("\(phrases.placesFrom)\(Attribution.places) (\(Attribution.licence))")
        }
        return closing
    }

    /// Writes lines from `top` on, and answers with where they end.
    private func text(
        _ text: String, _ name: StaticString?, _ size: Double, lines: Int = 1, isBold: Bool = false,
        at top: Double, to out: inout SVGOutput
    ) -> Double {
        var y = top
        for line in SVGText.lines(of: text, size: isBold ? size * 1.06 : size, atMost: lines) {
            y += (size * 1.35).rounded()
            out.words(name, x: 0, y: y, size: size, isBold: isBold) { $0.text(line) }
        }
        return y + 3
    }

    private func document(
        _ title: String, _ description: String, height: Double, _ body: SVGOutput, to out: inout SVGOutput
    ) {
        let height = Int(height.rounded(.up)) + 8
        out.write(#"<svg xmlns="http://www.w3.org/2000/svg" class="weather-chart" role="img" lang=""#)
        out.text(presentation.language.rawValue)
        out.write(#"" width="480" height=""#)
        out.buffer.append(height * 480 / 324)
        out.write(#"" viewBox="0 0 324 "#)
        out.buffer.append(height)
        out.write(#"" font-family="system-ui, sans-serif" font-size="13" fill="currentColor">"#)
        out.write("\n<title>")
        out.text(title)
        out.write("</title>\n<desc>")
        out.text(description)
        out.write("</desc>\n<style>")
        out.write(WeatherSVG.style)
        out.write("</style>\n")
        out.write(#"<path class="weather-chart-card" fill="none" d="M0 0h324v"#)
        out.buffer.append(height)
        out.write(#"H0z"/>"#)
        out.write("\n<g transform=\"translate(12 8)\">\n")
        out.buffer.append(contentsOf: body.buffer.bytes)
        out.write("</g>\n</svg>\n")
    }

    private func words(_ body: (inout PlainOutput) -> Void) -> String {
        var out = PlainOutput(buffer: ByteWriter(reserving: 128))
        body(&out)
        return String(decoding: out.buffer.bytes, as: UTF8.self)
    }

    /// The card's colours, as in weather.css.
    private static let style: StaticString = """
        svg{color:#14253a}.weather-chart-card{fill:#fff}.weather-chart-soft{fill:#4d5f75}\
        .weather-chart-sample{fill:#7a4300}.weather-chart-bar{fill:#c2571a}\
        .weather-chart-outline,.weather-chart-hatch{stroke:#c2571a}\
        .weather-chart-sun,.weather-chart-sun path{fill:#d98a00}.weather-chart-sun path{stroke:#d98a00}\
        .weather-chart-cloud{fill:#6f8aa8;stroke:none}.weather-chart-cloud[stroke]{stroke:#6f8aa8}\
        .weather-chart-water{stroke:#2b7cc4}.weather-chart-rain{fill:#155f9f}.weather-chart-line{stroke:#a9b9cb}\
        @media(prefers-color-scheme:dark){svg{color:#e9f0f8}.weather-chart-card{fill:#17232f}\
        .weather-chart-soft{fill:#a9b9cb}.weather-chart-sample{fill:#ffd394}.weather-chart-bar{fill:#f0955b}\
        .weather-chart-outline,.weather-chart-hatch{stroke:#f0955b}\
        .weather-chart-sun,.weather-chart-sun path{fill:#ffc44d}.weather-chart-sun path{stroke:#ffc44d}\
        .weather-chart-cloud{fill:#a6bcd3}.weather-chart-cloud[stroke]{stroke:#a6bcd3}\
        .weather-chart-water{stroke:#6db7f5}.weather-chart-rain{fill:#8cc4f5}.weather-chart-line{stroke:#4d6278}}
        """
}

extension WeatherReport {
    /// The days to draw: the trip's, or the forecast's if there is none. Nil if there are no days at all.
    var drawnTrip: TripForecast? {
        if let trip { return trip.days.isEmpty ? nil : trip }
        let days = context.days.filter { $0.date >= today }
        guard let first = days.first else { return nil }
        return TripForecast(
            start: first.date, nights: days.count - 1, days: days.map { TripDay(.forecast($0), on: $0.date) })
    }
}

/// How much room text takes: SVG neither measures nor breaks it.
enum SVGText {
    /// About how wide a text is in a usual sans-serif; rather too much than too little.
    static func width(of text: some StringProtocol, size: Double) -> Double {
        text.unicodeScalars.reduce(0) { $0 + width(of: $1) } * size
    }

    /// In parts of the font's size. What is East Asian, or a picture, is square.
    private static func width(of scalar: Unicode.Scalar) -> Double {
        switch scalar {
        case _ where scalar.properties.generalCategory == .nonspacingMark: 0
        case "\u{1100}"...: scalar.value >= 0x2000 && scalar.value < 0x2E80 ? 0.6 : 1
        case "m", "w", "M", "W", "—": 0.95
        case "i", "j", "l", "I", " ", ".", ",", ":", ";", "'": 0.32
        case "t", "f", "r", "(", ")", "-": 0.4
        case "A"..."Z": 0.7
        default: 0.62
        }
    }

    /// Breaks text between words, and words that are longer than a line. What doesn't fit ends in "…".
    static func lines(
        of text: String, size: Double, atMost limit: Int, width: Double = TripChart.width
    ) -> [String] {
        let fits = { (text: String) in SVGText.width(of: text, size: size) <= width }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            let longer = line.isEmpty ? String(word) : "\(line) \(word)"
            if fits(longer) {
                line = longer
                continue
            }
            if !line.isEmpty { lines.append(line) }
            line = String(word)
            while !fits(line), lines.count <= limit {
                var part = ""
                for character in line {
                    if !part.isEmpty, !fits(part + String(character)) { break }
                    part.append(character)
                }
                lines.append(part)
                line.removeFirst(part.count)
            }
        }
        if !line.isEmpty { lines.append(line) }
        guard lines.count > limit else { return lines }
        var last = lines[limit - 1]
        while !last.isEmpty, !fits(last + "…") { last.removeLast() }
        return lines.prefix(limit - 1) + [last + "…"]
    }
}
