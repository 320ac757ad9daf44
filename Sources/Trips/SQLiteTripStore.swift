package import Storage
package import Weather

/// Trips in a SQLite file of their own, for as many processes as like to share it. What a call acknowledged survives
/// the end of the process and of power.
package final class SQLiteTripStore: TripStore {
    private let database: Database
    private let rules: TripStoreRules
    private let patience: Duration

    /// Opens the file, and makes it where it is missing, with mode 0600.
    ///
    /// - Parameters:
    ///   - path: where trips.sqlite is or shall be; a missing folder is made.
    ///   - patience: the longest that a call waits for the file, whoever holds it.
    ///   - maximumFileBytes: the largest that the file may grow; then writes fail as `full`.
    /// - Throws: as `Database.open`.
    package static nonisolated(nonsending) func open(
        _ path: String, _ rules: TripStoreRules, patience: Duration = .seconds(5),
        maximumFileBytes: Int? = nil
    ) async throws(StorageError) -> SQLiteTripStore {
        let options = TripSchema.options(path, busyTimeout: patience, maximumFileBytes: maximumFileBytes)
        return SQLiteTripStore(try await Database.open(options), rules, patience)
    }

    private init(_ database: Database, _ rules: TripStoreRules, _ patience: Duration) {
        self.database = database
        self.rules = rules
        self.patience = patience
    }

    /// Closes the file. Later calls fail as `unavailable`.
    package nonisolated(nonsending) func close() async {
        await database.close()
    }

    /// Whether the file can only be read.
    package var isReadOnly: Bool {
        get async { await database.isReadOnly }
    }

    // MARK: Reading

    package nonisolated(nonsending) func list(
        for traveller: TravellerID
    ) async throws(TripStoreError) -> TripList {
        let rules = rules
        return try await read { table throws(StorageError) in
            .success(try table.list(traveller) ?? rules.examples)
        }
    }

    package nonisolated(nonsending) func trip(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) -> Trip {
        let rules = rules
        return try await read { table throws(StorageError) in
            try table.find(id, traveller, rules).map { .success($0) } ?? .failure(.gone)
        }
    }

    package nonisolated(nonsending) func shared(_ share: ShareID) async throws(TripStoreError) -> SharedTrip {
        try await read { table throws(StorageError) in
            try table.shared(share).map { .success(SharedTrip($0)) } ?? .failure(.gone)
        }
    }

    // MARK: Writing

    package nonisolated(nonsending) func add(
        _ plan: TripPlan, key: CreationKey, for traveller: TravellerID
    ) async throws(TripStoreError) -> TripAddition {
        let rules = rules
        return try await write { table throws(StorageError) in
            if let trip = try table.added(key, traveller) { return .success(.alreadyAdded(trip)) }
            let owner = try table.owner(traveller)
            var count = rules.examples.trips.count
            if let owner { count = try table.count(owner) }
            guard count < rules.tripLimit else { return .failure(.tooMany(limit: rules.tripLimit)) }
            let trip = rules.newTrip(plan)
            if let owner {
                try table.insert(trip, key, of: owner)
            } else {
                try table.insert(trip, key, of: try table.settle(traveller, rules))
            }
            return .success(.added(trip))
        }
    }

    package nonisolated(nonsending) func change(
        _ id: TripID, ifVersion version: TripVersion, to plan: TripPlan, for traveller: TravellerID
    ) async throws(TripStoreError) -> Trip {
        let rules = rules
        return try await change(id, version, traveller) { table, trip throws(StorageError) in
            let changed = trip.changed(to: plan, TripVersion(from: rules.random))
            try table.update(changed)
            return changed
        }
    }

    package nonisolated(nonsending) func delete(
        _ id: TripID, ifVersion version: TripVersion, for traveller: TravellerID
    ) async throws(TripStoreError) {
        try await change(id, version, traveller) { table, trip throws(StorageError) in
            try table.delete(trip)
        }
    }

    @discardableResult
    package nonisolated(nonsending) func setPlace(
        _ place: Place, of id: TripID, foundFor query: PlaceQuery, for traveller: TravellerID
    ) async throws(TripStoreError) -> Bool {
        let rules = rules
        return try await write { table throws(StorageError) in
            guard var trip = try table.find(id, traveller, rules) else { return .failure(.gone) }
            guard case .kept = trip.id, trip.plan.isAsked(by: query) else { return .success(false) }
            trip.place = place
            try table.update(trip)
            return .success(true)
        }
    }

    package nonisolated(nonsending) func share(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) -> ShareID {
        let rules = rules
        return try await change(id, nil, traveller) { table, trip throws(StorageError) in
            if let share = trip.share { return share }
            let share = ShareID(from: rules.random)
            try table.setShare(share, of: trip)
            return share
        }
    }

    package nonisolated(nonsending) func unshare(
        _ id: TripID, for traveller: TravellerID
    ) async throws(TripStoreError) {
        let rules = rules
        try await write { table throws(StorageError) -> Result<Void, TripStoreError> in
            guard let trip = try table.find(id, traveller, rules) else { return .failure(.gone) }
            if trip.share != nil { try table.setShare(nil, of: trip) }
            return .success(())
        }
    }

    package nonisolated(nonsending) func forget(_ traveller: TravellerID) async throws(TripStoreError) {
        try await write { table throws(StorageError) -> Result<Void, TripStoreError> in
            try table.forget(traveller)
            return .success(())
        }
    }

    // MARK: Transactions

    /// Changes one trip, of which a copy is made first where it is an example yet. A refusal copies nothing.
    private nonisolated(nonsending) func change<T: Sendable>(
        _ id: TripID, _ version: TripVersion?, _ traveller: TravellerID,
        _ body: @Sendable (TripTable, Trip) throws(StorageError) -> T
    ) async throws(TripStoreError) -> T {
        let rules = rules
        return try await write { table throws(StorageError) in
            guard let seen = try table.find(id, traveller, rules) else { return .failure(.gone) }
            if let version, seen.version != version { return .failure(.conflict(current: seen)) }
            if case .example = seen.id { _ = try table.settle(traveller, rules) }
            guard let trip = try table.find(id, traveller, rules) else { return .failure(.gone) }
            return .success(try body(table, trip))
        }
    }

    private nonisolated(nonsending) func read<T: Sendable>(
        _ body: @Sendable (TripTable) throws(StorageError) -> Result<T, TripStoreError>
    ) async throws(TripStoreError) -> T {
        let result: Result<T, TripStoreError>
        do throws(StorageError) {
            result = try await database.read(by: .now.advanced(by: patience)) {
                connection throws(StorageError) in
                try body(TripTable(connection))
            }
        } catch {
            throw .storage(error)
        }
        return try result.get()
    }

    /// A refusal that `body` returns commits what it did before, which is nothing.
    private nonisolated(nonsending) func write<T: Sendable>(
        _ body: @Sendable (TripTable) throws(StorageError) -> Result<T, TripStoreError>
    ) async throws(TripStoreError) -> T {
        let result: Result<T, TripStoreError>
        do throws(StorageError) {
            result = try await database.write(by: .now.advanced(by: patience)) {
                connection throws(StorageError) in
                try body(TripTable(connection))
            }
        } catch {
            throw .storage(error)
        }
        return try result.get()
    }
}
