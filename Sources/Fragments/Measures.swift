/// A number rounded to some decimals, kept as an integer so that it is rounded once and −0 can't be.
struct Rounded: Hashable {
    /// The number times ten to the power of `digits`.
    let scaled: Int
    /// Decimals, 0…6.
    let digits: Int

    /// Half is rounded away from zero. Nil for what is no number, and for what is too large to be weather.
    init?(_ value: Double?, digits: Int) {
        guard let value, abs(value) < 1e9 else { return nil }
        self.digits = digits
        scaled = Int((value * Double(Rounded.power(digits))).rounded(.toNearestOrAwayFromZero))
    }

    private init(scaled: Int, digits: Int) {
        self.scaled = scaled
        self.digits = digits
    }

    /// The same number without the decimals that are zeros at its end.
    var trimmed: Rounded {
        var scaled = scaled
        var digits = digits
        while digits > 0, scaled % 10 == 0 {
            scaled /= 10
            digits -= 1
        }
        return Rounded(scaled: scaled, digits: digits)
    }

    static func power(_ digits: Int) -> Int {
        var power = 1
        for _ in 0..<digits { power *= 10 }
        return power
    }
}

extension ByteWriter {
    mutating func append(_ number: Rounded, minus: StaticString, point: StaticString) {
        if number.scaled < 0 { append(minus) }
        let power = Rounded.power(number.digits).magnitude
        append(digits: number.scaled.magnitude / power)
        if number.digits > 0 {
            append(point)
            append(digits: number.scaled.magnitude % power, width: number.digits)
        }
    }
}

/// A unit that values are shown in, and how to get there from the metric ones that the weather is kept in.
enum Unit: Sendable, Hashable, CaseIterable {
    case celsius, fahrenheit
    case kilometresAnHour, milesAnHour
    case millimetres, inches
    case percent

    /// The label in JSON, the same in every language.
    var label: StaticString {
        switch self {
        case .celsius: "°C"
        case .fahrenheit: "°F"
        case .kilometresAnHour: "km/h"
        case .milesAnHour: "mph"
        case .millimetres: "mm"
        case .inches: "inch"
        case .percent: "%"
        }
    }

    private func converted(_ value: Double) -> Double {
        switch self {
        case .celsius, .kilometresAnHour, .millimetres, .percent: value
        case .fahrenheit: value * 1.8 + 32
        case .milesAnHour: value / 1.609344
        case .inches: value / 25.4
        }
    }

    /// The value as people read it: whole degrees, speeds and percents; millimetres to one decimal, left out
    /// if it is 0; inches to two.
    func forPeople(_ metric: Double?) -> Rounded? {
        switch self {
        case .millimetres: Rounded(metric.map(converted), digits: 1)?.trimmed
        case .inches: Rounded(metric.map(converted), digits: 2)
        default: Rounded(metric.map(converted), digits: 0)
        }
    }

    /// The value as programs read it: to one decimal, millimetres to two and inches to three.
    func forPrograms(_ metric: Double?) -> Rounded? {
        switch self {
        case .millimetres: Rounded(metric.map(converted), digits: 2)?.trimmed
        case .inches: Rounded(metric.map(converted), digits: 3)?.trimmed
        default: Rounded(metric.map(converted), digits: 1)?.trimmed
        }
    }
}

extension Units {
    var temperature: Unit { self == .metric ? .celsius : .fahrenheit }
    var speed: Unit { self == .metric ? .kilometresAnHour : .milesAnHour }
    var precipitation: Unit { self == .metric ? .millimetres : .inches }
}
