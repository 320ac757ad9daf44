/// A point on the Earth, WGS 84.
package struct Coordinate: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Degrees north, −90…90.
    package let latitude: Double
    /// Degrees east, −180…180.
    package let longitude: Double

    /// Nil for anything out of range or not a number.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The same point to two decimals, about a kilometre: what Open-Meteo is asked for and what the weather of
    /// a place is kept under. −0 becomes 0, and −180 becomes 180, which is the same meridian.
    package var rounded: Coordinate {
        let longitude = Coordinate.round(longitude)
        return Coordinate(
            unchecked: Coordinate.round(latitude), longitude: longitude == -180 ? 180 : longitude)
    }

    private init(unchecked latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    private static func round(_ degrees: Double) -> Double {
        // Adding 0 turns −0 into 0.
        (degrees * 100).rounded(.toNearestOrAwayFromZero) / 100 + 0
    }

    /// "60.39,5.32", with a point in every locale.
    package var description: String {
        "\(latitude),\(longitude)"
    }
}
