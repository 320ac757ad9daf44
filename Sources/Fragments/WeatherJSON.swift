import Weather

/// Writes the weather as JSON. Every member is always there; null stands where nothing is known.
///
/// | member | value |
/// | --- | --- |
/// | `state` | `"loaded"`, or `"failed"` where no newer weather could be had |
/// | `place.name`, `.country`, `.region` | strings; all null for a bare coordinate; country and region can be null |
/// | `place.title` | `"Seattle, United States"`, or `"60.39°N 5.32°E"` for a bare coordinate |
/// | `place.latitude`, `.longitude` | degrees north and east, WGS 84 |
/// | `place.timeZone` | the IANA zone, or null |
/// | `current` | an object, or null where current weather is not known; any of its members can be null |
/// | `current.time` | start of the quarter of an hour it stands for, at the place: `"2026-09-17T15:30"` |
/// | `current.temperature`, `.apparentTemperature` | in `units.temperature`, to one decimal |
/// | `current.relativeHumidity` | percent, 0…100 |
/// | `current.precipitation` | in `units.precipitation`, of the preceding quarter of an hour |
/// | `current.windSpeed` | in `units.windSpeed`, at ten metres, to one decimal |
/// | `current.code`, `.words`, `.symbol` | WMO weather code, its words, its symbol's name (by day or night) |
/// | `current.isDay` | whether the sun is up |
/// | `line` | `"Seattle, United States: 61°F, Partly cloudy"` |
/// | `trip` | an object where the weather was asked for with `start` and `nights`, else null |
/// | `trip.start`, `.nights` | as asked: `"2026-12-10"`, 4 |
/// | `trip.days[]` | the trip's days that there is a forecast for, in order |
/// | `….date`, `.weekday` | the day at the place: `"2026-12-10"`, `"Thursday"` |
/// | `….code`, `.words`, `.symbol` | as in `current`, always by day |
/// | `….maximum`, `.minimum` | in `units.temperature`, to one decimal |
/// | `….precipitation`, `.precipitationProbability` | in `units.precipitation`; percent, 0…100 |
/// | `….sunrise`, `.sunset` | at the place, `"2026-12-10T09:31"`; null in polar night and polar day |
/// | `….sun` | `"rises-and-sets"`, `"never-rises"`, `"never-sets"` or null |
/// | `trip.packing[]` | what to pack for these days, in codes: `"umbrella"`, `"warm-jacket"` |
/// | `trip.notes[]` | sentences on what can't be shown: `"This trip is over."` |
/// | `units` | the units of `temperature`, `windSpeed`, `precipitation`, `relativeHumidity`, `precipitationProbability` |
/// | `updatedAt` | when the weather was fetched, in UTC: `"2026-09-17T22:35:00Z"` |
/// | `stale` | null, `"revalidating"` (old, being asked for anew) or `"error"` (old, the last refresh failed) |
/// | `message` | where `state` is `"failed"`: the reason, as a sentence; else null |
/// | `sample` | whether the weather is made up |
/// | `attribution.weather`, `.places` | each `text`, `url`, `licence`: to be shown beside the data |
struct WeatherJSON {
    private let sentences: Sentences
    private var words: any Words { sentences.words }
    private var units: Units { sentences.units }

    init(_ sentences: Sentences) {
        self.sentences = sentences
    }

    func write(_ card: Card, to json: inout JSONWriter) {
        json.object { json in
            let report = card.report
            json.key("state")
            json.value(card.state.name)
            json.key("place")
            place(card, to: &json)
            json.key("current")
            if let current = report?.context.current {
                self.current(current, to: &json)
            } else {
                json.null()
            }
            json.key("line")
            if let report {
                json.string { sentences.line(report, with: &$0) }
            } else {
                json.null()
            }
            json.key("trip")
            if let report, let trip = report.trip {
                self.trip(trip, today: report.today, to: &json)
            } else {
                json.null()
            }
            json.key("units")
            units(to: &json)
            json.key("updatedAt")
            if let report {
                json.value(unixTime: report.updatedAt)
            } else {
                json.null()
            }
            json.key("stale")
            if let stale = card.stale {
                json.value(stale)
            } else {
                json.null()
            }
            json.key("message")
            message(of: card, to: &json)
            json.key("sample")
            json.value(report?.isSample ?? false)
            json.key("attribution")
            WeatherJSON.attribution(to: &json)
        }
    }

    private func message(of card: Card, to json: inout JSONWriter) {
        if let message = card.message {
            json.value(message)
        } else if card.state == .failed {
            json.value(words.couldNotBeRefreshed)
        } else {
            json.null()
        }
    }

