/// What a day of the year is usually like at a place: the same date and three days to either side, in ten years of the
/// archive. It is a reanalysis, no station's measurements, and no forecast.
package struct UsualDay: Sendable, Hashable {
    /// A value over the samples.
    package struct Spread: Sendable, Hashable {
        package var mean: Double
        /// The 10th and the 90th percentile.
        package var low: Double
        package var high: Double

        package init(mean: Double, low: Double, high: Double) {
            (self.mean, self.low, self.high) = (mean, low, high)
        }
    }

    package enum Sky: String, Sendable, Hashable, CaseIterable {
        case clear
        case partlyCloudy = "partly-cloudy"
        case overcast, rain, snow
    }

    /// 1…12 and 1…31.
    package var month: Int
    package var day: Int
    /// °C.
    package var maximum: Spread
    package var minimum: Spread
    /// The part of the samples with at least 1 mm of rain or melted snow, 0…1.
    package var wetShare: Double
    /// Millimetres a day, on average.
    package var precipitation: Double
    /// Nil if it is usually dry, and no cloud cover is known.
    package var sky: Sky?
    /// Kilometres an hour, on average: the day's strongest wind and gust.
    package var wind: Double?
    package var gust: Double?
    /// The years that it is made of.
    package var years: ClosedRange<Int>

    /// Whether what falls is usually snow.
    package var isSnow: Bool { maximum.mean <= UsualDay.warmestSnow }

    /// With fewer samples nothing is said.
    static let samplesAtLeast = 50
    /// The mean high, in °C, up to which what falls is called snow.
    static let warmestSnow = 1.0
    /// A day is wet from so many millimetres on.
    static let wet = 1.0

    package init(
        month: Int, day: Int, maximum: Spread, minimum: Spread, wetShare: Double, precipitation: Double,
        sky: Sky?, wind: Double? = nil, gust: Double? = nil, years: ClosedRange<Int>
    ) {
        (self.month, self.day) = (month, day)
        (self.maximum, self.minimum) = (maximum, minimum)
        (self.wetShare, self.precipitation, self.sky) = (wetShare, precipitation, sky)
        (self.wind, self.gust, self.years) = (wind, gust, years)
    }

    /// Nil for fewer samples than it takes. A sample has a high, a low and an amount of precipitation.
    init?(month: Int, day: Int, samples: [ArchiveDay], years: ClosedRange<Int>) {
        let samples = samples.filter { $0.maximum != nil && $0.minimum != nil && $0.precipitation != nil }
        let amounts = samples.compactMap(\.precipitation)
        guard samples.count >= UsualDay.samplesAtLeast, let maximum = Spread(samples.compactMap(\.maximum)),
            let minimum = Spread(samples.compactMap(\.minimum)), let precipitation = average(amounts)
        else { return nil }
        let wetShare = Double(amounts.count { $0 >= UsualDay.wet }) / Double(amounts.count)
        self.init(
            month: month, day: day, maximum: maximum, minimum: minimum, wetShare: wetShare,
            precipitation: precipitation, sky: nil, wind: average(samples.compactMap(\.wind)),
            gust: average(samples.compactMap(\.gust)), years: years)
        sky =
            wetShare >= 0.5
            ? (isSnow ? .snow : .rain) : average(samples.compactMap(\.cloudCover)).map(Sky.init(cloudCover:))
    }

    /// What each day of a half of a month is usually like, 29 February too; days of which too little is known are
    /// left out.
    static func days(
        of half: HalfMonth, years: ClosedRange<Int>, from archive: [CalendarDate: ArchiveDay]
    ) -> [UsualDay] {
        // Any leap year has all the days there are.
        half.days(in: 2024).compactMap { date in
            let samples = years.flatMap { year in
                window(month: date.month, day: date.day, year: year).compactMap { archive[$0] }
            }
            return UsualDay(month: date.month, day: date.day, samples: samples, years: years)
        }
    }

    /// A date's days in a year: six for 29 February, if the year has none.
    static func window(month: Int, day: Int, year: Int) -> [CalendarDate] {
        let beside = ArchivePeriod.daysBeside
        if let date = CalendarDate(year: year, month: month, day: day) {
            return (-beside...beside).map { date.advanced(by: $0) }
        }
        guard let next = CalendarDate(year: year, month: 3, day: 1) else { return [] }
        return (-beside..<beside).map { next.advanced(by: $0) }
    }
}

extension UsualDay.Spread {
    /// Percentiles are linear between ranks. Nil for no values.
    init?(_ values: [Double]) {
        let sorted = values.sorted()
        guard let mean = average(sorted), let low = percentile(0.1, of: sorted),
            let high = percentile(0.9, of: sorted)
        else { return nil }
        self.init(mean: mean, low: low, high: high)
    }
}

extension UsualDay.Sky {
    /// By the mean of the cloud cover, in percent.
    fileprivate init(cloudCover: Double) {
        self = cloudCover < 30 ? .clear : cloudCover <= 70 ? .partlyCloudy : .overcast
    }
}

private func average(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
}

private func percentile(_ part: Double, of sorted: [Double]) -> Double? {
    guard let last = sorted.indices.last else { return nil }
    let rank = part * Double(last)
    let below = Int(rank.rounded(.down))
    let above = min(below + 1, last)
    return sorted[below] + (rank - Double(below)) * (sorted[above] - sorted[below])
}

/// A day as the archive has it.
struct ArchiveDay: Sendable, Hashable {
    /// °C.
    var maximum: Double?
    var minimum: Double?
    /// Millimetres.
    var precipitation: Double?
    /// Percent, 0…100, on average over the day.
    var cloudCover: Double?
    /// Kilometres an hour.
    var wind: Double?
    var gust: Double?
}
