import Testing
import Weather

struct ForecastDecoderTests {
    private func decode(
        _ body: String, hasZone: Bool = true, atUnixTime unixTime: Int = 0
    ) throws -> WeatherContext {
        try ForecastDecoder.context(
            from: Array(body.utf8), for: try Fixture.coordinate(60.39299, 5.32415), hasZone: hasZone,
            atUnixTime: unixTime)
    }

    private func path(_ body: String) -> String? {
        do {
            _ = try decode(body)
            return nil
        } catch WeatherError.unreadable(let path) {
            return path
        } catch {
            return "another error: \(error)"
        }
    }

    @Test func everyVariableIsRead() throws {
        let context = try decode(Fixture.bergen)
        #expect(context.timeZone == "Europe/Oslo")
        #expect(context.utcOffset == 3_600)
        #expect(
            context.current
                == CurrentWeather(
                    time: try Fixture.time("2026-11-20T14:30"), temperature: 5.3, apparentTemperature: 2.1,
                    relativeHumidity: 81, precipitation: 0.1, windSpeed: 12.3, sky: Sky(code: 61), isDay: true
                ))
        #expect(
            context.days == [
                DayForecast(
                    date: try Fixture.date("2026-11-20"), sky: Sky(code: 63), maximum: 6.1, minimum: 1.2,
                    precipitation: 8.4, precipitationProbability: 98,
                    sun: .risesAndSets(
                        rise: try Fixture.time("2026-11-20T09:01"), set: try Fixture.time("2026-11-20T15:49"))
                ),
                DayForecast(
                    date: try Fixture.date("2026-11-21"), sky: Sky(code: 3), maximum: 7, minimum: 0,
                    precipitation: 0, precipitationProbability: 12,
                    sun: .risesAndSets(
                        rise: try Fixture.time("2026-11-21T09:04"), set: try Fixture.time("2026-11-21T15:47"))
                ),
            ])
    }

    @Test func coordinatesAreTheAskedOnesAndNotTheGridCells() throws {
        #expect(try decode(Fixture.bergen).coordinate == Fixture.coordinate(60.39, 5.32))
    }

    @Test func minusZeroIsZero() throws {
        let context = try decode(
            #"{"current":{"temperature_2m":-0.0,"precipitation":-0},"daily":{"time":[]}}"#)
        #expect(context.current?.temperature?.sign == .plus)
        #expect(context.current?.precipitation?.sign == .plus)
    }

    @Test(arguments: [("3", 3), ("3.0", 3), ("0", 0), ("96", 96), ("1e1", 10)])
    func codesAreNumbersHoweverTheyAreWritten(text: String, code: Int) throws {
        #expect(try decode(#"{"current":{"weather_code":\#(text)}}"#).current?.sky == Sky(code: code))
    }

    @Test(arguments: [
        "null", "3.5", "-1", "1e300", "-1e300", "99999999999999999999", "1e999", "1000", #""3""#, "nan",
        "[3]",
    ])
    func codesThatNoTableHasAreUnknown(text: String) throws {
        let context = try decode(
            #"{"current":{"temperature_2m":5,"weather_code":\#(text),"is_day":\#(text)},"utc_offset_seconds":\#(text)}"#
        )
        #expect(context.current?.temperature == 5)
        #expect(context.current?.sky == nil)
        #expect(context.current?.isDay == nil)
    }

    @Test(arguments: ["1e300", "-1e300", "1e999", "1000001", "null"])
    func numbersThatNoThermometerShowsAreUnknown(text: String) throws {
        #expect(
            try decode(#"{"current":{"temperature_2m":\#(text),"weather_code":3}}"#).current?.temperature
                == nil)
    }

    @Test(arguments: [
        ("-95.1", "100.1", "-0.1"), ("65.1", "-1", "-1"), ("nan", "-nan", "inf"), ("false", "{}", #""wet""#),
    ])
    func valuesThatCannotBeAreUnknownAlone(degrees: String, percent: String, rain: String) throws {
        let context = try decode(
            """
            {"current":{"temperature_2m":\(degrees),"apparent_temperature":\(degrees),"relative_humidity_2m":\(percent),
             "precipitation":\(rain),"wind_speed_10m":\(rain),"weather_code":3},
             "daily":{"time":["2026-11-20"],"weather_code":[3],"temperature_2m_max":[\(degrees)],
             "temperature_2m_min":[\(degrees)],"precipitation_sum":[\(rain)],
             "precipitation_probability_max":[\(percent)]}}
            """)
        #expect(context.current == CurrentWeather(sky: Sky(code: 3)))
        #expect(context.days == [DayForecast(date: try Fixture.date("2026-11-20"), sky: Sky(code: 3))])
    }

    @Test func theHottestAndColdestThatCanBeAreKnown() throws {
        let context = try decode(
            """
            {"current":{"temperature_2m":-95,"apparent_temperature":65,"relative_humidity_2m":100,"precipitation":0}}
            """)
        #expect(
            context.current
                == CurrentWeather(
                    temperature: -95, apparentTemperature: 65, relativeHumidity: 100, precipitation: 0))
    }

    @Test(arguments: ["false", "0", #""""#, "nan", #""2026-11-20T24:00""#, "{}"])
    func aSunThatCannotBeReadIsNotKnownAlone(sunset: String) throws {
        let day = try #require(
            try decode(
                """
                {"daily":{"time":["2026-11-20"],"weather_code":[3],"sunrise":["2026-11-20T09:01"],"sunset":[\(sunset)]}}
                """
            ).days.first)
        #expect(day == DayForecast(date: try Fixture.date("2026-11-20"), sky: Sky(code: 3)))
    }

    @Test(arguments: [
        #"{"current":null,"daily":null}"#, #"{"current":null,"daily":{"time":[]}}"#,
        #"{"daily":{"time":[]}}"#, "{}",
        #"{"latitude":nan,"longitude":nan}"#, #"{"current":[],"daily":"none"}"#,
        #"{"current":{"time":"2026-11-20T14:30","interval":900,"temperature_2m":null,"is_day":1}}"#,
        #"{"daily":{"time":["2026-11-20"],"weather_code":[null],"sunrise":["2026-11-20T09:01"],"sunset":["2026-11-20T15:49"]}}"#,
        #"{"daily":{"weather_code":[3]}}"#, #"{"daily":{"time":["2026-02-30",7],"weather_code":[3,3]}}"#,
    ])
    func anAnswerWithoutAnyValueIsNone(body: String) {
        #expect(path(body) == "no value in current or daily")
    }

    @Test func aForecastWhoseDaysAreAllOverIsNone() throws {
        let body =
            #"{"utc_offset_seconds":3600,"current":{"temperature_2m":5},"daily":{"time":["2026-11-20"],"weather_code":[3]}}"#
        // The last second of that day, an hour ahead of UTC.
        let end = 1_795_215_599
        #expect(try decode(body, atUnixTime: end).days.count == 1)
        #expect(throws: WeatherError.unreadable(path: "daily ends in the past, on 2026-11-20")) {
            try decode(body, atUnixTime: end + 1)
        }
    }

    @Test func anOffsetThatNoClockHasIsUnknown() throws {
        #expect(try decode(#"{"current":{"temperature_2m":1},"utc_offset_seconds":90000}"#).utcOffset == nil)
        #expect(
            try decode(#"{"current":{"temperature_2m":1},"utc_offset_seconds":50400}"#).utcOffset == 50_400)
        #expect(
            try decode(#"{"current":{"temperature_2m":1},"utc_offset_seconds":-39600}"#).utcOffset == -39_600)
        #expect(
            try decode(#"{"current":{"temperature_2m":1},"utc_offset_seconds":20700}"#).utcOffset == 20_700)
    }

    @Test func zonesOfTheSeaAreKeptAsTheyAre() throws {
        #expect(
            try decode(#"{"current":{"temperature_2m":1},"timezone":"Etc/GMT+9"}"#).timeZone == "Etc/GMT+9")
    }

    @Test func withoutAZoneInTheQuestionThereIsNoneInTheAnswer() throws {
        let context = try decode(
            #"{"current":{"temperature_2m":1},"timezone":"GMT","utc_offset_seconds":0}"#, hasZone: false)
        #expect(context.timeZone == nil)
        #expect(context.utcOffset == nil)
    }

    @Test func anyValueAndAnyArrayMayBeNull() throws {
        let context = try decode(
            """
            {"utc_offset_seconds":null,"timezone":null,
             "current":{"time":null,"temperature_2m":null,"weather_code":null,"is_day":null},
             "daily":{"time":["2026-11-20",null,"2026-11-22"],"weather_code":null,"temperature_2m_max":[1,2,null],
             "temperature_2m_min":[null,null,-3.5],"precipitation_sum":null,
             "precipitation_probability_max":[null,null,null],"sunrise":null,"sunset":[null,null,null]}}
            """)
        #expect(context.current == nil)
        #expect(
            context.days == [
                DayForecast(date: try Fixture.date("2026-11-20"), maximum: 1),
                DayForecast(date: try Fixture.date("2026-11-22"), minimum: -3.5),
            ])
    }

    @Test func oneOfTheSectionsIsEnough() throws {
        #expect(try decode(#"{"current":{"temperature_2m":1}}"#).days.isEmpty)
        #expect(try decode(#"{"current":{"temperature_2m":1},"daily":{"time":[]}}"#).days.isEmpty)
        #expect(try decode(#"{"daily":{"time":["2026-11-20"],"weather_code":[3]}}"#).current == nil)
    }

    @Test func arraysOfUnequalLengthAreReadByIndex() throws {
        let context = try decode(
            """
            {"daily":{"time":["2026-11-20","2026-11-21","2026-11-22"],"weather_code":[3],
             "temperature_2m_max":[1,2,3,4,5],"temperature_2m_min":[],"sunrise":["2026-11-20T09:00"]}}
            """)
        #expect(context.days.map(\.maximum) == [1, 2, 3])
        #expect(context.days.map(\.sky) == [Sky(code: 3), nil, nil])
    }

    @Test func daysOfWhichOnlyTheSunIsKnownAreLeftOut() throws {
        let context = try decode(
            """
            {"daily":{"time":["2026-11-20","2026-11-21"],"weather_code":[3,null],
             "sunrise":["2026-11-20T09:00","2026-11-21T09:00"],"sunset":["2026-11-20T15:00","2026-11-21T15:00"]}}
            """)
        #expect(context.days.map(\.date) == [try Fixture.date("2026-11-20")])
    }

    @Test func daysComeInOrderAndOnce() throws {
        let context = try decode(
            """
            {"daily":{"time":["2026-11-22","2026-11-20","2026-11-22","2026-11-21"],"weather_code":[1,2,3,45]}}
            """)
        #expect(context.days.map(\.sky) == [Sky(code: 2), Sky(code: 45), Sky(code: 1)])
    }

    @Test(arguments: [
        ("2026-12-20T00:00", "2026-12-20T00:00", DayForecast.Sun.neverRises),
        ("2026-12-20T00:00", "2026-12-21T00:00", .neverSets),
        ("1970-01-01T00:00", "1970-01-01T00:00", nil),
    ])
    func polarDaysHaveTheirOwnEncoding(rise: String, set: String, sun: DayForecast.Sun?) throws {
        let context = try decode(
            """
            {"daily":{"time":["2026-12-20"],"weather_code":[3],"sunrise":["\(rise)"],"sunset":["\(set)"]}}
            """)
        #expect(context.days.count == 1)
        #expect(context.days.first?.sun == sun)
    }

    @Test func aNightSunOfTheFarNorthSetsAfterMidnight() throws {
        let context = try decode(
            """
            {"daily":{"time":["2026-05-17"],"weather_code":[3],
             "sunrise":["2026-05-17T01:40"],"sunset":["2026-05-18T00:31"]}}
            """)
        #expect(
            context.days.first?.sun
                == .risesAndSets(
                    rise: try Fixture.time("2026-05-17T01:40"), set: try Fixture.time("2026-05-18T00:31")))
    }

    @Test func whatIsNotJSONIsSaid() {
        #expect(
            path("Unexpected error while streaming data: timeoutReached")
                == "not JSON at byte 0: Unexpected error while streaming data: timeoutReached")
        #expect(
            path(#"{"daily":{"time":["2026-11-20"Unexpected error while streaming data: timeoutReached"#)
                == "daily.time: not JSON at byte 30: Unexpected error while streaming data: timeoutReached")
        #expect(path("") == "an empty body")
        #expect(path("<html>\n<h1>502</h1>") == "not JSON at byte 0: <html> <h1>502</h1>")
        #expect(path(#"{"current":{"temperature_2m":5"#) == "current: the answer ends too early")
        #expect(path(Fixture.bergen + "Unexpected")?.hasSuffix("Unexpected") == true)
        #expect(path(#""a string""#) == "a string instead of an object")
        #expect(path("null") == "null instead of an object")
    }

    @Test func anErrorUnderStatus200IsUnreadableAndNamed() {
        #expect(
            path(#"{"error":true,"reason":"Something\nwent wrong."}"#) == "an error: Something went wrong.")
    }

    @Test func nestingHasALimit() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(path(#"{"hourly":\#(deep)"#)?.contains("nested deeper") == true)
    }

    @Test func anAnswerCutAtAnyByteIsRefused() {
        let whole = Array(Fixture.bergen.utf8)
        #expect(path(Fixture.bergen) == nil)
        for length in 0..<whole.count {
            #expect(
                path(String(decoding: whole[..<length], as: UTF8.self)) != nil, "cut after \(length) bytes")
        }
    }
}

struct ManyPlacesDecoderTests {
    private func decode(_ body: String, count: Int) throws -> ForecastDecoder.Answer {
        let coordinates = try (0..<count).map { try Fixture.coordinate(Double($0), 10) }
        return ForecastDecoder.answer(from: Array(body.utf8), for: coordinates, atUnixTime: 0)
    }

    private func temperatures(_ answer: ForecastDecoder.Answer) -> [Double?] {
        answer.results.map { result in
            if case .success(let context) = result { context.current?.temperature } else { nil }
        }
    }

    @Test func anArrayIsReadInTheAskedOrder() throws {
        let answer = try decode(
            #"[{"current":{"temperature_2m":1}},{"location_id":1,"current":{"temperature_2m":2}}]"#, count: 2)
        #expect(temperatures(answer) == [1, 2])
        #expect(answer.fault == nil)
        #expect(answer.results.map { try? $0.get().coordinate.latitude } == [0, 1])
    }

    @Test func anObjectIsTheAnswerAboutOne() throws {
        #expect(temperatures(try decode(#"{"current":{"temperature_2m":1}}"#, count: 1)) == [1])
        #expect(temperatures(try decode(#"[{"current":{"temperature_2m":1}}]"#, count: 1)) == [1])
    }

    @Test func aBadElementFailsAlone() throws {
        let answer = try decode(
            #"[{"current":{"temperature_2m":1}},{"current":{"temperature_2m":"x","hourly":[1,{"a":2}]}},null,{"current":{"temperature_2m":4}}]"#,
            count: 4)
        #expect(temperatures(answer) == [1, nil, nil, 4])
        #expect(answer.results[1] == .failure(.unreadable(path: "no value in current or daily")))
        #expect(answer.results[2] == .failure(.unreadable(path: "null instead of an object")))
        #expect(answer.fault == nil)
    }

    @Test(arguments: [
        #"[{"current":{"temperature_2m":1}}]"#, "[]", #"{"current":{"temperature_2m":1}}"#,
        #"[{"current":{"temperature_2m":1}},{"current":{"temperature_2m":1}},{"current":{"temperature_2m":1}}]"#,
    ])
    func anotherNumberOfPlacesTellsNothingOfAny(body: String) throws {
        let answer = try decode(body, count: 2)
        #expect(answer.results.isEmpty)
        #expect(answer.fault != nil)
    }

    @Test func whatStandsBeforeTextIsRead() throws {
        let answer = try decode(
            #"[{"current":{"temperature_2m":1}},{"current":{"temperature_2m":warm}}]"#, count: 2)
        #expect(temperatures(answer) == [1])
        #expect(answer.fault == .unreadable(path: "[1].current.temperature_2m: not JSON at byte 63: warm}}]"))
    }

    @Test func aBareNaNCostsItsFieldAlone() throws {
        let answer = try decode(
            #"[{"latitude":-nan,"longitude":nan,"current":{"temperature_2m":1}},{"current":{"temperature_2m":nan,"weather_code":3}}]"#,
            count: 2)
        #expect(temperatures(answer) == [1, nil])
        #expect(answer.results.allSatisfy { if case .success = $0 { true } else { false } })
    }
}
