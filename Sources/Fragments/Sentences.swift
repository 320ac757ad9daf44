import Weather

/// The sentences of an answer, in the order in which they are read, for any pen.
struct Sentences {
    let words: any Words
    let units: Units

    init(_ presentation: Presentation) {
        words = presentation.language.words
        units = presentation.units
    }

    // MARK: The weather now

    /// "Seattle, United States: 61°F, Partly cloudy".
    func line(_ report: WeatherReport, with pen: inout some Pen) {
        pen.part(.place) { title(report.location, with: &$0) }
        pen.words(": ")
        let current = report.context.current
        let temperature = units.temperature.forPeople(current?.temperature)
        if let temperature {
            pen.part(.temperature) { number(temperature, units.temperature, with: &$0) }
        }
        if let sky = current?.sky {
            if temperature != nil { pen.words(", ") }
            pen.part(.sky) { self.sky(sky, with: &$0) }
        } else if temperature == nil {
            pen.words(words.unknownNow)
        }
    }

    /// "Bergen, Norway", or "60.39°N 5.32°E" for a point without a name.
    func title(_ location: WeatherReport.Location, with pen: inout some Pen) {
        switch location {
        case .named(let place): title(place, with: &pen)
        case .point(let coordinate): title(coordinate, with: &pen)
        }
    }

    func title(_ place: Place, with pen: inout some Pen) {
        pen.text(place.name)
        if let country = place.country {
            pen.words(", ")
            pen.text(country)
        }
    }

    func title(_ coordinate: Coordinate, with pen: inout some Pen) {
        degrees(coordinate.latitude, words.north, words.south, with: &pen)
        pen.words(" ")
        degrees(coordinate.longitude, words.east, words.west, with: &pen)
    }

    private func degrees(
        _ degrees: Double, _ positive: StaticString, _ negative: StaticString, with pen: inout some Pen
    ) {
        guard let rounded = Rounded(abs(degrees), digits: 2) else { return }
        pen.out.append(rounded, minus: "", point: words.decimalPoint)
        pen.words("°")
        pen.words(degrees < 0 && rounded.scaled != 0 ? negative : positive)
    }

    func sky(_ sky: Sky, with pen: inout some Pen) {
        if let known = words.words(of: sky.kind) {
            pen.words(known)
        } else {
            pen.phrase(words.weatherCode) { $0.out.append(sky.code) }
        }
    }

    /// Whether `details` has anything to say.
    func hasDetails(_ current: CurrentWeather) -> Bool {
        units.temperature.forPeople(current.apparentTemperature) != nil
            || Unit.percent.forPeople(current.relativeHumidity) != nil
            || units.speed.forPeople(current.windSpeed) != nil
            || units.precipitation.forPeople(current.precipitation) != nil
    }

    /// "Feels like 59°F. Humidity 71%. Wind 5 mph. Precipitation 0.00 inch."; what is missing is left out.
    func details(_ current: CurrentWeather, with pen: inout some Pen) {
        var isFirst = true
        func detail(_ part: Part, _ phrase: Phrase, _ value: Double?, _ unit: Unit, _ pen: inout some Pen) {
            guard let value = unit.forPeople(value) else { return }
            if !isFirst { pen.words(" ") }
            isFirst = false
            pen.part(part) { pen in
                pen.phrase(phrase) { number(value, unit, with: &$0) }
            }
            pen.words(".")
        }
        detail(.apparent, words.feelsLike, current.apparentTemperature, units.temperature, &pen)
        detail(.humidity, words.humidity, current.relativeHumidity, .percent, &pen)
        detail(.wind, words.wind, current.windSpeed, units.speed, &pen)
        detail(.precipitation, words.precipitation, current.precipitation, units.precipitation, &pen)
    }

    /// "At 15:30, local time", with the date where that isn't today.
    func time(_ time: LocalTime, of report: WeatherReport, with pen: inout some Pen) {
        let isToday = time.date == report.today
        pen.phrase(isToday ? words.atTime : words.onDate) { pen in
            pen.moment(.local(time)) { dateAndClock(time, today: report.today, with: &$0) }
        }
        pen.words(report.context.clockOffset == nil ? words.universalTime : words.localTime)
    }

    /// "Sunrise 07:10, sunset 19:20", or that there is none.
    func sun(_ sun: DayForecast.Sun, with pen: inout some Pen) {
        switch sun {
        case .risesAndSets(let rise, let set):
            pen.words(words.sunrise)
            clock(rise, with: &pen)
            pen.words(words.sunset)
            clock(set, with: &pen)
        case .neverRises: pen.words(words.neverRises)
        case .neverSets: pen.words(words.neverSets)
        }
    }

    // MARK: A trip

