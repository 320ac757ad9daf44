import Foundation
import Storage
import Testing
import Transport
import Trips
import Weather

@testable import Fragments

struct ProblemTests {
    private static func fault(_ phase: TransferFault.Phase) -> TransferFault {
        TransferFault(phase: phase, code: 28, message: "libcurl's own words")
    }

    private static let failures: [(WeatherError, Int, String, Int64?, String)] = [
        (
            WeatherError.noSuchPlace("Hogsmeade"), 404, "no-such-place", nil,
            "Open-Meteo knows no place called Hogsmeade."
        ),
        (
            .noSuchPlace(
                "seattle", elsewhere: WeatherError.Elsewhere(place: Examples.seattle, wanted: "Germany")),
            404, "no-such-place", nil, "There is a Seattle, but not in Germany."
        ),
        (
            .refused(status: 400, reason: "Latitude must be in range of -90 to 90°. Given: 999.0."), 502,
            "upstream-refused", nil,
            "Open-Meteo refused the request: Latitude must be in range of -90 to 90°. Given: 999.0."
        ),
        (
            .refused(status: 400, reason: "No"), 502, "upstream-refused", nil,
            "Open-Meteo refused the request: No."
        ),
        (
            .refused(status: 404, reason: nil), 502, "upstream-refused", nil,
            "Open-Meteo refused the request with status 404 and gave no reason. Try again later."
        ),
        (
            .limited(
                reason: "Minutely API request limit exceeded. Please try again in one minute.",
                retryAfter: .seconds(42)), 503, "upstream-limited", 42,
            "Open-Meteo's request limit is reached: Minutely API request limit exceeded. Please try again in one minute."
        ),
        (
            .limited(reason: nil, retryAfter: nil), 503, "upstream-limited", 60,
            "Open-Meteo's request limit is reached. Try again in 60 seconds."
        ),
        (
            .unavailable(status: 503, retryAfter: .milliseconds(1_500)), 502, "upstream-unavailable", 2,
            "Open-Meteo has trouble at the moment (status 503). Try again in 2 seconds."
        ),
        (
            .unreadable(path: "daily.time"), 502, "upstream-unreadable", nil,
            "Open-Meteo's answer could not be read. Try again in a minute."
        ),
        (.outOfTime, 504, "out-of-time", nil, "The weather did not arrive in time. Try again in a moment."),
        (.cancelled, 503, "cancelled", nil, "The request was cancelled."),
        (
            .transport(.status(HTTPRefusal(status: 500, retryAfter: .seconds(3)))), 502,
            "upstream-unavailable", 3,
            "Open-Meteo has trouble at the moment (status 500). Try again in 3 seconds."
        ),
        (
            .transport(.tooLarge(limit: 1)), 502, "upstream-unreadable", nil,
            "Open-Meteo's answer was too large. Try again in a minute."
        ),
        (
            .transport(.forbidden(reason: "secret")), 502, "upstream-unavailable", nil,
            "This program must not contact the weather service at its configured address. Please tell the operator of this site."
        ),
        (
            .transport(.queueFull), 503, "over-limit", 1,
            "Too many requests are waiting for Open-Meteo. Try again in 1 second."
        ),
        (
            .transport(.held(.budget, retryAfter: .seconds(40))), 503, "upstream-limited", 40,
            "Open-Meteo was asked as often as is allowed for now. Try again in 40 seconds."
        ),
        (
            .transport(.held(.breaker, retryAfter: .seconds(7))), 503, "upstream-limited", 7,
            "Open-Meteo has trouble at the moment and is not being asked. Try again in 7 seconds."
        ),
        (
            .transport(.gateShut(retryAfter: .seconds(5))), 504, "out-of-time", 5,
            "Open-Meteo's address could not be looked up in time. Try again in 5 seconds."
        ),
        (.transport(.cancelled), 503, "cancelled", nil, "The request was cancelled."),
        (
            .transport(.timedOut(fault(.resolve))), 504, "out-of-time", nil,
            "Open-Meteo's address could not be looked up in time. Try again in a moment."
        ),
        (
            .transport(.timedOut(fault(.wait))), 504, "out-of-time", nil,
            "Open-Meteo did not answer in time. Try again in a moment."
        ),
        (
            .transport(.failed(fault(.connect))), 502, "upstream-unavailable", nil,
            "Open-Meteo could not be reached. Try again in a minute."
        ),
        (
            .transport(.failed(fault(.receive))), 502, "upstream-unavailable", nil,
            "Open-Meteo's answer broke off. Try again in a moment."
        ),
    ]

