import Testing
import Weather

@testable import Fragments

struct TripChartTests {
    /// A trip of all kinds of days, on 4 June.
    private static let everyKind: [TripDay] = {
        let observed = DayForecast(
            date: Examples.date("2026-06-01"), sky: Sky(code: 0), maximum: 20, minimum: 9, precipitation: 2.5)
        let last = Examples.day("2026-06-02", code: 3)
        return [
            TripDay(.observed(observed, isForecast: false), on: observed.date),
            TripDay(.observed(last, isForecast: true), on: last.date),
            TripDay(Examples.date("2026-06-03"), .observed, .unknown),
            TripDay(.forecast(Examples.day("2026-06-04", code: 95)), on: Examples.date("2026-06-04")),
            Examples.usual("2026-06-20"),
            TripDay(Examples.date("2026-06-21"), .usual, .loading),
        ]
    }()

    private func report(_ days: [TripDay]) -> WeatherReport {
        var report = Examples.report
        guard let first = days.first else { return report }
        report.trip = TripForecast(start: first.date, nights: max(1, days.count - 1), days: days)
        return report
    }

    private func picture(_ days: [TripDay], _ units: Units = .metric, _ language: Language = .english)
        -> String
    {
        Examples.render(.loaded(report(days)), .svg, units, language)
    }

    private func card(_ report: WeatherReport, _ language: Language = .english) -> String {
        Examples.text(
            Renderer.weather(
                .loaded(report), form: .chart,
                as: Presentation(language: language, representation: .html)))
    }

    /// The number of an attribute.
    private func number(_ element: FragmentReader.Element?, _ name: String) throws -> Double {
        try #require(element?.attributes[name].flatMap(Double.init))
    }

