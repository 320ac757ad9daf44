/// What weather is kept under: a coordinate to two decimals, and nothing else.
struct WeatherKey: FlightKey {
    /// Hundredths of degrees: north in the upper half, east in the lower.
    private let packed: UInt64

    /// `coordinate` has been rounded.
    init(_ coordinate: Coordinate) {
        let north = Int32((coordinate.latitude * 100).rounded())
        let east = Int32((coordinate.longitude * 100).rounded())
        packed = UInt64(UInt32(bitPattern: north)) << 32 | UInt64(UInt32(bitPattern: east))
    }

    var spread: UInt {
        // Fibonacci hashing: the upper bits of the product depend on all of the key's.
        UInt(truncatingIfNeeded: (packed &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }

    var bytes: Int { 0 }
}
