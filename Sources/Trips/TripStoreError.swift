package import Storage

/// Why a store did not do what it was asked. Nothing was changed then.
package enum TripStoreError: Error, Sendable, Hashable {
    /// The traveller has no such trip, or the share link leads nowhere: never was, deleted, revoked, or somebody
    /// else's, which nobody can tell apart.
    case gone
    /// The trip is in another state by now than the one that the traveller saw.
    case conflict(current: Trip)
    /// The traveller has as many trips as one may have.
    case tooMany(limit: Int)
    case storage(StorageError)

    /// A label for metrics, of fixed wording.
    package var label: String {
        switch self {
        case .gone: "gone"
        case .conflict: "conflict"
        case .tooMany: "too_many"
        case .storage(let error): error.label
        }
    }
}

/// What became of a trip that was to be added.
package enum TripAddition: Sendable, Hashable {
    case added(Trip)
    /// A trip was added under this creation key before: this is how it is now. It need not be of the same plan.
    case alreadyAdded(Trip)

    package var trip: Trip {
        switch self {
        case .added(let trip), .alreadyAdded(let trip): trip
        }
    }
}
