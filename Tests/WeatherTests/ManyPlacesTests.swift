import Testing
import Transport
import Weather

struct ManyPlacesTests {
    private let deadline = ContinuousClock.now.advanced(by: .seconds(60))

    private func coordinates(_ count: Int) throws -> [Coordinate] {
        try (0..<count).map { try Fixture.coordinate(Double($0), 1) }
    }

    /// Answers about each latitude with that temperature, and refuses all if one of `refused` is asked with a zone,
    /// or one of `never` at all. What it writes about one of `spoilt` is no JSON.
    private func service(
        refusing refused: Set<String> = [], never: Set<String> = [], spoilt: Set<String> = []
    ) -> ScriptedTransport {
        ScriptedTransport { request in
            let latitudes = (ScriptedTransport.value(of: "latitude", in: request.url) ?? "")
                .split(separator: ",").map(String.init)
            let hasZone = request.url.contains("timezone=")
            if latitudes.contains(where: never.contains) {
                return .failure(.refusal(400, reason: "No data is available for this location"))
            }
            if hasZone, latitudes.contains(where: refused.contains) {
                return .failure(.refusal(400, reason: "Invalid timezone"))
            }
            let answers = latitudes.map { latitude in
                let temperature = spoilt.contains(latitude) ? "Unexpected error" : latitude
                return
                    #"{"current":{"temperature_2m":\#(temperature)},"utc_offset_seconds":0,"timezone":"GMT"}"#
            }
            return .success(answers.count == 1 ? answers[0] : "[\(answers.joined(separator: ","))]")
        }
    }

    private func client(_ transport: ScriptedTransport) -> OpenMeteoClient {
        OpenMeteoClient(OpenMeteoConfiguration(), transport: transport)
    }

    @Test func manyPlacesAreOneRequest() async throws {
        let transport = service()
        let results = try await client(transport).weather(for: try coordinates(3), until: deadline)
        #expect(transport.values(of: "latitude") == ["0.0,1.0,2.0"])
        #expect(transport.values(of: "longitude") == ["1.0,1.0,1.0"])
        #expect(results.map { try? $0.get().current?.temperature } == [0, 1, 2])
    }

    @Test func whatARequestMayNotSpendIsLeftForTheNext() async throws {
        let transport = service()
        let budget = RequestBudget(client: nil, units: 6)
        let results = try await RequestBudget.$current.withValue(budget) {
            try await client(transport).weather(for: try coordinates(5), until: deadline)
        }
        #expect(transport.values(of: "latitude") == ["0.0,1.0,2.0"])
        let left = Result<WeatherContext, WeatherError>.failure(
            .transport(.held(.request, retryAfter: .seconds(1))))
        #expect(results.suffix(2) == [left, left])
        #expect(results.prefix(3).allSatisfy { (try? $0.get()) != nil })
    }

    @Test func onePlaceIsOneObjectAndNoneNoRequest() async throws {
        let transport = service()
        #expect(try await client(transport).weather(for: [], until: deadline).isEmpty)
        #expect(transport.requests.isEmpty)
        #expect(try await client(transport).weather(for: try coordinates(1), until: deadline).count == 1)
    }

    @Test func aPlaceWithoutAZoneDoesNotCostTheOthersTheirWeather() async throws {
        let transport = service(refusing: ["5.0"])
        let results = try await client(transport).weather(for: try coordinates(8), until: deadline)
        #expect(results.map { try? $0.get().current?.temperature } == (0..<8).map(Double.init))
        #expect(results.map { try? $0.get().utcOffset } == [0, 0, 0, 0, 0, nil, 0, 0])
    }

