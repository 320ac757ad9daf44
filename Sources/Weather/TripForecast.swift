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

/// A day of a trip, and what is known of its weather.
package struct TripDay: Sendable, Hashable {
    /// Where a day's weather comes from, which follows from its date.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Before the place's today: what the archive has of it.
        case observed
        /// Today, and as far as the forecast reaches.
        case forecast
        /// Beyond: what it is usually like.
        case usual
    }

    package enum Weather: Sendable, Hashable {
        /// A past day. If the archive doesn't have it yet, it is the last forecast for it.
        case observed(DayForecast, isForecast: Bool)
        case forecast(DayForecast)
        case usual(UsualDay)
    }

    package enum State: Sendable, Hashable {
        case loaded(Weather)
        /// Being asked for, or to be asked for with the next question.
        case loading
        case unknown
    }

    /// On the place's calendar.
    package var date: CalendarDate
    package var kind: Kind
    package var state: State

    package init(_ date: CalendarDate, _ kind: Kind, _ state: State) {
        (self.date, self.kind, self.state) = (date, kind, state)
    }

    package init(_ weather: Weather, on date: CalendarDate) {
        self.date = date
        state = .loaded(weather)
        kind =
            switch weather {
            case .observed: .observed
            case .forecast: .forecast
            case .usual: .usual
            }
    }

    package var weather: Weather? {
        if case .loaded(let weather) = state { weather } else { nil }
    }

    /// What was forecast or observed; nil for what is only usual.
    package var day: DayForecast? {
        switch weather {
        case .observed(let day, _), .forecast(let day): day
        case .usual, nil: nil
        }
    }

    package var usual: UsualDay? {
        if case .usual(let day) = weather { day } else { nil }
    }
}

/// What is known of a trip's days.
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

    /// What there is of one of the archive's answers.
    package enum Lookup: Sendable, Hashable {
        case known(ArchiveDays)
        case loading
        case failed(WeatherError)
    }

    /// How many days after today the service forecasts.
    private static let reach = OpenMeteoRequests.forecastDays - 1

    package var start: CalendarDate
    package var nights: Int
    /// Every day of the trip, in order: one more than it has nights.
    package var days: [TripDay]
    package var isOver: Bool
    /// Set if some of the trip's days, or all, lie after the forecast's last.
    package var beyond: Beyond?
    /// Whether the subscription doesn't include the archive.
    package var isArchiveMissing = false

    package init(
        start: CalendarDate, nights: Int, days: [TripDay], isOver: Bool = false, beyond: Beyond? = nil
    ) {
        self.start = start
        self.nights = nights
        self.days = days
        self.isOver = isOver
        self.beyond = beyond
    }

    /// Puts a trip's days together.
    ///
    /// - Parameters:
    ///   - span: The trip.
    ///   - context: A forecast at the trip's place, which may have been asked for some days ago; nil if there is none.
    ///   - unixTime: Now, in seconds; which day that is at the place decides what is past.
    ///   - lookup: What there is of the archive's days.
    package init(
        of span: TripSpan, in context: WeatherContext?, atUnixTime unixTime: Int,
        lookup: (ArchivePeriod) -> Lookup
    ) {
        self.init(start: span.start, nights: span.nights, days: [])
        let calendar = TripCalendar(span, in: context, atUnixTime: unixTime)
        let today = calendar.today
        days.reserveCapacity(span.nights + 1)
        for (date, kind, period) in calendar.days {
            let known = context?.days.known(date)
            let answer = period.map(lookup)
            if case .failed(.notSubscribed)? = answer { isArchiveMissing = true }
            let state: TripDay.State =
                switch (kind, answer) {
                case (.forecast, _):
                    known.map { .loaded(.forecast($0)) } ?? .unknown
                case (.observed, let answer):
                    if case .known(.observed(let past))? = answer, let day = past.known(date) {
                        .loaded(.observed(day, isForecast: false))
                    } else if let known {
                        .loaded(.observed(known, isForecast: true))
                    } else if case .loading? = answer {
                        .loading
                    } else {
                        .unknown
                    }
                case (.usual, .known(.usual(let days))?):
                    days.first { $0.month == date.month && $0.day == date.day }
                        .map { .loaded(.usual($0)) } ?? .unknown
                case (.usual, .loading?): .loading
                case (.usual, _): .unknown
                }
            days.append(TripDay(date, kind, state))
        }
        isOver = span.end < today
        let last = calendar.lastForecast ?? today.advanced(by: TripForecast.reach)
        if !isOver, span.end > last {
            let first = max(span.start, today)
            let missing = first <= last ? span.end : first
            // Tomorrow at the soonest, if it isn't in reach yet.
            let comeBack = max(missing.advanced(by: -TripForecast.reach), today.advanced(by: 1))
            beyond = Beyond(forecastReachesTo: last, comeBackOn: comeBack)
        }
    }

    /// Whether a day is on its way, so that it is worth asking again.
    package var isLoading: Bool { days.contains { $0.state == .loading } }
}

/// Which day of a trip is of which kind, and what the archive has to be asked for it.
package struct TripCalendar {
    /// The place's, or UTC's as long as that isn't known.
    let today: CalendarDate
    private let span: TripSpan
    private let context: WeatherContext?

    package init(_ span: TripSpan, in context: WeatherContext?, atUnixTime unixTime: Int) {
        self.span = span
        self.context = context
        // Without a zone the forecast's days are UTC's, and today is too.
        today = CalendarDate(unixTime: unixTime, utcOffset: context?.utcOffset ?? 0)
    }

    /// What the archive has to be asked, each once, in the order of the days.
    package var periods: [ArchivePeriod] {
        var periods: [ArchivePeriod] = []
        for (_, _, period) in days {
            if let period, periods.last != period, !periods.contains(period) { periods.append(period) }
        }
        return periods
    }

    /// The last day that there is a forecast for; nil if there is none.
    var lastForecast: CalendarDate? {
        context?.days.last { $0.maximum != nil || $0.minimum != nil }?.date
    }

    var days: [(date: CalendarDate, kind: TripDay.Kind, period: ArchivePeriod?)] {
        // As long as the place's clock isn't known, its today may be UTC's yesterday or tomorrow.
        let slack = context == nil ? 1 : 0
        let firstForecast = today.advanced(by: -slack)
        let lastForecast = today.advanced(by: OpenMeteoRequests.forecastDays - 1 + slack)
        return (0...span.nights).map { index in
            let date = span.start.advanced(by: index)
            if date < firstForecast {
                return (date, .observed, ArchivePeriod.observed(date, today: today))
            }
            // A forecast day that has neither high nor low is none.
            if date <= lastForecast, context == nil || context?.days.known(date) != nil {
                return (date, .forecast, nil)
            }
            return (date, .usual, ArchivePeriod.usual(date, today: today))
        }
    }
}

extension [DayForecast] {
    /// A day of which there is a high or a low.
    fileprivate func known(_ date: CalendarDate) -> DayForecast? {
        first { $0.date == date && ($0.maximum != nil || $0.minimum != nil) }
    }
}
