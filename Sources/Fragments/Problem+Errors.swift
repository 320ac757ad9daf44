internal import Storage
package import Transport
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
        switch error {
        case .noSuchPlace(_, let elsewhere?):
            let cause = Cause.elsewhere(
                elsewhere.place.name.shortened(to: 200), notIn: elsewhere.wanted.shortened(to: 200))
            self.init(.noSuchPlace, cause, in: language)
        case .noSuchPlace(let name, nil):
            let cause = Cause.noSuchPlace(name.shortened(to: 200), isSample: isSample)
            self.init(.noSuchPlace, cause, in: language)
        case .refused(let status, let reason):
            self.init(
                .upstreamRefused, .refused(status: status, reason: reason), in: language,
                retryAfter: remembered)
        case .limited(let reason, let retryAfter, _):
            // The service doesn't say when its limit ends: its shortest window is a minute.
            self.init(
                .upstreamLimited, .limited(reason: reason), in: language,
                retryAfter: longer(retryAfter, remembered) ?? .seconds(60))
        case .unavailable(let status, let retryAfter):
            self.init(
                .upstreamUnavailable, .unavailable(status: status), in: language,
                retryAfter: longer(retryAfter, remembered))
        case .unreadable:
            // The path is for the log: it says nothing to a reader.
            self.init(.upstreamUnreadable, .unreadable, in: language, retryAfter: remembered)
        case .transport(let error):
            self.init(transport: error, in: language, retryAfter: remembered)
        case .outOfTime:
            self.init(.outOfTime, .outOfTime, in: language, retryAfter: remembered)
        case .cancelled:
            self.init(.cancelled, .cancelled, in: language)
        }
    }

    package init(
        transport error: TransportError, in language: Language = .english,
        retryAfter remembered: Duration? = nil
    ) {
        let (kind, cause, wait): (Kind, Cause, Duration?) =
            switch error {
            case .status(let refusal):
                (.upstreamUnavailable, .unavailable(status: refusal.status), refusal.retryAfter)
            case .timedOut(let fault): (.outOfTime, .timedOut(Step(fault.phase)), nil)
            case .failed(let fault): (.upstreamUnavailable, .failed(Step(fault.phase)), nil)
            case .tooLarge: (.upstreamUnreadable, .tooLarge, nil)
            case .forbidden: (.upstreamUnavailable, .forbidden, nil)
            case .queueFull: (.overLimit, .queueFull, .seconds(1))
            // The same as the look-up that shut the gate said.
            case .gateShut(let wait): (.outOfTime, .timedOut(.lookingUp), wait)
            case .held(.budget, let wait), .held(.client, let wait), .held(.request, let wait):
                (.upstreamLimited, .overBudget, wait)
            case .held(.breaker, let wait): (.upstreamLimited, .breakerOpen, wait)
            // Nobody reads this answer: who asked has left.
            case .cancelled: (.cancelled, .cancelled, nil)
            }
        self.init(kind, cause, in: language, retryAfter: longer(wait, remembered))
    }

    /// - Parameter isWrite: whether something was to be saved.
    package init(_ error: TripStoreError, isWrite: Bool, in language: Language = .english) {
        self =
            switch error {
            case .gone: .gone(in: language)
            case .conflict(let current): .versionConflict(current: current, in: language)
            case .alreadyAdded(let trip): .alreadyAdded(city: trip.plan.city, in: language)
            case .tooMany(let limit): .tooManyTrips(limit: limit, in: language)
            case .storage(let error): .storage(StorageTrouble(error.kind), isWrite: isWrite, in: language)
            }
    }
}

private func longer(_ first: Duration?, _ second: Duration?) -> Duration? {
    guard let first, let second else { return first ?? second }
    return max(first, second)
}

extension Problem.Step {
    init(_ phase: TransferFault.Phase) {
        self =
            switch phase {
            case .queue: .waiting
            case .resolve: .lookingUp
            case .connect, .tls: .connecting
            case .wait: .asking
            case .receive: .receiving
            }
    }
}

extension Problem.StorageTrouble {
    init(_ kind: StorageError.Kind) {
        self =
            switch kind {
            case .full: .full
            case .readOnly: .readOnly
            case .busy, .timedOut, .overloaded: .busy
            case .cannotOpen, .corrupt, .constraint, .misuse, .unexpectedValue, .tooNew, .foreign, .moved,
                .unavailable, .other:
                .failed
            }
    }
}
