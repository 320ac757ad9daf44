import Synchronization
import Testing
import Transport
import Weather

struct OpenMeteoClientTests {
    private let deadline = ContinuousClock.now.advanced(by: .seconds(60))

    private func client(
        _ transport: ScriptedTransport, key: String = "", unixTime: Int = 1_795_176_000
    ) -> OpenMeteoClient {
        OpenMeteoClient(
            OpenMeteoConfiguration(
                geocodingURL: "http://127.0.0.1:1/", forecastURL: "http://127.0.0.1:2", apiKey: key),
            transport: transport, unixTime: { unixTime })
    }

    @Test func theForecastIsAlwaysTheSameQuestion() async throws {
        let transport = ScriptedTransport(answers: .success(Fixture.bergen))
        let context = try await client(transport)
            .weather(for: try Fixture.coordinate(60.39299, 5.32415), zone: "Europe/Oslo", until: deadline)
        #expect(context.current?.temperature == 5.3)
        #expect(
            transport.requests == [
                HTTPRequest(
                    url: "http://127.0.0.1:2/v1/forecast?latitude=60.39&longitude=5.32"
                        + "&current=temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,"
                        + "wind_speed_10m,weather_code,is_day"
                        + "&daily=weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,"
                        + "precipitation_probability_max,sunrise,sunset,wind_speed_10m_max,wind_gusts_10m_max,"
                        + "uv_index_max"
                        + "&forecast_days=16&timezone=auto",
                    cost: OpenMeteoRequests.weight(ofPlaces: 1), subject: "60.39,5.32")
            ])
    }

    @Test(arguments: [
        (0.001, -0.001, "0.0", "0.0"), (-33.868, 151.207, "-33.87", "151.21"), (90, -180, "90.0", "180.0"),
        (1.005, -179.999, "1.0", "180.0"), (0.01, 0.014, "0.01", "0.01"),
    ])
    func coordinatesAreRoundedAndWrittenWithAPoint(
        latitude: Double, longitude: Double, north: String, east: String
    ) async throws {
        let transport = ScriptedTransport(answers: .success(Fixture.bergen))
        _ = try await client(transport).weather(for: try Fixture.coordinate(latitude, longitude))
        #expect(transport.values(of: "latitude") == [north])
        #expect(transport.values(of: "longitude") == [east])
    }

    @Test func theKeyIsNeverPartOfTheAddress() async throws {
        let transport = ScriptedTransport(answers: .success(Fixture.bergen))
        _ = try await client(transport, key: "s&cret").weather(for: try Fixture.coordinate(1, 2))
        let request = try #require(transport.requests.first)
        #expect(request.secretQuery == "apikey=s%26cret")
        #expect(!request.url.contains("cret"))
    }

    @Test(arguments: [
        (400, #"{"error":true,"reason":"The key s&cret isn't one, nor s%26cret."}"#), (401, "no"),
    ])
    func aKeyThatTheServiceEchoesIsMasked(status: Int, body: String) async throws {
        let transport = ScriptedTransport { _ in
            .failure(.status(HTTPRefusal(status: status, body: Array(body.utf8))))
        }
        let error = await #expect(throws: WeatherError.self) {
            try await client(transport, key: "s&cret").weather(for: try Fixture.coordinate(1, 2))
        }
        #expect(
            error
                == .refused(status: status, reason: status == 400 ? "The key *** isn't one, nor ***." : nil))
    }

    @Test func aKeyThatStandsInAnAnswerIsMasked() async throws {
        let transport = ScriptedTransport(answers: .success(#"{"error":true,"reason":"s&cret s&cret"}"#))
        await #expect(throws: WeatherError.unreadable(path: "an error: *** ***")) {
            try await client(transport, key: "s&cret").weather(for: try Fixture.coordinate(1, 2))
        }
    }

    // MARK: Zones

    @Test func aRefusedZoneIsAskedAgainWithThePlacesOwn() async throws {
        let transport = ScriptedTransport(
            answers: .failure(.refusal(400, reason: "Invalid timezone")), .success(Fixture.bergen))
        let context = try await client(transport)
            .weather(for: try Fixture.coordinate(1, 2), zone: "America/Caracas", until: deadline)
        #expect(transport.values(of: "timezone") == ["auto", "America%2FCaracas"])
        #expect(context.timeZone == "Europe/Oslo")
    }

    @Test func weatherWithoutAZoneIsBetterThanNone() async throws {
        let transport = ScriptedTransport(
            answers: .failure(.refusal(400, reason: "Invalid timezone")),
            .failure(.refusal(400, reason: "Invalid timezone")), .success(Fixture.bergen))
        let context = try await client(transport)
            .weather(for: try Fixture.coordinate(1, 2), zone: "NZST", until: deadline)
        #expect(transport.values(of: "timezone") == ["auto", "NZST", nil])
        #expect(context.timeZone == nil)
        #expect(context.utcOffset == nil)
        #expect(context.current?.temperature == 5.3)
    }

    @Test func withoutAKnownZoneNoneIsAskedForAtOnce() async throws {
        let transport = ScriptedTransport(
            answers: .failure(.refusal(400, reason: "Invalid timezone")), .success(Fixture.bergen))
        _ = try await client(transport)
            .weather(for: try Fixture.coordinate(1, 2), zone: nil, until: deadline)
        #expect(transport.values(of: "timezone") == ["auto", nil])
    }

    @Test func anotherRefusalIsNotAskedAgain() async throws {
        let transport = ScriptedTransport(
            answers: .failure(.refusal(400, reason: "No data is available for this location")))
        await #expect(
            throws: WeatherError.refused(status: 400, reason: "No data is available for this location")
        ) {
            try await client(transport).weather(for: try Fixture.coordinate(1, 2))
        }
        #expect(transport.requests.count == 1)
    }

    @Test func theDeadlineHoldsBetweenTheQuestions() async throws {
        let time = Mutex(ContinuousClock.now)
        let start = time.withLock { $0 }
        let transport = ScriptedTransport { _ in
            time.withLock { $0 = $0.advanced(by: .seconds(6)) }
            return .failure(.refusal(400, reason: "Invalid timezone"))
        }
        let client = OpenMeteoClient(
            OpenMeteoConfiguration(), transport: transport, unixTime: { 0 }, now: { time.withLock { $0 } })
        await #expect(throws: WeatherError.outOfTime) {
            try await client.weather(
                for: try Fixture.coordinate(1, 2), zone: "Europe/Oslo",
                until: start.advanced(by: .seconds(10)))
        }
        #expect(transport.requests.count == 2)
    }

    // MARK: Failures

    @Test(arguments: [
        (400, WeatherError.refused(status: 400, reason: "words")),
        (404, .refused(status: 404, reason: "words")), (401, .refused(status: 401, reason: "words")),
        (303, .refused(status: 303, reason: "words")), (204, .refused(status: 204, reason: "words")),
        (500, .unavailable(status: 500, retryAfter: .seconds(7))),
        (502, .unavailable(status: 502, retryAfter: .seconds(7))),
        (503, .unavailable(status: 503, retryAfter: .seconds(7))),
        (504, .unavailable(status: 504, retryAfter: .seconds(7))),
        (429, .limited(reason: "words", retryAfter: .seconds(7), window: .unknown)),
    ])
    func aStatusIsAnAnswerAndNoForecast(status: Int, error: WeatherError) async throws {
        let transport = ScriptedTransport(
            answers: .failure(.refusal(status, reason: "words", retryAfter: .seconds(7))))
        await #expect(throws: error) {
            try await client(transport).weather(for: try Fixture.coordinate(1, 2))
        }
    }

    @Test func aRefusalWithoutWordsHasNone() async throws {
        let transport = ScriptedTransport(answers: .failure(.refusal(404)))
        await #expect(throws: WeatherError.refused(status: 404, reason: nil)) {
            try await client(transport).weather(for: try Fixture.coordinate(1, 2))
        }
    }

    @Test func theServicesWordsAreOneLineAndBounded() {
        #expect(
            WeatherError.reason(in: Array(#"{"error":true,"reason":" a\u0000b\r\n c\u202e "}"#.utf8))
                == "a b c")
        let long = String(repeating: "ä", count: 10_000)
        let reason = WeatherError.reason(in: Array(#"{"reason":"\#(long)","error":true}"#.utf8))
        #expect(reason?.count == 301)
        #expect(reason?.hasSuffix("ä…") == true)
        // Cut short behind the reason.
        #expect(WeatherError.reason(in: Array(#"{"reason":"why","err"#.utf8)) == "why")
        for body in ["", "null", "[]", #"{"reason":7}"#, #"{"reason":""}"#, "<html>"] {
            #expect(WeatherError.reason(in: Array(body.utf8)) == nil)
        }
    }

    @Test(arguments: [
        ("Minutely API request limit exceeded. Please try again in one minute.", RateLimitWindow.minute, 41),
        ("Hourly API request limit exceeded. Please try again in the next hour.", .hour, 1_421),
        ("Daily API request limit exceeded. Please try again tomorrow.", .day, 51_821),
        ("Too many concurrent requests", .concurrency, 1),
    ])
    func aLimitLastsToItsWindowsEnd(reason: String, window: RateLimitWindow, seconds: Int) async throws {
        // 09:36:19 UTC.
        let transport = ScriptedTransport(answers: .failure(.refusal(429, reason: reason)))
        await #expect(
            throws: WeatherError.limited(reason: reason, retryAfter: .seconds(seconds), window: window)
        ) {
            try await client(transport, unixTime: 86_400 * 20_000 + 9 * 3_600 + 36 * 60 + 19)
                .weather(for: try Fixture.coordinate(1, 2))
        }
    }

    @Test func atAFullMinuteAWholeWindowIsLeft() {
        #expect(RateLimitWindow.minute.remaining(atUnixTime: 0) == .seconds(60))
        #expect(RateLimitWindow.hour.remaining(atUnixTime: 3_599) == .seconds(1))
        #expect(RateLimitWindow.day.remaining(atUnixTime: -1) == .seconds(1))
        #expect(RateLimitWindow.unknown.remaining(atUnixTime: 5) == nil)
    }

    @Test func theLongerOfBothWaitsIsTaken() {
        let body = Array(#"{"reason":"Too many concurrent requests"}"#.utf8)
        for (field, expected) in [(Duration.seconds(30), Duration.seconds(30)), (.zero, .seconds(1))] {
            let error = WeatherError(
                refusal: HTTPRefusal(status: 429, retryAfter: field, body: body), unixTime: 0)
            #expect(
                error
                    == .limited(
                        reason: "Too many concurrent requests", retryAfter: expected, window: .concurrency))
        }
    }

    @Test(arguments: [
        TransportError.failed(TransferFault(phase: .connect, code: 7, message: "refused")),
        .timedOut(TransferFault(phase: .wait, code: 28, message: "slow")), .queueFull,
        .gateShut(retryAfter: .seconds(5)), .tooLarge(limit: 10), .forbidden(reason: "http"),
    ])
    func whereThereIsNoAnswerTheTransportSaysWhy(error: TransportError) async throws {
        let transport = ScriptedTransport(answers: .failure(error))
        await #expect(throws: WeatherError.transport(error)) {
            try await client(transport)
                .weather(for: try Fixture.coordinate(1, 2), zone: nil, until: deadline)
        }
    }

    @Test func timeThatRanOutAtTheDeadlineIsTheRequestsOwn() async throws {
        let fault = TransferFault(phase: .wait, code: 28, message: "slow")
        let time = Mutex(ContinuousClock.now)
        let start = time.withLock { $0 }
        let transport = ScriptedTransport { _ in
            time.withLock { $0 = $0.advanced(by: .seconds(8)) }
            return .failure(.timedOut(fault))
        }
        let client = OpenMeteoClient(
            OpenMeteoConfiguration(), transport: transport, unixTime: { 0 }, now: { time.withLock { $0 } })
        await #expect(throws: WeatherError.outOfTime) {
            try await client.weather(
                for: try Fixture.coordinate(1, 2), zone: nil, until: start.advanced(by: .seconds(8)))
        }
    }

    @Test func nothingIsAskedAfterTheDeadline() async throws {
        let transport = ScriptedTransport(answers: .success(Fixture.bergen))
        await #expect(throws: WeatherError.outOfTime) {
            try await client(transport).weather(for: try Fixture.coordinate(1, 2), zone: nil, until: .now)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func aCancelledTaskAsksNothing() async throws {
        let transport = ScriptedTransport(answers: .success(Fixture.bergen))
        let client = client(transport)
        let coordinate = try Fixture.coordinate(1, 2)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await Result { () async throws(WeatherError) in try await client.weather(for: coordinate) }
        }
        task.cancel()
        #expect(await task.value == .failure(.cancelled))
        #expect(transport.requests.isEmpty)
    }

    @Test func anAnswerWithoutWeatherIsUnreadable() async throws {
        let transport = ScriptedTransport(answers: .success(#"{"daily":{"sunrise":[]}}"#))
        await #expect(throws: WeatherError.unreadable(path: "no value in current or daily")) {
            try await client(transport).weather(for: try Fixture.coordinate(1, 2))
        }
    }

    @Test func errorsHaveLabelsWithoutWordsFromOutside() {
        #expect(WeatherError.noSuchPlace("X").label == "no-such-place")
        #expect(WeatherError.refused(status: 400, reason: "X").label == "refused")
        #expect(WeatherError.transport(.queueFull).label == "queue-full")
        #expect(WeatherError.outOfTime.label == "out-of-time")
    }

    @Test func aRequestsWeightFollowsTheServicesRule() {
        // 17 variables for 16 days.
        let one = 17 * 16 / 140.0
        #expect(abs(OpenMeteoRequests.weight(ofPlaces: 1) - one) < 1e-12 && one < 2)
        #expect(abs(OpenMeteoRequests.weight(ofPlaces: 100) - 100 * one) < 1e-9)
        #expect(OpenMeteoRequests.weight(ofPlaces: 0) == 0)
        #expect(OpenMeteoRequests.searchWeight == 1)
    }
}

extension Result where Failure == WeatherError {
    fileprivate init(_ body: () async throws(WeatherError) -> Success) async {
        do throws(WeatherError) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