    private func place(_ card: Card, to json: inout JSONWriter) {
        switch card.report?.location ?? card.asked.map(WeatherReport.Location.point) {
        case nil: json.null()
        case .named(let place):
            json.object { json in
                json.key("name")
                json.value(place.name)
                json.key("country")
                json.value(place.country)
                json.key("region")
                json.value(place.region)
                json.key("title")
                json.string { sentences.title(place, with: &$0) }
                position(place.coordinate, place.timeZone ?? card.report?.context.timeZone, to: &json)
            }
        case .point(let coordinate):
            json.object { json in
                json.key("name")
                json.null()
                json.key("country")
                json.null()
                json.key("region")
                json.null()
                json.key("title")
                json.string { sentences.title(coordinate, with: &$0) }
                position(coordinate, card.report?.context.timeZone, to: &json)
            }
        }
    }

    private func position(_ coordinate: Coordinate, _ timeZone: String?, to json: inout JSONWriter) {
        json.key("latitude")
        json.value(degrees: coordinate.latitude)
        json.key("longitude")
        json.value(degrees: coordinate.longitude)
        json.key("timeZone")
        json.value(timeZone)
    }

    private func current(_ current: CurrentWeather, to json: inout JSONWriter) {
        json.object { json in
            json.key("time")
            json.value(current.time)
            json.key("temperature")
            json.value(units.temperature.forPrograms(current.temperature))
            json.key("apparentTemperature")
            json.value(units.temperature.forPrograms(current.apparentTemperature))
            json.key("relativeHumidity")
            json.value(Unit.percent.forPrograms(current.relativeHumidity))
            json.key("precipitation")
            json.value(units.precipitation.forPrograms(current.precipitation))
            json.key("windSpeed")
            json.value(units.speed.forPrograms(current.windSpeed))
            sky(current.sky, isDay: current.isDay ?? true, to: &json)
            json.key("isDay")
            json.value(current.isDay)
        }
    }

    private func sky(_ sky: Sky?, isDay: Bool, to json: inout JSONWriter) {
        json.key("code")
        json.value(sky?.code)
        json.key("words")
        if let sky {
            json.string { sentences.sky(sky, with: &$0) }
        } else {
            json.null()
        }
        json.key("symbol")
        json.value(sky?.symbol(isDay: isDay))
    }

    private func trip(_ trip: TripDays, today: CalendarDate, to json: inout JSONWriter) {
        json.object { json in
            json.key("start")
            json.value(trip.start)
            json.key("nights")
            json.value(trip.nights)
            json.key("days")
            json.array(trip.days) { day($1, to: &$0) }
            json.key("packing")
            json.array(PackingItem.items(for: trip.days)) { $0.value($1.rawValue) }
            json.key("notes")
            json.array(sentences.notes(on: trip)) { json, note in
                json.string { sentences.note(note, today: today, with: &$0) }
            }
        }
    }

    private func day(_ day: DayForecast, to json: inout JSONWriter) {
        json.object { json in
            json.key("date")
            json.value(day.date)
            json.key("weekday")
            json.value(words.weekdays[day.date.weekday])
            sky(day.sky, isDay: true, to: &json)
            json.key("maximum")
            json.value(units.temperature.forPrograms(day.maximum))
            json.key("minimum")
            json.value(units.temperature.forPrograms(day.minimum))
            json.key("precipitation")
            json.value(units.precipitation.forPrograms(day.precipitation))
            json.key("precipitationProbability")
            json.value(Unit.percent.forPrograms(day.precipitationProbability))
            sun(day.sun, to: &json)
        }
    }

    private func sun(_ sun: DayForecast.Sun?, to json: inout JSONWriter) {
        var rise: LocalTime?
        var set: LocalTime?
        var name: StaticString?
        switch sun {
        case .risesAndSets(let riseTime, let setTime):
            rise = riseTime
            set = setTime
            name = "rises-and-sets"
        case .neverRises: name = "never-rises"
        case .neverSets: name = "never-sets"
        case nil: break
        }
        json.key("sunrise")
        json.value(rise)
        json.key("sunset")
        json.value(set)
        json.key("sun")
        if let name {
            json.value(name)
        } else {
            json.null()
        }
    }

    private func units(to json: inout JSONWriter) {
        json.object { json in
            json.key("temperature")
            json.value(units.temperature.label)
            json.key("windSpeed")
            json.value(units.speed.label)
            json.key("precipitation")
            json.value(units.precipitation.label)
            json.key("relativeHumidity")
            json.value(Unit.percent.label)
            json.key("precipitationProbability")
            json.value(Unit.percent.label)
        }
    }

    private static func attribution(to json: inout JSONWriter) {
        json.object { json in
            json.key("weather")
            credit(Attribution.weather, Attribution.weatherURL, to: &json)
            json.key("places")
            credit(Attribution.places, Attribution.placesURL, to: &json)
        }
    }

    static func credit(_ text: StaticString, _ url: StaticString, to json: inout JSONWriter) {
        json.object { json in
            json.key("text")
            json.value(text)
            json.key("url")
            json.value(url)
            json.key("licence")
            json.value(Attribution.licence)
        }
    }
}
