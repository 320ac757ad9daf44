import FoundationEssentials
import Gateway
import TestSupport
import Testing
import Weather

@testable import TripWeather

/// Every day of a trip: observed, forecast or usual. It is 10 December 2026.
struct SiteTripDaysTests {
    private struct Answer: Decodable {
        struct Trip: Decodable {
            struct Day: Decodable {
                struct Usual: Decodable {
                    var wetShare: Double
                    var firstYear: Int
                    var lastYear: Int
                }
                var date: String
                var kind: String
                var state: String
                var isForecast: Bool?
                var code: Int?
                var maximum: Double?
                var usual: Usual?
            }
            var days: [Day]
            var notes: [String]
        }
        var state: String
        var trip: Trip
    }

    private func ask(_ fixture: SiteFixture, _ start: String, nights: Int) async throws -> Answer {
        let (response, _, _) = await fixture.ask(
            "/weather.json", "city=Bergen&start=\(start)&nights=\(nights)")
        #expect(response.status == 200)
        return try JSONDecoder().decode(Answer.self, from: Data(response.body))
    }

    @Test func daysBeyondTheForecastAreWhatIsUsual() async throws {
        let fixture = try SiteFixture()
        let answer = try await ask(fixture, "2027-03-01", nights: 4)
        #expect(answer.trip.days.map(\.kind) == Array(repeating: "usual", count: 5))
        #expect(answer.trip.days.map(\.state) == Array(repeating: "loaded", count: 5))
        #expect(answer.trip.days.allSatisfy { $0.code == nil && $0.maximum == nil })
        #expect(answer.trip.days[0].usual?.wetShare == 0.3)
        #expect(answer.trip.days[0].usual?.lastYear == 2025)
        #expect(fixture.upstream.counts.archives == 1)
        // What is known is a hit, and any trip to these days shares it.
        let (_, neededTask, _) = await fixture.ask("/weather.json", "city=Bergen&start=2027-03-10&nights=2")
        #expect(!neededTask)
        #expect(fixture.upstream.counts.archives == 1)
    }

    @Test func aTripUnderWayHasAllThreeKinds() async throws {
        let fixture = try SiteFixture()
        let answer = try await ask(fixture, "2026-12-05", nights: 40)
        #expect(answer.trip.days.count == 41)
        #expect(Set(answer.trip.days.map(\.kind)) == ["observed", "forecast", "usual"])
        #expect(answer.trip.days[0].isForecast == false)
        // The archive doesn't have the last days yet, and no forecast of them was kept.
        #expect(answer.trip.days[4].state == "unknown")
    }

    @Test func daysThatAreOnTheirWayAreLoadingAndDelayNothing() async throws {
        let fixture = try SiteFixture { $0.site.archiveWait = .milliseconds(20) }
        // The forecast is known by then.
        _ = try await ask(fixture, "2026-12-10", nights: 1)
        fixture.upstream.hold()
        let (response, _, elapsed) = await fixture.ask(
            "/weather.json", "city=Bergen&start=2027-03-01&nights=1")
        #expect(response.status == 200)
        #expect(response.value("Cache-Control") == "no-store")
        #expect(response.text.contains(#""kind":"usual","state":"loading""#))
        #expect(elapsed < .seconds(2))
        fixture.upstream.release()
        // The question goes on behind the answer.
        try await eventually {
            try await ask(fixture, "2027-03-01", nights: 1).trip.days[0].state == "loaded"
        }
        #expect(fixture.upstream.counts.archives == 1)
    }

    /// A picture can't be asked for again by itself.
    @Test func aPictureWaitsForTheArchive() async throws {
        let fixture = try SiteFixture { configuration in
            configuration.site.archiveWait = .milliseconds(20)
            configuration.site.deadline = .milliseconds(500)
        }
        _ = try await ask(fixture, "2026-12-10", nights: 1)
        fixture.upstream.hold()
        let (response, _, elapsed) = await fixture.ask(
            "/weather.svg", "city=Bergen&start=2027-03-01&nights=1")
        #expect(response.status == 200)
        #expect(response.value("Cache-Control") == "no-store")
        #expect(response.text.contains("being asked for…"))
        #expect(elapsed >= .milliseconds(450))
        fixture.upstream.release()
    }

    @Test func anArchiveThatFailsLeavesTheForecastAlone() async throws {
        let fixture = try SiteFixture()
        fixture.upstream.setArchive(.failure(.unavailable(status: 503, retryAfter: nil)))
        let answer = try await ask(fixture, "2027-03-01", nights: 1)
        #expect(answer.state == "loaded")
        #expect(answer.trip.days.map(\.state) == ["unknown", "unknown"])
    }

    @Test func aSubscriptionWithoutTheArchiveIsNamed() async throws {
        let fixture = try SiteFixture()
        fixture.upstream.setArchive(.failure(.notSubscribed))
        let answer = try await ask(fixture, "2027-03-01", nights: 1)
        #expect(answer.trip.notes.contains { $0.contains("subscription") })
    }

    @Test func ifTheForecastFailsTheOtherDaysStay() async throws {
        let fixture = try SiteFixture()
        fixture.upstream.set(
            .failure(.unavailable(status: 503, retryAfter: nil)), at: SiteFixture.bergen.coordinate)
        let answer = try await ask(fixture, "2027-03-01", nights: 1)
        #expect(answer.state == "failed")
        #expect(answer.trip.days.map(\.state) == ["loaded", "loaded"])
    }

    @Test func aPastDayThatTheArchiveHasNotYetIsTheLastForecastOfIt() async throws {
        let fixture = try SiteFixture()
        #expect(try await ask(fixture, "2026-12-10", nights: 1).trip.days[0].kind == "forecast")
        // The next day's forecast begins with the next day.
        fixture.pass(seconds: 86_400 + 3_600)
        var next = SiteFixture.context()
        next.days.removeFirst()
        fixture.upstream.setOtherwise(.success(next))
        let yesterday = try await ask(fixture, "2026-12-10", nights: 1).trip.days[0]
        #expect(fixture.upstream.counts.forecasts == 2)
        #expect(yesterday.kind == "observed" && yesterday.state == "loaded" && yesterday.isForecast == true)
        #expect(yesterday.maximum == 7)
    }

    @Test func oneAnswerStartsAtMostSixQuestions() async throws {
        let fixture = try SiteFixture { $0.site.unitsPerRequest = 1_000 }
        _ = await fixture.ask(
            "/weather.json",
            "city=Bergen&start=2027-01-20&nights=60")
        #expect(fixture.upstream.counts.archives <= 6)
    }
}
