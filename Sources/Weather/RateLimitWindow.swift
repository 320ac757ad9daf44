/// Which of Open-Meteo's limits was reached. It counts in fixed windows by UTC, not in rolling ones.
package enum RateLimitWindow: String, Sendable, Hashable, CaseIterable, Codable {
    /// Wiped each full minute.
    case minute
    /// Wiped each full hour.
    case hour
    /// Wiped at 00:00 UTC.
    case day
    /// Too many requests of one address at once: it passes as they end.
    case concurrency
    /// The reason names no window that is known.
    case unknown

    /// Reads the window out of the words of a refusal with status 429.
    package init(reason: String?) {
        let words = reason?.lowercased() ?? ""
        let signs: [(String, RateLimitWindow)] = [
            ("concurrent", .concurrency), ("minutely", .minute), ("one minute", .minute), ("hourly", .hour),
            ("next hour", .hour), ("daily", .day), ("tomorrow", .day),
        ]
        self = signs.first { words.contains($0.0) }?.1 ?? .unknown
    }

    /// How long after `unixTime` (seconds) the window is over; nil where that isn't known.
    package func remaining(atUnixTime unixTime: Int) -> Duration? {
        let length =
            switch self {
            case .minute: 60
            case .hour: 3_600
            case .day: 86_400
            // It passes as they end.
            case .concurrency: 1
            case .unknown: 0
            }
        guard length > 0 else { return nil }
        let elapsed = unixTime % length
        return .seconds(length - (elapsed < 0 ? elapsed + length : elapsed))
    }
}
