/// Reads the bodies that `/v1/archive` answers with under status 200: an object for one range of days, an array for
/// several. What can't be read counts as null.
struct ArchiveDecoder {
    /// The days of all ranges. A range that can't be read is left out, as long as another can.
    ///
    /// - Throws: `.unreadable`, if there is no day with any value.
    static func days(from body: [UInt8]) throws(WeatherError) -> [CalendarDate: ArchiveDay] {
        var days: [CalendarDate: ArchiveDay] = [:]
        try elements(of: body) { answer in
            for (date, day) in answer.daily?.archiveDays ?? [] { days[date] = day }
        }
        guard !days.isEmpty else { throw .unreadable(path: "no value in daily") }
        return days
    }

    /// The days of one range, as a forecast's are. There may be none: the newest come late.
    static func observed(from body: [UInt8]) throws(WeatherError) -> [DayForecast] {
        var days: [DayForecast] = []
        try elements(of: body) { days += $0.daily?.days ?? [] }
        return days
    }

    private static func elements(
        of body: [UInt8], each: (ForecastAnswer) -> Void
    ) throws(WeatherError) {
        var reader = JSONReader(body)
        var fault: JSONFault?
        var isRead = false
        do throws(JSONFault) {
            try reader.elements { (reader) throws(JSONFault) in
                switch try reader.attempt({ (reader) throws(JSONFault) in try ForecastAnswer(from: &reader) })
                {
                case .success(let answer):
                    each(answer)
                    isRead = true
                case .failure(let error): fault = error
                }
            }
        } catch {
            throw .unreadable(path: error.description)
        }
        if let fault, !isRead { throw .unreadable(path: fault.description) }
    }
}
