import Weather

/// Writes the weather as JSON. Every member is always there; null stands for what is not known. `deploy/API.md` has a
/// table of them.
struct WeatherJSON {
    private let sentences: Sentences
    private var units: Units { sentences.units }

    init(_ sentences: Sentences) {
        self.sentences = sentences
    }

    func write(_ state: WeatherState, asked: Coordinate? = nil, to json: inout JSONWriter) {
        json.object { json in
            let report = state.report
            json.member("state", state.name)
            json.member("place", report?.location ?? asked.map(WeatherReport.Location.point)) {
                json, location in
                place(location, report, to: &json)
            }
            json.member("current", report?.context.current) { current($1, to: &$0) }
            json.member("line", report) { json, report in json.string { sentences.line(report, to: &$0) } }
            json.member("trip", report?.trip) { json, trip in
                self.trip(trip, today: report?.today ?? trip.start, to: &json)
            }
            json.object("units") { json in
                json.member("temperature", units.temperature.label)
                json.member("windSpeed", units.speed.label)
                json.member("precipitation", units.precipitation.label)
                json.member("relativeHumidity", Unit.percent.label)
                json.member("precipitationProbability", Unit.percent.label)
            }
            json.member("updatedAt", report.flatMap { Instant(unixTime: $0.updatedAt) })
            json.member("stale", state.stale)
            json.member("message", state.message)
            json.member("retryAfter", state.retryAfter.map { Int($0) })
            json.member("sample", report?.isSample ?? false)
            json.object("attribution") { json in
                WeatherJSON.credit("weather", Attribution.weather, Attribution.weatherURL, to: &json)
                WeatherJSON.credit("places", Attribution.places, Attribution.placesURL, to: &json)
            }
        }
    }

    private func place(
        _ location: WeatherReport.Location, _ report: WeatherReport?, to json: inout JSONWriter
    ) {
        var place: Place?
        if case .named(let named) = location { place = named }
        json.object { json in
            json.member("name", place?.name)
            json.member("country", place?.country)
            json.member("region", place?.region)
            json.string("title") { sentences.title(location, to: &$0) }
            json.member("latitude", location.coordinate.latitude)
            json.member("longitude", location.coordinate.longitude)
            json.member("timeZone", place?.timeZone ?? report?.context.timeZone)
        }
    }

    private func current(_ current: CurrentWeather, to json: inout JSONWriter) {
        json.object { json in
            json.member("time", current.time)
            json.member("temperature", units.temperature.forPrograms(current.temperature))
            json.member("apparentTemperature", units.temperature.forPrograms(current.apparentTemperature))
            json.member("relativeHumidity", Unit.percent.forPrograms(current.relativeHumidity))
            json.member("precipitation", units.precipitation.forPrograms(current.precipitation))
            json.member("windSpeed", units.speed.forPrograms(current.windSpeed))
            sky(current.sky, isDay: current.isDay ?? true, to: &json)
            json.member("isDay", current.isDay)
        }
    }

    private func sky(_ sky: Sky?, isDay: Bool, to json: inout JSONWriter) {
        json.member("code", sky?.code)
        json.member("words", sky) { json, sky in json.string { sentences.sky(sky, to: &$0) } }
        json.member("symbol", sky?.symbol(isDay: isDay))
    }

    private func trip(_ trip: TripForecast, today: CalendarDate, to json: inout JSONWriter) {
        json.object { json in
            json.member("start", trip.start)
            json.member("nights", trip.nights)
            json.array("days", trip.days) { day($1, to: &$0) }
            json.array("packing", PackingItem.items(for: trip)) { $0.value($1.rawValue) }
            json.array("notes", sentences.notes(on: trip)) { json, note in
                json.string { sentences.note(note, today: today, to: &$0) }
            }
        }
    }

    private func day(_ trip: TripDay, to json: inout JSONWriter) {
        let day = trip.day
        json.object { json in
            json.member("date", trip.date)
            json.member("weekday", sentences.phrases.weekdays[trip.date.weekday])
            json.member("kind", trip.kind.rawValue)
            json.member("state", trip.state.name)
            var isForecast: Bool?
            if case .observed(_, let value)? = trip.weather { isForecast = value }
            json.member("isForecast", isForecast)
            sky(day?.sky, isDay: true, to: &json)
            json.member("maximum", units.temperature.forPrograms(day?.maximum))
            json.member("minimum", units.temperature.forPrograms(day?.minimum))
            json.member("precipitation", units.precipitation.forPrograms(day?.precipitation))
            json.member(
                "precipitationProbability", Unit.percent.forPrograms(day?.precipitationProbability))
            json.object("wind") { json in
                json.member("maximum", units.speed.forPrograms(day?.wind))
                json.member("gust", units.speed.forPrograms(day?.gust))
            }
            json.member("uv", day?.uv.flatMap { Rounded($0, digits: 1) })
            let (rise, set, name): (LocalTime?, LocalTime?, StaticString?) =
                switch day?.sun {
                case .risesAndSets(let rise, let set): (rise, set, "rises-and-sets")
                case .neverRises: (nil, nil, "never-rises")
                case .neverSets: (nil, nil, "never-sets")
                case nil: (nil, nil, nil)
                }
            json.member("sunrise", rise)
            json.member("sunset", set)
            json.member("sun", name)
            json.member("usual", trip.usual) { usual($1, to: &$0) }
        }
    }

    private func usual(_ day: UsualDay, to json: inout JSONWriter) {
        json.object { json in
            json.object("maximum") { spread(day.maximum, to: &$0) }
            json.object("minimum") { spread(day.minimum, to: &$0) }
            json.member("wetShare", Rounded(day.wetShare, digits: 2))
            json.member("wetKind", (day.isSnow ? "snow" : "rain") as StaticString)
            json.member("precipitation", units.precipitation.forPrograms(day.precipitation))
            json.member("sky", day.sky?.rawValue)
            json.object("wind") { json in
                json.member("maximum", units.speed.forPrograms(day.wind))
                json.member("gust", units.speed.forPrograms(day.gust))
            }
            json.member("firstYear", day.years.lowerBound)
            json.member("lastYear", day.years.upperBound)
        }
    }

    private func spread(_ spread: UsualDay.Spread, to json: inout JSONWriter) {
        json.member("mean", units.temperature.forPrograms(spread.mean))
        json.member("low", units.temperature.forPrograms(spread.low))
        json.member("high", units.temperature.forPrograms(spread.high))
    }

    static func credit(
        _ name: StaticString, _ text: StaticString, _ url: StaticString, to json: inout JSONWriter
    ) {
        json.object(name) { json in
            json.member("text", text)
            json.member("url", url)
            json.member("licence", Attribution.licence)
        }
    }
}
