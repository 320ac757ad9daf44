package import Transport

/// Why there is no weather. Each case has its sentence for people and a short label of fixed wording.
package enum WeatherError: Error, Sendable, Hashable, Codable {
    /// A place of the asked name that isn't where the question says.
    package struct Elsewhere: Sendable, Hashable, Codable {
        package var place: Place
        /// The country or region that it isn't in, as it was asked for.
        package var wanted: String

        package init(place: Place, wanted: String) {
            self.place = place
            self.wanted = wanted
        }
    }

    /// The service answered and knows no place of this name, or only one elsewhere. It is indirect so that what
    /// carries an error, as all that the cache answers does, stays small.
    indirect case noSuchPlace(String, elsewhere: Elsewhere? = nil)
    /// The service refused, with its own reason where it gave one.
    case refused(status: Int, reason: String?)
    /// The service limits us: ask again after this long, where it is known.
    case limited(reason: String?, retryAfter: Duration?, window: RateLimitWindow = .unknown)
    /// The subscription that the API key is of doesn't include what was asked for.
    case notSubscribed
    /// The service failed with this status.
    case unavailable(status: Int, retryAfter: Duration?)
    /// The answer can't be read; `path` names the key, or says what is wrong, for the log alone.
    case unreadable(path: String)
    /// There was no answer, or none in time.
    case transport(TransportError)
    /// The request's own time ran out.
    case outOfTime
    /// The reader left.
    case cancelled

    /// A short label of fixed wording, for metrics and logs.
    package var label: String {
        switch self {
        case .noSuchPlace: "no-such-place"
        case .refused: "refused"
        case .limited: "limited"
        case .notSubscribed: "not-subscribed"
        case .unavailable: "unavailable"
        case .unreadable: "unreadable"
        case .transport(let error): error.label
        case .outOfTime: "out-of-time"
        case .cancelled: "cancelled"
        }
    }
}
