/// Weather and places as bytes on a disk.
///
/// One byte for kind and version, the fields in a fixed order, and a checksum. What may be missing has a byte in
/// front that says whether it is there; whole numbers are zigzag varints, others are IEEE 754 doubles in
/// little-endian order, texts are a length and UTF-8. Whatever isn't exactly this is nil: an archive that can't be
/// read is a miss.
package enum ArchiveCoding {
    private static let weatherVersion: UInt8 = 0x57
    private static let placeVersion: UInt8 = 0x70

    // MARK: Weather

    package static func bytes(of weather: ArchivedWeather) -> [UInt8] {
        let context = weather.context
        var writer = ArchiveWriter(version: weatherVersion)
        writer.write(weather.fetchedAt)
        writer.write(context.coordinate)
        writer.write(context.timeZone)
        writer.write(context.utcOffset)
        writer.write(context.current) { writer, current in
            writer.write(current.time) { $0.write($1) }
            writer.write(current.temperature)
            writer.write(current.apparentTemperature)
            writer.write(current.relativeHumidity)
            writer.write(current.precipitation)
            writer.write(current.windSpeed)
            writer.write(current.sky?.code)
            writer.write(current.isDay.map { $0 ? 1 : 0 })
        }
        writer.write(context.days.count)
        for day in context.days {
            writer.write(day.date.daysSinceEpoch)
            writer.write(day.sky?.code)
            writer.write(day.maximum)
            writer.write(day.minimum)
            writer.write(day.precipitation)
            writer.write(day.precipitationProbability)
            writer.write(day.sun) { writer, sun in
                switch sun {
                case .neverRises: writer.write(0)
                case .neverSets: writer.write(1)
                case .risesAndSets(let rise, let set):
                    writer.write(2)
                    writer.write(rise)
                    writer.write(set)
                }
            }
        }
        return writer.finish()
    }

    package static func weather(from bytes: [UInt8]) -> ArchivedWeather? {
        guard var reader = ArchiveReader(bytes, version: weatherVersion) else { return nil }
        // `Unreadable` says no more than nil does.
        return try? reader.weather()
    }

    // MARK: Places

    package static func bytes(of archived: ArchivedPlace) -> [UInt8] {
        let place = archived.place
        var writer = ArchiveWriter(version: placeVersion)
        writer.write(archived.foundAt)
        writer.write(place.identifier)
        writer.write(Optional(place.name))
        writer.write(place.country)
        writer.write(place.countryCode)
        writer.write(place.region)
        writer.write(place.coordinate)
        writer.write(place.timeZone)
        return writer.finish()
    }

    package static func place(from bytes: [UInt8]) -> ArchivedPlace? {
        guard var reader = ArchiveReader(bytes, version: placeVersion) else { return nil }
        // As above.
        return try? reader.place()
    }
}

private struct ArchiveWriter {
    private var bytes: [UInt8]

    init(version: UInt8) {
        bytes = [version]
    }

