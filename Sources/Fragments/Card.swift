import Weather

/// A state of the weather as it is put on the wire: what a card shows, in any representation.
struct Card {
    /// The value of `state` in JSON and of `data-state` in HTML.
    enum State {
        case loading, loaded, failed

        var name: StaticString {
            switch self {
            case .loading: "loading"
            case .loaded: "loaded"
            case .failed: "failed"
            }
        }
    }

    let state: State
    /// The weather to show, old or new.
    let report: WeatherReport?
    /// Why there is no newer.
    let message: String?
    /// Where it was asked for, for a card that says so even without weather.
    let asked: Coordinate?

    init(_ state: LoadState<WeatherReport>, asked: Coordinate? = nil) {
        report = state.value
        self.asked = asked
        switch state {
        case .idle, .loading:
            self.state = .loading
            message = nil
        case .loaded(let report):
            // Old weather whose refresh failed is a failure with previous weather, whoever hands it over.
            self.state = report.staleness == .error ? .failed : .loaded
            message = nil
        case .failed(let message, _):
            self.state = .failed
            self.message = message
        }
    }

    /// The value of `stale` in JSON and of `data-stale` in HTML, where the weather is old.
    var stale: StaticString? {
        guard let report else { return nil }
        if state == .failed { return "error" }
        return report.staleness == .revalidating ? "revalidating" : nil
    }
}

/// Whom the data are from. Open-Meteo's weather and GeoNames' places are both under CC BY 4.0, which asks for
/// credit and a link beside the data.
enum Attribution {
    static let weather: StaticString = "Weather data by Open-Meteo.com"
    static let weatherURL: StaticString = "https://open-meteo.com/"
    static let places: StaticString = "GeoNames"
    static let placesURL: StaticString = "https://www.geonames.org/"
    static let licence: StaticString = "CC BY 4.0"
}
