import TestSupport
import Testing

@testable import Weather

@Suite struct CacheArchiveCodingTests {
    private var full: ArchivedWeather {
        let date = CalendarDate(daysSinceEpoch: 20_513)
        let (rise, set) = (LocalTime("2026-03-01T07:12"), LocalTime("2026-03-01T18:03"))
        let suns: [DayForecast.Sun?] = [
            rise.flatMap { rise in set.map { .risesAndSets(rise: rise, set: $0) } }, .neverRises, .neverSets,
            nil,
        ]
        return ArchivedWeather(
            context: WeatherContext(
                coordinate: spot(-54.8, 180),
                current: CurrentWeather(
                    time: rise, temperature: -3.5, apparentTemperature: 0, relativeHumidity: 100,
                    precipitation: 0.1, windSpeed: 1e3, sky: Sky(code: 95), isDay: false),
                days: suns.enumerated().map { index, sun in
                    DayForecast(
                        date: date.advanced(by: index), sky: index == 3 ? nil : Sky(code: index),
                        maximum: 1.5,
                        minimum: index == 2 ? nil : -7, precipitation: 0, precipitationProbability: 30,
                        sun: sun)
                },
                timeZone: "America/Argentina/Ushuaia", utcOffset: -10_800),
            fetchedAt: 1_772_366_400)
    }

    private var empty: ArchivedWeather {
        ArchivedWeather(
            context: WeatherContext(
                coordinate: spot(0, 0), current: nil, days: [], timeZone: nil, utcOffset: nil),
            fetchedAt: -1)
    }

    private var place: ArchivedPlace {
        ArchivedPlace(
            place: Place(
                identifier: 3_161_732, name: "Ål 🌧", country: "Norway", countryCode: "NO", region: nil,
                coordinate: spot(60.39, 5.32), timeZone: "Europe/Oslo"),
            foundAt: 1_772_366_400)
    }

    @Test func whatIsWrittenIsReadTheSame() {
        for weather in [full, empty, ArchivedWeather(context: .sample(at: bergen), fetchedAt: 0)] {
            #expect(ArchiveCoding.weather(from: ArchiveCoding.bytes(of: weather)) == weather)
        }
        #expect(ArchiveCoding.place(from: ArchiveCoding.bytes(of: place)) == place)
        let bare = ArchivedPlace(place: Place(name: "", coordinate: spot(0, 0)), foundAt: 0)
        #expect(ArchiveCoding.place(from: ArchiveCoding.bytes(of: bare)) == bare)
        let week = ArchiveCoding.bytes(of: ArchivedWeather(context: .sample(at: bergen), fetchedAt: 0))
        #expect(week.count < 250, "it is compact")
    }

    @Test func anythingCutShortIsAMiss() {
        let (weather, place) = (ArchiveCoding.bytes(of: full), ArchiveCoding.bytes(of: place))
        for count in weather.indices {
            #expect(ArchiveCoding.weather(from: Array(weather.prefix(count))) == nil)
        }
        for count in place.indices { #expect(ArchiveCoding.place(from: Array(place.prefix(count))) == nil) }
        #expect(ArchiveCoding.weather(from: weather + [0]) == nil)
        #expect(ArchiveCoding.weather(from: place) == nil, "a place is no weather")
    }

    @Test func aFlippedBitIsAMiss() {
        let bytes = ArchiveCoding.bytes(of: full)
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                #expect(ArchiveCoding.weather(from: damaged) == nil)
            }
        }
    }

    /// With a checksum that is right, so that the reader itself is met.
    @Test func rightlySummedNonsenseIsReadOrMissedButNeverTraps() {
        var chance = SeededGenerator(seed: 11)
        let (weather, place) = (ArchiveCoding.bytes(of: full), ArchiveCoding.bytes(of: place))
        var read = 0
        for _ in 0..<30_000 {
            var bytes = Array((Bool.random(using: &chance) ? weather : place).dropLast(8))
            for _ in 0..<Int.random(in: 1...4, using: &chance) {
                let index = Int.random(in: 1..<bytes.count, using: &chance)
                switch Int.random(in: 0..<3, using: &chance) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &chance)
                case 1: bytes[index] = 0xFF
                default: bytes.removeSubrange(index..<min(bytes.count, index + 3))
                }
            }
            let sum = bytes.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            bytes.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) })
            if let weather = ArchiveCoding.weather(from: bytes) {
                read += 1
                // Whatever was read can be reckoned with and written again.
                _ = weather.context.days.map(\.date.description)
                #expect(ArchiveCoding.weather(from: ArchiveCoding.bytes(of: weather)) == weather)
            }
            if let place = ArchiveCoding.place(from: bytes) {
                read += 1
                #expect(ArchiveCoding.place(from: ArchiveCoding.bytes(of: place)) == place)
            }
        }
        #expect(read > 1_000, "nonsense got past the checksum")
    }
}
