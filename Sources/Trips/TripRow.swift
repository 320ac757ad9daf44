internal import Storage
internal import Weather

/// Rows of the view `kept_trip`, read as trips. What no trip can be is an error, not a guess: it was not written here.
enum TripRow {
    static func trip(_ row: borrowing Row) throws(StorageError) -> Trip {
        Trip(
            id: .kept(try read("id", RandomKey(try row.value(0, as: String.self)))),
            plan: try plan(row),
            place: try place(row),
            version: TripVersion(bits: UInt64(bitPattern: try row.value(1))),
            share: try read("share", row.value(3)) { ShareID($0) },
            example: try read("example", row.value(2)) { ExampleTrip(rawValue: $0) })
    }

    private static func plan(_ row: borrowing Row) throws(StorageError) -> TripPlan {
        let start = CalendarDate(daysSinceEpoch: try row.value(6))
        let nights = try row.value(7, as: Int.self)
        let span = TripPlan.startRange.contains(start) ? TripSpan(start: start, nights: nights) : nil
        return TripPlan(
            city: try row.value(4), country: try row.value(5), span: try read("start or nights", span),
            price: try row.value(8), picture: try read("picture", row.value(9)) { PictureName($0) },
            isFavourite: try row.value(10))
    }

    private static func place(_ row: borrowing Row) throws(StorageError) -> Place? {
        guard let name = try row.value(12, as: String?.self) else { return nil }
        let coordinate = Coordinate(latitude: try row.value(16), longitude: try row.value(17))
        return Place(
            identifier: try row.value(11), name: name, country: try row.value(13),
            countryCode: try row.value(14), region: try row.value(15),
            coordinate: try read("coordinate", coordinate), timeZone: try row.value(18))
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
