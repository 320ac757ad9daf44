package import Weather

/// Keeps trips.
///
/// Every question names the traveller and sees that traveller's trips alone. Whoever has written nothing yet has the
/// examples. Their first write keeps copies of the examples for them, and goes on from there: a copy has an id of its
/// own, the example's plan, place and version, and answers to the example's name too.
///
/// What was acknowledged stays. Any call throws `storage` where the store itself is in trouble.
package protocol TripStore: Sendable {
    /// All of a traveller's trips.
    nonisolated(nonsending) func list(for traveller: TravellerID) async throws(TripStoreError) -> TripList

    /// - Throws: `gone`.
    nonisolated(nonsending) func trip(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) -> Trip

    /// Adds a trip whose place isn't known yet; once for each key, however often it is called.
    ///
    /// - Throws: `tooMany`.
    nonisolated(nonsending) func add(
        _ plan: TripPlan, key: CreationKey, for traveller: TravellerID
    ) async throws(TripStoreError) -> TripAddition

    /// Puts a plan in the place of another. With the city or the country, the place that was found goes.
    ///
    /// - Parameter version: what the traveller saw.
    /// - Returns: the trip as it is now, under its own id.
    /// - Throws: `gone`, `conflict`.
    nonisolated(nonsending) func change(
        _ id: TripID, ifVersion version: TripVersion, to plan: TripPlan, for traveller: TravellerID
    ) async throws(TripStoreError) -> Trip

    /// - Throws: `gone`, `conflict`.
    nonisolated(nonsending) func delete(
        _ id: TripID, ifVersion version: TripVersion, for traveller: TravellerID
    ) async throws(TripStoreError)

    /// Notes where a trip goes, if it still goes to the city that was asked about. An example's place is known, and
    /// noting it is no write of the traveller's.
    ///
    /// - Returns: whether it was noted.
    /// - Throws: `gone`.
    @discardableResult
    nonisolated(nonsending) func setPlace(
        _ place: Place, of id: TripID, foundFor query: PlaceQuery, for traveller: TravellerID
    ) async throws(TripStoreError) -> Bool

    /// Makes a link under which others may read the trip. A trip has one at most: that is returned again until it is
    /// revoked.
    ///
    /// - Throws: `gone`.
    nonisolated(nonsending) func share(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) -> ShareID

    /// Revokes a trip's link for good, if it has one.
    ///
    /// - Throws: `gone`.
    nonisolated(nonsending) func unshare(_ id: TripID, for traveller: TravellerID)
        async throws(TripStoreError)

    /// What a link leads to, whoever asks.
    ///
    /// - Throws: `gone`.
    nonisolated(nonsending) func shared(_ share: ShareID) async throws(TripStoreError) -> SharedTrip

    /// Removes everything kept about a traveller, links included. To the store they are somebody new afterwards.
    nonisolated(nonsending) func forget(_ traveller: TravellerID) async throws(TripStoreError)
}

extension TripStore {
    /// The sum of nights over all of a traveller's trips.
    package nonisolated(nonsending) func totalNights(
        for traveller: TravellerID
    ) async throws(TripStoreError) -> Int {
        try await list(for: traveller).totalNights
    }

    /// The trip that starts soonest after another; nil where that is the last, or gone.
    package nonisolated(nonsending) func next(
        after id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) -> Trip? {
        try await list(for: traveller).next(after: id)
    }
}

/// What a store keeps to, and what it takes from outside.
package struct TripStoreRules: Sendable {
    /// How many trips a traveller may have.
    package var tripLimit: Int
    /// The day on which the examples are seen.
    package var today: @Sendable () -> CalendarDate
    /// Where ids, links and versions are drawn from.
    package var random: TripRandom

    package init(
        tripLimit: Int = 200, today: @escaping @Sendable () -> CalendarDate, random: TripRandom = .system
    ) {
        self.tripLimit = tripLimit
        self.today = today
        self.random = random
    }

    var examples: TripList { ExampleTrip.list(today()) }

    func newTrip(_ plan: TripPlan) -> Trip {
        Trip(id: .kept(RandomKey(from: random)), plan: plan, version: TripVersion(from: random))
    }

    /// The copy of an example, for a traveller to keep.
    func copy(of example: Trip) -> Trip {
        Trip(
            id: .kept(RandomKey(from: random)), plan: example.plan, place: example.place,
            version: example.version, example: example.example)
    }
}
