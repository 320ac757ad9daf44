import Testing
import Weather

@testable import Fragments

struct WordsTests {
    @Test(arguments: [
        (0, "Clear sky", "Klarer Himmel"), (1, "Mainly clear", "Überwiegend klar"),
        (2, "Partly cloudy", "Teilweise bewölkt"), (3, "Overcast", "Bedeckt"), (45, "Fog", "Nebel"),
        (48, "Fog", "Nebel"), (51, "Drizzle", "Nieselregen"), (57, "Drizzle", "Nieselregen"),
        (61, "Rain", "Regen"), (82, "Rain", "Regen"), (71, "Snow", "Schnee"), (86, "Snow", "Schnee"),
        (95, "Thunderstorm", "Gewitter"), (99, "Thunderstorm", "Gewitter"),
        (4, "Weather code 4", "Wettercode 4"), (-1, "Weather code -1", "Wettercode -1"),
    ])
    func aSkyHasItsWords(code: Int, english: String, german: String) {
        #expect(words(of: code, .english) == english)
        #expect(words(of: code, .german) == german)
    }

    @Test(arguments: Language.allCases)
    func everyCodeHasWordsAndASymbolInEveryRepresentation(language: Language) throws {
        for code in 0...99 {
            var report = Examples.report
            report.context.current?.sky = Sky(code: code)
            let words = words(of: code, language)
            #expect(!words.isEmpty)
            for isDay in [true, false] {
                report.context.current?.isDay = isDay
                let symbol = Sky(code: code).symbol(isDay: isDay)
                #expect(!symbol.isEmpty)
                let json = Examples.render(.loaded(report), .json, .metric, language)
                #expect(json.contains("\"code\":\(code),\"words\":\"\(words)\",\"symbol\":\"\(symbol)\""))
                let html = try FragmentReader(Examples.render(.loaded(report), .html, .metric, language))
                #expect(html.first("weather-symbol")?.attributes["data-symbol"] == symbol)
                #expect(html.lines[0].hasSuffix(", \(words)"))
            }
        }
    }

    @Test func aTripsDaysHaveTheirSymbolsByDay() {
        var report = Examples.report
        report.context.current?.isDay = false
        report.trip = TripForecast(
            start: report.today, nights: 1, days: Examples.forecast([Examples.day("2026-06-04", code: 0)]))
        #expect(Examples.render(.loaded(report), .json).contains("\"symbol\":\"cloud.moon\""))
        #expect(Examples.render(.loaded(report), .json).contains("\"symbol\":\"sun.max\""))
    }

    @Test func aPlaceWithoutACountryIsItsNameAlone() {
        var report = Examples.report
        report.location = .named(
            Place(name: "Hong Kong", coordinate: Examples.coordinate(22.28, 114.17)))
        for representation in Representation.allCases {
            let answer = Examples.render(.loaded(report), representation)
            #expect(answer.contains("Hong Kong"))
            #expect(!answer.contains("Hong Kong,"))
        }
        #expect(Examples.render(.loaded(report), .text).hasPrefix("Hong Kong: 16°C, Partly cloudy\n"))
    }

    private static let lines: [(Double?, Int?, String)] = [
        (2.0 as Double?, nil as Int?, "Seattle, United States: 2°C"),
        (nil, 3, "Seattle, United States: Overcast"),
        (nil, nil, "Seattle, United States: current weather not known"),
        (.nan, 3, "Seattle, United States: Overcast"),
    ]

    @Test(arguments: lines)
    func theLineReadsWithWhatIsKnown(temperature: Double?, code: Int?, line: String) {
        var report = Examples.report
        report.context.current?.temperature = temperature
        report.context.current?.sky = code.map(Sky.init)
        #expect(Examples.render(.loaded(report), .text).hasPrefix(line + "\n"))
    }

