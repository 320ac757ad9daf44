/// Something to pack, for a plain reason that a forecast gives. The raw value is its code in JSON.
///
/// The rules look at each day alone, and one day is enough. A value that isn't known asks for nothing.
package enum PackingItem: String, Sendable, Hashable, CaseIterable {
    /// A chance of rain of 40 % or more, or 1 mm or more, on a day that isn't a day of snow.
    case umbrella
    /// 10 mm of rain or more, or a thunderstorm.
    case rainJacket = "rain-jacket"
    /// A low under 8 °C, or a high under 13 °C.
    case warmJacket = "warm-jacket"
    /// A low of 0 °C or less.
    case hatAndGloves = "hat-and-gloves"
    /// A day of snow.
    case snowBoots = "snow-boots"
    /// A high of 25 °C or more.
    case lightClothes = "light-clothes"
    /// A high of 25 °C or more under a sky that lets the sun through.
    case sunHat = "sun-hat"
    /// A high of 20 °C or more under a sky that lets the sun through, or a UV index of 3 or more.
    case sunscreen
    /// Wind of 40 km/h or more, or gusts of 60 km/h.
    case windproof
    /// The sun doesn't set.
    case sleepMask = "sleep-mask"
    /// The sun doesn't rise.
    case headTorch = "head-torch"

    /// What to pack for these days, in the order in which the items stand here; empty where no rule applies.
    package static func items(for days: [DayForecast]) -> [PackingItem] {
        allCases.filter { item in days.contains(where: item.isNeeded) }
    }

    /// The same for a trip: by the forecast, and beyond it by what is usual. What is past isn't packed for.
    package static func items(for trip: TripForecast) -> [PackingItem] {
        items(
            for: trip.days.compactMap { day in
                switch day.weather {
                case .forecast(let forecast): forecast
                case .usual(let usual): usual.asForecast(on: day.date)
                case .observed, nil: nil
                }
            })
    }

    private func isNeeded(on day: DayForecast) -> Bool {
        switch self {
        case .umbrella:
            day.sky?.kind != .snow
                && (PackingItem.isAtLeast(40, day.precipitationProbability)
                    || PackingItem.isAtLeast(1, day.precipitation))
        case .rainJacket:
            day.sky?.kind == .thunderstorm
                || (day.sky?.kind != .snow && PackingItem.isAtLeast(10, day.precipitation))
        case .warmJacket: PackingItem.isUnder(8, day.minimum) || PackingItem.isUnder(13, day.maximum)
        case .hatAndGloves: day.minimum.map { $0 <= 0 } ?? false
        case .snowBoots: day.sky?.kind == .snow
        case .lightClothes: PackingItem.isAtLeast(25, day.maximum)
        case .sunHat: PackingItem.isSunny(day) && PackingItem.isAtLeast(25, day.maximum)
        case .sunscreen:
            (PackingItem.isSunny(day) && PackingItem.isAtLeast(20, day.maximum))
                || PackingItem.isAtLeast(3, day.uv)
        case .windproof: PackingItem.isAtLeast(40, day.wind) || PackingItem.isAtLeast(60, day.gust)
        case .sleepMask: day.sun == .neverSets
        case .headTorch: day.sun == .neverRises
        }
    }

    private static func isAtLeast(_ limit: Double, _ value: Double?) -> Bool {
        value.map { $0 >= limit } ?? false
    }

    private static func isUnder(_ limit: Double, _ value: Double?) -> Bool {
        value.map { $0 < limit } ?? false
    }

    /// A day without sunrise has no sun to shield from.
    private static func isSunny(_ day: DayForecast) -> Bool {
        guard day.sun != .neverRises else { return false }
        return switch day.sky?.kind {
        case .clear, .mainlyClear, .partlyCloudy: true
        default: false
        }
    }
}

extension UsualDay {
    /// What the rules look at, by the means: for packing alone, never to be shown.
    fileprivate func asForecast(on date: CalendarDate) -> DayForecast {
        let code: Int? =
            switch sky {
            case .clear: 0
            case .partlyCloudy: 2
            case .overcast: 3
            case .rain: 61
            case .snow: 71
            case nil: nil
            }
        return DayForecast(
            date: date, sky: code.map { Weather.Sky(code: $0) }, maximum: maximum.mean, minimum: minimum.mean,
            precipitation: isSnow ? nil : precipitation, precipitationProbability: wetShare * 100, wind: wind,
            gust: gust)
    }
}
