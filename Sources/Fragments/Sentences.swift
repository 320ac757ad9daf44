import Trips
import Weather

/// The sentences of an answer, in the order in which they are read, for any output.
struct Sentences {
    let phrases: Phrases
    let units: Units

    init(_ presentation: Presentation) {
        phrases = presentation.language.phrases
        units = presentation.units
    }

    // MARK: The weather now

    /// "Seattle, United States: 61°F, Partly cloudy".
    func line(_ report: WeatherReport, to out: inout some Output) {
        out.segment(.place) { title(report.location, to: &$0) }
        out.write(": ")
        let current = report.context.current
        let temperature = units.temperature.forPeople(current?.temperature)
        if let temperature {
            out.segment(.temperature) { number(temperature, units.temperature, to: &$0) }
        }
        if let sky = current?.sky {
            if temperature != nil { out.write(", ") }
            out.segment(.sky) { self.sky(sky, to: &$0) }
        } else if temperature == nil {
            out.write(phrases.unknownNow)
        }
    }

    /// "Bergen, Norway", or "60.39°N 5.32°E" for a point without a name.
    func title(_ location: WeatherReport.Location, to out: inout some Output) {
        switch location {
        case .named(let place): title(place, to: &out)
        case .point(let coordinate): title(coordinate, to: &out)
        }
    }

    func title(_ place: Place, to out: inout some Output) {
        out.text(place.name)
        if let country = place.country {
            out.write(", ")
            out.text(country)
        }
    }

    func title(_ coordinate: Coordinate, to out: inout some Output) {
        degrees(coordinate.latitude, phrases.north, phrases.south, to: &out)
        out.write(" ")
        degrees(coordinate.longitude, phrases.east, phrases.west, to: &out)
    }

    private func degrees(
        _ degrees: Double, _ positive: StaticString, _ negative: StaticString, to out: inout some Output
    ) {
        guard let rounded = Rounded(abs(degrees), digits: 2) else { return }
        out.buffer.append(rounded, minus: "", point: phrases.decimalPoint)
        out.write("°")
        out.write(degrees < 0 && rounded.scaled != 0 ? negative : positive)
    }