    @Test func missingDetailsAreLeftOut() {
        var report = Examples.report
        report.context.current?.apparentTemperature = nil
        report.context.current?.windSpeed = nil
        #expect(
            Examples.render(.loaded(report), .text).contains(
                "\nHumidity 71%. Precipitation 0.3 mm.\nAt 15:30"))
        report.context.current = CurrentWeather(temperature: 3)
        #expect(
            Examples.render(.loaded(report), .text).hasPrefix(
                "Seattle, United States: 3°C\nSunrise 05:12, sunset 21:05\nUpdated"))
    }

    private static let days: [(DayForecast, String)] = [
        (DayForecast(date: Examples.date("2026-06-05")), "no forecast"),
        (DayForecast(date: Examples.date("2026-06-05"), maximum: 18), "high 18°C"),
        (DayForecast(date: Examples.date("2026-06-05"), minimum: -3.6), "low −4°C"),
        (
            DayForecast(date: Examples.date("2026-06-05"), sky: Sky(code: 3), precipitation: 0.25),
            "Overcast, precipitation 0.3 mm"
        ),
        (
            DayForecast(date: Examples.date("2026-06-05"), precipitation: 0, precipitationProbability: 70),
            "70% chance of rain (0 mm)"
        ),
        (DayForecast(date: Examples.date("2026-06-05"), precipitationProbability: 5), "5% chance of rain"),
        (
            DayForecast(
                date: Examples.date("2026-06-05"), sky: Sky(code: 73), precipitation: 4,
                precipitationProbability: 70), "Snow, 70% chance of snow (4 mm melted)"
        ),
        (
            DayForecast(
                date: Examples.date("2026-06-05"), sky: Sky(code: 3), maximum: -6,
                precipitationProbability: 20), "Overcast, high −6°C, 20% chance of snow"
        ),
        (
            DayForecast(
                date: Examples.date("2026-06-05"), maximum: 3, minimum: -1, precipitationProbability: 20),
            "high 3°C, low −1°C, 20% chance of precipitation"
        ),
        (
            DayForecast(
                date: Examples.date("2026-06-05"), sky: Sky(code: 66), maximum: -1,
                precipitationProbability: 20), "Rain, high −1°C, 20% chance of rain"
        ),
        (
            DayForecast(date: Examples.date("2026-06-05"), sun: .neverSets),
            "no forecast, the sun does not set"
        ),
        (
            DayForecast(date: Examples.date("2026-06-05"), maximum: 1, sun: .neverRises),
            "high 1°C, the sun does not rise"
        ),
    ]

    @Test(arguments: days)
    func aDayReadsWithWhatIsKnown(day: DayForecast, words: String) {
        var report = Examples.report
        report.trip = TripForecast(start: day.date, nights: 1, days: Examples.forecast([day]))
        #expect(Examples.render(.loaded(report), .text).contains("\nFriday 5 June: \(words)\n"))
    }

    @Test func polarDaysAreSaidInWords() {
        var report = Examples.report
        report.context.days[0].sun = .neverRises
        #expect(Examples.render(.loaded(report), .text).contains("\nThe sun does not rise\n"))
        #expect(
            Examples.render(.loaded(report), .text, .metric, .german).contains("\nDie Sonne geht nicht auf\n")
        )
        report.context.days[0].sun = .neverSets
        #expect(Examples.render(.loaded(report), .text).contains("\nThe sun does not set\n"))
        report.trip = TripForecast(
            start: report.today, nights: 1, days: Examples.forecast([report.context.days[0]]))
        let json = Examples.render(.loaded(report), .json)
        #expect(json.contains("\"sunrise\":null,\"sunset\":null,\"sun\":\"never-sets\""))
    }

    private static let trips: [(TripForecast, [String])] = [
        (
            TripForecast(start: Examples.date("2026-05-01"), nights: 2, days: [], isOver: true),
            ["This trip is over."]
        ),
        (
            TripForecast(
                start: Examples.date("2026-06-18"), nights: 9,
                days: Examples.forecast(Examples.context.days) + [Examples.usual("2026-06-20")],
                beyond: .init(
                    forecastReachesTo: Examples.date("2026-06-19"),
                    comeBackOn: Examples.date("2026-06-12"))),
            [
                "The forecast reaches to 19 June. Come back on 12 June.",
                "Usual weather is that of the same days in 2016–2025, by a reanalysis; it is no forecast.",
            ]
        ),
        (
            TripForecast(
                start: Examples.date("2026-12-25"), nights: 9, days: [],
                beyond: .init(
                    forecastReachesTo: Examples.date("2026-06-19"),
                    comeBackOn: Examples.date("2026-12-10"))),
            ["There is no forecast yet; the first comes on 10 December."]
        ),
        (
            TripForecast(
                start: Examples.date("2027-01-09"), nights: 9, days: [],
                beyond: .init(
                    forecastReachesTo: Examples.date("2026-06-19"),
                    comeBackOn: Examples.date("2027-01-02"))),
            ["There is no forecast yet; the first comes on 2 January 2027."]
        ),
        (
            TripForecast(
                start: Examples.date("2026-06-04"), nights: 1,
                days: Examples.forecast(Examples.context.days)), []
        ),
    ]

    @Test(arguments: trips)
    func aTripSaysWhatCannotBeShown(trip: TripForecast, notes: [String]) throws {
        var report = Examples.report
        report.trip = trip
        let html = Examples.render(.loaded(report), .html)
        let fragment = try FragmentReader(html)
        #expect(html.components(of: "class=\"weather-note\"") == notes.count)
        let text = Examples.render(.loaded(report), .text).split(separator: "\n").map(String.init)
        for note in notes {
            #expect(fragment.lines.contains(note))
            #expect(text.contains(note))
        }
        #expect(html.contains("weather-days") == !trip.days.isEmpty)
    }

    @Test(arguments: [
        (47.606, -122.332, "47.61°N 122.33°W"), (0, 0, "0.00°N 0.00°E"), (-0.001, -0.001, "0.00°N 0.00°E"),
        (-90, 180, "90.00°S 180.00°E"),
    ])
    func aCoordinateIsItsOwnTitle(latitude: Double, longitude: Double, title: String) {
        var report = Examples.report
        report.location = .point(Examples.coordinate(latitude, longitude))
        #expect(Examples.render(.loaded(report), .text).hasPrefix("\(title): "))
    }

    @Test(arguments: Language.allCases)
    func theStaticWordsNeedNoEscapingAnywhere(language: Language) throws {
        var report = Examples.report
        report.isSample = true
        var days = Examples.context.days
        days[0].sky = Sky(code: 75)
        days[0].sun = .neverRises
        days[1].sun = .neverSets
        report.trip = Examples.trip
        report.trip?.days = Examples.forecast(days) + [Examples.usual("2026-06-20")]
        let words = language.phrases
        var all = words.weekdays + words.months
        all += Unit.allCases.map(words.suffix) + [words.loading, words.noForecast, words.unknownNow]
        all += [words.tripIsOver, words.retry]
        all += Sky.Kind.allCases.compactMap(words.sky)
        let rendered = Examples.render(.loaded(report), .text, .imperial, language)
        for word in all.map(\.description) + [rendered] {
            #expect(!word.contains { "<>&\"'\\".contains($0) }, "\(word)")
        }
        _ = try FragmentReader(Examples.render(.loaded(report), .html, .imperial, language))
    }

    @Test func weekdaysAndMonthsAreInTheirOrder() {
        for language in Language.allCases {
            #expect(language.phrases.weekdays.count == 7)
            #expect(language.phrases.months.count == 12)
        }
        var report = Examples.report
        report.trip = TripForecast(
            start: report.today, nights: 3,
            days: Examples.forecast([
                Examples.day("2024-02-29", code: 0), Examples.day("2026-12-31", code: 0),
            ]))
        let english = Examples.render(.loaded(report), .text)
        #expect(english.contains("\nThursday 29 February 2024: "))
        #expect(english.contains("\nThursday 31 December: "))
        let german = Examples.render(.loaded(report), .text, .metric, .german)
        #expect(german.contains("\nDonnerstag, 29. Februar 2024: "))
    }

    private func words(of code: Int, _ language: Language) -> String {
        var out = PlainOutput(buffer: ByteWriter(reserving: 0))
        Sentences(Presentation(language: language)).sky(Sky(code: code), to: &out)
        return Examples.text(out.buffer.bytes)
    }
}

extension String {
    /// How often `part` stands in the text.
    fileprivate func components(of part: String) -> Int {
        ranges(of: part).count
    }
}
