package import Weather

/// A trip that a traveller keeps, or an example that they are shown.
package struct Trip: Sendable, Hashable, Identifiable {
    package let id: TripID
    package var plan: TripPlan
    /// Where it goes; nil as long as that wasn't found.
    package var place: Place?
    /// Changes whenever the plan does. Finding the place or sharing the trip leaves it as it is: neither is what
    /// somebody wrote, and neither may be in the way of somebody who writes.
    package var version: TripVersion
    /// The link under which others may read it; nil if there is none.
    package var share: ShareID?
    /// Which example it is, or was copied from.
    private(set) var example: ExampleTrip?

    /// Whether nobody has changed it: a copy of an example is somebody's own.
    package var isExample: Bool {
        if case .example = id { true } else { false }
    }

    /// Whether the id is this trip's: its own, or the example's that it was copied from.
    package func answers(to id: TripID) -> Bool {
        if self.id == id { return true }
        guard let example else { return false }
        return id == .example(example)
    }

    /// The trip with another plan. The place stays only if the trip goes to the same city.
    ///
    /// - Parameter place: where it goes from now on; nil if that isn't said.
    func changed(to plan: TripPlan, at place: Place?, _ version: TripVersion) -> Trip {
        var trip = self
        if place != nil || !plan.isAsked(by: self.plan.placeQuery()) { trip.place = place }
        trip.plan = plan
        trip.version = version
        return trip
    }
}

/// What others see of a trip under its share link: enough to read, nothing to write with.
package struct SharedTrip: Sendable, Hashable {
    package let plan: TripPlan
    /// Nil as long as it wasn't found.
    package var place: Place?

    package init(_ trip: Trip) {
        plan = trip.plan
        place = trip.place
    }
}

/// All of a traveller's trips, in order of start; those of one day in the order in which they were added.
package struct TripList: Sendable, Hashable {
    package private(set) var trips: [Trip]

    init(inOrder trips: [Trip]) {
        self.trips = trips
    }

    /// The sum of nights over all of them.
    package var totalNights: Int { trips.reduce(0) { $0 + $1.plan.nights } }

    /// Nil if there is no such trip among them.
    package func trip(_ id: TripID) -> Trip? {
        trips.first { $0.answers(to: id) }
    }

    package mutating func replace(_ trip: Trip) {
        if let index = trips.firstIndex(where: { $0.id == trip.id }) { trips[index] = trip }
    }

    /// As they matter on a day: those under way, those to come, the next one first, and those that are over, the last
    /// one first. A group without trips is left out.
    package func groups(on today: CalendarDate) -> [(phase: TripPhase, trips: [Trip])] {
        var (underWay, upcoming, over): ([Trip], [Trip], [Trip]) = ([], [], [])
        for trip in trips {
            switch trip.plan.span.phase(on: today) {
            case .underWay: underWay.append(trip)
            case .upcoming: upcoming.append(trip)
            case .over: over.insert(trip, at: 0)
            }
        }
        return [underWay, upcoming, over].compactMap { trips in
            trips.first.map { (phase: $0.plan.span.phase(on: today), trips: trips) }
        }
    }

    /// The trip that starts soonest after another: the one behind it in the list. Nil if that is the last, or not
    /// among them.
    package func next(after id: TripID) -> Trip? {
        guard let index = trips.firstIndex(where: { $0.answers(to: id) }), index + 1 < trips.count else {
            return nil
        }
        return trips[index + 1]
    }
}
