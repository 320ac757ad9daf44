package import Storage
package import Weather

/// Keeps trips in a SQLite file of their own, for as many processes as like to share it. What a call acknowledged
/// survives the end of the process and of power.
///
/// Every question names the traveller and sees that traveller's trips alone. An example is everybody's until they
/// change or delete it: only then is a row of theirs written, with an id of its own, which answers to the example's
/// name too. Any call throws `storage` if the file itself is in trouble.
package final class TripStore: Sendable {
    private let database: Database
    private let rules: TripStoreRules
    private let busyTimeout: Duration

    /// Opens the file, and makes it if it is missing, with mode 0600.
    ///
    /// - Parameters:
    ///   - path: where trips.sqlite is or shall be; a missing folder is made.
    ///   - busyTimeout: the longest that a call waits for the file, whoever holds it.
    ///   - maximumFileBytes: the largest that the file may grow; then writes fail as `full`.
    /// - Throws: as `Database.open`.
    package static nonisolated(nonsending) func open(
        _ path: String, _ rules: TripStoreRules, busyTimeout: Duration = .seconds(5),
        maximumFileBytes: Int? = nil
    ) async throws(StorageError) -> TripStore {
        let options = TripSchema.options(path, busyTimeout: busyTimeout, maximumFileBytes: maximumFileBytes)
        return TripStore(try await Database.open(options), rules, busyTimeout)
    }

    private init(_ database: Database, _ rules: TripStoreRules, _ busyTimeout: Duration) {
        self.database = database
        self.rules = rules
        self.busyTimeout = busyTimeout
    }

    /// Closes the file. Later calls fail as `unavailable`.
    package nonisolated(nonsending) func close() async {
        await database.close()
    }

    /// Looks through the whole file for damage.
    ///
    /// - Throws: `corrupt`; `timedOut` if that takes too long.
    package nonisolated(nonsending) func check(within limit: Duration) async throws(StorageError) {
        try await database.check(by: .now.advanced(by: limit))
    }

    /// Whether the path names another file by now than the one that is open, or none.
    package var isMoved: Bool {
        get async { await database.isMoved }
    }

    // MARK: Travellers

    /// The first of these travellers of whom something is kept, and the day on which they were last seen. Whoever
    /// comes with a key that was never given out is nobody.
    package nonisolated(nonsending) func known(
        _ candidates: [TravellerID]
    ) async throws(TripStoreError) -> (id: TravellerID, seen: CalendarDate)? {
        let found = try await transact { table throws(StorageError) in
            var found: (id: TravellerID, seen: CalendarDate, isNext: Bool)?
            for id in candidates where found == nil {
                found = try table.traveller(id).map { (id, $0.seen, $0.isNext) }
            }
            return .success(found)
        }
        guard let found else { return nil }
        if found.isNext {
            try await transact(writes: true) { table throws(StorageError) in
                .success(try table.takeNextKey(found.id))
            }
        }
        return (found.id, found.seen)
    }

    /// Notes that a traveller was seen today.
    ///
    /// - Parameter withNewKey: gives out another key. The old one leads to the same trips until the new one is first
    ///   used, so that neither an answer that is lost nor two requests at once lose the trips.
    /// - Returns: the traveller as the browser is to know them from now on.
    package nonisolated(nonsending) func see(
        _ traveller: TravellerID, withNewKey: Bool = false
    ) async throws(TripStoreError) -> TravellerID {
        try await transact(writes: true) { table throws(StorageError) in
            try table.see(traveller)
            try table.sweep()
            return .success(withNewKey ? try table.nextKey(of: traveller) ?? traveller : traveller)
        }
    }

    /// Removes everything kept about a traveller, links included.
    package nonisolated(nonsending) func forget(_ traveller: TravellerID) async throws(TripStoreError) {
        try await transact(writes: true) { table throws(StorageError) in .success(try table.forget(traveller))
        }
    }

    // MARK: Reading

    /// All of a traveller's trips.
    package nonisolated(nonsending) func list(
        for traveller: TravellerID
    ) async throws(TripStoreError) -> TripList {
        try await transact { table throws(StorageError) in .success(try table.list(traveller)) }
    }

    /// - Throws: `gone`.
    package nonisolated(nonsending) func trip(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) -> Trip {
        try await transact { table throws(StorageError) in
            try table.find(id, traveller).map { .success($0) } ?? .failure(.gone)
        }
    }

    /// What a link leads to, whoever asks.
    ///
    /// - Throws: `gone`.
    package nonisolated(nonsending) func shared(_ share: ShareID) async throws(TripStoreError) -> SharedTrip {
        try await transact { table throws(StorageError) in
            try table.shared(share).map { .success(SharedTrip($0)) } ?? .failure(.gone)
        }
    }

    // MARK: Writing

    /// Adds a trip, whose place may be known already; once for each key. For a day a key answers what it answered first,
    /// whatever became of the trip.
    ///
    /// - Throws: `tooMany`; `alreadyAdded` if another plan was added under the key.
    package nonisolated(nonsending) func add(
        _ plan: TripPlan, at place: Place? = nil, key: CreationKey, for traveller: TravellerID
    ) async throws(TripStoreError) -> (trip: Trip, isNew: Bool) {
        let rules = rules
        return try await transact(writes: true) { table throws(StorageError) in
            try table.forgetAdditions()
            if let trip = try table.added(key, traveller) {
                return trip.plan == plan ? .success((trip, false)) : .failure(.alreadyAdded(trip))
            }
            guard try table.count(traveller) < rules.tripLimit else {
                return .failure(.tooMany(limit: rules.tripLimit))
            }
            let trip = Trip(
                id: .kept(RandomKey(from: rules.random)), plan: plan, place: place,
                version: TripVersion(from: rules.random))
            try table.settle(traveller)
            try table.insert(trip, of: traveller)
            try table.remember(trip, key, traveller)
            try table.sweep()
            return .success((trip, true))
        }
    }

    /// Puts a plan in the place of another. With the city or the country, the place that was found goes, unless it is
    /// said.
    ///
    /// - Parameter version: what the traveller saw.
    /// - Returns: the trip as it is now, under its own id.
    /// - Throws: `gone`, `conflict`.
    package nonisolated(nonsending) func change(
        _ id: TripID, ifVersion version: TripVersion, to plan: TripPlan, at place: Place? = nil,
        for traveller: TravellerID
    ) async throws(TripStoreError) -> Trip {
        let rules = rules
        return try await write(id, version, traveller) { table, trip throws(StorageError) in
            let changed = try table.kept(trip, traveller).changed(
                to: plan, at: place, TripVersion(from: rules.random))
            try table.update(changed)
            if let place { try table.setPlace(place, of: changed) }
            return changed
        }
    }

    /// - Throws: `gone`, `conflict`.
    package nonisolated(nonsending) func delete(
        _ id: TripID, ifVersion version: TripVersion, for traveller: TravellerID
    ) async throws(TripStoreError) {
        try await write(id, version, traveller) { table, trip throws(StorageError) in
            if case .example = trip.id {
                try table.hide(trip, from: traveller)
            } else {
                try table.delete(trip)
            }
        }
    }

    /// Notes where a trip goes, if it still goes to the city that was asked about. An example's place is known, and
    /// noting it is no write of the traveller's.
    ///
    /// - Returns: whether it was noted.
    /// - Throws: `gone`.
    @discardableResult
    package nonisolated(nonsending) func setPlace(
        _ place: Place, of id: TripID, foundFor query: PlaceQuery, for traveller: TravellerID
    ) async throws(TripStoreError) -> Bool {
        try await write(id, nil, traveller) { table, trip throws(StorageError) in
            guard case .kept = trip.id, trip.plan.isAsked(by: query) else { return false }
            try table.setPlace(place, of: trip)
            return true
        }
    }

    /// Makes a link under which others may read the trip. A trip has one at most: that is returned again until it is
    /// revoked.
    ///
    /// - Throws: `gone`.
    package nonisolated(nonsending) func share(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) -> ShareID {
        let rules = rules
        return try await write(id, nil, traveller) { table, trip throws(StorageError) in
            if let share = trip.share { return share }
            let share = ShareID(from: rules.random)
            try table.setShare(share, of: try table.kept(trip, traveller))
            return share
        }
    }

    /// Revokes a trip's link for good, if it has one.
    ///
    /// - Throws: `gone`.
    package nonisolated(nonsending) func unshare(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) {
        try await write(id, nil, traveller) { table, trip throws(StorageError) in
            if trip.share != nil { try table.setShare(nil, of: trip) }
        }
    }

    // MARK: Transactions

    /// A refusal that `body` returns changes nothing.
    private nonisolated(nonsending) func transact<T: Sendable>(
        writes: Bool = false, _ body: @Sendable (TripTable) throws(StorageError) -> Result<T, TripStoreError>
    ) async throws(TripStoreError) -> T {
        let (rules, deadline) = (rules, ContinuousClock.now.advanced(by: busyTimeout))
        @Sendable func run(_ connection: Connection) throws(StorageError) -> Result<T, TripStoreError> {
            try body(TripTable(connection, rules))
        }
        let result: Result<T, TripStoreError>
        do throws(StorageError) {
            result =
                if writes {
                    try await database.write(by: deadline, run)
                } else {
                    try await database.read(by: deadline, run)
                }
        } catch {
            throw .storage(error)
        }
        return try result.get()
    }

    /// A write to one trip, which may be an example yet.
    private nonisolated(nonsending) func write<T: Sendable>(
        _ id: TripID, _ version: TripVersion?, _ traveller: TravellerID,
        _ body: @Sendable (TripTable, Trip) throws(StorageError) -> T
    ) async throws(TripStoreError) -> T {
        try await transact(writes: true) { table throws(StorageError) in
            guard let trip = try table.find(id, traveller) else { return .failure(.gone) }
            if let version, trip.version != version { return .failure(.conflict(current: trip)) }
            return .success(try body(table, trip))
        }
    }
}