    mutating func write(_ number: Int) {
        // Zigzag, then seven bits a byte: small numbers of either sign are short.
        var rest = UInt64(bitPattern: Int64((number << 1) ^ (number >> 63)))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(_ number: Double) {
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ coordinate: Coordinate) {
        write(coordinate.latitude)
        write(coordinate.longitude)
    }

    mutating func write(_ time: LocalTime) {
        write(time.date.daysSinceEpoch)
        write(time.minuteOfDay)
    }

    /// A byte says whether there is a value.
    mutating func write<Value>(_ value: Value?, _ body: (inout ArchiveWriter, Value) -> Void) {
        bytes.append(value == nil ? 0 : 1)
        if let value { body(&self, value) }
    }

    mutating func write(_ number: Int?) {
        write(number) { $0.write($1) }
    }

    mutating func write(_ number: Double?) {
        write(number) { $0.write($1) }
    }

    mutating func write(_ text: String?) {
        write(text) { writer, text in
            writer.write(text.utf8.count)
            writer.bytes.append(contentsOf: text.utf8)
        }
    }

    mutating func finish() -> [UInt8] {
        let sum = checksum(of: bytes[...])
        withUnsafeBytes(of: sum.littleEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }
}

private struct Unreadable: Error {}

private struct ArchiveReader {
    private var rest: ArraySlice<UInt8>

    /// Nil for another version, or a checksum that isn't that of the bytes.
    init?(_ bytes: [UInt8], version: UInt8) {
        guard bytes.count >= 9, bytes[0] == version else { return nil }
        let content = bytes.dropLast(8)
        var sum: UInt64 = 0
        for byte in bytes.suffix(8).reversed() { sum = sum << 8 | UInt64(byte) }
        guard sum == checksum(of: content) else { return nil }
        rest = content.dropFirst()
    }

    mutating func weather() throws(Unreadable) -> ArchivedWeather {
        let fetchedAt = try number(in: ArchiveReader.times)
        let coordinate = try coordinate()
        let timeZone = try text()
        let utcOffset = try optional { reader throws(Unreadable) in try reader.number(in: -172_800...172_800)
        }
        let current = try optional { reader throws(Unreadable) in try reader.current() }
        var days: [DayForecast] = []
        for _ in 0..<(try number(in: 0...366)) { days.append(try day()) }
        try end()
        return ArchivedWeather(
            context: WeatherContext(
                coordinate: coordinate, current: current, days: days, timeZone: timeZone, utcOffset: utcOffset
            ),
            fetchedAt: fetchedAt)
    }

    mutating func place() throws(Unreadable) -> ArchivedPlace {
        let foundAt = try number(in: ArchiveReader.times)
        let identifier = try optional { reader throws(Unreadable) in try reader.number(in: Int.min...Int.max)
        }
        guard let name = try text() else { throw Unreadable() }
        let country = try text()
        let countryCode = try text()
        let region = try text()
        let coordinate = try coordinate()
        let timeZone = try text()
        try end()
        return ArchivedPlace(
            place: Place(
                identifier: identifier, name: name, country: country, countryCode: countryCode,
                region: region,
                coordinate: coordinate, timeZone: timeZone),
            foundAt: foundAt)
    }

    // MARK: Parts

    /// Unix seconds that can be reckoned with.
    private static let times = -(1 << 40)...(1 << 40)

    private mutating func current() throws(Unreadable) -> CurrentWeather {
        CurrentWeather(
            time: try optional { reader throws(Unreadable) in try reader.time() },
            temperature: try decimal(), apparentTemperature: try decimal(), relativeHumidity: try decimal(),
            precipitation: try decimal(), windSpeed: try decimal(), sky: try sky(),
            isDay: try optional { reader throws(Unreadable) in try reader.number(in: 0...1) == 1 })
    }

    private mutating func day() throws(Unreadable) -> DayForecast {
        DayForecast(
            date: try date(), sky: try sky(), maximum: try decimal(), minimum: try decimal(),
            precipitation: try decimal(), precipitationProbability: try decimal(),
            sun: try optional { reader throws(Unreadable) in try reader.sun() })
    }

    private mutating func sun() throws(Unreadable) -> DayForecast.Sun {
        switch try number(in: 0...2) {
        case 0: .neverRises
        case 1: .neverSets
        default: .risesAndSets(rise: try time(), set: try time())
        }
    }

    private mutating func sky() throws(Unreadable) -> Sky? {
        try optional { reader throws(Unreadable) in Sky(code: try reader.number(in: -1_000...1_000)) }
    }

    private mutating func date() throws(Unreadable) -> CalendarDate {
        CalendarDate(daysSinceEpoch: try number(in: -1_000_000...4_000_000))
    }

    private mutating func time() throws(Unreadable) -> LocalTime {
        let date = try date()
        guard let time = LocalTime(date: date, minuteOfDay: try number(in: 0...1_439)) else {
            throw Unreadable()
        }
        return time
    }

    private mutating func coordinate() throws(Unreadable) -> Coordinate {
        guard let coordinate = Coordinate(latitude: try double(), longitude: try double()) else {
            throw Unreadable()
        }
        return coordinate
    }

    private mutating func decimal() throws(Unreadable) -> Double? {
        try optional { reader throws(Unreadable) in
            let number = try reader.double()
            guard number.isFinite else { throw Unreadable() }
            return number
        }
    }

    private mutating func text() throws(Unreadable) -> String? {
        try optional { reader throws(Unreadable) in
            let count = try reader.number(in: 0...4_096)
            guard count <= reader.rest.count,
                let text = String(validating: reader.rest.prefix(count), as: UTF8.self)
            else { throw Unreadable() }
            reader.rest = reader.rest.dropFirst(count)
            return text
        }
    }

    // MARK: Bytes

    private mutating func optional<Value>(
        _ body: (inout ArchiveReader) throws(Unreadable) -> Value
    ) throws(Unreadable) -> Value? {
        switch try byte() {
        case 0: nil
        case 1: try body(&self)
        default: throw Unreadable()
        }
    }

    private mutating func byte() throws(Unreadable) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Unreadable() }
        return byte
    }

    private mutating func number(in range: ClosedRange<Int>) throws(Unreadable) -> Int {
        var bits: UInt64 = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            let byte = try byte()
            bits |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 {
                let number = Int(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
                guard range.contains(number) else { throw Unreadable() }
                return number
            }
        }
        throw Unreadable()
    }

    private mutating func double() throws(Unreadable) -> Double {
        guard rest.count >= 8 else { throw Unreadable() }
        var bits: UInt64 = 0
        for byte in rest.prefix(8).reversed() { bits = bits << 8 | UInt64(byte) }
        rest = rest.dropFirst(8)
        return Double(bitPattern: bits)
    }

    private func end() throws(Unreadable) {
        guard rest.isEmpty else { throw Unreadable() }
    }
}

/// FNV-1a, 64 bits: against damage, not against forgery.
private func checksum(of bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
