import Weather

/// The days of a trip, each as what it is: observed, forecast or usual.
extension Sentences {
    /// "Friday 5 June: usually 24°C by day (20 to 28°C), 16°C by night, rain on 3 days of 10".
    func day(_ day: TripDay, today: CalendarDate, to out: inout some Output) {
        out.time(day.date) { date(day.date, weekday: true, today: today, to: &$0) }
        out.write(": ")
        switch day.state {
        case .loading: out.write(phrases.dayIsLoading)
        case .unknown: out.write(phrases.dayIsUnknown)
        case .loaded(.usual(let usual)): self.usual(usual, to: &out)
        case .loaded(.forecast(let forecast)): weather(of: forecast, to: &out)
        case .loaded(.observed(let observed, let isForecast)):
            weather(of: observed, to: &out)
            if isForecast { out.segment(.source) { $0.write(phrases.asForecast) } }
        }
    }

    private func usual(_ day: UsualDay, to out: inout some Output) {
        out.segment(.source) { $0.write(phrases.usually) }
        if let mean = units.temperature.forPeople(day.maximum.mean) {
            out.segment(.high) { number(mean, units.temperature, to: &$0) }
            out.write(phrases.byDay)
        }
        out.segment(.range) { out in
            out.write(" (")
            range(day.maximum.low, day.maximum.high, to: &out)
            out.write(")")
        }
        if let mean = units.temperature.forPeople(day.minimum.mean) {
            out.write(", ")
            out.segment(.low) { number(mean, units.temperature, to: &$0) }
            out.write(phrases.byNight)
        }
        out.write(", ")
        out.segment(.rain) {
            $0.text(phrases.wet(on: Int((day.wetShare * 10).rounded()), isSnow: day.isSnow))
        }
    }

    /// "20 to 28°C", or "20°C" if both are the same.
    private func range(_ low: Double, _ high: Double, to out: inout some Output) {
        guard let low = units.temperature.forPeople(low), let high = units.temperature.forPeople(high) else {
            return
        }
        if low != high {
            out.buffer.append(low, minus: "−", point: phrases.decimalPoint)
            out.write(phrases.to)
        }
        number(high, units.temperature, to: &out)
    }

    // MARK: The trip as a whole

    /// "6–10 December: 32 to 50°F, rain on 2 days", "6–10 December: usually 32 to 50°F, rain on 2 days".
    func lead(_ trip: TripForecast, today: CalendarDate, to out: inout some Output) {
        let summary = TripSummary(trip)
        span(trip, today: today, to: &out)
        guard let low = summary.minimum, let high = summary.maximum else { return }
        out.write(": ")
        if summary.isUsual { out.write(phrases.usually) }
        out.segment(.temperature) { range(low, high, to: &$0) }
        out.write(", ")
        out.segment(.rain) { $0.text(phrases.wetDays(summary.wetDays, isSnow: summary.isSnow)) }
    }

    /// "6–10 December", "30 November – 4 December", with the year if it isn't this one.
    private func span(_ trip: TripForecast, today: CalendarDate, to out: inout some Output) {
        let end = trip.start.advanced(by: trip.nights)
        out.time(trip.start) { out in
            if trip.start.month == end.month, trip.start.year == end.year {
                out.buffer.append(trip.start.day)
                out.write(phrases.dayInRange)
            } else {
                date(trip.start, weekday: false, today: trip.start.year == end.year ? end : today, to: &out)
                out.write(" ")
            }
        }
        out.write("–")
        if trip.start.month != end.month || trip.start.year != end.year { out.write(" ") }
        out.time(end) { date(end, weekday: false, today: today, to: &$0) }
    }

    /// "To pack: umbrella, warm jacket."
    func packing(for trip: TripForecast, to out: inout some Output) {
        let isUsual = trip.days.contains { $0.usual != nil }
        packing(
            for: PackingItem.items(for: trip), in: isUsual ? phrases.toPackAsUsual : phrases.toPack, to: &out)
    }

    /// What is said about a trip beside its days.
    enum Note {
        case isOver
        case observed
        case beyond(TripForecast.Beyond, isWhole: Bool)
        case usual(ClosedRange<Int>)
        case archiveNotSubscribed
    }

    func notes(on trip: TripForecast) -> [Note] {
        var notes: [Note] = []
        if trip.isOver { notes.append(.isOver) }
        if trip.days.contains(where: \.isOfArchive) { notes.append(.observed) }
        if let beyond = trip.beyond {
            notes.append(.beyond(beyond, isWhole: !trip.days.contains { $0.kind == .forecast }))
        }
        if let usual = trip.days.lazy.compactMap(\.usual).first { notes.append(.usual(usual.years)) }
        if trip.isArchiveMissing { notes.append(.archiveNotSubscribed) }
        return notes
    }

    /// "The forecast reaches to 15 December. Come back on 10 December."
    func note(_ note: Note, today: CalendarDate, to out: inout some Output) {
        switch note {
        case .isOver: out.write(phrases.tripIsOver)
        case .observed: out.write(phrases.pastIsReanalysed)
        case .archiveNotSubscribed: out.write(phrases.archiveNotSubscribed)
        case .usual(let years):
            out.fill(phrases.usualIsNoForecast) { out in
                out.buffer.append(years.lowerBound)
                out.write("–")
                out.buffer.append(years.upperBound)
            }
        case .beyond(let beyond, isWhole: true):
            out.fill(phrases.firstForecastOn) { day(beyond.comeBackOn, today: today, to: &$0) }
        case .beyond(let beyond, isWhole: false):
            out.fill(phrases.forecastReachesTo) { day(beyond.forecastReachesTo, today: today, to: &$0) }
            out.write(" ")
            out.fill(phrases.comeBackOn) { day(beyond.comeBackOn, today: today, to: &$0) }
        }
    }
}

/// A trip's days in a few numbers, for its headline and its drawing.
struct TripSummary {
    /// °C: the lowest low and the highest high.
    var minimum: Double?
    var maximum: Double?
    /// Days on which it rains or snows, rounded if some are only usual.
    var wetDays = 0
    var isSnow = false
    /// Whether some of the days are only usual.
    var isUsual = false

    init(_ trip: TripForecast) {
        var wet = 0.0
        var snow = 0
        for day in trip.days {
            switch day.weather {
            case .observed(let day, _), .forecast(let day):
                add(day.minimum, day.maximum)
                guard day.isWet else { continue }
                wet += 1
                if Precipitation(on: day) == .snow { snow += 1 }
            case .usual(let day):
                isUsual = true
                add(day.minimum.mean, day.maximum.mean)
                wet += day.wetShare
                if day.isSnow { snow += 1 }
            case nil: break
            }
        }
        wetDays = Int(wet.rounded())
        isSnow = snow > 0 && 2 * snow >= wetDays
    }

    private mutating func add(_ low: Double?, _ high: Double?) {
        for value in [low, high].compactMap(\.self) {
            minimum = min(minimum ?? value, value)
            maximum = max(maximum ?? value, value)
        }
    }
}

extension TripDay {
    /// Whether it is told as it was, and not as it was forecast.
    fileprivate var isOfArchive: Bool {
        if case .observed(_, isForecast: false) = weather { true } else { false }
    }
}

extension DayForecast {
    /// Whether rain or snow is more likely than not, or fell.
    fileprivate var isWet: Bool {
        if let precipitationProbability { return precipitationProbability >= 50 }
        return precipitation.map { $0 >= 1 } ?? false
    }
}
