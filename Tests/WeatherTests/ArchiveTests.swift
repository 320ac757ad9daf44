import Synchronization
import Testing
import Transport

@testable import Weather

struct ArchiveTests {
    private let deadline = ContinuousClock.now.advanced(by: .seconds(60))
    /// 2026-12-01, 12:00 UTC.
    private static let noon = 1_796_126_400

    private func client(_ transport: ScriptedTransport, at now: @escaping @Sendable () -> Int = { noon })
        -> OpenMeteoClient
    {
        OpenMeteoClient(
            OpenMeteoConfiguration(archiveURL: "http://127.0.0.1:3/"), transport: transport, unixTime: now)
    }

    /// What the archive answers about ranges: 10 °C, or what `maximum` says, on each of their days.
    private static func answer(
        _ url: String, maximum: (CalendarDate) -> Double? = { _ in 10 }
    ) -> String {
        func dates(_ name: String) -> [CalendarDate] {
            (ScriptedTransport.value(of: name, in: url) ?? "").split(separator: ",").compactMap {
                CalendarDate($0)
            }
        }
        let elements = zip(dates("start_date"), dates("end_date")).map { first, last in
            let days = (0...first.days(until: last)).map { first.advanced(by: $0) }
            let maxima = days.map { maximum($0).map { "\($0)" } ?? "null" }.joined(separator: ",")
            let rest = days.map { _ in "2" }.joined(separator: ",")
            let dates = days.map { "\"\($0)\"" }.joined(separator: ",")
            return """
                {"daily":{"time":[\(dates)],"temperature_2m_max":[\(maxima)],"temperature_2m_min":[\(rest)],\
                "precipitation_sum":[\(rest)],"cloud_cover_mean":[\(rest)]}}
                """
        }
        return elements.count == 1 ? elements[0] : "[" + elements.joined(separator: ",") + "]"
    }

    // MARK: Which days