/// What a store keeps to, and what it takes from outside.
package struct TripStoreRules: Sendable {
    /// How many trips a traveller may have, examples among them.
    package var tripLimit: Int
    /// How many days a traveller is kept who isn't seen.
    package var keepUnseen: Int
    /// In seconds. The examples are seen on its day in UTC.
    package var unixTime: @Sendable () -> Int
    /// Where ids, links and versions are drawn from.
    package var random: TripRandom

    package init(
        tripLimit: Int = 200, keepUnseen: Int = 400, random: TripRandom = .system,
        unixTime: @escaping @Sendable () -> Int
    ) {
        self.tripLimit = tripLimit
        self.keepUnseen = keepUnseen
        self.random = random
        self.unixTime = unixTime
    }

    func today() -> CalendarDate { CalendarDate(unixTime: unixTime(), utcOffset: 0) }

    var examples: TripList { ExampleTrip.list(today()) }
}

/// Why a store did not do what it was asked. Nothing was changed then.
package enum TripStoreError: Error, Sendable, Hashable {
    /// The traveller has no such trip, or the share link leads nowhere: never was, deleted, revoked, or somebody
    /// else's, which nobody can tell apart.
    case gone
    /// The trip is in another state by now than the one that the traveller saw.
    case conflict(current: Trip)
    /// Another plan was added under the same creation key, as this trip.
    case alreadyAdded(Trip)
    /// The traveller has as many trips as one may have.
    case tooMany(limit: Int)
    case storage(StorageError)

    /// A label for metrics, of fixed wording.
    package var label: String {
        switch self {
        case .gone: "gone"
        case .conflict: "conflict"
        case .alreadyAdded: "already_added"
        case .tooMany: "too_many"
        case .storage(let error): error.label
        }
    }
}
