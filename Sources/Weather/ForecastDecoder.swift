/// Reads the bodies that `/v1/forecast` answers with under status 200.
///
/// Status 200 with `application/json` doesn't mean JSON: the service may fail after it has begun to answer, and
/// then puts a plain sentence in the body, or a bare `nan`. Any value and any whole array may be null.
package enum ForecastDecoder {
    /// The answer about one coordinate.
    ///
    /// - Parameters:
    ///   - body: The decoded body.
    ///   - coordinate: What was asked for; the answer's own coordinates are a grid cell's.
    ///   - hasZone: Whether the question named a zone or `auto`; without one the answer's days are UTC's.
    /// - Throws: `.unreadable`, naming the key or what is wrong.
    package static func context(
        from body: [UInt8], for coordinate: Coordinate, hasZone: Bool = true
    ) throws(WeatherError) -> WeatherContext {
        let contexts = try contexts(from: body, for: [coordinate], hasZone: hasZone)
        guard let context = contexts.first else { throw .unreadable(path: "an empty array") }
        return try context.get()
    }

    /// The answer about several coordinates, in their order: an array, or an object where there is one.
    ///
    /// A place whose element can't be understood fails alone.
    ///
    /// - Throws: `.unreadable` where the body isn't JSON, or holds another number of places than was asked for.
    package static func contexts(
        from body: [UInt8], for coordinates: [Coordinate], hasZone: Bool = true
    ) throws(WeatherError) -> [Result<WeatherContext, WeatherError>] {
        var reader = JSONReader(body)
        do throws(JSONFault) {
            var contexts: [Result<WeatherContext, WeatherError>] = []
            switch reader.next() {
            case UInt8(ascii: "{"):
                contexts.append(try element(0, of: coordinates, hasZone: hasZone, from: &reader))
            case UInt8(ascii: "["):
                try reader.array { (reader) throws(JSONFault) in
                    contexts.append(
                        try element(contexts.count, of: coordinates, hasZone: hasZone, from: &reader))
                }
            case nil:
                throw JSONFault(problem: "an empty body")
            default:
                // Fails, naming what stands there instead.
                try reader.object { (_, _) throws(JSONFault) in }
            }
            try reader.end()
            guard contexts.count == coordinates.count else {
                throw JSONFault(problem: "\(contexts.count) places where \(coordinates.count) were asked for")
            }
            return contexts
        } catch {
            throw .unreadable(path: error.description)
        }
    }

    /// One place. What isn't JSON fails the whole answer, since nothing behind it can be found.
    private static func element(
        _ index: Int, of coordinates: [Coordinate], hasZone: Bool, from reader: inout JSONReader
    ) throws(JSONFault) -> Result<WeatherContext, WeatherError> {
        guard index < coordinates.count else {
            try reader.skip()
            return .failure(.unreadable(path: "[\(index)]"))
        }
        let start = reader.position
        do {
            return .success(
                try ForecastAnswer(from: &reader).context(for: coordinates[index], hasZone: hasZone))
        } catch {
            if error.isSyntax { throw error }
            reader.rewind(to: start)
            try reader.skip()
            return .failure(.unreadable(path: error.description))
        }
    }
}

/// What one place's answer holds of what was asked for.
private struct ForecastAnswer {
    var utcOffset: Int?
    var timeZone: String?
    var current: CurrentWeather?
    var daily: DailyArrays?

    init(from reader: inout JSONReader) throws(JSONFault) {
        var isError = false
        var reason: String?
        var hasSection = false
        try reader.object { (reader, key) throws(JSONFault) in
            if reader.matches(key, "current") {
                hasSection = true
                if try !reader.null() { current = try CurrentWeather(from: &reader) }
            } else if reader.matches(key, "daily") {
                hasSection = true
                if try !reader.null() { daily = try DailyArrays(from: &reader) }
            } else if reader.matches(key, "utc_offset_seconds") {
                utcOffset = try reader.integer()
            } else if reader.matches(key, "timezone") {
                timeZone = try reader.string()
            } else if reader.matches(key, "error") {
                isError = try reader.boolean() ?? false
            } else if reader.matches(key, "reason") {
                reason = try reader.string()
            } else {
                try reader.skip()
            }
        }
        if isError { throw JSONFault(problem: "an error: \(CleanText.line(reason ?? "", limit: 200))") }
        // Without days there may still be the weather now, but an answer with neither is none.
        guard hasSection else { throw JSONFault(missing: "daily") }
    }

    func context(for coordinate: Coordinate, hasZone: Bool) -> WeatherContext {
        // Clocks are at most 14 hours ahead of UTC, and 12 behind it; a little more is let pass.
        let utcOffset = utcOffset.flatMap { (-18 * 3_600...18 * 3_600).contains($0) ? $0 : nil }
        let zone = timeZone.map { CleanText.line($0, limit: 64) }
        return WeatherContext(
            coordinate: coordinate.rounded, current: current, days: daily?.days ?? [],
            timeZone: hasZone && zone?.isEmpty == false ? zone : nil, utcOffset: hasZone ? utcOffset : nil)
    }
}

