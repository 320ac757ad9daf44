package import Weather

/// The trips that somebody sees who has none yet. The raw value is the trip's id.
package enum ExampleTrip: String, Sendable, Hashable, CaseIterable {
    case seattle = "example-seattle"
    case vancouver = "example-vancouver"
    case sanPedroDeAtacama = "example-san-pedro-de-atacama"

    /// The examples as somebody sees them today: all lie ahead.
    package static func list(_ today: CalendarDate) -> TripList {
        TripList(inOrder: allCases.compactMap { $0.trip(today) })
    }

    /// Nil never, while the numbers below are those of a trip.
    func trip(_ today: CalendarDate) -> Trip? {
        TripSpan(start: today.advanced(by: daysAhead), nights: nights).map { span in
            let plan = TripPlan(
                city: city, country: country, span: span, price: price, picture: picture,
                isFavourite: self == .seattle)
            return Trip(
                id: .example(self), plan: plan, place: place, version: .example, share: nil, example: self)
        }
    }

    // In order of start.

    private var daysAhead: Int {
        switch self {
        case .seattle: 6
        case .vancouver: 20
        case .sanPedroDeAtacama: 45
        }
    }

    private var nights: Int {
        switch self {
        case .seattle: 4
        case .vancouver: 5
        case .sanPedroDeAtacama: 7
        }
    }

    /// US dollars.
    private var price: Int {
        switch self {
        case .seattle: 1_250
        case .vancouver: 1_500
        case .sanPedroDeAtacama: 3_250
        }
    }

    private var city: String {
        switch self {
        case .seattle: "Seattle"
        case .vancouver: "Vancouver"
        case .sanPedroDeAtacama: "San Pedro de Atacama"
        }
    }

    private var country: String {
        switch self {
        case .seattle: "United States"
        case .vancouver: "Canada"
        case .sanPedroDeAtacama: "Chile"
        }
    }

    private var picture: PictureName? {
        switch self {
        case .seattle: PictureName("city")
        case .vancouver: PictureName("harbour")
        case .sanPedroDeAtacama: PictureName("desert")
        }
    }

    /// Known beforehand, so that nobody needs to look it up.
    private var place: Place? {
        switch self {
        case .seattle:
            ExampleTrip.place(city, country, "US", 47.60621, -122.33207, "America/Los_Angeles")
        case .vancouver:
            ExampleTrip.place(city, country, "CA", 49.24966, -123.11934, "America/Vancouver")
        case .sanPedroDeAtacama:
            ExampleTrip.place(city, country, "CL", -22.91110, -68.20113, "America/Santiago")
        }
    }

    private static func place(
        _ name: String, _ country: String, _ code: String, _ latitude: Double, _ longitude: Double,
        _ timeZone: String
    ) -> Place? {
        Coordinate(latitude: latitude, longitude: longitude).map {
            Place(name: name, country: country, countryCode: code, coordinate: $0, timeZone: timeZone)
        }
    }
}