    @Test(arguments: failures)
    func everyFailureHasItsStatusAndSentence(
        error: WeatherError, status: Int, type: String, retryAfter: Int64?, detail: String
    ) {
        let problem = Problem(error)
        #expect(problem.status == status)
        #expect(problem.type == "/problems/\(type)")
        #expect(problem.retryAfterSeconds == retryAfter)
        #expect(problem.detail == detail)
        let german = Problem(error, in: .german)
        #expect(german.status == status)
        #expect(german.detail != detail)
    }

    @Test(arguments: TransferFault.Phase.allCases, Language.allCases)
    func everyPhaseHasItsSentence(phase: TransferFault.Phase, language: Language) {
        let timedOut = Problem(.transport(.timedOut(Self.fault(phase))), in: language)
        let failed = Problem(.transport(.failed(Self.fault(phase))), in: language)
        #expect(timedOut.status == 504)
        #expect(failed.status == 502)
        #expect(timedOut.detail != failed.detail)
        for problem in [timedOut, failed] {
            #expect(problem.detail.hasSuffix("."))
            #expect(!problem.detail.contains("libcurl"))
        }
    }

    @Test(arguments: Representation.allCases)
    func whatIsForTheLogStaysInTheLog(representation: Representation) {
        let presentation = Presentation(representation: representation)
        for error in [
            WeatherError.unreadable(path: "daily.time"), .transport(.forbidden(reason: "daily.time")),
            .transport(
                .failed(TransferFault(phase: .connect, code: 7, message: "daily.time"))),
        ] {
            let answer = Examples.text(Renderer.problem(Problem(error), as: presentation))
            #expect(!answer.contains("daily.time"))
        }
    }

    @Test func aLongReasonOrNameIsCut() {
        let long = String(repeating: "ä", count: 5_000)
        #expect(Problem(.refused(status: 400, reason: long)).detail.count < 400)
        #expect(Problem(.noSuchPlace(long)).detail.count < 300)
        #expect(Problem.badRequest([(long, .unknown)]).detail.count < 200)
    }