extension CurrentWeather {
    fileprivate init(from reader: inout JSONReader) throws(JSONFault) {
        self.init()
        try reader.object { (reader, key) throws(JSONFault) in
            if reader.matches(key, "time") {
                time = try reader.localTime()
            } else if reader.matches(key, "temperature_2m") {
                temperature = try reader.number()
            } else if reader.matches(key, "apparent_temperature") {
                apparentTemperature = try reader.number()
            } else if reader.matches(key, "relative_humidity_2m") {
                relativeHumidity = try reader.number()
            } else if reader.matches(key, "precipitation") {
                precipitation = try reader.number()
            } else if reader.matches(key, "wind_speed_10m") {
                windSpeed = try reader.number()
            } else if reader.matches(key, "weather_code") {
                sky = Sky(answer: try reader.integer())
            } else if reader.matches(key, "is_day") {
                switch try reader.integer() {
                case 0: isDay = false
                case 1: isDay = true
                default: isDay = nil
                }
            } else {
                try reader.skip()
            }
        }
    }
}

/// The arrays of the section `daily`: parallel, but nothing here relies on it.
private struct DailyArrays {
    var dates: [CalendarDate?] = []
    var codes: [Int?] = []
    var maxima: [Double?] = []
    var minima: [Double?] = []
    var precipitation: [Double?] = []
    var probabilities: [Double?] = []
    var sunrises: [LocalTime?] = []
    var sunsets: [LocalTime?] = []

    init(from reader: inout JSONReader) throws(JSONFault) {
        var hasTime = false
        try reader.object { (reader, key) throws(JSONFault) in
            if reader.matches(key, "time") {
                hasTime = true
                dates = try reader.values { (reader) throws(JSONFault) in try reader.date() }
            } else if reader.matches(key, "weather_code") {
                codes = try reader.values { (reader) throws(JSONFault) in try reader.integer() }
            } else if reader.matches(key, "temperature_2m_max") {
                maxima = try reader.values { (reader) throws(JSONFault) in try reader.number() }
            } else if reader.matches(key, "temperature_2m_min") {
                minima = try reader.values { (reader) throws(JSONFault) in try reader.number() }
            } else if reader.matches(key, "precipitation_sum") {
                precipitation = try reader.values { (reader) throws(JSONFault) in try reader.number() }
            } else if reader.matches(key, "precipitation_probability_max") {
                probabilities = try reader.values { (reader) throws(JSONFault) in try reader.number() }
            } else if reader.matches(key, "sunrise") {
                sunrises = try reader.values { (reader) throws(JSONFault) in try reader.localTime() }
            } else if reader.matches(key, "sunset") {
                sunsets = try reader.values { (reader) throws(JSONFault) in try reader.localTime() }
            } else {
                try reader.skip()
            }
        }
        guard hasTime else { throw JSONFault(missing: "time") }
    }

    /// The days of which anything but the sun's course is known, in order, each once.
    var days: [DayForecast] {
        var days: [DayForecast] = []
        days.reserveCapacity(dates.count)
        for (index, date) in dates.enumerated() {
            guard let date else { continue }
            let day = DayForecast(
                date: date, sky: Sky(answer: codes.value(at: index)), maximum: maxima.value(at: index),
                minimum: minima.value(at: index), precipitation: precipitation.value(at: index),
                precipitationProbability: probabilities.value(at: index),
                sun: DayForecast.Sun(
                    rise: sunrises.value(at: index), set: sunsets.value(at: index), on: date))
            if day.sky == nil, day.maximum == nil, day.minimum == nil, day.precipitation == nil,
                day.precipitationProbability == nil
            {
                continue
            }
            days.append(day)
        }
        if zip(days, days.dropFirst()).allSatisfy({ $0.date < $1.date }) { return days }
        var seen: Set<CalendarDate> = []
        return days.filter { seen.insert($0.date).inserted }.sorted { $0.date < $1.date }
    }
}

extension DayForecast.Sun {
    /// Polar night comes as sunrise and sunset at the same time, and polar day as a sunset a day after the
    /// sunrise. Servers before June 2024 gave both as 1970-01-01, which says nothing.
    fileprivate init?(rise: LocalTime?, set: LocalTime?, on date: CalendarDate) {
        guard let rise, let set else { return nil }
        if rise.date.daysSinceEpoch == 0, set.date.daysSinceEpoch == 0, date.daysSinceEpoch != 0 {
            return nil
        }
        switch rise.minutes(until: set) {
        case 0: self = .neverRises
        case 1_440...: self = .neverSets
        default: self = .risesAndSets(rise: rise, set: set)
        }
    }
}

extension Sky {
    /// Nil where there is no code, or none that could be one: WMO's table ends at 99.
    fileprivate init?(answer code: Int?) {
        guard let code, (0...999).contains(code) else { return nil }
        self.init(code: code)
    }
}

extension JSONReader {
    /// An array of values, or none where there is null in its place.
    fileprivate mutating func values<Value>(
        _ value: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(JSONFault) -> [Value] {
        if try null() { return [] }
        var values: [Value] = []
        values.reserveCapacity(16)
        try array { (reader) throws(JSONFault) in values.append(try value(&reader)) }
        return values
    }
}

extension Array {
    fileprivate func value<Value>(at index: Int) -> Value? where Element == Value? {
        index < count ? self[index] : nil
    }
}
