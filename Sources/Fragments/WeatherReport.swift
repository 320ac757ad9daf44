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
    }

    /// How far the weather can be trusted to be the present one.
    package enum Staleness: String, Sendable, Hashable {
        case fresh
        /// Old, and being asked for anew at this moment.
        case revalidating
        /// Old, since the last question failed: shown as failed, with this weather as the previous one.
        case error
    }

    package var location: Location
    package var context: WeatherContext
    /// The days of the trip, where the weather was asked for with one.
    package var trip: TripDays?
    /// When the weather was fetched: seconds since 1970 in UTC.
    package var updatedAt: Int
    /// The date at the place when the answer is rendered. Times of another date are shown with theirs.
    package var today: CalendarDate
    package var staleness: Staleness
    /// Whether the weather is made up, by a stand-in for the service.
    package var isSample: Bool

    /// - Parameter now: When the answer is rendered, in seconds since 1970 in UTC. Only its date at the place is
    ///   shown, so that what is rendered stays right until midnight there.
    package init(
        location: Location, context: WeatherContext, trip: TripDays? = nil, updatedAt: Int, now: Int,
        staleness: Staleness = .fresh, isSample: Bool = false
    ) {
        self.location = location
        self.context = context
        self.trip = trip
        self.updatedAt = updatedAt
        today = CalendarDate(unixTime: now, utcOffset: context.clockOffset ?? 0)
        self.staleness = staleness
        self.isSample = isSample
    }
}

/// Which of a trip's days can be shown.
package struct TripDays: Sendable, Hashable {
    /// How far the forecast reaches, for a trip with days after that.
    package struct Beyond: Sendable, Hashable {
        /// The last day that there is a forecast for.
        package var forecastReachesTo: CalendarDate
        /// The day from which there is one for the first of the days that are missing.
        package var comeBackOn: CalendarDate

        package init(forecastReachesTo: CalendarDate, comeBackOn: CalendarDate) {
            self.forecastReachesTo = forecastReachesTo
            self.comeBackOn = comeBackOn
        }
    }

    package var start: CalendarDate
    package var nights: Int
    /// The days to show, in order.
    package var days: [DayForecast]
    /// How many of the trip's days are past, and so not among `days`.
    package var daysAlreadyPast: Int
    package var isOver: Bool
    /// Set where some of the trip's days, or all, lie after the forecast's last.
    package var beyond: Beyond?

    package init(
        start: CalendarDate, nights: Int, days: [DayForecast], daysAlreadyPast: Int = 0, isOver: Bool = false,
        beyond: Beyond? = nil
    ) {
        self.start = start
        self.nights = nights
        self.days = days
        self.daysAlreadyPast = daysAlreadyPast
        self.isOver = isOver
        self.beyond = beyond
    }
}

/// The weather at one of several places that were asked for at once.
package struct PlaceWeather: Sendable {
    /// Where it was asked for.
    package var asked: Coordinate
    package var state: LoadState<WeatherReport>

    package init(asked: Coordinate, state: LoadState<WeatherReport>) {
        self.asked = asked
        self.state = state
    }
}

extension WeatherContext {
    /// `utcOffset` where it can be one: clocks differ from UTC by less than a day.
    var clockOffset: Int? {
        guard let utcOffset, utcOffset.magnitude < 86_400 else { return nil }
        return utcOffset
    }
}
