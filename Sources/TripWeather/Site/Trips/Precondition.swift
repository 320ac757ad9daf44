internal import Trips

/// Which state of a trip a write is meant for: what If-Match says (RFC 9110, section 13.1.1), or a form's `version`.
enum Precondition: Sendable, Hashable {
    /// Whatever state it is in, so long as it is there: "*".
    case any
    /// One of these.
    case versions([TripVersion])

    /// Nil where there is none. Tags that were never a trip's are none of its versions.
    init?(ifMatch: String?) {
        guard let ifMatch, !ifMatch.isEmpty else { return nil }
        let value = ifMatch.drop { $0 == " " }
        if value == "*" {
            self = .any
            return
        }
        // A trip's tags hold no comma.
        self = .versions(
            value.split(separator: ",").compactMap { tag in
                let tag = tag.drop { $0 == " " || $0 == "\t" }
                return TripVersion(entityTag: tag.prefix { $0 != " " && $0 != "\t" })
            })
    }

    /// Nil where the form has no such field.
    init?(version: String?) {
        guard let version else { return nil }
        self = .versions(TripVersion(version).map { [$0] } ?? [])
    }

    /// The version to hold the store to, where a trip in this state may be written.
    func version(of trip: Trip) -> TripVersion? {
        switch self {
        case .any: trip.version
        case .versions(let versions): versions.contains(trip.version) ? trip.version : nil
        }
    }
}
