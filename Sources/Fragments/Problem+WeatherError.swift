package import Transport
package import Weather

/// The one place where a failure to get the weather becomes a status and a sentence.
extension Problem {
    package init(_ error: WeatherError, in language: Language = .english) {
        switch error {
        case .noSuchPlace(let name):
            self.init(.noSuchPlace, .noSuchPlace(name.shortened(to: 200)), in: language)
        case .refused(let status, let reason):
            self.init(.upstreamRefused, .refused(status: status, reason: reason), in: language)
        case .limited(let reason, let retryAfter, _):
            // The service names no time where it limits: its shortest window is a minute.
            self.init(
                .upstreamLimited, .limited(reason: reason), in: language,
                retryAfter: retryAfter ?? .seconds(60))
        case .unavailable(let status, let retryAfter):
            self.init(
                .upstreamUnavailable, .unavailable(status: status), in: language, retryAfter: retryAfter)
        case .unreadable:
            // The path is for the log: it says nothing to a reader.
            self.init(.upstreamUnreadable, .unreadable, in: language)
        case .transport(let error):
            self.init(transport: error, in: language)
        case .outOfTime:
            self.init(.outOfTime, .outOfTime, in: language)
        case .cancelled:
            self.init(.cancelled, .cancelled, in: language)
        }
    }

    package init(transport error: TransportError, in language: Language = .english) {
        switch error {
        case .status(let refusal):
            self.init(
                .upstreamUnavailable, .unavailable(status: refusal.status), in: language,
                retryAfter: refusal.retryAfter)
        case .timedOut(let fault):
            self.init(.outOfTime, .timedOut(Step(fault.phase)), in: language)
        case .failed(let fault):
            self.init(.upstreamUnavailable, .failed(Step(fault.phase)), in: language)
        case .tooLarge:
            self.init(.upstreamUnreadable, .tooLarge, in: language)
        case .forbidden:
            self.init(.upstreamUnavailable, .forbidden, in: language)
        case .queueFull:
            self.init(.overLimit, .queueFull, in: language, retryAfter: .seconds(1))
        case .gateShut(let retryAfter):
            // The same as the look-up that shut the gate said.
            self.init(.outOfTime, .timedOut(.lookingUp), in: language, retryAfter: retryAfter)
        case .held(.budget, let retryAfter):
            self.init(.upstreamLimited, .overBudget, in: language, retryAfter: retryAfter)
        case .held(.breaker, let retryAfter):
            self.init(.upstreamLimited, .spared, in: language, retryAfter: retryAfter)
        case .cancelled:
            // Nobody reads this answer: who asked has left.
            self.init(.cancelled, .cancelled, in: language)
        }
    }
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
