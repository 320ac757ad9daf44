import Testing
import Weather

struct TripForecastTests {
    /// 2026-12-10, 12:00 UTC.
    private static let noon = 20_797 * 86_400 + 12 * 3_600

    private func context(
        from first: String, days: Int = 16, offset: Int? = 0, without missing: Set<String> = []
    ) throws -> WeatherContext {
        let first = try Fixture.date(first)
        let dates = (0..<days).map(first.advanced(by:)).filter { !missing.contains($0.description) }
        return WeatherContext(
            coordinate: try Fixture.coordinate(1, 2), current: nil,
            days: dates.map { DayForecast(date: $0, maximum: 1) }, timeZone: nil, utcOffset: offset)
    }

    private func forecast(
        _ start: String, nights: Int, in context: WeatherContext, at unixTime: Int = TripForecastTests.noon
    ) throws -> TripForecast {
        let span = try #require(TripSpan(start: try Fixture.date(start), nights: nights))
        return TripForecast(of: span, in: context, atUnixTime: unixTime) { _ in .loading }
    }

    private func dates(_ forecast: TripForecast) -> [String] {
        forecast.days.filter { $0.kind == .forecast }.map(\.date.description)
    }

    private func past(_ forecast: TripForecast) -> Int {
        forecast.days.count { $0.kind == .observed }
    }

    private func beyond(_ last: String, comeBackOn day: String) throws -> TripForecast.Beyond {
        TripForecast.Beyond(
            forecastReachesTo: try Fixture.date(last), comeBackOn: try Fixture.date(day))
    }

    @Test func aSpanHasOneToSixtyNights() throws {
        let start = try Fixture.date("2026-12-10")
        #expect(TripSpan(start: start, nights: 0) == nil)
        #expect(TripSpan(start: start, nights: -1) == nil)
        #expect(TripSpan(start: start, nights: 61) == nil)
        #expect(TripSpan(start: start, nights: 60)?.end == (try Fixture.date("2027-02-08")))
    }

    @Test func aTripInReachHasALineForEachDayFromArrivalToDeparture() throws {
        let result = try forecast("2026-12-12", nights: 3, in: try context(from: "2026-12-10"))
        #expect(dates(result) == ["2026-12-12", "2026-12-13", "2026-12-14", "2026-12-15"])
        #expect(past(result) == 0)
        #expect(result.beyond == nil)
        #expect(!result.isOver)
    }

    @Test func aTripIsOverOnTheDayAfterDeparture() throws {
        let context = try context(from: "2026-12-10")
        #expect(try forecast("2026-12-05", nights: 4, in: context).isOver)
        #expect(dates(try forecast("2026-12-05", nights: 5, in: context)) == ["2026-12-10"])
        #expect(try forecast("2020-01-01", nights: 60, in: context).isOver)
    }

    @Test func daysThatHaveGoneAreLeftOutAndCounted() throws {
        let result = try forecast("2026-12-08", nights: 4, in: try context(from: "2026-12-10"))
        #expect(dates(result) == ["2026-12-10", "2026-12-11", "2026-12-12"])
        #expect(past(result) == 2)
    }

