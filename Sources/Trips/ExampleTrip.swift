package import Weather

/// The trips that somebody sees who hasn't changed them. The raw value is the trip's id.
package enum ExampleTrip: String, Sendable, Hashable, CaseIterable {
    case seattle = "example-seattle"
    case vancouver = "example-vancouver"
    case sanPedroDeAtacama = "example-san-pedro-de-atacama"

    /// The examples as somebody sees them today: all lie ahead.
    package static func list(_ today: CalendarDate) -> TripList {
        TripList(inOrder: table.compactMap { $0.trip(today) })
    }

    /// Of their places.
    package static let identifiers = Set(table.map(\.identifier))

    /// One example. Its place is known by its id in GeoNames, so that nobody needs to look it up.
    private struct Row {
        let example: ExampleTrip
        let city, country, countryCode: String
        let daysAhead, nights, price: Int
        let picture: String
        let identifier: Int
        let latitude, longitude: Double
        let timeZone: String

        /// Never nil for the rows below.
        func trip(_ today: CalendarDate) -> Trip? {
            guard let span = TripSpan(start: today.advanced(by: daysAhead), nights: nights),
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
            else { return nil }
            return Trip(
                id: .example(example),
                plan: TripPlan(
                    city: city, country: country, span: span, price: price, picture: PictureName(picture),
                    isFavourite: example == .seattle),
                place: Place(
                    identifier: identifier, name: city, country: country, countryCode: countryCode,
                    coordinate: coordinate, timeZone: timeZone),
                version: .example, example: example)
        }
    }

    /// In order of start.
    private static let table = [
        Row(
            example: .seattle, city: "Seattle", country: "United States", countryCode: "US", daysAhead: 6,
            nights: 4, price: 1_250, picture: "city", identifier: 5_809_844, latitude: 47.60621,
            longitude: -122.33207, timeZone: "America/Los_Angeles"),
        Row(
            example: .vancouver, city: "Vancouver", country: "Canada", countryCode: "CA", daysAhead: 20,
            nights: 5, price: 1_500, picture: "harbour", identifier: 6_173_331, latitude: 49.24966,
            longitude: -123.11934, timeZone: "America/Vancouver"),
        Row(
            example: .sanPedroDeAtacama, city: "San Pedro de Atacama", country: "Chile", countryCode: "CL",
            daysAhead: 45, nights: 7, price: 3_250, picture: "desert", identifier: 3_872_255,
            latitude: -22.91110, longitude: -68.20113, timeZone: "America/Santiago"),
    ]
}
