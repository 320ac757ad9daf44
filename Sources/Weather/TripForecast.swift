/// The days that a forecast reaches, seen from a moment.
package struct ForecastWindow: Sendable, Hashable {
    /// How many days after today the service forecasts.
    package static let reach = OpenMeteoRequests.forecastDays - 1

    /// Today at the place.
    package let today: CalendarDate
    /// The last day of which anything is known; before `today` when the forecast is too old.
    package let last: CalendarDate

    /// - Parameters:
    ///   - context: A forecast, which may have been asked for some days ago.
    ///   - unixTime: Now, in seconds.
    package init(of context: WeatherContext, atUnixTime unixTime: Int) {
        // Without a zone the forecast's days are UTC's, and today is too.
        today = CalendarDate(unixTime: unixTime, utcOffset: context.utcOffset ?? 0)
        last = context.days.last?.date ?? today.advanced(by: ForecastWindow.reach)
    }

    /// The first date on which `day` comes into the forecast's reach: tomorrow at the soonest, where it isn't yet.
    package func firstDate(reaching day: CalendarDate) -> CalendarDate {
        max(day.advanced(by: -ForecastWindow.reach), today.advanced(by: 1))
    }
}

/// What a forecast says of a trip's days.
package enum TripForecast: Sendable, Hashable {
    /// The trip is over.
    case over
    /// The trip starts after the forecast's last day, `reach`; its first day comes into reach on `comeBack`.
    case beyond(reach: CalendarDate, comeBack: CalendarDate)
    /// Some of the trip's days are in reach.
    case days(Days)

    package struct Days: Sendable, Hashable {
        /// The days from today on that the forecast knows, in order.
        package var days: [DayForecast]
        /// How many of the trip's days have gone, and are left out.
        package var past: Int
        /// Days in reach of which the service knew nothing.
        package var unknown: [CalendarDate]
        /// What of the trip lies after the forecast's last day, if anything does.
        package var later: Later?

        package init(days: [DayForecast], past: Int = 0, unknown: [CalendarDate] = [], later: Later? = nil) {
            self.days = days
            self.past = past
            self.unknown = unknown
            self.later = later
        }
    }

    /// The part of a trip after the forecast's last day.
    package struct Later: Sendable, Hashable {
        /// How many days it has.
        package var count: Int
        /// The forecast's last day.
        package var reach: CalendarDate
        /// The first date on which the trip's last day comes into reach, and so the whole.
        package var comeBack: CalendarDate

        package init(count: Int, reach: CalendarDate, comeBack: CalendarDate) {
            self.count = count
            self.reach = reach
            self.comeBack = comeBack
        }
    }

    /// Cuts a trip's days out of a forecast.
    ///
    /// - Parameters:
    ///   - span: The trip.
    ///   - context: A forecast at the trip's place.
    ///   - unixTime: Now, in seconds; which day that is at the place decides what has gone.
    package init(of span: TripSpan, in context: WeatherContext, atUnixTime unixTime: Int) {
        let window = ForecastWindow(of: context, atUnixTime: unixTime)
        if span.end < window.today {
            self = .over
            return
        }
        let first = max(span.start, window.today)
        guard first <= window.last else {
            self = .beyond(reach: window.last, comeBack: window.firstDate(reaching: first))
            return
        }
        let last = min(span.end, window.last)
        let days = context.days.filter { first <= $0.date && $0.date <= last }
        let known = Set(days.map(\.date))
        let inReach = (0...first.days(until: last)).map(first.advanced(by:))
        let laterCount = max(window.last.days(until: span.end), 0)
        self = .days(
            Days(
                days: days, past: max(span.start.days(until: first), 0),
                unknown: inReach.filter { !known.contains($0) },
                later: laterCount == 0
                    ? nil
                    : Later(
                        count: laterCount, reach: window.last, comeBack: window.firstDate(reaching: span.end))
            ))
    }
}
