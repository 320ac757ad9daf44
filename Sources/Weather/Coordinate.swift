internal import Glibc

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

    /// A point as people type one: "60.39, 5.32", "60.39 5.32", "60.39N 5.32E", "151.2°E, 33.87°S". Nil for any other
    /// text, and for whole numbers without a comma or a letter, which are postcodes in some countries ("11 455").
    package init?(typed text: String) {
        // Most texts are names.
        guard let first = text.utf8.first, "0123456789+-.".utf8.contains(first), text.utf8.count <= 64
        else { return nil }
        let commas = text.split(separator: ",", omittingEmptySubsequences: false)
        let parts = commas.count == 1 ? text.split(separator: " ") : commas
        guard parts.count == 2, let one = TypedDegrees(parts[0]), let other = TypedDegrees(parts[1])
        else { return nil }
        switch (one.axis, other.axis) {
        case (nil, nil):
            guard commas.count == 2 || (one.hasPoint && other.hasPoint) else { return nil }
            self.init(latitude: one.degrees, longitude: other.degrees)
        case (.latitude, .longitude): self.init(latitude: one.degrees, longitude: other.degrees)
        case (.longitude, .latitude): self.init(latitude: other.degrees, longitude: one.degrees)
        default: return nil
        }
    }

    /// The same point to two decimals, about a kilometre: what Open-Meteo is asked for and what the weather of
    /// a place is kept under. −0 becomes 0, and −180 becomes 180, which is the same meridian.
    package var rounded: Coordinate {
        let longitude = Coordinate.round(longitude)
        return Coordinate(
            unchecked: Coordinate.round(latitude), longitude: longitude == -180 ? 180 : longitude)
    }

    /// The distance over a sphere (haversine).
    package func kilometres(to other: Coordinate) -> Double {
        func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
        let north = sin(radians(other.latitude - latitude) / 2)
        let east = sin(radians(other.longitude - longitude) / 2)
        let part =
            north * north + cos(radians(latitude)) * cos(radians(other.latitude)) * east * east
        return 2 * 6_371 * asin(min(1, part.squareRoot()))
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

/// One half of a typed point: "60.39", "-5.32", "33.87°S".
private struct TypedDegrees {
    enum Axis { case latitude, longitude }

    var degrees: Double
    /// Nil if no letter says it.
    var axis: Axis?
    var hasPoint: Bool

    init?(_ text: Substring) {
        var bytes = Array(text.utf8.filter { $0 != UInt8(ascii: " ") })
        var sign = 1.0
        switch bytes.last.map({ $0 & 0xDF }) {
        case UInt8(ascii: "N"): axis = .latitude
        case UInt8(ascii: "S"): (axis, sign) = (.latitude, -1)
        case UInt8(ascii: "E"): axis = .longitude
        case UInt8(ascii: "W"): (axis, sign) = (.longitude, -1)
        default: break
        }
        if axis != nil { bytes.removeLast() }
        if bytes.suffix(2) == Array("°".utf8)[...] { bytes.removeLast(2) }
        // Double reads "nan", "inf" and "0x1p3" too.
        guard bytes.allSatisfy({ "0123456789.+-".utf8.contains($0) }),
            let number = Double(String(decoding: bytes, as: UTF8.self)),
            axis == nil || (number >= 0 && number.sign == .plus)
        else { return nil }
        degrees = sign * number
        hasPoint = bytes.contains(UInt8(ascii: "."))
    }
}
