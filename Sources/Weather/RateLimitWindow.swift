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
        switch self {
        case .minute: .seconds(RateLimitWindow.secondsLeft(of: 60, at: unixTime))
        case .hour: .seconds(RateLimitWindow.secondsLeft(of: 3_600, at: unixTime))
        case .day: .seconds(RateLimitWindow.secondsLeft(of: 86_400, at: unixTime))
        case .concurrency: .seconds(1)
        case .unknown: nil
        }
    }

    /// 1…length.
    private static func secondsLeft(of length: Int, at unixTime: Int) -> Int {
        let elapsed = unixTime % length
        return length - (elapsed < 0 ? elapsed + length : elapsed)
    }
}
