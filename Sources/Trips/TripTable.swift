internal import Storage
internal import Weather

/// The trips' tables inside one transaction.
struct TripTable {
    private let connection: Connection
    private let rules: TripStoreRules

    init(_ connection: Connection, _ rules: TripStoreRules) {
        self.connection = connection
        self.rules = rules
    }

    // MARK: Travellers

    /// The traveller whose key this is, or is to be.
    func traveller(_ id: TravellerID) throws(StorageError) -> (seen: CalendarDate, isNext: Bool)? {
        try connection.first(
            "SELECT seen, key <> ?1 FROM traveller WHERE key = ?1 OR next_key = ?1", .text(id.key)
        ) { row throws(StorageError) in
            (CalendarDate(daysSinceEpoch: try row.value(0)), try row.value(1))
        }
    }

    /// From the first use of the next key on, the old one is nobody's.
    func takeNextKey(_ id: TravellerID) throws(StorageError) {
        try connection.run(
            "UPDATE traveller SET key = next_key, next_key = NULL WHERE next_key = ?", .text(id.key))
    }

    /// The key that is to take the place of a traveller's; the same one until it is used.
    func nextKey(of id: TravellerID) throws(StorageError) -> TravellerID? {
        let drawn = RandomKey(from: rules.random)
        let key = try connection.value(
            "UPDATE traveller SET next_key = ifnull(next_key, ?2) WHERE key = ?1 RETURNING next_key",
            .text(id.key), .text(TravellerID.visitor(drawn).key), as: String.self)
        return key.flatMap { TravellerID(visitorKey: $0) }
    }

    func see(_ id: TravellerID) throws(StorageError) {
        try connection.run(
            "UPDATE traveller SET seen = ?2 WHERE key = ?1 AND seen < ?2", .text(id.key),
            .integer(rules.today().daysSinceEpoch))
    }

