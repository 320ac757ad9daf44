package import Trips
internal import Weather

/// One trip of the strip, with the weather where it goes.
package typealias StripItem = (trip: Trip, state: WeatherState)

/// Writes the strip: a line of weather for each trip, each with a state of its own.
///
/// | element | what it is |
/// | --- | --- |
/// | `section.strip` | the whole, with `h2.unseen` |
/// | `li.strip-item[data-id]` | a trip: a link to its page and `trip-weather[form=line][src]`, which asks again by itself |
/// | `p.weather-sample` | "Sample weather", if some of it is made up |
/// | `p.weather-attribution` | the credit that the data's licence asks for, once for all |
struct StripHTML {
    private let presentation: Presentation

    init(_ presentation: Presentation) {
        self.presentation = presentation
    }

    func write(_ items: [StripItem], to out: inout HTMLOutput) {
        let phrases = presentation.language.phrases
        let weather = WeatherHTML(presentation)
        out.section("strip", presentation.language) { out in
            out.element(#"<h2 class="unseen">"#, "</h2>\n", text: phrases.weatherOfTrips)
            guard !items.isEmpty else { return }
            out.write("<ul>\n")
            for item in items { self.item(item, weather, to: &out) }
            out.write("</ul>\n")
            let reports = items.compactMap(\.state.report)
            if reports.contains(where: \.isSample) {
                out.paragraph("weather-sample") { $0.write(phrases.sample) }
            }
            if !reports.isEmpty { weather.attribution(withPlaces: true, to: &out) }
        }
    }

    private func item(_ item: StripItem, _ weather: WeatherHTML, to out: inout HTMLOutput) {
        let id = item.trip.id
        out.write(#"<li class="strip-item""#)
        out.attribute("data-id", id.description)
        out.write("><a")
        out.href(.trip(id))
        out.write(">")
        out.name(item.trip.plan.city)
        out.write("</a>\n")
        out.write(#"<trip-weather form="line" src="/api"#)
        out.write(.trip(id, "/weather"))
        out.write(#"">"#)
        weather.writeLine(item.state, isAlone: false, to: &out)
        out.write("</trip-weather></li>\n")
    }
}
