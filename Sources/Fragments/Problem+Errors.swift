internal import Storage
internal import Transport
package import Trips
package import Weather

// The one place where an error becomes a status and a sentence.

extension Problem {
    /// - Parameters:
    ///   - isSample: whether a stand-in was asked, with sample data.
    ///   - retryAfter: how long the failure is remembered, if it is: until then asking again repeats it.
    package init(
        _ error: WeatherError, in language: Language = .english, isSample: Bool = false,
        retryAfter remembered: Duration? = nil
    ) {
        let (cause, wait): (Cause, Duration?) =
            switch error {
            case .noSuchPlace(_, let elsewhere?):
                (.elsewhere(elsewhere.place.name, notIn: elsewhere.wanted, isSample: isSample), nil)
            case .noSuchPlace(let name, nil): (.noSuchPlace(name, isSample: isSample), nil)
            case .refused(let status, let reason): (.refused(status: status, reason: reason), remembered)
            case .limited(let reason, let retryAfter, _):
                (.limited(reason: reason), longer(retryAfter, remembered))
            case .notSubscribed: (.notSubscribed, remembered)
            case .unavailable(let status, let retryAfter):
                (.unavailable(status: status), longer(retryAfter, remembered))
            // The path is for the log: it says nothing to a reader.
            case .unreadable: (.unreadable, remembered)
            case .transport(let error): Cause.transport(error, remembered)
            case .outOfTime: (.outOfTime, remembered)
            case .cancelled: (.cancelled, nil)
            }
        self.init(because: cause, in: language, retryAfter: wait)
    }

    /// - Parameter isWrite: whether something was to be saved.
    package init(_ error: TripStoreError, isWrite: Bool, in language: Language = .english) {
        let cause: Cause =
            switch error {
            case .gone: .gone
            case .conflict(let current): .versionConflict(current: current)
            case .alreadyAdded(let trip): .alreadyAdded(city: trip.plan.city)
            case .tooMany(let limit): .tooManyTrips(limit: limit)
            // Others were writing for too long, whoever noticed it.
            case .storage(let error) where [.timedOut, .overloaded].contains(error.kind):
                .storage(.busy, isWrite: isWrite)
            case .storage(let error): .storage(error.kind, isWrite: isWrite)
            }
        self.init(because: cause, in: language)
    }
}

extension Problem.Cause {
    fileprivate static func transport(
        _ error: TransportError, _ remembered: Duration?
    ) -> (Problem.Cause, Duration?) {
        switch error {
        case .status(let refusal):
            (.unavailable(status: refusal.status), longer(refusal.retryAfter, remembered))
        case .timedOut(let fault): (.timedOut(fault.phase), remembered)
        case .failed(let fault): (.failed(fault.phase), remembered)
        case .tooLarge: (.tooLarge, remembered)
        case .forbidden: (.forbidden, remembered)
        case .queueFull: (.queueFull, remembered)
        // The same as the look-up that shut the gate said.
        case .gateShut(let wait): (.timedOut(.resolve), longer(wait, remembered))
        case .held(.budget, let wait), .held(.client, let wait), .held(.request, let wait):
            (.overBudget, longer(wait, remembered))
        case .held(.breaker, let wait): (.breakerOpen, longer(wait, remembered))
        // Nobody reads this answer: who asked has left.
        case .cancelled: (.cancelled, remembered)
        }
    }
}

private func longer(_ first: Duration?, _ second: Duration?) -> Duration? {
    guard let first, let second else { return first ?? second }
    return max(first, second)
}
