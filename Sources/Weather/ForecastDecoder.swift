/// Reads the bodies that `/v1/forecast` answers with under status 200.
///
/// Status 200 with `application/json` doesn't mean JSON: the service may fail after it has begun to answer, and
/// then puts a plain sentence in the body. It doesn't mean weather either: any value and any whole array may be
/// null, or of another kind. What can't be read counts as null, and an answer without any value is none.
package struct ForecastDecoder {
    /// What could be read of an answer about several coordinates.
    package struct Answer: Sendable {
        /// The first coordinates' weather, in their order. A place whose element holds no weather fails alone.
        package var results: [Result<WeatherContext, WeatherError>] = []
        /// Why there is nothing about the rest; nil if there is no rest.
        package var fault: WeatherError?
    }

    /// The answer about one coordinate.
    ///
    /// - Parameters:
    ///   - body: The decoded body.
    ///   - coordinate: What was asked for; the answer's own coordinates are a grid cell's.
    ///   - hasZone: Whether the question named a zone or `auto`; without one the answer's days are UTC's.
    ///   - unixTime: Now, in seconds: a forecast whose days are all over is none.
    /// - Throws: `.unreadable`, saying what is wrong.
    package static func context(
        from body: [UInt8], for coordinate: Coordinate, hasZone: Bool = true, atUnixTime unixTime: Int
    ) throws(WeatherError) -> WeatherContext {
        let answer = answer(from: body, for: [coordinate], hasZone: hasZone, atUnixTime: unixTime)
        guard let result = answer.results.first else {
            throw answer.fault ?? .unreadable(path: "an empty array")
        }
        return try result.get()
    }

    /// The answer about several coordinates, in their order: an array, or an object if there is one.
    package static func answer(
        from body: [UInt8], for coordinates: [Coordinate], hasZone: Bool = true, atUnixTime unixTime: Int
    ) -> Answer {
        var decoder = ForecastDecoder(coordinates: coordinates, hasZone: hasZone, unixTime: unixTime)
        var reader = JSONReader(body)
        do throws(JSONFault) {
            try reader.elements { (reader) throws(JSONFault) in try decoder.element(from: &reader) }
            guard decoder.count == coordinates.count else {
                // Which of the places these are can't be told.
                decoder.answer.results = []
                throw JSONFault(problem: "\(decoder.count) places instead of \(coordinates.count)")
            }
        } catch {
            decoder.answer.fault = .unreadable(path: error.description)
            // What follows one whole object, or more places than were asked for, says that none can be trusted.
            if decoder.answer.results.count >= coordinates.count { decoder.answer.results = [] }
        }
        return decoder.answer
    }

    private let coordinates: [Coordinate]
    private let hasZone: Bool
    private let unixTime: Int
    private var count = 0
    private var answer = Answer()

    private init(coordinates: [Coordinate], hasZone: Bool, unixTime: Int) {
        self.coordinates = coordinates
        self.hasZone = hasZone
        self.unixTime = unixTime
        answer.results.reserveCapacity(coordinates.count)
    }

    /// One place.
    private mutating func element(from reader: inout JSONReader) throws(JSONFault) {
        let index = count
        guard index < coordinates.count else {
            try reader.skip()
            count += 1
            return
        }
        let result = try reader.attempt { (reader) throws(JSONFault) in
            try ForecastAnswer(from: &reader)
                .context(for: coordinates[index], hasZone: hasZone, atUnixTime: unixTime)
        }
        answer.results.append(result.mapError { .unreadable(path: $0.description) })
        count += 1
    }
}

/// What one place's answer holds of what was asked for.
struct ForecastAnswer {
    var utcOffset: Int?
    var timeZone: String?
    var current: CurrentWeather?
    var daily: DailyArrays?

    init(from reader: inout JSONReader) throws(JSONFault) {
        var isError = false
        var reason: String?
        try reader.object { (reader, key) throws(JSONFault) in
            switch key {
            case "current":
                if try reader.isObject() { current = try CurrentWeather(from: &reader) }
            case "daily":
                if try reader.isObject() { daily = try DailyArrays(from: &reader) }
            case "utc_offset_seconds": utcOffset = try reader.integer()
            case "timezone": timeZone = try reader.string()
            case "error": isError = try reader.boolean() ?? false
            case "reason": reason = try reader.string()
            default: try reader.skip()
            }
        }
        if isError { throw JSONFault(problem: "an error: \(CleanText.line(reason ?? "", limit: 200))") }
    }

    /// - Throws: A fault where there is no weather in it. Without days there may still be the weather now.
    func context(
        for coordinate: Coordinate, hasZone: Bool, atUnixTime unixTime: Int
    ) throws(JSONFault) -> WeatherContext {
        let current = current.flatMap { $0.isEmpty ? nil : $0 }
        let days = daily?.days ?? []
        guard current != nil || !days.isEmpty else {
            throw JSONFault(problem: "no value in current or daily")
        }
        // Clocks are at most 14 hours ahead of UTC, and 12 behind it; a little more is let pass.
        let utcOffset = utcOffset.flatMap { (-18 * 3_600...18 * 3_600).contains($0) ? $0 : nil }
        if let last = days.last, last.date < CalendarDate(unixTime: unixTime, utcOffset: utcOffset ?? 0) {
            throw JSONFault(problem: "daily ends in the past, on \(last.date)")
        }
        let zone = timeZone.map { CleanText.line($0, limit: 64) }
        return WeatherContext(
            coordinate: coordinate.rounded, current: current, days: days,
            timeZone: hasZone && zone?.isEmpty == false ? zone : nil, utcOffset: hasZone ? utcOffset : nil)
    }
}