    /// Makes somebody new a traveller. None is seen earlier than the last one: a clock that was set back, as it is
    /// where a machine without a battery starts, must not make them look long unseen.
    func settle(_ id: TravellerID) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO traveller (key, seen)
            VALUES (?1, max(?2, ifnull((SELECT max(seen) FROM traveller), 0)))
            ON CONFLICT (key) DO NOTHING
            """, .text(id.key), .integer(rules.today().daysSinceEpoch))
    }

    /// Removes some of the travellers that were unseen for too long.
    func sweep() throws(StorageError) {
        let oldest = rules.today().advanced(by: -rules.keepUnseen)
        try connection.run(
            """
            DELETE FROM traveller WHERE number IN (
                SELECT number FROM traveller WHERE seen < ? ORDER BY seen LIMIT 20)
            """, .integer(oldest.daysSinceEpoch))
    }

    /// Removes a traveller with their trips.
    func forget(_ id: TravellerID) throws(StorageError) {
        try connection.run("DELETE FROM traveller WHERE key = ?", .text(id.key))
    }

    // MARK: Reading

    /// The traveller's trips, and the examples that they have neither changed nor deleted.
    func list(_ traveller: TravellerID) throws(StorageError) -> TripList {
        var trips = try examples(for: traveller)
        let kept = try connection.rows(
            "SELECT * FROM kept_trip WHERE traveller = ? ORDER BY start, number", .text(traveller.key),
            make: TripTable.trip)
        // Each is in order already; an example comes before a trip of the same day.
        for trip in kept {
            let index = trips.lastIndex { $0.plan.start <= trip.plan.start }
            trips.insert(trip, at: index.map { $0 + 1 } ?? 0)
        }
        return TripList(inOrder: trips)
    }

    private func examples(for traveller: TravellerID) throws(StorageError) -> [Trip] {
        let hidden = try connection.rows(
            "SELECT example FROM hidden_example WHERE traveller = (SELECT number FROM traveller WHERE key = ?)",
            .text(traveller.key)
        ) { row throws(StorageError) in
            try row.value(0, as: String.self)
        }
        return rules.examples.trips.filter { !hidden.contains($0.id.description) }
    }

    /// A trip that the traveller keeps, or an example that they are shown.
    func find(_ id: TripID, _ traveller: TravellerID) throws(StorageError) -> Trip? {
        let kept = try connection.first(
            "SELECT * FROM kept_trip WHERE traveller = ?1 AND (id = ?2 OR example = ?2)",
            .text(traveller.key), .text(id.description), make: TripTable.trip)
        if let kept { return kept }
        guard case .example = id else { return nil }
        return try examples(for: traveller).first { $0.id == id }
    }

    func shared(_ share: ShareID) throws(StorageError) -> Trip? {
        try connection.first(
            "SELECT * FROM kept_trip WHERE share = ?", .text(share.text), make: TripTable.trip)
    }

    /// How many trips the traveller has, examples among them.
    func count(_ traveller: TravellerID) throws(StorageError) -> Int {
        let kept = try connection.value(
            "SELECT count(*) FROM kept_trip WHERE traveller = ?", .text(traveller.key), as: Int.self)
        return try (kept ?? 0) + examples(for: traveller).count
    }

    // MARK: Additions

    /// How long a creation key is remembered, in seconds.
    private static let additionLife = 86_400

    /// The trip as it was added under a key.
    func added(_ key: CreationKey, _ traveller: TravellerID) throws(StorageError) -> Trip? {
        try connection.first(
            "SELECT * FROM added_trip WHERE traveller = ? AND creation_key = ?", .text(traveller.key),
            .text(key.text), make: TripTable.trip)
    }

    func remember(_ trip: Trip, _ key: CreationKey, _ traveller: TravellerID) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO addition
            SELECT traveller, ?2, ?3, id, version, city, country, start, nights, price, picture, favourite
            FROM trip WHERE id = ?1
            """, .text(trip.id.description), .text(key.text), .integer(rules.unixTime()))
    }

    /// Forgets old keys, and those that a clock which was wrong has put into the future.
    func forgetAdditions() throws(StorageError) {
        try connection.run(
            "DELETE FROM addition WHERE added < ?1 - ?2 OR added > ?1 + ?2", .integer(rules.unixTime()),
            .integer(TripTable.additionLife))
    }

    // MARK: Writing

    /// The trip as a row of the traveller's: of an example a copy is made.
    func kept(_ trip: Trip, _ traveller: TravellerID) throws(StorageError) -> Trip {
        guard case .example = trip.id else { return trip }
        let copy = Trip(
            id: .kept(RandomKey(from: rules.random)), plan: trip.plan, place: trip.place,
            version: trip.version, example: trip.example)
        try hide(trip, from: traveller)
        try insert(copy, of: traveller)
        return copy
    }

    /// Shows the traveller an example no more.
    func hide(_ example: Trip, from traveller: TravellerID) throws(StorageError) {
        try settle(traveller)
        try connection.run(
            "INSERT INTO hidden_example SELECT number, ?2 FROM traveller WHERE key = ?1",
            .text(traveller.key), .text(example.id.description))
    }

    func insert(_ trip: Trip, of traveller: TravellerID) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO trip (traveller, id, example, version, city, start, nights, price, favourite)
            VALUES ((SELECT number FROM traveller WHERE key = ?), ?, ?, 0, '-', 0, 1, 0, 0)
            """, .text(traveller.key), .text(trip.id.description), .text(trip.example?.rawValue))
        try update(trip)
        if let place = trip.place { try setPlace(place, of: trip) }
    }

    /// Writes the plan and the version. The place goes if the trip has none.
    func update(_ trip: Trip) throws(StorageError) {
        let plan = trip.plan
        try connection.run(
            """
            UPDATE trip SET
                version = ?2, city = ?3, country = ?4, start = ?5, nights = ?6, price = ?7, picture = ?8,
                favourite = ?9
            WHERE id = ?1
            """,
            .text(trip.id.description), .integer(Int(bitPattern: UInt(trip.version.bits))), .text(plan.city),
            .text(plan.country), .integer(plan.start.daysSinceEpoch), .integer(plan.nights),
            .integer(plan.price), .text(plan.picture?.description), .flag(plan.isFavourite))
        if trip.place == nil { try setPlace(nil, of: trip) }
    }

    /// The name of a place that has an id is in somebody's language: it is asked for in each reader's own.
    func setPlace(_ place: Place?, of trip: Trip) throws(StorageError) {
        let named = place?.identifier == nil ? place : nil
        try connection.run(
            """
            UPDATE trip SET
                place_identifier = ?2, place_name = ?3, place_country = ?4, place_country_code = ?5,
                place_region = ?6, latitude = ?7, longitude = ?8, time_zone = ?9
            WHERE id = ?1
            """,
            .text(trip.id.description), .integer(place?.identifier), .text(named?.name),
            .text(named?.country), .text(place?.countryCode), .text(named?.region),
            .real(place?.coordinate.latitude), .real(place?.coordinate.longitude), .text(place?.timeZone))
    }

    func setShare(_ share: ShareID?, of trip: Trip) throws(StorageError) {
        try connection.run(
            "UPDATE trip SET share = ? WHERE id = ?", .text(share?.text), .text(trip.id.description))
    }

    func delete(_ trip: Trip) throws(StorageError) {
        try connection.run("DELETE FROM trip WHERE id = ?", .text(trip.id.description))
    }

    // MARK: Rows

    /// Reads a row of a view. What no trip can be is an error, not a guess: it was not written here.
    private static func trip(_ row: borrowing Row) throws(StorageError) -> Trip {
        let start = CalendarDate(daysSinceEpoch: try row.value(6))
        let nights = try row.value(7, as: Int.self)
        let span = TripPlan.startRange.contains(start) ? TripSpan(start: start, nights: nights) : nil
        let plan = TripPlan(
            city: try row.value(4), country: try row.value(5), span: try read("start or nights", span),
            price: try row.value(8), picture: try read("picture", row.value(9)) { PictureName($0) },
            isFavourite: try row.value(10))
        return Trip(
            id: .kept(try read("id", RandomKey(try row.value(0, as: String.self)))), plan: plan,
            place: try place(row, plan),
            version: TripVersion(bits: UInt64(UInt(bitPattern: try row.value(1)))),
            share: try read("share", row.value(3)) { ShareID($0) },
            example: try read("example", row.value(2)) { ExampleTrip(rawValue: $0) })
    }

    /// Where no name is kept, it is as somebody typed it.
    private static func place(_ row: borrowing Row, _ plan: TripPlan) throws(StorageError) -> Place? {
        guard let latitude = try row.value(16, as: Double?.self) else { return nil }
        let name = try row.value(12, as: String?.self)
        let coordinate = Coordinate(latitude: latitude, longitude: try row.value(17))
        return Place(
            identifier: try row.value(11), name: name ?? plan.city,
            country: name == nil ? plan.country : try row.value(13), countryCode: try row.value(14),
            region: try row.value(15), coordinate: try read("coordinate", coordinate),
            timeZone: try row.value(18))
    }

    private static func read<T>(_ what: String, _ value: T?) throws(StorageError) -> T {
        guard let value else { throw .unexpectedValue("no \(what) of a trip") }
        return value
    }

    private static func read<T>(
        _ what: String, _ text: String?, _ make: (String) -> T?
    ) throws(StorageError) -> T? {
        guard let text else { return nil }
        return try read(what, make(text))
    }
}
