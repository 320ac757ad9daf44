internal import CCurl
internal import Transport

/// The Retry-After field (RFC 9110, section 10.2.3): a number of seconds, or a date.
enum RetryAfter: Equatable {
    case seconds(Int)
    /// Seconds since 1970.
    case date(Int)

    init?(_ field: String) {
        if !field.isEmpty, field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            self = .seconds(Int(field) ?? Int.max)
            return
        }
        // libcurl reads all three forms of an HTTP date.
        let date = curl_getdate(field, nil)
        guard date >= 0 else { return nil }
        self = .date(date)
    }

    /// How long to wait, from 0 to `HTTPRefusal.longestRetryAfter`.
    ///
    /// - Parameter now: Seconds since 1970.
    func delay(now: Int) -> Duration {
        let (limit, _) = HTTPRefusal.longestRetryAfter.components
        switch self {
        case .seconds(let seconds): return .seconds(min(Int64(seconds), limit))
        case .date(let date): return .seconds(min(max(Int64(date) - Int64(now), 0), limit))
        }
    }
}