extension CurrentWeather {
    /// Whether it says nothing of the weather: when it is, and whether the sun is up, is known without asking.
    fileprivate var isEmpty: Bool {
        temperature == nil && apparentTemperature == nil && relativeHumidity == nil && precipitation == nil
            && windSpeed == nil && sky == nil
    }

    fileprivate init(from reader: inout JSONReader) throws(JSONFault) {
        self.init()
        try reader.object { (reader, key) throws(JSONFault) in
            switch key {
            case "time": time = try reader.localTime()
            case "temperature_2m": temperature = try reader.degrees()
            case "apparent_temperature": apparentTemperature = try reader.degrees()
            case "relative_humidity_2m": relativeHumidity = try reader.percent()
            case "precipitation": precipitation = try reader.amount()
            case "wind_speed_10m": windSpeed = try reader.amount()
            case "weather_code": sky = Sky(answer: try reader.integer())
            case "is_day":
                switch try reader.integer() {
                case 0: isDay = false
                case 1: isDay = true
                default: isDay = nil
                }
            default: try reader.skip()
            }
        }
    }
}

/// The arrays of the section `daily`: parallel, but nothing here relies on it.
struct DailyArrays {
    var dates: [CalendarDate?] = []
    var codes: [Int?] = []
    var maxima: [Double?] = []
    var minima: [Double?] = []
    var precipitation: [Double?] = []
    var probabilities: [Double?] = []
    var sunrises: [LocalTime?] = []
    var sunsets: [LocalTime?] = []
    var winds: [Double?] = []
    var gusts: [Double?] = []
    var uv: [Double?] = []
    var cloudCovers: [Double?] = []

    init(from reader: inout JSONReader) throws(JSONFault) {
        try reader.object { (reader, key) throws(JSONFault) in
            switch key {
            case "time":
                dates = try reader.values { (reader) throws(JSONFault) in try reader.date() }
            case "weather_code":
                codes = try reader.values { (reader) throws(JSONFault) in try reader.integer() }
            case "temperature_2m_max":
                maxima = try reader.values { (reader) throws(JSONFault) in try reader.degrees() }
            case "temperature_2m_min":
                minima = try reader.values { (reader) throws(JSONFault) in try reader.degrees() }
            case "precipitation_sum":
                precipitation = try reader.values { (reader) throws(JSONFault) in try reader.amount() }
            case "precipitation_probability_max":
                probabilities = try reader.values { (reader) throws(JSONFault) in try reader.percent() }
            case "sunrise":
                sunrises = try reader.values { (reader) throws(JSONFault) in try reader.localTime() }
            case "sunset":
                sunsets = try reader.values { (reader) throws(JSONFault) in try reader.localTime() }
            case "wind_speed_10m_max":
                winds = try reader.values { (reader) throws(JSONFault) in try reader.amount() }
            case "wind_gusts_10m_max":
                gusts = try reader.values { (reader) throws(JSONFault) in try reader.amount() }
            case "uv_index_max":
                uv = try reader.values { (reader) throws(JSONFault) in try reader.amount() }
            case "cloud_cover_mean":
                cloudCovers = try reader.values { (reader) throws(JSONFault) in try reader.percent() }
            default: try reader.skip()
            }
        }
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
                    rise: sunrises.value(at: index), set: sunsets.value(at: index), on: date),
                wind: winds.value(at: index), gust: gusts.value(at: index), uv: uv.value(at: index))
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

extension DailyArrays {
    /// The days with any value, as samples of the usual weather.
    var archiveDays: [(CalendarDate, ArchiveDay)] {
        dates.enumerated().compactMap { index, date in
            let day = ArchiveDay(
                maximum: maxima.value(at: index), minimum: minima.value(at: index),
                precipitation: precipitation.value(at: index), cloudCover: cloudCovers.value(at: index),
                wind: winds.value(at: index), gust: gusts.value(at: index))
            return date.flatMap { day == ArchiveDay() ? nil : ($0, day) }
        }
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
    /// Nil if there is no code, or none that could be one: WMO's table ends at 99.
    fileprivate init?(answer code: Int?) {
        guard let code, (0...999).contains(code) else { return nil }
        self.init(code: code)
    }
}

extension JSONReader {
    /// Whether an object stands here; anything else is passed over.
    fileprivate mutating func isObject() throws(JSONFault) -> Bool {
        if next() == UInt8(ascii: "{") { return true }
        try skip()
        return false
    }

    /// °C, as far as they were ever measured.
    fileprivate mutating func degrees() throws(JSONFault) -> Double? {
        try number(in: -95...65)
    }

    fileprivate mutating func percent() throws(JSONFault) -> Double? {
        try number(in: 0...100)
    }

    /// Of what there can't be less than none.
    fileprivate mutating func amount() throws(JSONFault) -> Double? {
        try number(in: 0...1_000_000)
    }

    /// An array of values; none for anything else.
    fileprivate mutating func values<Value>(
        _ value: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(JSONFault) -> [Value] {
        var values: [Value] = []
        guard next() == UInt8(ascii: "[") else {
            try skip()
            return values
        }
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
