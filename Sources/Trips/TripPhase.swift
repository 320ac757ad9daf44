package import Weather

/// When a trip is, seen from a day.
package enum TripPhase: Sendable, Hashable {
    case underWay
    /// It starts in as many days, 1 or more.
    case upcoming(days: Int)
    case over
}

extension TripSpan {
    /// - Parameter today: The place's date, or that in UTC: nobody's page is worth a question for it.
    package func phase(on today: CalendarDate) -> TripPhase {
        if end < today { return .over }
        let days = today.days(until: start)
        return days > 0 ? .upcoming(days: days) : .underWay
    }
}
