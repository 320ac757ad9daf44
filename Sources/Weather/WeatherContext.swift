/// The weather at a coordinate: now, and the days that the forecast reaches. Metric throughout; other units are
/// made where an answer is rendered.
package struct WeatherContext: Sendable, Hashable {
    /// Where it was asked for, to two decimals: never the grid cell that the service answers with.
    package var coordinate: Coordinate
    /// The current conditions, where the service gave any.
    package var current: CurrentWeather?
    /// Today at the place and the days after, in order; days of which nothing is known are left out. Out of the cache
    /// they begin with the last forecasts of a few days before.
    package var days: [DayForecast]
    /// The place's IANA zone, where the service named one.
    package var timeZone: String?
    /// Seconds that the place's clocks are ahead of UTC, as of the answer. Nil where the zone isn't known: the
    /// times are UTC then.
    package var utcOffset: Int?

    package init(
        coordinate: Coordinate, current: CurrentWeather?, days: [DayForecast], timeZone: String?,
        utcOffset: Int?
    ) {
        (self.coordinate, self.current, self.days, self.timeZone) = (coordinate, current, days, timeZone)
        self.utcOffset = utcOffset
    }
}

/// Conditions of the last quarter of an hour: a model's, not an observation. Anything can be missing.
package struct CurrentWeather: Sendable, Hashable {
    /// The start of that quarter, on the place's clock.
    package var time: LocalTime?
    /// °C.
    package var temperature: Double?
    /// °C.
    package var apparentTemperature: Double?
    /// Percent, 0…100.
    package var relativeHumidity: Double?
    /// Millimetres in the preceding interval.
    package var precipitation: Double?
    /// Kilometres an hour, at ten metres.
    package var windSpeed: Double?
    package var sky: Sky?
    /// Whether the sun is up.
    package var isDay: Bool?

    package init(
        time: LocalTime? = nil, temperature: Double? = nil, apparentTemperature: Double? = nil,
        relativeHumidity: Double? = nil, precipitation: Double? = nil, windSpeed: Double? = nil,
        sky: Sky? = nil, isDay: Bool? = nil
    ) {
        (self.time, self.temperature, self.apparentTemperature) = (time, temperature, apparentTemperature)
        (self.relativeHumidity, self.precipitation) = (relativeHumidity, precipitation)
        (self.windSpeed, self.sky, self.isDay) = (windSpeed, sky, isDay)
    }
}

/// One day at a place. Anything but its date can be missing.
package struct DayForecast: Sendable, Hashable {
    /// When the sun rises and sets.
    package enum Sun: Sendable, Hashable {
        case risesAndSets(rise: LocalTime, set: LocalTime)
        /// It stays below the horizon: polar night.
        case neverRises
        /// It stays above the horizon: polar day.
        case neverSets
    }

    /// The day's label in the place's zone.
    package var date: CalendarDate
    /// The severest code of the day's hours.
    package var sky: Sky?
    /// °C.
    package var maximum: Double?
    /// °C.
    package var minimum: Double?
    /// Millimetres.
    package var precipitation: Double?
    /// Percent, 0…100.
    package var precipitationProbability: Double?
    package var sun: Sun?
    /// Kilometres an hour, at ten metres: the strongest wind and gust.
    package var wind: Double?
    package var gust: Double?
    /// The highest UV index under the day's sky. The archive has none.
    package var uv: Double?

    package init(
        date: CalendarDate, sky: Sky? = nil, maximum: Double? = nil, minimum: Double? = nil,
        precipitation: Double? = nil, precipitationProbability: Double? = nil, sun: Sun? = nil,
        wind: Double? = nil, gust: Double? = nil, uv: Double? = nil
    ) {
        (self.date, self.sky, self.maximum, self.minimum) = (date, sky, maximum, minimum)
        (self.precipitation, self.precipitationProbability) = (precipitation, precipitationProbability)
        self.sun = sun
        (self.wind, self.gust, self.uv) = (wind, gust, uv)
    }
}