    @Test func eachKindHasItsOwnTexture() throws {
        let svg = try FragmentReader(picture(TripChartTests.everyKind))
        let rows = svg.elements.filter { $0.attributes["class"] == "weather-chart-day" }
        #expect(
            rows.map { $0.attributes["data-kind"] } == [
                "observed", "observed", "observed", "forecast", "usual", "usual",
            ])
        func count(_ name: String) -> Int {
            svg.elements.count { $0.attributes["class"] == name }
        }
        // A row each, and one each in the legend.
        #expect(count("weather-chart-outline") == 4)
        #expect(count("weather-chart-bar") == 2)
        #expect(count("weather-chart-hatch") == 2)
        #expect(svg.elements.count { $0.attributes["stroke-dasharray"] == "3 2.5" } == 2)
        for words in [
            "observed", "over, as forecast", "forecast", "usual", "being asked for…", "not known", "3/10",
            "70%",
            "2.5 mm", "no forecast from here on", "Sat 20",
        ] {
            #expect(svg.text.contains(words), "\(words)")
        }
    }

    @Test func aPictureSaysEverythingInWordsToo() throws {
        let days = TripChartTests.everyKind
        let svg = try FragmentReader(picture(days))
        #expect(svg.elements.prefix(4).map(\.name) == ["svg", "title", "desc", "style"])
        #expect(svg.elements[0].attributes["xmlns"] == "http://www.w3.org/2000/svg")
        #expect(svg.text.contains("Seattle, United States. 1–6 June: usually 9 to 24°C, rain on 3 days"))
        // The description is the text for a terminal.
        let text = Examples.render(.loaded(report(days)), .text)
        #expect(svg.text.contains(text.split(separator: "\n")[6]))
        #expect(svg.text.contains("Places by GeoNames (CC BY 4.0)"))
        #expect(!svg.text.contains("Sample weather"))
        var sample = report(days)
        sample.isSample = true
        #expect(Examples.render(.loaded(sample), .svg).contains(">Sample weather</text>"))
    }

    @Test func nothingInAPictureRunsOrLoads() {
        for state in [
            WeatherState.loaded(report(TripChartTests.everyKind)), .failed(message: "No.", previous: nil),
            .failed(message: "No.", previous: Examples.report), .loading(),
        ] {
            let svg = Examples.render(state, .svg)
            for forbidden in ["script", "href", "url(", "@import", "<image", "foreignObject", " id=", " on"] {
                // Words may hold " on".
                let markup = forbidden == " on" ? " onload" : forbidden
                #expect(!svg.contains(markup), "\(markup)")
            }
            #expect(svg.contains("prefers-color-scheme"))
        }
    }

    @Test func barsShareOneScale() throws {
        func day(_ date: String, _ low: Double?, _ high: Double?) -> TripDay {
            TripDay(
                .forecast(DayForecast(date: Examples.date(date), maximum: high, minimum: low)),
                on: Examples.date(date))
        }
        let svg = try FragmentReader(
            picture([day("2026-06-04", -10, 0), day("2026-06-05", 0, 30), day("2026-06-06", 10, nil)]))
        let bars = svg.elements.filter { $0.attributes["class"] == "weather-chart-bar" }
        #expect(bars.count == 3)
        #expect(try number(bars[0], "x") == 156)
        #expect(try number(bars[0], "x") + number(bars[0], "width") == number(bars[1], "x"))
        #expect(try number(bars[1], "x") + number(bars[1], "width") == 268)
        // Half of the scale.
        #expect(try number(bars[2], "x") + number(bars[2], "width") / 2 == 212)
        #expect(svg.text.contains("−10°"))
    }

    @Test func temperaturesThatAreEqualAreADotInTheMiddle() throws {
        let days = ["2026-06-04", "2026-06-05"].map { date in
            TripDay(
                .forecast(DayForecast(date: Examples.date(date), maximum: 7, minimum: 7)),
                on: Examples.date(date))
        }
        let svg = try FragmentReader(picture(days))
        for bar in svg.elements where bar.attributes["class"] == "weather-chart-bar" {
            #expect(try number(bar, "x") == 207)
            #expect(try number(bar, "width") == 10)
        }
    }

    @Test func whatIsMissingIsLeftOut() throws {
        let date = Examples.date("2026-06-04")
        for day in [
            TripDay(.forecast(DayForecast(date: date)), on: date),
            TripDay(
                .forecast(DayForecast(date: date, sky: Sky(code: 42), precipitationProbability: 0)), on: date),
            TripDay(date, .forecast, .unknown),
        ] {
            let svg = picture([day])
            _ = try FragmentReader(svg)
            #expect(!svg.contains("weather-chart-bar\" "))
            #expect(!svg.contains("nan") && !svg.contains("inf"))
        }
        var report = Examples.report
        report.context.days = []
        #expect(report.drawnTrip == nil)
        _ = try FragmentReader(Examples.render(.loaded(report), .svg))
        #expect(!card(report).contains("<svg"))
    }

    @Test func sixtyOneDaysAreAllThere() throws {
        let start = Examples.date("2026-12-10")
        let days = (0...60).map { Examples.usual(start.advanced(by: $0).description) }
        let text = picture(days)
        let svg = try FragmentReader(text)
        #expect(svg.elements.count { $0.attributes["class"] == "weather-chart-day" } == 61)
        #expect(svg.text.contains("DecemberThu 10") && svg.text.contains("January 2027"))
        // It is kept with the weather: what is kept has at most 64 KiB.
        #expect(text.utf8.count < 64_000)
        _ = try FragmentReader(card(report(days)))
    }

    @Test func withoutATripTheDaysAreTheForecasts() throws {
        let svg = try FragmentReader(Examples.render(.loaded(Examples.report), .svg))
        #expect(svg.elements.count { $0.attributes["class"] == "weather-chart-day" } == 2)
        #expect(svg.text.contains("Seattle, United States: 16°C, Partly cloudy. 4–5 June: 11 to 18°C"))
        #expect(svg.text.contains("Friday 5 June: Rain"))
        let html = try FragmentReader(card(Examples.report))
        #expect(html.elements.count { $0.attributes["class"] == "weather-day" } == 2)
    }

    @Test func theCardHasTheDaysDrawnAndFolded() throws {
        let html = card(report(TripChartTests.everyKind))
        let fragment = try FragmentReader(html)
        let svg = try #require(fragment.first("weather-chart"))
        #expect(svg.attributes["role"] == "img")
        #expect(
            svg.attributes["aria-label"] == "Drawing of the days. 1–6 June: usually 9 to 24°C, rain on 3 days"
        )
        #expect(fragment.elements.count { $0.attributes["class"] == "weather-chart-day" } == 6)
        #expect(fragment.elements.count { $0.attributes["class"] == "weather-day" } == 6)
        #expect(fragment.first("weather-chart-words")?.name == "details")
        #expect(fragment.lines.contains("The days in words"))
        for element in fragment.elements {
            #expect(element.attributes["id"] == nil && element.attributes["style"] == nil)
            #expect(element.name != "style")
        }
        // The other forms have none of it.
        #expect(!Examples.render(.loaded(report(TripChartTests.everyKind)), .html).contains("<svg"))
    }

    @Test func germanHasItsOwnWords() throws {
        let svg = try FragmentReader(picture(TripChartTests.everyKind, .metric, .german))
        for words in [
            "Mo 1.", "Juni", "beobachtet", "üblich", "ab hier keine Vorhersage", "70\u{A0}%", "2,5 mm",
        ] {
            #expect(svg.text.contains(words), "\(words)")
        }
        #expect(svg.elements[0].attributes["lang"] == "de")
        let html = try FragmentReader(card(report(TripChartTests.everyKind), .german))
        #expect(html.lines.contains("Die Tage in Worten"))
    }

    @Test func imperialUnitsAreShort() throws {
        let svg = try FragmentReader(picture(TripChartTests.everyKind, .imperial))
        #expect(svg.text.contains("0.1″") && svg.text.contains("68°"))
    }

    @Test(arguments: [
        "</text></svg><script>alert(1)</script>", "\"><style>", "]]>&amp;<!--",
        "a\u{0}b\u{1B}c\u{FFFE}\u{FFFF}",
        "\u{202E}Bergen", String(repeating: "長", count: 200), String(repeating: "i ", count: 200),
    ])
    func hostileNamesAreText(name: String) throws {
        var report = report(TripChartTests.everyKind)
        report.location = .named(Place(name: name, coordinate: Examples.coordinate(1, 2)))
        let svg = Examples.render(.loaded(report), .svg)
        for text in [svg, card(report)] {
            #expect(try FragmentReader(text).all("script").isEmpty)
        }
        // What XML has a place for.
        #expect(svg.unicodeScalars.allSatisfy { $0 == "\n" || ("\u{20}"..."\u{FFFD}").contains($0) })
        let problem = try FragmentReader(
            Examples.text(
                Renderer.problem(Problem(.noSuchPlace(name)), as: Presentation(representation: .svg))))
        #expect(problem.all("script").isEmpty)
    }

    @Test func aFailureIsAPictureOfItsSentence() throws {
        let problem = Problem(.noSuchPlace("Hogsmeade"))
        let svg = try FragmentReader(
            Examples.text(Renderer.problem(problem, as: Presentation(representation: .svg))))
        #expect(svg.all("text").count >= 2)
        #expect(svg.text.contains("Open-Meteo knows no place called Hogsmeade."))
        let old = try FragmentReader(
            Examples.render(.failed(message: "No answer.", previous: Examples.report), .svg))
        #expect(old.text.contains("Updated 15:30, could not be refreshed. No answer."))
    }

    @Test func linesAreBrokenBetweenWords() {
        #expect(SVGText.lines(of: "", size: 13, atMost: 2).isEmpty)
        #expect(SVGText.lines(of: "one two", size: 10, atMost: 2, width: 25) == ["one", "two"])
        #expect(SVGText.lines(of: "aaaaaa", size: 10, atMost: 3, width: 25) == ["aaaa", "aa"])
        let cut = SVGText.lines(of: "one two three", size: 10, atMost: 2, width: 25)
        #expect(cut.count == 2 && cut[1].hasSuffix("…"))
        #expect(cut.allSatisfy { SVGText.width(of: $0, size: 10) <= 25 })
    }
}
