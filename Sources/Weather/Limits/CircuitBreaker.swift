/// Keeps questions from a host that is known not to answer them: a circuit breaker, as a value.
///
/// Closed, questions go through. Open, they fail at once, until a time; then a single one is let through as a
/// probe, whose end closes the breaker or opens it for longer. All moments are in seconds since 1970.
package struct CircuitBreaker: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        /// So many failures in a row.
        case closed(failures: Int)
        /// Opened at a moment, until a later one.
        case open(since: Double, until: Double)
        /// A probe is under way, since this moment.
        case probing(since: Double)
    }

    /// How it reacts.
    package struct Policy: Sendable, Hashable {
        /// Failures in a row that open it.
        package var failures = 5
        /// The first pause, which doubles with each failed probe up to `longestPause`.
        package var firstPause = Duration.seconds(2)
        package var longestPause = Duration.seconds(120)
        /// A probe that takes longer is given up, and another may go.
        package var probeTimeout = Duration.seconds(15)
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
        /// No answer, or one that says that the host is unwell; `retryAfter` if it says for how long.
        case failed(retryAfter: Duration?)
        /// A limit of the host's is reached for this long.
        case limited(Duration)
        /// The host is asked too much at once.
        case crowded(retryAfter: Duration?)
    }

    /// Something that happened to a breaker, so that it can be repeated on another copy of it.
    package struct Event: Sendable, Hashable {
        package var outcome: Outcome
        /// Whether it was let through as a probe: an older question says little about an open breaker.
        package var wasProbe: Bool
        package var time: Double
        /// A random number of 0…1 that spreads the pauses of many processes.
        package var spread: Double
    }

    package private(set) var state: State
    /// How often it has opened since it was last closed.
    package private(set) var openings: Int
    /// How often the host has said in a row that it is asked too much at once.
    package private(set) var crowdings: Int

    package init(state: State = .closed(failures: 0), openings: Int = 0, crowdings: Int = 0) {
        (self.state, self.openings, self.crowdings) = (state, openings, crowdings)
    }

    /// Asks whether a question may go now.
    package mutating func permit(at now: Double, _ policy: Policy) -> Verdict {
        switch state {
        case .closed: return .pass
        case .open(let since, var until):
            if now < since - clockTolerance {
                // The clock was set back: the pause begins again, and gets no longer.
                until = now + until - since
                state = .open(since: now, until: until)
            }
            guard now >= until else { return .refused(retryAfter: .seconds(until - now)) }
        case .probing(let since):
            guard now - since >= policy.probeTimeout / .seconds(1) || now < since - clockTolerance else {
                return .refused(retryAfter: .seconds(1))
            }
        }
        state = .probing(since: now)
        return .probe
    }

    /// Takes in how a question ended that was let through.
    package mutating func apply(_ event: Event, _ policy: Policy) {
        let now = event.time
        switch event.outcome {
        case .answered:
            switch state {
            case .closed: break
            // What was opened meanwhile, by a limit perhaps, is newer than this answer.
            case .open: return
            case .probing: guard event.wasProbe else { return }
            }
            self = CircuitBreaker()
        case .cancelled:
            // The next question is the probe then.
            if event.wasProbe, case .probing = state { state = .open(since: now, until: now) }
        case .limited(let remaining):
            openings = max(openings, 1)
            let wait = remaining / .seconds(1)
            open(at: now, for: wait + 0.1 + event.spread * min(5, 0.1 * wait))
        case .crowded(let retryAfter):
            crowdings += 1
            let pause = min(10, Double(1 << min(crowdings - 1, 4))) * (1 + 0.25 * event.spread)
            open(at: now, for: max(pause, (retryAfter ?? .zero) / .seconds(1)))
        case .failed(let retryAfter?):
            // A host that says when to come back is believed at once.
            if event.wasProbe || isClosed { openings += 1 }
            open(at: now, for: max(1, retryAfter / .seconds(1)))
        case .failed(nil):
            if case .closed(let failures) = state, failures + 1 < policy.failures {
                state = .closed(failures: failures + 1)
                return
            }
            // A late failure of an older question says nothing new about a host that is being spared.
            guard event.wasProbe || isClosed else { return }
            openings += 1
            let doubled = policy.firstPause / .seconds(1) * Double(1 << min(openings - 1, 16))
            open(at: now, for: min(policy.longestPause / .seconds(1), doubled) * (0.5 + 0.5 * event.spread))
        }
    }

    private var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    private mutating func open(at now: Double, for pause: Double) {
        // An opening that lasts longer stands.
        if case .open(_, let until) = state, until > now + pause { return }
        state = .open(since: now, until: now + pause)
    }
}

/// Threads and processes read the clock before they take a lock: a moment may be this much older, in seconds,
/// than one that is known already, without the clock having been set back.
let clockTolerance = 5.0
