package import Weather

/// What one card shows: a place, its weather, and how old that is.
package struct WeatherReport: Sendable, Hashable {
    /// Where the weather is.
    package enum Location: Sendable, Hashable {
        /// A place that was found by its name.
        case named(Place)
        /// A point that was asked for as such: it has no name.
        case point(Coordinate)

        package var coordinate: Coordinate {
            switch self {
            case .named(let place): place.coordinate
            case .point(let coordinate): coordinate
            }
        }

        /// The IANA zone, if it is known of the place itself.
        package var timeZone: String? {
            if case .named(let place) = self { place.timeZone } else { nil }
        }
    }

    package var location: Location
    package var context: WeatherContext
    /// The days of the trip, if the weather was asked for with one.
    package var trip: TripForecast?
    /// When the weather was fetched: seconds since 1970 in UTC.
    package var updatedAt: Int
    /// The date at the place when the answer is rendered. Times of another date are shown with theirs.
    package var today: CalendarDate
    /// Whether it is old, and being asked for again at this moment.
    package var isRevalidating: Bool
    /// Whether the weather is made up, by a stand-in for the service.
    package var isSample: Bool

    /// - Parameter now: When the answer is rendered, in seconds since 1970 in UTC. Only its date at the place is
    ///   shown, so that what is rendered stays right until midnight there.
    package init(
        location: Location, context: WeatherContext, trip: TripForecast? = nil, updatedAt: Int, now: Int,
        isRevalidating: Bool = false, isSample: Bool = false
    ) {
        self.location = location
        self.context = context
        self.trip = trip
        self.updatedAt = updatedAt
        today = CalendarDate(unixTime: now, utcOffset: context.clockOffset ?? 0)
        self.isRevalidating = isRevalidating
        self.isSample = isSample
    }
}

extension WeatherReport {
    /// The trip if it comes before the weather now: more than a day ahead, or over.
    var leadingTrip: TripForecast? {
        guard let trip, trip.isOver || today.days(until: trip.start) > 1 else { return nil }
        return trip
    }
}

extension TripDay {
    /// The name of its symbol, always by day; nil if nothing is known.
    var symbol: String? {
        switch weather {
        case .observed(let day, _), .forecast(let day): day.sky?.symbol(isDay: true)
        case .usual(let day): day.sky?.symbol
        case nil: nil
        }
    }
}

extension TripDay.State {
    /// The value of `state` in JSON and of `data-state` in HTML.
    var name: StaticString {
        switch self {
        case .loaded: "loaded"
        case .loading: "loading"
        case .unknown: "unknown"
        }
    }
}

extension UsualDay.Sky {
    fileprivate var symbol: String {
        switch self {
        case .clear: "sun.max"
        case .partlyCloudy: "cloud.sun"
        case .overcast: "cloud"
        case .rain: "cloud.rain"
        case .snow: "cloud.snow"
        }
    }
}

/// What a card shows.
package enum WeatherState: Sendable, Hashable {
    /// Being asked for; old weather stays on the screen meanwhile.
    case loading(previous: WeatherReport? = nil)
    case loaded(WeatherReport)
    /// The last question failed: a sentence for people, the seconds after which asking again will help if that is
    /// known, and the weather that is still shown.
    case failed(message: String, retryAfter: Int64? = nil, previous: WeatherReport?)

    package static func failed(_ problem: Problem, previous: WeatherReport? = nil) -> WeatherState {
        .failed(message: problem.detail, retryAfter: problem.retryAfterSeconds, previous: previous)
    }

    /// The value of `state` in JSON and of `data-state` in HTML.
    var name: StaticString {
        switch self {
        case .loading: "loading"
        case .loaded: "loaded"
        case .failed: "failed"
        }
    }

    /// The weather to show, old or new.
    package var report: WeatherReport? {
        switch self {
        case .loading(let previous), .failed(_, _, let previous): previous
        case .loaded(let report): report
        }
    }

    /// The value of `stale` in JSON and of `data-stale` in HTML if the weather is old.
    var stale: StaticString? {
        guard let report else { return nil }
        return hasFailed ? "error" : report.isRevalidating ? "revalidating" : nil
    }

    var hasFailed: Bool {
        if case .failed = self { true } else { false }
    }

    /// Why there is no newer weather.
    var message: String? {
        if case .failed(let message, _, _) = self { message } else { nil }
    }

    var retryAfter: Int64? {
        if case .failed(_, let seconds, _) = self { seconds } else { nil }
    }
}

/// The weather at one of several places that were asked for at once. Where that was is said even without weather.
package typealias PlaceWeather = (asked: Coordinate?, state: WeatherState)

/// How much of the weather an answer shows.
package enum CardForm: String, Sendable, Hashable, CaseIterable {
    /// Everything.
    case card
    /// The line with place, temperature and sky, and one short note if that is old or missing.
    case line
    /// Everything, with the days drawn and their sentences folded; without a trip the days of the forecast.
    case chart
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

extension WeatherContext {
    /// `utcOffset` if it can be one: clocks differ from UTC by less than a day.
    var clockOffset: Int? {
        guard let utcOffset, utcOffset.magnitude < 86_400 else { return nil }
        return utcOffset
    }
}
