import Testing
import Weather

@testable import Fragments

struct WeatherHTMLTests {
    @Test func loadedWeatherIsThisFragment() {
        #expect(
            Examples.render(.loaded(Examples.report), .html, .imperial) == """
                <section class="weather" data-state="loaded">
                <div class="weather-card" lang="en">
                <p class="weather-line"><span class="weather-symbol" data-symbol="cloud.sun" aria-hidden="true">\
                </span><bdi class="weather-place">Seattle, United States</bdi>: \
                <span class="weather-temperature">61°F</span>, <span class="weather-sky">Partly cloudy</span></p>
                <p class="weather-details"><span class="weather-apparent">Feels like 59°F</span>. \
                <span class="weather-humidity">Humidity 71%</span>. <span class="weather-wind">Wind 5 mph</span>. \
                <span class="weather-precipitation">Precipitation 0.01 inch</span>.</p>
                <p class="weather-time" data-time-zone="America/Los_Angeles">At \
                <time datetime="2026-06-04T15:30">15:30</time>, local time</p>
                <p class="weather-sun">Sunrise 05:12, sunset 21:05</p>
                <p class="weather-updated">Updated <time datetime="2026-06-04T22:30:00Z">15:30</time></p>
                <p class="weather-attribution"><a href="https://open-meteo.com/">Weather data by Open-Meteo.com</a>, \
                places by <a href="https://www.geonames.org/">GeoNames</a></p>
                </div>
                </section>

                """)
    }

    @Test func aFailureWithoutWeatherIsItsMessageAndRetry() {
        #expect(
            Examples.render(.failed(message: "Open-Meteo did not answer.", previous: nil), .html) == """
                <section class="weather" data-state="failed">
                <div class="weather-card" lang="en">
                <p class="weather-message">Open-Meteo did not answer.</p>
                <p class="weather-retry"><a class="retry" href="">Retry</a></p>
                </div>
                </section>

                """)
    }

    @Test func aFailureWithPreviousWeatherKeepsItUnderAWarning() throws {
        let state = WeatherState.failed(message: "Open-Meteo did not answer.", previous: Examples.report)
        let fragment = try FragmentReader(Examples.render(state, .html))
        #expect(fragment.first("weather")?.attributes["data-state"] == "failed")
        #expect(fragment.first("weather-updated")?.attributes["data-stale"] == "error")
        #expect(fragment.first("retry")?.attributes["href"] == "")
        #expect(
            fragment.lines == [
                "Seattle, United States: 16°C, Partly cloudy",
                "Feels like 15°C. Humidity 71%. Wind 8 km/h. Precipitation 0.3 mm.",
                "At 15:30, local time",
                "Sunrise 05:12, sunset 21:05",
                "Updated 15:30, could not be refreshed. Open-Meteo did not answer. Retry",
                "Weather data by Open-Meteo.com, places by GeoNames",
            ])
    }

    @Test func weatherBeingRevalidatedIsLoadedAndSaysSo() throws {
        var report = Examples.report
        report.isRevalidating = true
        let fragment = try FragmentReader(Examples.render(.loaded(report), .html))
        #expect(fragment.first("weather")?.attributes["data-state"] == "loaded")
        #expect(fragment.first("weather-updated")?.attributes["data-stale"] == "revalidating")
        #expect(fragment.lines.contains("Updated 15:30"))
        #expect(fragment.first("retry") == nil)
    }

    @Test func weatherOfAnotherDateSaysWhich() throws {
        let yesterday = WeatherReport(
            location: .named(Examples.seattle), context: Examples.context,
            updatedAt: Examples.now - 300, now: Examples.now + 86_400)
        let english = try FragmentReader(Examples.render(.loaded(yesterday), .html)).lines
        #expect(english.contains("On Thursday 4 June at 15:30, local time"))
        #expect(english.contains("Updated Thursday 4 June at 15:30"))
        let german = try FragmentReader(Examples.render(.loaded(yesterday), .html, .metric, .german)).lines
        #expect(german.contains("Am Donnerstag, 4. Juni, um 15:30 Uhr Ortszeit"))
        #expect(german.contains("Stand: Donnerstag, 4. Juni, um 15:30 Uhr"))
    }

    @Test func theDateThatDecidesIsThePlaces() {
        // 06:59 UTC on the 5th is 23:59 on the 4th in Seattle; a minute later it is the 5th there too.
        let midnight = Examples.now + 8 * 3_600 + 25 * 60
        func lines(now: Int) -> String {
            let report = WeatherReport(
                location: .named(Examples.seattle), context: Examples.context, updatedAt: Examples.now,
                now: now)
            return Examples.render(.loaded(report), .text)
        }
        #expect(lines(now: midnight - 1).contains("Updated 15:35\n"))
        #expect(lines(now: midnight).contains("Updated Thursday 4 June at 15:35\n"))
    }

    @Test func withoutAZoneTimesAreUTC() throws {
        var context = Examples.context
        context.utcOffset = nil
        context.timeZone = nil
        let report = WeatherReport(
            location: .point(context.coordinate), context: context, updatedAt: Examples.now,
            now: Examples.now)
        let fragment = try FragmentReader(Examples.render(.loaded(report), .html))
        #expect(fragment.lines.contains("At 15:30 UTC"))
        #expect(fragment.lines.contains("Updated 22:35 UTC"))
        #expect(fragment.first("weather-time")?.attributes["data-time-zone"] == nil)
        #expect(fragment.lines.last == "Weather data by Open-Meteo.com")
    }

    @Test func aTripIsASentenceADay() throws {
        var report = Examples.report
        report.trip = Examples.trip
        let fragment = try FragmentReader(Examples.render(.loaded(report), .html))
        #expect(
            Array(fragment.lines[4...7]) == [
                "Thursday 4 June: Partly cloudy, high 18°C, low 11°C, 70% chance of rain (4 mm), "
                    + "sunrise 05:12, sunset 21:05",
                "Friday 5 June: Rain, high 18°C, low 11°C, 70% chance of rain (4 mm), "
                    + "sunrise 05:12, sunset 21:05",
                "To pack: umbrella.",
                "The forecast reaches to 19 June. Come back on 8 June.",
            ])
        #expect(fragment.elements.filter { $0.attributes["class"] == "weather-day" }.count == 2)
        let german = try FragmentReader(Examples.render(.loaded(report), .html, .imperial, .german))
        #expect(
            Array(german.lines[5...7]) == [
                "Freitag, 5. Juni: Regen, Höchstwert 65\u{A0}°F, Tiefstwert 51\u{A0}°F, "
                    + "70\u{A0}% Regenwahrscheinlichkeit (0,16 Zoll), "
                    + "Sonnenaufgang 05:12 Uhr, Sonnenuntergang 21:05 Uhr",
                "Einpacken: Regenschirm.",
                "Die Vorhersage reicht bis zum 19. Juni. Schauen Sie am 8. Juni wieder vorbei.",
            ])
    }

    @Test func sampleWeatherIsLabelled() throws {
        var report = Examples.report
        report.isSample = true
        #expect(try FragmentReader(Examples.render(.loaded(report), .html)).lines.first == "Sample weather")
        #expect(
            try FragmentReader(Examples.render(.loaded(report), .html, .metric, .german)).lines.first
                == "Beispielwetter")
        #expect(Examples.render(.loaded(report), .text).contains("\nSample weather\n"))
        #expect(Examples.render(.loaded(report), .json).contains("\"sample\":true"))
    }

    @Test func loadingSaysSo() throws {
        let fragment = try FragmentReader(Examples.render(.loading(previous: nil), .html))
        #expect(fragment.first("weather")?.attributes["data-state"] == "loading")
        #expect(fragment.lines == ["Asking about the weather…"])
    }

    @Test func nothingInItCanBeStyledOrRunInline() throws {
        var report = Examples.report
        report.trip = Examples.trip
        report.isSample = true
        for language in Language.allCases {
            let state = WeatherState.failed(message: "No.", previous: report)
            let fragment = try FragmentReader(Examples.render(state, .html, .metric, language))
            for element in fragment.elements {
                #expect(
                    ["section", "div", "p", "span", "bdi", "time", "ol", "li", "a"].contains(element.name))
                for attribute in element.attributes.keys {
                    #expect(
                        [
                            "class", "data-state", "lang", "data-symbol", "aria-hidden", "datetime", "href",
                            "data-time-zone", "data-stale", "data-kind",
                        ].contains(attribute))
                }
            }
        }
    }

    @Test func severalPlacesAreSectionsInOrder() throws {
        let places: [PlaceWeather] = [
            (
                asked: Examples.coordinate(-33.87, -5.32), state: .failed(message: "No.", previous: nil)
            ),
            (asked: Examples.coordinate(47.61, -122.33), state: .loaded(Examples.report)),
        ]
        let fragment = try FragmentReader(
            Examples.text(
                Renderer.weather(places, as: Presentation(language: .german, representation: .html))))
        let sections = fragment.elements.filter { $0.name == "section" }
        #expect(sections.map { $0.attributes["data-state"] } == ["failed", "loaded"])
        #expect(Array(fragment.lines[0...1]) == ["33,87°S 5,32°W", "No."])
    }
}