    /// "Friday 5 June: Rain, high 18°C, low 11°C, 70% chance of rain (4 mm), sunrise 05:12, sunset 21:05".
    func day(_ day: DayForecast, today: CalendarDate, with pen: inout some Pen) {
        pen.moment(.day(day.date)) { date(day.date, weekday: true, today: today, with: &$0) }
        pen.words(": ")
        var isFirst = true
        func separate(_ pen: inout some Pen) {
            if !isFirst { pen.words(", ") }
            isFirst = false
        }
        if let sky = day.sky {
            separate(&pen)
            pen.part(.sky) { self.sky(sky, with: &$0) }
        }
        if let maximum = units.temperature.forPeople(day.maximum) {
            separate(&pen)
            pen.part(.high) { pen in
                pen.words(words.high)
                number(maximum, units.temperature, with: &pen)
            }
        }
        if let minimum = units.temperature.forPeople(day.minimum) {
            separate(&pen)
            pen.part(.low) { pen in
                pen.words(words.low)
                number(minimum, units.temperature, with: &pen)
            }
        }
        let chance = Unit.percent.forPeople(day.precipitationProbability)
        let amount = units.precipitation.forPeople(day.precipitation)
        if chance != nil || amount != nil {
            separate(&pen)
            pen.part(.rain) {
                precipitation(chance, amount, isSnow: day.sky?.kind == .snow, with: &$0)
            }
        }
        if isFirst { pen.words(words.noForecast) }
        if let sun = day.sun {
            pen.words(", ")
            pen.part(.sun) { andSun(sun, with: &$0) }
        }
    }

    private func precipitation(_ chance: Rounded?, _ amount: Rounded?, isSnow: Bool, with pen: inout some Pen)
    {
        if let chance {
            number(chance, .percent, with: &pen)
            pen.words(isSnow ? words.chanceOfSnow : words.chanceOfRain)
        }
        if let amount {
            let phrase = chance == nil ? words.amountAlone : isSnow ? words.amountOfSnow : words.amount
            pen.phrase(phrase) { number(amount, units.precipitation, with: &$0) }
        }
    }

    private func andSun(_ sun: DayForecast.Sun, with pen: inout some Pen) {
        switch sun {
        case .risesAndSets(let rise, let set):
            pen.words(words.andSunrise)
            clock(rise, with: &pen)
            pen.words(words.sunset)
            clock(set, with: &pen)
        case .neverRises: pen.words(words.andNeverRises)
        case .neverSets: pen.words(words.andNeverSets)
        }
    }

    /// What is said about a trip beside its days.
    enum Note {
        case isOver
        case daysPast(Int)
        case beyond(TripDays.Beyond)
        case noForecast
    }

    func notes(on trip: TripDays) -> [Note] {
        if trip.isOver { return [.isOver] }
        var notes: [Note] = []
        if trip.daysAlreadyPast > 0 { notes.append(.daysPast(trip.daysAlreadyPast)) }
        if let beyond = trip.beyond {
            notes.append(.beyond(beyond))
        } else if trip.days.isEmpty {
            notes.append(.noForecast)
        }
        return notes
    }

    /// "The forecast reaches to 15 December. Come back on 10 December."
    func note(_ note: Note, today: CalendarDate, with pen: inout some Pen) {
        switch note {
        case .isOver: pen.words(words.tripIsOver)
        case .daysPast(let days): pen.text(words.daysPast(days))
        case .noForecast: pen.words(words.noForecastForTrip)
        case .beyond(let beyond):
            pen.phrase(words.forecastReachesTo) { pen in
                pen.moment(.day(beyond.forecastReachesTo)) {
                    date(beyond.forecastReachesTo, weekday: false, today: today, with: &$0)
                }
            }
            pen.words(" ")
            pen.phrase(words.comeBackOn) { pen in
                pen.moment(.day(beyond.comeBackOn)) {
                    date(beyond.comeBackOn, weekday: false, today: today, with: &$0)
                }
            }
        }
    }

    // MARK: How old it is

    /// "Updated 14:05", "Updated 14:05, could not be refreshed": on the place's clock, with the date where that
    /// isn't today.
    func updated(_ report: WeatherReport, hasFailed: Bool, with pen: inout some Pen) {
        guard let instant = Instant(unixTime: report.updatedAt) else { return }
        let offset = report.context.clockOffset
        let time = LocalTime(unixTime: report.updatedAt, utcOffset: offset ?? 0)
        pen.words(words.updated)
        pen.moment(.instant(instant)) { dateAndClock(time, today: report.today, with: &$0) }
        if offset == nil { pen.words(words.universalTime) }
        if hasFailed { pen.words(words.notRefreshed) }
    }

    // MARK: Numbers, dates and times

    func number(_ number: Rounded, _ unit: Unit, with pen: inout some Pen) {
        pen.out.append(number, minus: "−", point: words.decimalPoint)
        pen.words(words.suffix(of: unit))
    }

    /// "Friday 5 June", with the year where that isn't this one.
    func date(_ date: CalendarDate, weekday: Bool, today: CalendarDate, with pen: inout some Pen) {
        if weekday {
            pen.words(words.weekdays[date.weekday])
            pen.words(words.afterWeekday)
        }
        pen.out.append(date.day)
        pen.words(words.afterDay)
        pen.words(words.months[date.month - 1])
        if date.year != today.year {
            pen.words(" ")
            pen.out.append(date.year)
        }
    }

    private func dateAndClock(_ time: LocalTime, today: CalendarDate, with pen: inout some Pen) {
        if time.date != today {
            date(time.date, weekday: true, today: today, with: &pen)
            pen.words(words.afterDate)
        }
        clock(time, with: &pen)
    }

    private func clock(_ time: LocalTime, with pen: inout some Pen) {
        pen.phrase(words.clock) { $0.out.append(clock: time.minuteOfDay) }
    }
}