    @Test func aRefusedPlaceFailsAlone() async throws {
        let transport = service(never: ["2.0"])
        let results = try await client(transport).weather(for: try coordinates(5), until: deadline)
        #expect(results.map { try? $0.get().current?.temperature } == [0, 1, nil, 3, 4])
        #expect(
            results[2] == .failure(.refused(status: 400, reason: "No data is available for this location")))
    }

    @Test func theSearchForRefusedPlacesIsBounded() async throws {
        let all = Set((0..<64).map { "\(Double($0))" })
        let transport = service(never: all)
        let results = try await client(transport).weather(for: try coordinates(64), until: deadline)
        #expect(results.count == 64)
        #expect(transport.requests.count == 31)
    }

    private func temperatures(_ results: [Result<WeatherContext, WeatherError>]) -> [Double?] {
        results.map { result in
            if case .success(let context) = result { context.current?.temperature } else { nil }
        }
    }

    private static let several: Set<Int> = [0, 3, 4, 17, 31, 32, 50, 51, 52, 69]

    @Test func manyRefusedPlacesDoNotFailTheOthers() async throws {
        let bad = ManyPlacesTests.several
        let transport = service(never: Set(bad.map { "\(Double($0))" }))
        let client = client(transport)
        let results = try await client.weather(for: try coordinates(60), until: deadline)
        #expect(temperatures(results) == (0..<60).map { bad.contains($0) ? nil : Double($0) })
        #expect(transport.requests.count < 76)
    }

    @Test func manyPlacesThatAreNoJSONDoNotFailTheOthers() async throws {
        let bad = ManyPlacesTests.several
        let transport = service(spoilt: Set(bad.map { "\(Double($0))" }))
        let results = try await client(transport).weather(for: try coordinates(60), until: deadline)
        #expect(temperatures(results) == (0..<60).map { bad.contains($0) ? nil : Double($0) })
        // What stands before such a place is read and not asked about again.
        #expect(transport.requests.count <= 4 * bad.count)
    }

    @Test func placesThatSpoiltAnAnswerAreAskedAboutAloneTheNextTime() async throws {
        let transport = service(refusing: ["5.0"], never: ["11.0"], spoilt: ["7.0"])
        let client = client(transport)
        _ = try await client.weather(for: try coordinates(16), until: deadline)
        let before = transport.requests.count
        let results = try await client.weather(for: try coordinates(16), until: deadline)
        #expect(temperatures(results) == (0..<16).map { [7, 11].contains($0) ? nil : Double($0) })
        #expect(
            transport.values(of: "latitude").dropFirst(before).map { $0?.split(separator: ",").count }
                == [13, 1, 1, 1, 1])
    }

    @Test func aServiceThatAnswersWithTextAloneIsSoonLeft() async throws {
        let transport = ScriptedTransport(
            answers: .success("Unexpected error while streaming data: timeoutReached"))
        let results = try await client(transport).weather(for: try coordinates(60), until: deadline)
        #expect(temperatures(results) == (0..<60).map { _ in nil })
        #expect(transport.requests.count == 7)
    }

    @Test func aFailureOfTheWholeIsThrown() async throws {
        let transport = ScriptedTransport(answers: .failure(.refusal(503)))
        await #expect(throws: WeatherError.unavailable(status: 503, retryAfter: nil)) {
            try await client(transport).weather(for: try coordinates(3), until: deadline)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func afterALimitNothingMoreIsAsked() async throws {
        let transport = ScriptedTransport(
            answers: .failure(.refusal(400, reason: "Invalid timezone")),
            .success(#"[{"current":{"temperature_2m":1}},{"current":{"temperature_2m":2}}]"#),
            .failure(.refusal(429, reason: "Too many concurrent requests")))
        let results = try await client(transport).weather(for: try coordinates(4), until: deadline)
        #expect(transport.requests.count == 3)
        #expect(results.map { (try? $0.get()) != nil } == [true, true, false, false])
    }

    @Test func anotherNumberOfPlacesIsAskedAboutAgain() async throws {
        let transport = ScriptedTransport(answers: .success(#"[{"current":{"temperature_2m":1}}]"#))
        let results = try await client(transport).weather(for: try coordinates(2), until: deadline)
        #expect(temperatures(results) == [1, 1])
        #expect(transport.values(of: "latitude") == ["0.0,1.0", "0.0", "1.0"])
    }
}
