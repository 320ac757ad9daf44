/// When a trip is: calendar dates in the city's own zone, never instants.
package struct TripSpan: Sendable, Hashable {
    /// How many nights a trip can have.
    package static let nightsRange = 1...60

    /// The day of arrival.
    package let start: CalendarDate
    package let nights: Int

    /// Nil for a number of nights that no trip has.
    package init?(start: CalendarDate, nights: Int) {
        guard TripSpan.nightsRange.contains(nights) else { return nil }
        self.start = start
        self.nights = nights
    }

    /// The day of departure, the morning after the last night.
    package var end: CalendarDate { start.advanced(by: nights) }
}

/// What a forecast says of a trip's days.
package struct TripForecast: Sendable, Hashable {
    /// How far the forecast reaches, for a trip with days after that.
    package struct Beyond: Sendable, Hashable {
        /// The last day that there is a forecast for.
        package var forecastReachesTo: CalendarDate
        /// The day from which there is one for the first day of a trip that lies wholly after it, else for the last.
        package var comeBackOn: CalendarDate

        package init(forecastReachesTo: CalendarDate, comeBackOn: CalendarDate) {
            self.forecastReachesTo = forecastReachesTo
            self.comeBackOn = comeBackOn
        }
    }

    /// How many days after today the service forecasts.
    private static let reach = OpenMeteoRequests.forecastDays - 1

    package var start: CalendarDate
    package var nights: Int
    /// The days from today on that the forecast knows, in order.
    package var days: [DayForecast]
    /// How many of the trip's days are past, and so not among `days`.
    package var daysAlreadyPast: Int
    package var isOver: Bool
    /// Set if some of the trip's days, or all, lie after the forecast's last.
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

    /// Cuts a trip's days out of a forecast.
    ///
    /// - Parameters:
    ///   - span: The trip.
    ///   - context: A forecast at the trip's place, which may have been asked for some days ago.
    ///   - unixTime: Now, in seconds; which day that is at the place decides what is past.
    package init(of span: TripSpan, in context: WeatherContext, atUnixTime unixTime: Int) {
        self.init(start: span.start, nights: span.nights, days: [])
        // Without a zone the forecast's days are UTC's, and today is too.
        let today = CalendarDate(unixTime: unixTime, utcOffset: context.utcOffset ?? 0)
        let last = context.days.last?.date ?? today.advanced(by: TripForecast.reach)
        guard span.end >= today else {
            isOver = true
            return
        }
        let first = max(span.start, today)
        if first <= last {
            days = context.days.filter { first <= $0.date && $0.date <= span.end }
            daysAlreadyPast = span.start.days(until: first)
        }
        if span.end > last {
            let missing = first <= last ? span.end : first
            // Tomorrow at the soonest, if it isn't in reach yet.
            let comeBack = max(missing.advanced(by: -TripForecast.reach), today.advanced(by: 1))
            beyond = Beyond(forecastReachesTo: last, comeBackOn: comeBack)
        }
    }
}
