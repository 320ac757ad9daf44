package import Transport

extension WeatherError {
    /// What it means that Open-Meteo, or a server in front of it, answered with another status than 200.
    ///
    /// - Parameter unixTime: Now, in seconds: a limit's window ends at a full minute, hour or day of UTC.
    package init(refusal: HTTPRefusal, unixTime: Int) {
        let reason = WeatherError.reason(in: refusal.body)
        switch refusal.status {
        case 429:
            let (window, wait) = refusal.limit(atUnixTime: unixTime)
            self = .limited(reason: reason, retryAfter: wait, window: window)
        case 500...599:
            self = .unavailable(status: refusal.status, retryAfter: refusal.retryAfter)
        default:
            self = .refused(status: refusal.status, reason: reason)
        }
    }

    /// The service's own explanation, `{"error":true,"reason":"…"}`; nil where the body is anything else, such as
    /// a server's page. It can echo what was asked: it is made one line and cut, but escaped by whoever shows it.
    package static func reason(in body: [UInt8]) -> String? {
        var reader = JSONReader(body)
        var reason: String?
        do throws(JSONFault) {
            try reader.object { (reader, key) throws(JSONFault) in
                switch key {
                case "reason": reason = try reader.string()
                default: try reader.skip()
                }
            }
        } catch {
            // Cut short at the transport's limit, perhaps: what was read before stands.
        }
        let line = CleanText.line(reason ?? "", limit: 300)
        return line.isEmpty ? nil : line
    }
}

extension HTTPRefusal {
    /// Which limit a 429 names, and how long it is to be waited for: by whoever asked, and by everybody else.
    func limit(atUnixTime unixTime: Int) -> (window: RateLimitWindow, wait: Duration) {
        let window = RateLimitWindow(reason: WeatherError.reason(in: body))
        // Both may be known, and the longer wait satisfies both.
        let waits = [window.remaining(atUnixTime: unixTime), retryAfter].compactMap(\.self)
        return (window, waits.max() ?? .seconds(60))
    }
}
