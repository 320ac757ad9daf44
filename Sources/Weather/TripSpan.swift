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

    /// How many days it touches: one more than nights.
    package var dayCount: Int { nights + 1 }
}
