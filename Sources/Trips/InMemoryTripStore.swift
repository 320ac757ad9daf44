internal import Synchronization
package import Weather

/// Trips for as long as the process lives: for tests and samples.
package final class InMemoryTripStore: TripStore {
    /// Whom a traveller's trips belong to. Keys are compared by their bytes, as they are in a database, since equal
    /// strings may differ in these.
    private struct Owner: Hashable {
        let bytes: [UInt8]

        init(_ traveller: TravellerID) {
            bytes = Array(traveller.key.utf8)
        }
    }

    private struct Entry {
        var trip: Trip
        var key: CreationKey?
    }

    /// In the order in which they were added.
    private typealias Book = [Entry]

    private let rules: TripStoreRules
    private let books = Mutex<[Owner: Book]>([:])

    package init(_ rules: TripStoreRules) {
        self.rules = rules
    }

    package nonisolated(nonsending) func list(
        for traveller: TravellerID
    ) async throws(TripStoreError) -> TripList {
        guard let book = books.withLock({ $0[Owner(traveller)] }) else { return rules.examples }
        // Swift's sort is stable in practice but not by promise.
        let order = book.indices.sorted { first, second in
            (book[first].trip.plan.start, first) < (book[second].trip.plan.start, second)
        }
        return TripList(inOrder: order.map { book[$0].trip })
    }

    package nonisolated(nonsending) func trip(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) -> Trip {
        guard let trip = try await list(for: traveller).trip(id) else { throw .gone }
        return trip
    }

    package nonisolated(nonsending) func add(
        _ plan: TripPlan, key: CreationKey, for traveller: TravellerID
    ) async throws(TripStoreError) -> TripAddition {
        let owner = Owner(traveller)
        return try books.withLock { books throws(TripStoreError) in
            var book = books[owner] ?? copies
            if let entry = book.first(where: { $0.key == key }) { return .alreadyAdded(entry.trip) }
            guard book.count < rules.tripLimit else { throw .tooMany(limit: rules.tripLimit) }
            let trip = rules.newTrip(plan)
            book.append(Entry(trip: trip, key: key))
            books[owner] = book
            return .added(trip)
        }
    }

    package nonisolated(nonsending) func change(
        _ id: TripID, ifVersion version: TripVersion, to plan: TripPlan, for traveller: TravellerID
    ) async throws(TripStoreError) -> Trip {
        try change(id, version, traveller) { book, index in
            let trip = book[index].trip.changed(to: plan, TripVersion(from: rules.random))
            book[index].trip = trip
            return trip
        }
    }

    package nonisolated(nonsending) func delete(
        _ id: TripID, ifVersion version: TripVersion, for traveller: TravellerID
    ) async throws(TripStoreError) {
        try change(id, version, traveller) { book, index in
            _ = book.remove(at: index)
        }
    }

    @discardableResult
    package nonisolated(nonsending) func setPlace(
        _ place: Place, of id: TripID, foundFor query: PlaceQuery, for traveller: TravellerID
    ) async throws(TripStoreError) -> Bool {
        let seen = try await trip(id, for: traveller)
        guard case .kept = seen.id else { return false }
        return try change(id, nil, traveller) { book, index in
            guard book[index].trip.plan.isAsked(by: query) else { return false }
            book[index].trip.place = place
            return true
        }
    }

    package nonisolated(nonsending) func share(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) -> ShareID {
        try change(id, nil, traveller) { book, index in
            if let share = book[index].trip.share { return share }
            let share = ShareID(from: rules.random)
            book[index].trip.share = share
            return share
        }
    }

    package nonisolated(nonsending) func unshare(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) {
        guard try await trip(id, for: traveller).share != nil else { return }
        try change(id, nil, traveller) { book, index in
            book[index].trip.share = nil
        }
    }

    package nonisolated(nonsending) func shared(_ share: ShareID) async throws(TripStoreError) -> SharedTrip {
        let trip = books.withLock { books -> Trip? in
            for book in books.values {
                if let entry = book.first(where: { $0.trip.share == share }) { return entry.trip }
            }
            return nil
        }
        guard let trip else { throw .gone }
        return SharedTrip(trip)
    }

    package nonisolated(nonsending) func forget(_ traveller: TravellerID) async throws(TripStoreError) {
        books.withLock { _ = $0.removeValue(forKey: Owner(traveller)) }
    }

    /// Changes one trip, of which a copy is made first where it is an example yet. A refusal copies nothing.
    private func change<T: Sendable>(
        _ id: TripID, _ version: TripVersion?, _ traveller: TravellerID,
        _ body: (inout Book, Int) -> T
    ) throws(TripStoreError) -> T {
        let owner = Owner(traveller)
        return try books.withLock { books throws(TripStoreError) in
            let trips = books[owner]?.map(\.trip) ?? rules.examples.trips
            guard let seen = trips.first(where: { $0.answers(to: id) }) else { throw .gone }
            if let version, seen.version != version { throw .conflict(current: seen) }
            var book = books[owner] ?? copies
            guard let index = book.firstIndex(where: { $0.trip.answers(to: id) }) else { throw .gone }
            let result = body(&book, index)
            books[owner] = book
            return result
        }
    }

    /// What a new traveller's first write begins with.
    private var copies: Book { rules.examples.trips.map { Entry(trip: rules.copy(of: $0)) } }
}
