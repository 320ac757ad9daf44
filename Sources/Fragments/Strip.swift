package import Trips
package import Weather

/// One trip of the strip, with the weather where it goes.
package struct StripItem: Sendable {
    package var trip: Trip
    package var state: LoadState<WeatherReport>

    package init(trip: Trip, state: LoadState<WeatherReport>) {
        self.trip = trip
        self.state = state
    }
}

/// Writes the strip: a line of weather for each trip, each with a state of its own.
///
/// | element | what it is |
/// | --- | --- |
/// | `section.strip` | the whole, with `h2.unseen` |
/// | `li.strip-item[data-id]` | a trip: a link to its page and `trip-weather[form=line][src]`, which asks again by itself |
/// | `p.weather-sample` | "Sample weather", where some of it is made up |
/// | `p.weather-attribution` | the credit that the data's licence asks for, once for all |
struct StripHTML {
    private let sentences: Sentences
    private let language: Language
    private var words: any Words { sentences.words }

    init(_ sentences: Sentences, _ language: Language) {
        self.sentences = sentences
        self.language = language
    }

    func write(_ items: [StripItem], with pen: inout HTMLPen) {
        let weather = WeatherHTML(sentences, language)
        pen.words("<section class=\"strip\"")
        pen.attribute("lang", language.rawValue)
        pen.words(">\n")
        pen.element("<h2 class=\"unseen\">", "</h2>\n") { $0.words(words.weatherOfTrips) }
        if !items.isEmpty {
            pen.words("<ul>\n")
            for item in items { self.item(item, weather, with: &pen) }
            pen.words("</ul>\n")
            let reports = items.compactMap(\.state.value)
            if reports.contains(where: \.isSample) {
                pen.element("<p class=\"weather-sample\">", "</p>\n") { $0.words(words.sample) }
            }
            if !reports.isEmpty { weather.attribution(withPlaces: true, with: &pen) }
        }
        pen.words("</section>\n")
    }

    private func item(_ item: StripItem, _ weather: WeatherHTML, with pen: inout HTMLPen) {
        let id = item.trip.id
        pen.words("<li class=\"strip-item\"")
        pen.attribute("data-id", id.description)
        pen.words("><a")
        pen.href(.trip(id))
        pen.words(">")
        pen.name(item.trip.plan.city)
        pen.words("</a>\n<trip-weather form=\"line\" src=\"/api")
        pen.write(.trip(id, "/weather"))
        pen.words("\">")
        weather.writeLine(Card(item.state), with: &pen)
        pen.words("</trip-weather></li>\n")
    }
}

/// The strip as JSON: `{"trips": […]}`, each with `id`, `city`, `country` and `weather`, which is what the weather at
/// one place is.
struct StripJSON {
    private let weather: WeatherJSON

    init(_ sentences: Sentences) {
        weather = WeatherJSON(sentences)
    }

    func write(_ items: [StripItem], to json: inout JSONWriter) {
        json.object { json in
            json.key("trips")
            json.array(items) { json, item in
                json.object { json in
                    TripsJSON.write(nameOf: item.trip, to: &json)
                    json.key("weather")
                    weather.write(Card(item.state), to: &json)
                }
            }
        }
    }
}
