/// The sky by its WMO code (table 4677, as far as Open-Meteo uses it).
package struct Sky: Sendable, Hashable {
    package let code: Int

    package init(code: Int) {
        self.code = code
    }

    /// What people read and see of a code; one table for words and symbol.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case clear, mainlyClear, partlyCloudy, overcast, fog, drizzle, rain, snow, thunderstorm, unknown
    }

    package var kind: Kind {
        switch code {
        case 0: .clear
        case 1: .mainlyClear
        case 2: .partlyCloudy
        case 3: .overcast
        case 45, 48: .fog
        case 51...57: .drizzle
        case 61...67, 80...82: .rain
        case 71...77, 85, 86: .snow
        case 95...99: .thunderstorm
        default: .unknown
        }
    }

    /// The symbol's name, with a variant for the night where the sun or moon would show.
    package func symbol(isDay: Bool) -> String {
        switch kind {
        case .clear: isDay ? "sun.max" : "moon.stars"
        case .mainlyClear: isDay ? "sun.min" : "moon"
        case .partlyCloudy: isDay ? "cloud.sun" : "cloud.moon"
        case .overcast: "cloud"
        case .fog: "cloud.fog"
        case .drizzle: "cloud.drizzle"
        case .rain: "cloud.rain"
        case .snow: "cloud.snow"
        case .thunderstorm: "cloud.bolt.rain"
        case .unknown: "questionmark.circle"
        }
    }
}
