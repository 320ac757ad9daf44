internal import Storage
internal import Weather

/// The trips' tables inside one transaction.
struct TripTable {
    private let connection: Connection

    init(_ connection: Connection) {
        self.connection = connection
    }

    // MARK: Reading

    /// The traveller's number, or nil for somebody who has written nothing yet.
    func owner(_ traveller: TravellerID) throws(StorageError) -> Int? {
        try connection.first("SELECT number FROM traveller WHERE key = ?", .text(traveller.key)) {
            row throws(StorageError) in
            try row.value(0, as: Int.self)
        }
    }

    /// Nil for somebody who has written nothing yet.
    func list(_ traveller: TravellerID) throws(StorageError) -> TripList? {
        guard try owner(traveller) != nil else { return nil }
        return TripList(
            inOrder: try connection.rows(
                "SELECT * FROM kept_trip WHERE traveller = ? ORDER BY start, number", .text(traveller.key),
                make: TripRow.trip))
    }

    /// A trip that the traveller keeps, or an example that they are shown.
    func find(
        _ id: TripID, _ traveller: TravellerID, _ rules: TripStoreRules
    ) throws(StorageError) -> Trip? {
        let kept = try connection.first(
            "SELECT * FROM kept_trip WHERE traveller = ?1 AND (id = ?2 OR example = ?2)",
            .text(traveller.key), .text(id.description), make: TripRow.trip)
        if let kept { return kept }
        guard case .example = id, try owner(traveller) == nil else { return nil }
        return rules.examples.trip(id)
    }

    /// The trip that was added under a key.
    func added(_ key: CreationKey, _ traveller: TravellerID) throws(StorageError) -> Trip? {
        try connection.first(
            "SELECT * FROM kept_trip WHERE traveller = ? AND creation_key = ?", .text(traveller.key),
            .text(key.text), make: TripRow.trip)
    }

    func shared(_ share: ShareID) throws(StorageError) -> Trip? {
        try connection.first(
            "SELECT * FROM kept_trip WHERE share = ?", .text(share.text), make: TripRow.trip)
    }

    func count(_ owner: Int) throws(StorageError) -> Int {
        try connection.first("SELECT count(*) FROM trip WHERE traveller = ?", .integer(owner)) {
            row throws(StorageError) in
            try row.value(0, as: Int.self)
        } ?? 0
    }

    // MARK: Writing

    /// Makes somebody new a traveller who keeps copies of the examples; returns their number.
    func settle(_ traveller: TravellerID, _ rules: TripStoreRules) throws(StorageError) -> Int {
        try connection.run("INSERT INTO traveller (key) VALUES (?)", .text(traveller.key))
        guard let owner = try owner(traveller) else {
            throw .unexpectedValue("no traveller after adding one")
        }
        for example in rules.examples.trips { try insert(rules.copy(of: example), nil, of: owner) }
        return owner
    }

    func insert(_ trip: Trip, _ key: CreationKey?, of owner: Int) throws(StorageError) {
        let (plan, place) = (trip.plan, trip.place)
        try connection.run(
            """
            INSERT INTO trip (
                traveller, id, creation_key, example, version, city, country, start, nights, price, picture,
                favourite, place_identifier, place_name, place_country, place_country_code, place_region,
                latitude, longitude, time_zone)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(owner), .text(trip.id.description), .text(key?.text), .text(trip.example?.rawValue),
            .integer(Int64(bitPattern: trip.version.bits)), .text(plan.city), .text(plan.country),
            .integer(plan.start.daysSinceEpoch), .integer(plan.nights), .integer(plan.price),
            .text(plan.picture?.description), .flag(plan.isFavourite),
            .integer(place?.identifier.map { Int64($0) }), .text(place?.name), .text(place?.country),
            .text(place?.countryCode), .text(place?.region), .real(place?.coordinate.latitude),
            .real(place?.coordinate.longitude), .text(place?.timeZone))
    }

    /// Writes the plan, the place and the version. The trip was found in this transaction.
    func update(_ trip: Trip) throws(StorageError) {
        let (plan, place) = (trip.plan, trip.place)
        try connection.run(
            """
            UPDATE trip SET
                version = ?, city = ?, country = ?, start = ?, nights = ?, price = ?, picture = ?,
                favourite = ?, place_identifier = ?, place_name = ?, place_country = ?,
                place_country_code = ?, place_region = ?, latitude = ?, longitude = ?, time_zone = ?
            WHERE id = ?
            """,
            .integer(Int64(bitPattern: trip.version.bits)), .text(plan.city), .text(plan.country),
            .integer(plan.start.daysSinceEpoch), .integer(plan.nights), .integer(plan.price),
            .text(plan.picture?.description), .flag(plan.isFavourite),
            .integer(place?.identifier.map { Int64($0) }), .text(place?.name), .text(place?.country),
            .text(place?.countryCode), .text(place?.region), .real(place?.coordinate.latitude),
            .real(place?.coordinate.longitude), .text(place?.timeZone), .text(trip.id.description))
    }

    func setShare(_ share: ShareID?, of trip: Trip) throws(StorageError) {
        try connection.run(
            "UPDATE trip SET share = ? WHERE id = ?", .text(share?.text), .text(trip.id.description))
    }

    func delete(_ trip: Trip) throws(StorageError) {
        try connection.run("DELETE FROM trip WHERE id = ?", .text(trip.id.description))
    }

    /// Removes a traveller with their trips.
    func forget(_ traveller: TravellerID) throws(StorageError) {
        try connection.run("DELETE FROM traveller WHERE key = ?", .text(traveller.key))
    }
}