    @Test func aYearIsWholeFromTheTenthOfJanuaryOn() throws {
        let day = try Fixture.date("2027-07-01")
        let half = HalfMonth(of: day)
        for (today, lastYear) in [("2027-01-09", 2025), ("2027-01-10", 2026), ("2026-12-31", 2025)] {
            #expect(
                ArchivePeriod.usual(day, today: try Fixture.date(today)) == .usual(half, lastYear: lastYear))
        }
    }

    @Test func aDateBefore1940IsNeverAsked() throws {
        let today = try Fixture.date("2026-12-01")
        #expect(ArchivePeriod.observed(try Fixture.date("1939-12-31"), today: today) == nil)
        #expect(ArchivePeriod.observed(try Fixture.date("1940-01-01"), today: today) != nil)
        #expect(ArchivePeriod.observed(today, today: today) == nil)
    }

    @Test func theTwentyNinthOfFebruaryHasSixDaysInYearsWithoutIt() {
        #expect(
            UsualDay.window(month: 2, day: 29, year: 2025).map(\.description) == [
                "2025-02-26", "2025-02-27", "2025-02-28", "2025-03-01", "2025-03-02", "2025-03-03",
            ])
        #expect(UsualDay.window(month: 2, day: 29, year: 2024).count == 7)
        #expect(
            UsualDay.window(month: 1, day: 2, year: 2025).first?.description == "2024-12-30")
    }

    // MARK: What is usual

    @Test func percentilesAreLinearBetweenRanks() throws {
        let spread = try #require(UsualDay.Spread([4, 1, 3, 2]))
        #expect(spread.mean == 2.5)
        #expect(abs(spread.low - 1.3) < 1e-12 && abs(spread.high - 3.7) < 1e-12)
        #expect(UsualDay.Spread([]) == nil)
        #expect(UsualDay.Spread([7]) == UsualDay.Spread(mean: 7, low: 7, high: 7))
    }

    private func usual(
        _ count: Int = 70, maximum: Double = 10, wet: Int = 0, cloudCover: Double? = 50
    ) -> UsualDay? {
        let samples = (0..<count).map {
            ArchiveDay(
                maximum: maximum, minimum: 1, precipitation: $0 < wet ? 1 : 0.9, cloudCover: cloudCover)
        }
        return UsualDay(month: 3, day: 1, samples: samples, years: 2016...2025)
    }

    @Test func fewerThanFiftySamplesAreNotEnough() {
        #expect(usual(49) == nil)
        #expect(usual(50) != nil)
    }

    @Test func theSkyIsWetFromHalfTheSamplesOnAndElseByTheCloudCover() {
        #expect(usual(wet: 35)?.sky == .rain)
        #expect(usual(maximum: 1, wet: 35)?.sky == .snow)
        #expect(usual(wet: 34)?.sky == .partlyCloudy)
        #expect(usual(cloudCover: 29.9)?.sky == .clear)
        #expect(usual(cloudCover: 70)?.sky == .partlyCloudy)
        #expect(usual(cloudCover: 70.1)?.sky == .overcast)
        #expect(usual(cloudCover: nil)?.sky == nil)
        #expect(usual(wet: 21)?.wetShare == 0.3)
    }

    // MARK: Asking

    @Test func tenYearsOfAHalfMonthAreOneRequestOfTenUnits() async throws {
        let transport = ScriptedTransport { .success(ArchiveTests.answer($0.url)) }
        let half = try #require(HalfMonth(month: 3, isSecond: false))
        let days = try await client(transport).usualDays(
            of: half, lastYear: 2025, at: try Fixture.coordinate(60.393, 5.324), zone: nil, until: deadline)
        #expect(days.count == 15)
        #expect(days.first?.maximum == UsualDay.Spread(mean: 10, low: 10, high: 10))
        #expect(days.first?.years == 2016...2025)
        let request = try #require(transport.requests.first)
        #expect(transport.requests.count == 1)
        #expect(
            request.url.hasPrefix("http://127.0.0.1:3/v1/archive?latitude=60.39&longitude=5.32&start_date="))
        #expect(request.url.contains("start_date=2016-02-27,2017-02-26,"))
        #expect(request.url.contains("end_date=2016-03-18,2017-03-18,"))
        #expect(request.cost == 10)
        #expect(request.share == .archive)
    }

    @Test func aServiceThatRefusesListsIsAskedYearByYear() async throws {
        let transport = ScriptedTransport { request in
            request.url.contains("-03-18,")
                ? .failure(TransportError.refusal(400, reason: "Invalid date format."))
                : .success(ArchiveTests.answer(request.url))
        }
        let half = try #require(HalfMonth(month: 3, isSecond: false))
        let days = try await client(transport).usualDays(
            of: half, lastYear: 2025, at: try Fixture.coordinate(60, 5), zone: nil, until: deadline)
        #expect(days.count == 15)
        #expect(transport.requests.count == 11)
    }

    @Test func aSubscriptionWithoutTheArchiveIsNotAskedAgainForADay() async throws {
        let clock = Clock()
        let transport = ScriptedTransport { _ in .failure(TransportError.refusal(403, reason: "Plan")) }
        let client = client(transport) { clock.now }
        let half = try #require(HalfMonth(month: 3, isSecond: false))
        for (seconds, requests) in [(0, 1), (86_399, 1), (1, 2)] {
            clock.pass(seconds)
            await #expect(throws: WeatherError.notSubscribed) {
                _ = try await client.usualDays(
                    of: half, lastYear: 2025, at: try Fixture.coordinate(60, 5), zone: nil, until: deadline)
            }
            #expect(transport.requests.count == requests)
        }
    }

    @Test func observedDaysAreAskedUpToYesterdayAndNullsAreLeftOut() async throws {
        let last = try Fixture.date("2026-11-28")
        let transport = ScriptedTransport { request in
            .success(ArchiveTests.answer(request.url) { (date) -> Double? in date <= last ? 10 : nil })
        }
        let half = try #require(HalfMonth(month: 11, isSecond: true))
        let days = try await client(transport).observedDays(
            of: half, year: 2026, at: try Fixture.coordinate(60, 5), zone: nil, until: deadline)
        #expect(transport.values(of: "start_date") == ["2026-11-16"])
        #expect(transport.values(of: "end_date") == ["2026-11-30"])
        #expect(days.filter { $0.maximum != nil }.last?.date == last)
        #expect(transport.requests.first?.cost == 1)
    }

    @Test func anAnswerWithoutAnyValueIsAFailure() async throws {
        let transport = ScriptedTransport { _ in
            .success(#"{"daily":{"time":["2020-03-01"],"temperature_2m_max":[null]}}"#)
        }
        let half = try #require(HalfMonth(month: 3, isSecond: false))
        await #expect(throws: WeatherError.self) {
            _ = try await client(transport).usualDays(
                of: half, lastYear: 2025, at: try Fixture.coordinate(60, 5), zone: nil, until: deadline)
        }
    }
}

private final class Clock: Sendable {
    private let time = Mutex(1_796_126_400)

    var now: Int { time.withLock { $0 } }

    func pass(_ seconds: Int) { time.withLock { $0 += seconds } }
}
