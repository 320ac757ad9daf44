import Testing
import Weather

/// Coordinates, dates and answers that several suites use.
enum Fixture {
    static func coordinate(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
        try #require(Coordinate(latitude: latitude, longitude: longitude))
    }

    static func date(_ text: String) throws -> CalendarDate {
        try #require(CalendarDate(text))
    }

    static func time(_ text: String) throws -> LocalTime {
        try #require(LocalTime(text))
    }

    static func context(_ coordinate: Coordinate, temperature: Double = 5) -> WeatherContext {
        WeatherContext(
            coordinate: coordinate, current: CurrentWeather(temperature: temperature), days: [],
            timeZone: nil, utcOffset: 0)
    }

    /// What the service answers about one place, with the variables that are asked for.
    static let bergen = """
        {"latitude":60.375,"longitude":5.3125,"generationtime_ms":0.2,"utc_offset_seconds":3600,\
        "timezone":"Europe/Oslo","timezone_abbreviation":"GMT+1","elevation":12.0,\
        "current_units":{"time":"iso8601","interval":"seconds","temperature_2m":"°C"},\
        "current":{"time":"2026-11-20T14:30","interval":900,"temperature_2m":5.3,"apparent_temperature":2.1,\
        "relative_humidity_2m":81,"precipitation":0.10,"wind_speed_10m":12.3,"weather_code":61,"is_day":1},\
        "daily_units":{"time":"iso8601"},\
        "daily":{"time":["2026-11-20","2026-11-21"],"weather_code":[63,3],"temperature_2m_max":[6.1,7.0],\
        "temperature_2m_min":[1.2,-0.0],"precipitation_sum":[8.40,0.00],\
        "precipitation_probability_max":[98,12],\
        "sunrise":["2026-11-20T09:01","2026-11-21T09:04"],"sunset":["2026-11-20T15:49","2026-11-21T15:47"]}}
        """
}

extension WeatherClient {
    /// For clients that are never asked about several at once.
    func weather(
        for coordinates: [Coordinate], until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [Result<WeatherContext, WeatherError>] {
        coordinates.map { _ in .failure(.cancelled) }
    }

    /// For someone who looks at a screen: within 10 s.
    func weather(for coordinate: Coordinate) async throws(WeatherError) -> WeatherContext {
        try await weather(for: coordinate, zone: nil, until: .now.advanced(by: .seconds(10)))
    }
}
