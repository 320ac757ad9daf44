internal import Fragments
internal import Weather

/// The two questions behind a card: which place is meant, then the weather there.
struct WeatherService: Sendable {
    let search: any PlaceSearch
    let client: any WeatherClient

    /// What came of them, and how long each took.
    struct Outcome: Sendable {
        var result: Result<(WeatherReport.Location, WeatherContext), WeatherError>
        var placeTime: Duration?
        var forecastTime: Duration?
    }

    /// Asks for the place, if it isn't known, and then for the weather, both until one deadline.
    func ask(_ subject: WeatherQuestion.Subject, until deadline: ContinuousClock.Instant) async -> Outcome {
        var outcome = Outcome(result: .failure(.cancelled))
        do throws(WeatherError) {
            let location: WeatherReport.Location
            let zone: String?
            switch subject {
            case .coordinate(let coordinate): (location, zone) = (.point(coordinate), nil)
            case .city(let query):
                let start = ContinuousClock.now
                defer { outcome.placeTime = start.duration(to: .now) }
                let place = try await search.place(for: query, until: deadline)
                (location, zone) = (.named(place), place.timeZone)
            }
            let start = ContinuousClock.now
            defer { outcome.forecastTime = start.duration(to: .now) }
            let context = try await client.weather(for: location.coordinate, zone: zone, until: deadline)
            outcome.result = .success((location, context))
        } catch {
            outcome.result = .failure(error)
        }
        return outcome
    }
}

extension TripDays {
    /// A trip's days as far as a forecast knows them at this moment.
    init(_ span: TripSpan, in context: WeatherContext, atUnixTime unixTime: Int) {
        self.init(start: span.start, nights: span.nights, days: [])
        switch TripForecast(of: span, in: context, atUnixTime: unixTime) {
        case .over: isOver = true
        case .beyond(let reach, let comeBack):
            beyond = Beyond(forecastReachesTo: reach, comeBackOn: comeBack)
        case .days(let known):
            days = known.days
            daysAlreadyPast = known.past
            beyond = known.later.map { Beyond(forecastReachesTo: $0.reach, comeBackOn: $0.comeBack) }
        }
    }
}
