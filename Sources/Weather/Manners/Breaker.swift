/// Keeps questions from a host that is known not to answer them: a circuit breaker, as a value.
///
/// Closed, questions go through. Open, they fail at once, until a time; then a single one is let through as a
/// probe, whose end closes the breaker or opens it for longer.
package struct Breaker: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// So many failures in a row.
        case closed(failures: Int)
        /// No question before this moment, in seconds since 1970.
        case open(until: Double)
        /// A probe is on its way, since this moment.
        case probing(since: Double)
    }

    /// How it reacts.
    package struct Policy: Sendable, Hashable {
        /// Failures in a row that open it.
        package var failures: Int
        /// The first pause, which doubles with each failed probe up to `longestPause`.
        package var firstPause: Duration
        package var longestPause: Duration
        /// A probe that says nothing for so long is given up, and another may go.
        package var probePatience: Duration

        package init(
            failures: Int = 5, firstPause: Duration = .seconds(2), longestPause: Duration = .seconds(120),
            probePatience: Duration = .seconds(15)
        ) {
            self.failures = failures
            self.firstPause = firstPause
            self.longestPause = longestPause
            self.probePatience = probePatience
        }
    }

    /// What a question meets.
    package enum Verdict: Sendable, Hashable {
        case pass
        /// It may go, alone: how it ends decides.
        case probe
        case refused(retryAfter: Duration)
    }

    /// How a question ended, as far as the host is concerned.
    package enum Outcome: Sendable, Hashable {
        /// The host answered: also with 400 or 404.
        case answered
        /// The question was taken back: it says nothing of the host.
        case cancelled
        /// No answer, or one that says that the host is unwell; `retryAfter` where it says for how long.
        case failed(retryAfter: Duration?)
        /// A limit of the host's is reached until the end of a window.
        case limited(Duration)
        /// The host is asked too much at once.
        case crowded
    }

    package private(set) var state = State.closed(failures: 0)
    private let policy: Policy
    /// How often it has opened since it was last closed.
    private var openings = 0
    /// How often the host has said in a row that it is asked too much at once.
    private var crowdings = 0

    package init(policy: Policy = Policy()) {
        self.policy = policy
    }

    /// Asks whether a question may go now.
    package mutating func permit(at now: Double) -> Verdict {
        switch state {
        case .closed: return .pass
        case .open(let until):
            guard now >= until else { return .refused(retryAfter: .seconds(until - now)) }
            state = .probing(since: now)
            return .probe
        case .probing(let since):
            guard now - since >= seconds(policy.probePatience) else {
                return .refused(retryAfter: .seconds(1))
            }
            state = .probing(since: now)
            return .probe
        }
    }

    /// Tells how a question ended that was let through.
    ///
    /// - Parameters:
    ///   - wasProbe: Whether it was let through as a probe: an older question says nothing about an open breaker.
    ///   - spread: A random number of 0…1 that spreads the pauses of many processes.
    package mutating func ended(_ outcome: Outcome, wasProbe: Bool, at now: Double, spread: Double) {
        switch outcome {
        case .answered:
            if case .closed = state {
            } else if !wasProbe {
                return
            }
            state = .closed(failures: 0)
            openings = 0
            crowdings = 0
        case .cancelled:
            // The next question is the probe then.
            if wasProbe { state = .open(until: now) }
        case .limited(let remaining):
            openings = max(openings, 1)
            open(until: now + seconds(remaining) + 0.1 + spread * min(5, 0.1 * seconds(remaining)))
        case .crowded:
            crowdings += 1
            let pause = min(10, Double(1 << min(crowdings - 1, 4)))
            open(until: now + pause * (1 + 0.25 * spread))
        case .failed(let retryAfter):
            if case .closed(let failures) = state, failures + 1 < policy.failures {
                // A host that says when to come back is believed at once.
                guard let retryAfter else {
                    state = .closed(failures: failures + 1)
                    return
                }
                open(until: now + capped(retryAfter))
                return
            }
            if case .open = state, !wasProbe { return }
            openings += 1
            let doubled = seconds(policy.firstPause) * Double(1 << min(openings - 1, 16))
            let pause = min(seconds(policy.longestPause), doubled) * (0.5 + 0.5 * spread)
            open(until: now + (retryAfter.map(capped) ?? pause))
        }
    }

    private mutating func open(until: Double) {
        // An opening that lasts longer stands.
        if case .open(let other) = state, other > until { return }
        state = .open(until: until)
    }

    private func capped(_ retryAfter: Duration) -> Double {
        min(3_600, max(1, seconds(retryAfter)))
    }
}

func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}
