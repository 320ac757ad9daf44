import Testing
import Weather

struct CalendarDateTests {
    @Test(arguments: ["1970-01-01", "1969-12-31", "2000-02-29", "2026-12-31", "0001-01-01", "9999-12-31"])
    func aDateIsWrittenAsItIsRead(text: String) {
        #expect(CalendarDate(text)?.description == text)
    }

    @Test(arguments: [
        "2026-02-29", "2100-02-29", "2026-13-01", "2026-00-10", "2026-12-32", "2026-12-00", "0000-01-01",
        "2026-1-01", "2026-12-1", "26-12-10", "2026/12/10", "+026-12-10", "2026-12-1０", "2026-12-10 ", "",
        "2026-12-10T00:00",
    ])
    func whatIsNoDateIsNone(text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test func daysFollowEachOtherForFourHundredYears() throws {
        var date = try Fixture.date("1999-12-31")
        for _ in 0..<146_097 {
            let next = date.advanced(by: 1)
            guard
                next.day == date.day + 1 && next.month == date.month
                    || next.day == 1 && (next.month == date.month + 1 || next.month == 1 && date.month == 12)
            else {
                Issue.record("\(next) follows \(date)")
                return
            }
            guard CalendarDate(year: next.year, month: next.month, day: next.day) == next else {
                Issue.record("\(next) is not read back")
                return
            }
            date = next
        }
        #expect(date.description == "2399-12-31")
    }

    @Test func weekdaysBeginOnMonday() throws {
        #expect(try Fixture.date("2026-12-10").weekday == 3)
        #expect(try Fixture.date("1969-12-29").weekday == 0)
        #expect(try Fixture.date("2026-12-13").weekday == 6)
    }
}

struct LocalTimeTests {
    @Test func aTimeIsWrittenAsItIsRead() throws {
        #expect(try Fixture.time("2026-09-17T15:30").description == "2026-09-17T15:30")
        #expect(try Fixture.time("2026-09-17T15:30:59").description == "2026-09-17T15:30")
        #expect(try Fixture.time("2026-09-17T00:05").clock == "00:05")
    }

    @Test(arguments: [
        "2026-09-17T24:00", "2026-09-17T15:60", "2026-09-17T+5:30", "2026-09-17", "2026-09-17 15:30",
        "2026-09-17T15:30:6", "2026-09-17T15:30:60", "2026-09-17T15:30Z", "2026-09-17T1530", "", "T",
    ])
    func whatIsNoTimeIsNone(text: String) {
        #expect(LocalTime(text) == nil)
    }

    @Test func aPlacesClockMayShowAnotherDate() {
        #expect(LocalTime(unixTime: 86_399, utcOffset: 20_700).description == "1970-01-02T05:44")
        #expect(LocalTime(unixTime: 0, utcOffset: -1).description == "1969-12-31T23:59")
    }
}

struct SkyTests {
    @Test func theTableIsWhole() {
        let kinds: [(Sky.Kind, [Int])] = [
            (.clear, [0]), (.mainlyClear, [1]), (.partlyCloudy, [2]), (.overcast, [3]), (.fog, [45, 48]),
            (.drizzle, [51, 53, 55, 56, 57]), (.rain, [61, 63, 65, 66, 67, 80, 81, 82]),
            (.snow, [71, 73, 75, 77, 85, 86]), (.thunderstorm, [95, 96, 97, 99]),
            (.unknown, [-1, 4, 44, 50, 58, 60, 68, 70, 78, 83, 84, 87, 94, 100, Int.max, Int.min]),
        ]
        for (kind, codes) in kinds {
            for code in codes { #expect(Sky(code: code).kind == kind, "\(code)") }
        }
    }

    @Test func onlyAnOpenSkyHasANight() {
        for code in [0, 1, 2] {
            #expect(Sky(code: code).symbol(isDay: true) != Sky(code: code).symbol(isDay: false))
        }
        for code in [3, 45, 51, 61, 71, 95, 100] {
            #expect(Sky(code: code).symbol(isDay: true) == Sky(code: code).symbol(isDay: false))
        }
    }
}

struct CoordinateTests {
    @Test(arguments: [(90.01, 0.0), (-91, 0), (0, 180.5), (0, -181), (.nan, 0), (0, .infinity)])
    func whatIsOffTheEarthIsNone(latitude: Double, longitude: Double) {
        #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
    }

    @Test func roundedPointsMeet() throws {
        #expect(try Fixture.coordinate(60.391, 5.324).rounded == Fixture.coordinate(60.39, 5.32))
        #expect(try Fixture.coordinate(-0.001, 179.999).rounded == Fixture.coordinate(0, -180).rounded)
        #expect(try Fixture.coordinate(-0.0, -0.0).rounded.latitude.sign == .plus)
    }
}
