import Testing
import Transport
import Weather

struct ManyPlacesTests {
    private let deadline = ContinuousClock.now.advanced(by: .seconds(60))

    private func coordinates(_ count: Int) throws -> [Coordinate] {
        try (0..<count).map { try Fixture.coordinate(Double($0), 1) }
    }

    /// Answers about each latitude with that temperature, and refuses all where one of `refused` is asked with a
    /// zone, or one of `never` at all.
    private func service(refusing refused: Set<String> = [], never: Set<String> = []) -> ScriptedTransport {
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
            let answers = latitudes.map { #"{"current":{"temperature_2m":\#($0)},"utc_offset_seconds":0}"# }
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
        #expect(transport.requests.count == 17)
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
            .success("[{\"current\":{}},{\"current\":{}}]"),
            .failure(.refusal(429, reason: "Too many concurrent requests")))
        let results = try await client(transport).weather(for: try coordinates(4), until: deadline)
        #expect(transport.requests.count == 3)
        #expect(results.map { (try? $0.get()) != nil } == [true, true, false, false])
    }

    @Test func anotherNumberOfPlacesIsUnreadable() async throws {
        let transport = ScriptedTransport(answers: .success("[{\"current\":{}}]"))
        await #expect(throws: WeatherError.unreadable(path: "1 places where 3 were asked for")) {
            try await client(transport).weather(for: try coordinates(3), until: deadline)
        }
    }
}