    @Test func aProblemIsTheseBytes() {
        let problem = Problem.badRequest([
            ("latitude", .outOfRange(-90...90)), ("<x>", .unknown),
        ])
        #expect(
            Examples.text(Renderer.problem(problem, as: Presentation())) == """
                {"type":"/problems/bad-request","title":"Invalid request","status":400,\
                "detail":"latitude must be from −90 to 90. There is no parameter \\u003Cx>.",\
                "fields":[{"name":"latitude","detail":"latitude must be from −90 to 90."},\
                {"name":"\\u003Cx>","detail":"There is no parameter \\u003Cx>."}]}

                """)
        #expect(
            Examples.text(Renderer.problem(problem, as: Presentation(representation: .html))) == """
                <section class="weather" data-state="failed">
                <div class="weather-card" lang="en">
                <p class="weather-message"><span class="weather-fault" data-field="latitude">\
                latitude must be from −90 to 90.</span> <span class="weather-fault" data-field="&lt;x&gt;">\
                There is no parameter &lt;x&gt;.</span></p>
                <p class="weather-retry"><a class="retry" href="">Retry</a></p>
                </div>
                </section>

                """)
        #expect(
            Examples.text(Renderer.problem(problem, as: Presentation(representation: .text)))
                == "latitude must be from −90 to 90. There is no parameter <x>.\n")
    }

    @Test func aLimitSaysWhenToComeBackAndAMethodWhatIsAllowed() throws {
        let limit = try parse(Problem(because: .overLimit, retryAfter: .seconds(3)))
        #expect(limit["status"] as? Int == 503)
        #expect(limit["retryAfter"] as? Int == 3)
        let method = try parse(Problem(because: .methodNotAllowed(["GET", "HEAD"])))
        #expect(method["status"] as? Int == 405)
        #expect(method["allow"] as? [String] == ["GET", "HEAD"])
        #expect(
            method["detail"] as? String == "This address only accepts GET or HEAD.")
    }

    @Test(arguments: Language.allCases)
    func everyProblemHasTheMembersOfRFC9457(language: Language) throws {
        var types: Set<String> = []
        for problem in Self.all(in: language) {
            let json = try parse(problem)
            #expect(json["status"] as? Int == problem.status)
            let type = try #require(json["type"] as? String)
            #expect(type.hasPrefix("/problems/"))
            types.insert(type)
            #expect((json["title"] as? String)?.isEmpty == false)
            #expect((json["detail"] as? String)?.hasSuffix(".") == true)
        }
        #expect(types.count == 28)
    }

    @Test func everyFailedCardHasRetry() throws {
        for problem in Self.all(in: .english) where !problem.isGone {
            let html = try FragmentReader(
                Examples.text(Renderer.problem(problem, as: Presentation(representation: .html))))
            #expect(html.first("retry")?.attributes["href"] == "", "\(problem.type)")
            #expect(html.first("weather")?.attributes["data-state"] == "failed")
        }
    }

    @Test(arguments: [
        (Duration.zero, 1 as Int64), (.milliseconds(1), 1), (.seconds(1), 1), (.milliseconds(1_001), 2),
        (.seconds(-5), 1), (.seconds(Int64.max), .max),
    ])
    func retryAfterIsInWholeSecondsRoundedUp(duration: Duration, seconds: Int64) {
        #expect(Problem(because: .overLimit, retryAfter: duration).retryAfterSeconds == seconds)
    }

    @Test(arguments: Language.allCases)
    func everyFaultOfAParameterHasASentenceThatNamesIt(language: Language) {
        let faults: [Problem.Fault] = [
            .missing, .empty, .tooLong(limit: 100), .notAKey(lengths: 16...64), .notUTF8, .controlCharacter,
            .notANumber,
            .notAWholeNumber, .outOfRange(1...60), .notADate, .notOneOf(["metric", "imperial"]), .unknown,
            .unreadableName,
            .repeated, .needs("longitude"), .excludes("city"),
        ]
        let problem = Problem.badRequest(faults.map { ("nights", $0) }, in: language)
        #expect(problem.status == 400)
        #expect(problem.fields.allSatisfy { $0.name == "nights" && $0.detail.contains("nights") })
        #expect(Set(problem.fields.map(\.detail)).count == faults.count)
    }

    @Test func anAnswerListsAtMostTwentyFaultsWhateverWasSent() {
        let faults = (0..<3_500).map { (field: "b\($0)", fault: Problem.Fault.unknown) }
        let problem = Problem.badRequest(faults)
        #expect(problem.fields.count == 20)
        #expect(problem.detail.hasSuffix("There is no parameter b19. There are more faults."))
        #expect(Problem.badRequest(Array(faults.prefix(20))).detail.hasSuffix("b19."))
        let long = Problem.badRequest([(String(repeating: "b", count: 7_000), .unknown)])
        for representation in Representation.written {
            let presentation = Presentation(representation: representation)
            #expect(Renderer.problem(problem, as: presentation).count < 4_096)
            #expect(Renderer.problem(long, as: presentation).count < 1_024)
        }
    }

    @Test func oneFaultIsSaidOnce() {
        let fault = Problem.Fault.notOneOf(["en", "de"])
        let problem = Problem.badRequest([("lang", fault), ("lang", fault), ("nights", .missing)])
        #expect(problem.detail == "lang must be en or de. nights is missing.")
        #expect(problem.fields.map(\.name) == ["lang", "nights"])
    }

    @Test func aMalformedKeyIsNoUnknownParameter() {
        #expect(
            Problem.badRequest([("key", .notAKey(lengths: 16...64))]).detail
                == "key must have 16 to 64 letters, digits, hyphens or underscores.")
    }

    @Test func aPlaceThatTheSampleLacksIsMissingFromTheSample() {
        #expect(
            Problem(.noSuchPlace("Lisbon"), isSample: true).detail
                == "The sample data has no place called Lisbon.")
        #expect(
            Problem(.noSuchPlace("Lisbon"), in: .german, isSample: true).detail
                == "Die Beispieldaten enthalten keinen Ort namens Lisbon.")
    }

    @Test(arguments: [
        (false, Language.english, "There is an Oslo, but not in Germany."),
        (true, .english, "The sample data has an Oslo, but not in Germany."),
        (false, .german, "Es gibt zwar ein Oslo, aber nicht in Germany."),
        (true, .german, "Die Beispieldaten enthalten zwar ein Oslo, aber nicht in Germany."),
    ])
    func aMissOfAnotherCountryNamesTheSampleIfItIsTheSamples(
        isSample: Bool, language: Language, detail: String
    ) throws {
        let oslo = Place(
            name: "Oslo", country: "Norway", countryCode: "NO",
            coordinate: try #require(Coordinate(latitude: 59.91, longitude: 10.75)), timeZone: "Europe/Oslo")
        let error = WeatherError.noSuchPlace(
            "Oslo", elsewhere: WeatherError.Elsewhere(place: oslo, wanted: "Germany"))
        #expect(Problem(error, in: language, isSample: isSample).detail == detail)
    }

    @Test func aFailureThatIsRememberedSaysWhenAskingAgainWillHelp() throws {
        let error = WeatherError.transport(.timedOut(Self.fault(.wait)))
        let problem = Problem(error, retryAfter: .seconds(12))
        #expect(problem.detail == "Open-Meteo did not answer in time. Try again in 12 seconds.")
        #expect(try parse(problem)["retryAfter"] as? Int == 12)
        // The longer of the two.
        let limited = WeatherError.unavailable(status: 503, retryAfter: .seconds(300))
        #expect(Problem(limited, retryAfter: .seconds(12)).detail.hasSuffix("Try again in 5 minutes."))
        #expect(
            Problem(limited, in: .german, retryAfter: .seconds(86_400)).detail.hasSuffix(
                "Versuchen Sie es in 24 Stunden noch einmal."))
        let html = try FragmentReader(
            Examples.text(Renderer.problem(problem, as: Presentation(representation: .html))))
        #expect(html.first("retry")?.attributes["data-retry-after"] == "12")
    }

    private func parse(_ problem: Problem) throws -> [String: Any] {
        let bytes = Renderer.problem(problem, as: Presentation())
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private static func all(in language: Language) -> [Problem] {
        [
            .badRequest([("city", .missing)], in: language), Problem(because: .noSuchAddress, in: language),
            Problem(because: .methodNotAllowed(["GET", "HEAD"]), in: language),
            Problem(because: .notAcceptable, in: language),
            Problem(because: .unreadableRequest, in: language),
            Problem(because: .lengthRequired, in: language), Problem(because: .arrivedTooLate, in: language),
            Problem(because: .bodyTooLarge(limit: 65_536), in: language),
            Problem(because: .addressTooLong, in: language), Problem(because: .headersTooLarge, in: language),
            Problem(because: .overLimit, in: language),
            Problem(because: .internalError, in: language), Problem(.noSuchPlace("Hogsmeade"), in: language),
            Problem(.refused(status: 400, reason: nil), in: language),
            Problem(.limited(reason: nil, retryAfter: nil), in: language),
            Problem(.unavailable(status: 500, retryAfter: nil), in: language),
            Problem(.unreadable(path: ""), in: language), Problem(.outOfTime, in: language),
            Problem(.cancelled, in: language), Problem(because: .gone, in: language),
            .tripFaults([.city(.missing)], in: language), Problem(because: .unreadableBody, in: language),
            Problem(because: .unsupportedMediaType(["application/json"]), in: language),
            Problem(because: .crossSite, in: language),
            Problem(because: .alreadyAdded(city: "Bergen"), in: language),
            Problem(because: .tooManyTrips(limit: 200), in: language),
            Problem(because: .versionConflict(current: Examples.bergen), in: language),
            Problem(because: .versionRequired, in: language),
        ]
            + StorageError.Kind.allCases.flatMap {
                [
                    Problem(because: .storage($0, isWrite: true), in: language),
                    Problem(because: .storage($0, isWrite: false), in: language),
                ]
            }
    }
}