    @Test func aTripBeyondTheWindowSaysWhenToComeBack() throws {
        let context = try context(from: "2026-12-10")
        #expect(
            try forecast("2026-12-26", nights: 4, in: context).beyond
                == beyond("2026-12-25", comeBackOn: "2026-12-11"))
        #expect(
            try forecast("2027-05-01", nights: 18, in: context).beyond
                == beyond("2026-12-25", comeBackOn: "2027-04-16"))
    }

    @Test func onTheDayItSaysTheTripIsInReach() throws {
        for start in ["2026-12-26", "2027-01-03", "2027-03-01", "2028-02-29"] {
            let now = try forecast(start, nights: 1, in: try context(from: "2026-12-10"))
            let comeBack = try #require(now.beyond).comeBackOn
            #expect(dates(now).isEmpty)
            let then = try context(from: comeBack.description)
            let noon = comeBack.daysSinceEpoch * 86_400 + 43_200
            #expect(dates(try forecast(start, nights: 1, in: then, at: noon)) == [start])
            let dayBefore = try context(from: comeBack.advanced(by: -1).description)
            let early = try forecast(start, nights: 1, in: dayBefore, at: noon - 86_400)
            #expect(dates(early).isEmpty && early.beyond != nil, "\(start) is in reach before \(comeBack)")
        }
    }

    @Test func theWindowsLastDayIsInAndTheNextIsNot() throws {
        let context = try context(from: "2026-12-10")
        #expect(dates(try forecast("2026-12-24", nights: 1, in: context)) == ["2026-12-24", "2026-12-25"])
        let result = try forecast("2026-12-25", nights: 1, in: context)
        #expect(dates(result) == ["2026-12-25"])
        #expect(try result.beyond == beyond("2026-12-25", comeBackOn: "2026-12-11"))
    }

    @Test func aTripThatStraddlesTheLimitShowsTheDaysThereAre() throws {
        let result = try forecast("2026-12-23", nights: 10, in: try context(from: "2026-12-10"))
        #expect(dates(result) == ["2026-12-23", "2026-12-24", "2026-12-25"])
        #expect(try result.beyond == beyond("2026-12-25", comeBackOn: "2026-12-18"))
    }

    @Test func aLongTripStraddlesTodayAndTheLimit() throws {
        let result = try forecast("2026-12-01", nights: 60, in: try context(from: "2026-12-10"))
        #expect(past(result) == 9)
        #expect(dates(result).count == 16)
        #expect(try result.beyond == beyond("2026-12-25", comeBackOn: "2027-01-15"))
    }

    @Test func aLastDayOfWhichNothingIsKnownEndsTheWindowSooner() throws {
        let context = try context(from: "2026-12-10", days: 15)
        // The trip starts on the day that is missing, which was in reach: come back tomorrow, not today.
        #expect(
            try forecast("2026-12-25", nights: 2, in: context).beyond
                == beyond("2026-12-24", comeBackOn: "2026-12-11"))
    }

    @Test func aGapInTheForecastIsLeftOut() throws {
        let result = try forecast(
            "2026-12-11", nights: 2, in: try context(from: "2026-12-10", without: ["2026-12-12"]))
        #expect(dates(result) == ["2026-12-11", "2026-12-13"])
        #expect(result.beyond == nil)
    }

    @Test func anOldForecastIsCutAtToday() throws {
        let result = try forecast("2026-12-09", nights: 2, in: try context(from: "2026-12-09"))
        #expect(dates(result) == ["2026-12-10", "2026-12-11"])
        #expect(past(result) == 1)
    }

    @Test func aForecastWithoutDaysReachesAsFarAsAnyAndKnowsNothing() throws {
        let result = try forecast("2026-12-11", nights: 1, in: try context(from: "2026-12-10", days: 0))
        #expect(dates(result).isEmpty)
        #expect(!result.isOver && result.beyond == nil)
    }

    @Test(arguments: [
        // Tokyo at 23:30 UTC is in the next day.
        (23 * 3_600 + 1_800, 9 * 3_600, "2026-12-11"),
        // Kiritimati is 14 hours ahead, Pago Pago 11 behind: at 10:30 UTC three dates are on the Earth.
        (10 * 3_600 + 1_800, 14 * 3_600, "2026-12-11"), (10 * 3_600 + 1_800, -11 * 3_600, "2026-12-09"),
        (10 * 3_600 + 1_800, 0, "2026-12-10"),
        // Kathmandu's day begins at 18:15 UTC.
        (18 * 3_600 + 899, 20_700, "2026-12-10"), (18 * 3_600 + 900, 20_700, "2026-12-11"),
    ])
    func todayIsThePlacesOwn(secondOfDay: Int, offset: Int, today: String) throws {
        let unixTime = 20_797 * 86_400 + secondOfDay
        let context = try context(from: today, offset: offset)
        let day = try Fixture.date(today)
        let long = try forecast(today, nights: 60, in: context, at: unixTime)
        #expect(past(long) == 0 && dates(long).count == 16)
        #expect(long.beyond?.forecastReachesTo == day.advanced(by: 15))
        // A trip that ends the day before is over, one that ends today isn't.
        let yesterday = day.advanced(by: -1).description
        let before = day.advanced(by: -2).description
        #expect(try forecast(before, nights: 1, in: context, at: unixTime).isOver)
        #expect(dates(try forecast(yesterday, nights: 1, in: context, at: unixTime)) == [today])
    }

    @Test func withoutAZoneTodayIsUTCs() throws {
        let context = try context(from: "2026-12-10", offset: nil)
        let lastSecond = 20_797 * 86_400 + 86_399
        #expect(past(try forecast("2026-12-09", nights: 1, in: context, at: lastSecond)) == 1)
        #expect(try forecast("2026-12-09", nights: 1, in: context, at: lastSecond + 1).isOver)
    }

    @Test func leapDaysAndYearsEndsAreDaysLikeOthers() throws {
        let leap = try context(from: "2028-02-20")
        let february = try Fixture.date("2028-02-20").daysSinceEpoch * 86_400
        #expect(
            dates(try forecast("2028-02-28", nights: 2, in: leap, at: february))
                == ["2028-02-28", "2028-02-29", "2028-03-01"])
        let plain = try context(from: "2027-02-20")
        let before = try Fixture.date("2027-02-20").daysSinceEpoch * 86_400
        #expect(
            dates(try forecast("2027-02-28", nights: 1, in: plain, at: before)) == [
                "2027-02-28", "2027-03-01",
            ])
        let year = try context(from: "2026-12-25")
        let christmas = try Fixture.date("2026-12-25").daysSinceEpoch * 86_400
        #expect(
            dates(try forecast("2026-12-31", nights: 1, in: year, at: christmas)) == [
                "2026-12-31", "2027-01-01",
            ])
    }
}
