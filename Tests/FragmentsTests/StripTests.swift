import Foundation
import Testing
import Weather

@testable import Fragments
@testable import Trips

/// The line of weather, and the strip that is made of them.
struct StripTests {
    private func line(
        _ state: WeatherState, _ presentation: Presentation = Examples.html
    ) -> String {
        Examples.text(Renderer.weather(state, form: .line, as: presentation))
    }

    @Test func loadedWeatherInALineIsThisFragment() {
        #expect(
            line(.loaded(Examples.report)) == """
                <section class="weather weather-short" data-state="loaded">
                <div class="weather-card" lang="en">
                <p class="weather-line"><span class="weather-symbol" data-symbol="cloud.sun" aria-hidden="true">\
                </span><bdi class="weather-place">Seattle, United States</bdi>: \
                <span class="weather-temperature">16°C</span>, <span class="weather-sky">Partly cloudy</span></p>
                <p class="weather-attribution"><a href="https://open-meteo.com/">Weather data by Open-Meteo.com</a>, \
                places by <a href="https://www.geonames.org/">GeoNames</a></p>
                </div>
                </section>

                """)
        #expect(
            line(.loaded(Examples.report), Examples.presentation(.german, .text))
                == """
                Seattle, United States: 16\u{A0}°C, Teilweise bewölkt
                Weather data by Open-Meteo.com (https://open-meteo.com/), Orte von GeoNames (https://www.geonames.org/)

                """)
    }

    @Test func aLineHasOneShortNoteWhereItIsOldOrMissing() throws {
        let credit = "Weather data by Open-Meteo.com, places by GeoNames"
        var old = Examples.report
        old.isRevalidating = true
        let revalidating = try FragmentReader(line(.loaded(old)))
        #expect(revalidating.first("weather-updated")?.attributes["data-stale"] == "revalidating")
        #expect(
            revalidating.lines == ["Seattle, United States: 16°C, Partly cloudy", "Updated 15:30", credit])
        let failed = try FragmentReader(line(.failed(message: "No.", previous: Examples.report)))
        #expect(
            failed.lines == [
                "Seattle, United States: 16°C, Partly cloudy",
                "Updated 15:30, could not be refreshed. Retry", credit,
            ])
        #expect(failed.first("weather weather-short")?.attributes["data-state"] == "failed")
        let missing = try FragmentReader(line(.failed(message: "No.", previous: nil)))
        #expect(missing.lines == ["No.", "Retry"])
        let loading = try FragmentReader(line(.loading(previous: nil)))
        #expect(loading.lines == ["Asking about the weather…"])
        #expect(loading.first("weather weather-short")?.attributes["data-state"] == "loading")
    }

    @Test func aLineBearsCreditAndSaysThatItIsMadeUp() throws {
        var report = Examples.report
        report.isSample = true
        let html = try FragmentReader(line(.loaded(report)))
        #expect(
            html.lines.suffix(2) == ["Sample weather", "Weather data by Open-Meteo.com, places by GeoNames"])
        let text = line(.loaded(report), Examples.presentation(.english, .text)).split(separator: "\n")
        #expect(text.count == 3)
        #expect(text[1] == "Sample weather")
        #expect(text[2].hasPrefix("Weather data by Open-Meteo.com"))
    }

    @Test func aFailedLineSaysWhenAskingAgainWillHelp() throws {
        let state = WeatherState.failed(message: "No.", retryAfter: 12, previous: Examples.report)
        let html = try FragmentReader(line(state))
        #expect(html.lines[1] == "Updated 15:30, could not be refreshed. Try again in 12 seconds. Retry")
        #expect(html.first("retry")?.attributes["data-retry-after"] == "12")
        #expect(
            line(state, Examples.presentation(.english, .text)).contains(
                "could not be refreshed. Try again in 12 seconds.\n"))
        let card = try FragmentReader(Examples.render(state, .html))
        #expect(card.first("retry")?.attributes["data-retry-after"] == "12")
    }

    @Test func dataAndCardsAreTheSameInEveryForm() {
        for representation in Representation.allCases {
            let presentation = Examples.presentation(.english, representation)
            let state = WeatherState.loaded(Examples.report)
            #expect(
                Renderer.weather(state, form: .card, as: presentation)
                    == Renderer.weather(state, as: presentation))
            guard representation == .json else { continue }
            #expect(
                Renderer.weather(state, form: .line, as: presentation)
                    == Renderer.weather(state, as: presentation))
        }
    }

    @Test func aProblemInALineIsAShortFailedCard() throws {
        let problem = Problem(.outOfTime)
        let fragment = try Examples.read(Renderer.problem(problem, form: .weather(.line), as: Examples.html))
        #expect(fragment.first("weather weather-short")?.attributes["data-state"] == "failed")
        #expect(fragment.lines == ["The weather did not arrive in time. Try again in a moment.", "Retry"])
        #expect(
            Renderer.problem(problem, form: .weather(.card), as: Examples.html)
                == Renderer.problem(problem, as: Examples.html))
    }

    private static func items(isSample: Bool = false) -> [StripItem] {
        var report = Examples.report
        report.isSample = isSample
        return [
            (trip: Examples.seattleTrip, state: .loaded(report)),
            (trip: Examples.bergen, state: .loading(previous: nil)),
        ]
    }

    @Test func theStripHasALineForEachTrip() throws {
        let fragment = try Examples.read(Renderer.strip(Self.items(), as: Examples.html))
        let items = fragment.elements.filter { $0.attributes["class"] == "strip-item" }
        #expect(
            items.map { $0.attributes["data-id"] }
                == [Examples.seattleTrip, Examples.bergen].map(\.id.description)
        )
        #expect(
            fragment.all("trip-weather").map(\.attributes)
                == [Examples.seattleTrip, Examples.bergen].map {
                    ["form": "line", "src": "/api/trips/\($0.id)/weather"]
                })
        #expect(
            fragment.lines == [
                "The weather at your destinations", "Seattle", "Seattle, United States: 16°C, Partly cloudy",
                "Bergen", "Asking about the weather…", "Weather data by Open-Meteo.com, places by GeoNames",
            ])
    }

    @Test func madeUpWeatherIsLabelledOnce() throws {
        let fragment = try Examples.read(Renderer.strip(Self.items(isSample: true), as: Examples.html))
        #expect(fragment.lines.filter { $0 == "Sample weather" }.count == 1)
        #expect(
            Examples.text(
                Renderer.strip(Self.items(isSample: true), as: Examples.presentation(.english, .text)))
                    == """
                    Seattle, United States: 16°C, Partly cloudy
                    Bergen: Asking about the weather…
                    Sample weather
                    Weather data by Open-Meteo.com (https://open-meteo.com/), places by GeoNames (https://www.geonames.org/)

                    """)
    }

    @Test func aStripOfNothingCreditsNobody() throws {
        let fragment = try Examples.read(Renderer.strip([], as: Examples.germanHTML))
        #expect(fragment.elements.map(\.name) == ["section", "h2"])
        #expect(Examples.text(Renderer.strip([], as: Presentation())) == "{\"trips\":[]}\n")
    }

    @Test func theStripAsDataHoldsWhatTheWeatherOfAPlaceIs() throws {
        let json = try JSONSerialization.jsonObject(
            with: Data(Renderer.strip(Self.items(), as: Presentation())))
        let trips = try #require((json as? [String: Any])?["trips"] as? [[String: Any]])
        #expect(trips.count == 2)
        #expect(trips[0].keys.sorted() == ["city", "country", "id", "weather"])
        #expect((trips[0]["weather"] as? [String: Any])?["state"] as? String == "loaded")
        #expect((trips[1]["weather"] as? [String: Any])?["state"] as? String == "loading")
        let one = Examples.text(Renderer.weather(.loaded(Examples.report), as: Presentation()))
        #expect(
            Examples.text(Renderer.strip(Self.items(), as: Presentation())).contains(
                "\"weather\":\(one.dropLast())"))
    }

    @Test func packingIsNamedOnlyWhereATripsDaysAre() throws {
        for (language, line) in [
            (Language.english, "To pack: umbrella, warm jacket, hat and gloves."),
            (.german, "Einpacken: Regenschirm, warme Jacke, Mütze und Handschuhe."),
        ] {
            var report = Examples.report
            var day = Examples.day("2026-06-04", code: 61)
            day.minimum = -2
            report.trip = TripForecast(start: report.today, nights: 1, days: Examples.forecast([day]))
            let html = try FragmentReader(Examples.render(.loaded(report), .html, .imperial, language))
            #expect(html.lines.contains(line))
            #expect(html.first("weather-packing") != nil)
            #expect(Examples.render(.loaded(report), .text, .metric, language).contains("\n\(line)\n"))
            #expect(
                Examples.render(.loaded(report), .json, .imperial, language).contains(
                    "\"packing\":[\"umbrella\",\"warm-jacket\",\"hat-and-gloves\"]"))
            report.trip?.days = Examples.forecast([DayForecast(date: report.today)])
            #expect(!Examples.render(.loaded(report), .html, .metric, language).contains("packing"))
            #expect(Examples.render(.loaded(report), .json).contains("\"packing\":[]"))
            report.trip = nil
            #expect(!Examples.render(.loaded(report), .json).contains("packing"))
        }
    }
}