    func sky(_ sky: Sky, to out: inout some Output) {
        if let known = phrases.sky(sky.kind) {
            out.write(known)
        } else {
            out.write(phrases.weatherCode)
            out.buffer.append(sky.code)
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
    func details(_ current: CurrentWeather, to out: inout some Output) {
        var isFirst = true
        func detail(
            _ segment: Segment, _ label: StaticString, _ value: Double?, _ unit: Unit,
            _ out: inout some Output
        ) {
            guard let value = unit.forPeople(value) else { return }
            if !isFirst { out.write(" ") }
            isFirst = false
            out.segment(segment) { out in
                out.write(label)
                number(value, unit, to: &out)
            }
            out.write(".")
        }
        detail(.apparent, phrases.feelsLike, current.apparentTemperature, units.temperature, &out)
        detail(.humidity, phrases.humidity, current.relativeHumidity, .percent, &out)
        detail(.wind, phrases.wind, current.windSpeed, units.speed, &out)
        detail(.precipitation, phrases.precipitation, current.precipitation, units.precipitation, &out)
    }

    /// "At 15:30, local time", with the date if that isn't today.
    func time(_ time: LocalTime, of report: WeatherReport, to out: inout some Output) {
        out.write(time.date == report.today ? phrases.atTime : phrases.onDate)
        out.time(time) { dateAndClock(time, today: report.today, to: &$0) }
        out.write(report.context.clockOffset == nil ? phrases.universalTime : phrases.localTime)
    }

    /// "Sunrise 07:10, sunset 19:20", or that there is none; as a sentence, or as the end of one.
    func sun(_ sun: DayForecast.Sun, isSentence: Bool = true, to out: inout some Output) {
        switch sun {
        case .risesAndSets(let rise, let set):
            out.write(isSentence ? phrases.sunrise : phrases.andSunrise)
            clock(rise, to: &out)
            out.write(phrases.sunset)
            clock(set, to: &out)
        case .neverRises: out.write(isSentence ? phrases.neverRises : phrases.andNeverRises)
        case .neverSets: out.write(isSentence ? phrases.neverSets : phrases.andNeverSets)
        }
    }

    // MARK: A trip

    /// "Rain, high 18°C, low 11°C, 70% chance of rain (4 mm), sunrise 05:12, sunset 21:05".
    func weather(of day: DayForecast, to out: inout some Output) {
        var isFirst = true
        func separate(_ out: inout some Output) {
            if !isFirst { out.write(", ") }
            isFirst = false
        }
        if let sky = day.sky {
            separate(&out)
            out.segment(.sky) { self.sky(sky, to: &$0) }
        }
        func temperature(
            _ segment: Segment, _ label: StaticString, _ degrees: Double?, _ out: inout some Output
        ) {
            guard let degrees = units.temperature.forPeople(degrees) else { return }
            separate(&out)
            out.segment(segment) { out in
                out.write(label)
                number(degrees, units.temperature, to: &out)
            }
        }
        temperature(.high, phrases.high, day.maximum, &out)
        temperature(.low, phrases.low, day.minimum, &out)
        let chance = Unit.percent.forPeople(day.precipitationProbability)
        let amount = units.precipitation.forPeople(day.precipitation)
        if chance != nil || amount != nil {
            separate(&out)
            out.segment(.rain) { precipitation(chance, amount, Precipitation(on: day), to: &$0) }
        }
        if isFirst { out.write(phrases.noForecast) }
        if let wind = units.speed.forPeople(day.wind) {
            out.write(", ")
            out.segment(.wind) { out in
                out.write(phrases.windUpTo)
                number(wind, units.speed, to: &out)
                if let gust = units.speed.forPeople(day.gust) {
                    out.write(phrases.gusts)
                    number(gust, units.speed, to: &out)
                }
            }
        }
        if let uv = day.uv, let rounded = Rounded(uv, digits: 0) {
            out.write(", ")
            out.segment(.uv) { out in
                out.write(phrases.uv)
                out.buffer.append(rounded, minus: "−", point: phrases.decimalPoint)
            }
        }
        if let sun = day.sun {
            out.write(", ")
            out.segment(.sun) { self.sun(sun, isSentence: false, to: &$0) }
        }
    }

    private func precipitation(
        _ chance: Rounded?, _ amount: Rounded?, _ kind: Precipitation, to out: inout some Output
    ) {
        if let chance {
            number(chance, .percent, to: &out)
            out.write(phrases.chance(of: kind))
        }
        if let amount {
            let template =
                chance == nil
                ? phrases.amountAlone : kind == .snow ? phrases.amountOfSnow : phrases.amount
            out.fill(template) { number(amount, units.precipitation, to: &$0) }
        }
    }

    // MARK: How old it is

    /// "Updated 14:05", "Updated 14:05, could not be refreshed": on the place's clock, with the date if that
    /// isn't today.
    func updated(_ report: WeatherReport, hasFailed: Bool, to out: inout some Output) {
        guard let instant = Instant(unixTime: report.updatedAt) else { return }
        let offset = report.context.clockOffset
        let time = LocalTime(unixTime: report.updatedAt, utcOffset: offset ?? 0)
        out.write(phrases.updated)
        out.time(instant) { dateAndClock(time, today: report.today, to: &$0) }
        if offset == nil { out.write(phrases.universalTime) }
        if hasFailed { out.write(phrases.notRefreshed) }
    }

    // MARK: Whom it is from

    func attribution(withPlaces: Bool, to out: inout some Output) {
        out.link(to: Attribution.weatherURL, Attribution.weather)
        if withPlaces {
            out.write(", ")
            out.write(phrases.placesBy)
            out.link(to: Attribution.placesURL, Attribution.places)
        }
    }

    // MARK: Numbers, dates and times

    func number(_ number: Rounded, _ unit: Unit, to out: inout some Output) {
        out.buffer.append(number, minus: "−", point: phrases.decimalPoint)
        out.write(phrases.suffix(of: unit))
    }

    /// "Friday 5 June", with the year if that isn't this one.
    func date(_ date: CalendarDate, weekday: Bool, today: CalendarDate, to out: inout some Output) {
        if weekday {
            out.write(phrases.weekdays[date.weekday])
            out.write(phrases.afterWeekday)
        }
        out.buffer.append(date.day)
        out.write(phrases.afterDay)
        out.write(phrases.months[date.month - 1])
        if date.year != today.year {
            out.write(" ")
            out.buffer.append(date.year)
        }
    }

    /// "10 December" for programs too.
    func day(_ day: CalendarDate, today: CalendarDate, to out: inout some Output) {
        out.time(day) { date(day, weekday: false, today: today, to: &$0) }
    }

    private func dateAndClock(_ time: LocalTime, today: CalendarDate, to out: inout some Output) {
        if time.date != today {
            date(time.date, weekday: true, today: today, to: &out)
            out.write(phrases.afterDate)
        }
        clock(time, to: &out)
    }

    private func clock(_ time: LocalTime, to out: inout some Output) {
        out.fill(phrases.clock) { $0.buffer.append(clock: time.minuteOfDay) }
    }

    // MARK: Trips

    /// "6 December – 10 December 2026"; the first year only if it is another than the second.
    func dates(_ span: TripSpan, to out: inout some Output) {
        day(span.start, today: span.end, to: &out)
        out.write(" – ")
        out.time(span.end) { date(span.end, weekday: false, to: &$0) }
    }

    /// "Sunday 6 December 2026": with the year, whatever it is.
    func date(_ date: CalendarDate, weekday: Bool, to out: inout some Output) {
        self.date(date, weekday: weekday, today: date, to: &out)
        out.write(" ")
        out.buffer.append(date.year)
    }

    /// "$1,250".
    func dollars(_ amount: Int, to out: inout some Output) {
        out.text(phrases.dollars(amount))
    }

    /// "To pack: umbrella, warm jacket."
    func packing(for items: [PackingItem], in template: Template, to out: inout some Output) {
        out.fill(template) { out in
            for (index, item) in items.enumerated() {
                if index > 0 { out.write(", ") }
                out.write(phrases.name(of: item))
            }
        }
    }
}

/// What may fall from the sky on a day.
enum Precipitation {
    case rain, snow
    /// It is about freezing, and the sky doesn't say.
    case either

    init(on day: DayForecast) {
        switch day.sky?.kind {
        case .snow: self = .snow
        case .drizzle, .rain: self = .rain
        default:
            if let maximum = day.maximum, maximum <= 0 {
                self = .snow
            } else if let minimum = day.minimum, minimum <= 0 {
                self = .either
            } else {
                self = .rain
            }
        }
    }
}
