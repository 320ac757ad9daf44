internal import Synchronization
package import Transport

/// A transport that keeps its manners towards Open-Meteo: it stays within a budget, leaves a host that is unwell
/// alone, and asks at most once more, seldom.
///
/// One for the whole process, whatever loop asks: its state is small, and guarded by a mutex that is never held
/// across a wait.
package final class PoliteTransport: Transport {
    /// What it is told from outside: clocks, chance and how to wait, so that tests need none of them.
    package struct Surroundings: Sendable {
        /// Seconds since 1970, UTC.
        package var unixTime: @Sendable () -> Double
        /// A random number of 0…1.
        package var random: @Sendable () -> Double
        /// Waits until a moment, or throws when the task is cancelled.
        package var sleep: @Sendable (ContinuousClock.Instant) async throws -> Void
        /// Told what happens, for the log.
        package var note: @Sendable (Event) -> Void

        package init(
            unixTime: @escaping @Sendable () -> Double, random: @escaping @Sendable () -> Double,
            sleep: @escaping @Sendable (ContinuousClock.Instant) async throws -> Void,
            note: @escaping @Sendable (Event) -> Void = { _ in }
        ) {
            self.unixTime = unixTime
            self.random = random
            self.sleep = sleep
            self.note = note
        }
    }

    /// Something worth a line in the log.
    package enum Event: Sendable, Hashable {
        case breakerOpened(host: String, seconds: Double, reason: String)
        case breakerClosed(host: String)
        case retrying(host: String, reason: String)
        case budgetUsedUp(Budget.Window)
        /// The day's budget is spent so far that what is known must do for longer.
        case budgetNearlySpent
    }

    /// What may be asked, and when it is asked again.
    package struct Policy: Sendable {
        package var budget: Budget.Limits
        package var breaker: Breaker.Policy
        /// A second question waits a random part of this.
        package var retryPause: Duration

        package init(
            budget: Budget.Limits = .free, breaker: Breaker.Policy = Breaker.Policy(),
            retryPause: Duration = .milliseconds(300)
        ) {
            self.budget = budget
            self.breaker = breaker
            self.retryPause = retryPause
        }
    }

    /// The present state, for metrics.
    package struct Snapshot: Sendable {
        package var budgetLeft: [(window: Budget.Window, left: Double)]
        /// 0 closed, 1 open, 2 probing.
        package var breakers: [(host: String, state: Int)]
        package var retries: Int
    }

    private struct State {
        var budget: Budget
        var breakers: [String: Breaker] = [:]
        var allowance = RetryAllowance()
        var retries = 0
        /// Whether it was noted today that the day's budget is nearly spent.
        var isNearlySpent = false
    }

    /// The part of the day's budget from which on freshness doubles.
    package static let nearlySpent = 0.8

    private let transport: any Transport
    private let policy: Policy
    private let surroundings: Surroundings
    private let state: Mutex<State>

    package init(_ transport: any Transport, policy: Policy, surroundings: Surroundings) {
        self.transport = transport
        self.policy = policy
        self.surroundings = surroundings
        state = Mutex(State(budget: Budget(limits: policy.budget, at: surroundings.unixTime())))
    }

    package func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        state.withLock { $0.allowance.asked() }
        do {
            return try await ask(request, deadline: deadline)
        } catch {
            guard isWorthRepeating(error) else { throw error }
            let pause = policy.retryPause * surroundings.random()
            let start = ContinuousClock.now.advanced(by: pause)
            guard start < deadline, state.withLock({ $0.allowance.take() }) else { throw error }
            do {
                try await surroundings.sleep(start)
            } catch {
                throw .cancelled
            }
            surroundings.note(.retrying(host: host(of: request), reason: error.label))
            state.withLock { $0.retries += 1 }
            do {
                return try await ask(request, deadline: deadline)
            } catch .held {
                // What the first question met says more.
                throw error
            }
        }
    }

    /// The part of the day's budget that is spent, 0…1.
    package var dayShare: Double {
        let now = surroundings.unixTime()
        return state.withLock { $0.budget.dayShare(at: now) }
    }

    /// Whether so much of the day's budget is spent that what is known must do for longer.
    package var isNearlySpent: Bool { dayShare > PoliteTransport.nearlySpent }

    package var snapshot: Snapshot {
        let now = surroundings.unixTime()
        return state.withLock { state in
            var budget = state.budget
            return Snapshot(
                budgetLeft: Budget.Window.allCases.map { ($0, budget.left(in: $0, at: now)) },
                breakers: state.breakers.sorted { $0.key < $1.key }.map { host, breaker in
                    switch breaker.state {
                    case .closed: (host, 0)
                    case .open: (host, 1)
                    case .probing: (host, 2)
                    }
                },
                retries: state.retries)
        }
    }

    /// Lets the budget be settled with others'.
    package func withBudget<Result>(_ body: (inout Budget) -> Result) -> Result {
        state.withLock { body(&$0.budget) }
    }

    // MARK: One question

    private enum Grant {
        case go(isProbe: Bool, crossesNearlySpent: Bool)
        case held(HoldReason, retryAfter: Duration, window: Budget.Window?)
    }

    private func ask(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        let host = host(of: request)
        let begin = surroundings.unixTime()
        let isProbe: Bool
        switch grant(request.cost, host: host, at: begin) {
        case .go(let probe, let isNearlySpent):
            isProbe = probe
            if isNearlySpent { surroundings.note(.budgetNearlySpent) }
        case .held(let reason, let retryAfter, let window):
            if let window { surroundings.note(.budgetUsedUp(window)) }
            throw .held(reason, retryAfter: retryAfter)
        }
        do {
            let answer = try await transport.get(request, deadline: deadline)
            settle(host, .answered, isProbe: isProbe, refund: 0, spentAt: begin, reason: "answered")
            return answer
        } catch {
            let (outcome, refund) = meaning(of: error, cost: request.cost)
            settle(host, outcome, isProbe: isProbe, refund: refund, spentAt: begin, reason: error.label)
            throw error
        }
    }

    private func grant(_ cost: Double, host: String, at now: Double) -> Grant {
        state.withLock { state in
            var breaker = state.breakers[host] ?? Breaker(policy: policy.breaker)
            let verdict = breaker.permit(at: now)
            if case .refused(let retryAfter) = verdict {
                return .held(.breaker, retryAfter: retryAfter, window: nil)
            }
            if let (window, retryAfter) = state.budget.spend(cost, at: now) {
                return .held(.budget, retryAfter: retryAfter, window: window)
            }
            state.breakers[host] = breaker
            let wasNearlySpent = state.isNearlySpent
            state.isNearlySpent = state.budget.dayShare(at: now) > PoliteTransport.nearlySpent
            return .go(
                isProbe: verdict == .probe, crossesNearlySpent: state.isNearlySpent && !wasNearlySpent)
        }
    }

    private func settle(
        _ host: String, _ outcome: Breaker.Outcome, isProbe: Bool, refund: Double, spentAt begin: Double,
        reason: String
    ) {
        let (now, spread) = (surroundings.unixTime(), surroundings.random())
        let (before, after) = state.withLock { state in
            var breaker = state.breakers[host] ?? Breaker(policy: policy.breaker)
            let before = breaker.state
            breaker.ended(outcome, wasProbe: isProbe, at: now, spread: spread)
            state.breakers[host] = breaker
            if refund > 0 { state.budget.refund(refund, spentAt: begin, at: now) }
            return (before, breaker.state)
        }
        switch (before, after) {
        case (.closed, .open(let until)), (.probing, .open(let until)):
            if outcome != .cancelled {
                surroundings.note(.breakerOpened(host: host, seconds: until - now, reason: reason))
            }
        case (.probing, .closed), (.open, .closed): surroundings.note(.breakerClosed(host: host))
        default: break
        }
    }

    /// What an error says of the host, and what of its cost is given back.
    private func meaning(of error: TransportError, cost: Double) -> (Breaker.Outcome, refund: Double) {
        switch error {
        case .status(let refusal):
            // The service counts a question that fails as one.
            return (meaning(of: refusal), max(0, cost - 1))
        case .timedOut(let fault), .failed(let fault):
            switch fault.phase {
            case .queue: return (.cancelled, cost)
            case .resolve, .connect, .tls: return (.failed(retryAfter: nil), cost)
            case .wait, .receive: return (.failed(retryAfter: nil), 0)
            }
        case .tooLarge: return (.failed(retryAfter: nil), 0)
        case .forbidden, .queueFull, .gateShut, .held: return (.cancelled, cost)
        case .cancelled: return (.cancelled, 0)
        }
    }

    private func meaning(of refusal: HTTPRefusal) -> Breaker.Outcome {
        switch refusal.status {
        case 429:
            let window = RateLimitWindow(reason: String(decoding: refusal.body, as: UTF8.self))
            switch window {
            case .minute, .hour, .day:
                let remaining = window.remaining(atUnixTime: Int(surroundings.unixTime()))
                return .limited(remaining ?? .seconds(60))
            case .concurrency: return .crowded
            case .unknown: return .failed(retryAfter: refusal.retryAfter)
            }
        case 400..<500: return .answered
        default: return .failed(retryAfter: refusal.retryAfter)
        }
    }

    /// Connect failures, resets, and a gateway's errors that name no time.
    private func isWorthRepeating(_ error: TransportError) -> Bool {
        switch error {
        case .status(let refusal): [502, 503, 504].contains(refusal.status) && refusal.retryAfter == nil
        // Libcurl's codes: couldn't resolve, couldn't connect, TLS; got nothing, send error, receive error.
        case .failed(let fault): [6, 7, 35, 52, 55, 56].contains(fault.code)
        default: false
        }
    }

    /// Scheme, host and port of an address.
    private func host(of request: HTTPRequest) -> String {
        var slashes = 0
        for index in request.url.utf8.indices where request.url.utf8[index] == UInt8(ascii: "/") {
            slashes += 1
            if slashes == 3 { return String(request.url[..<index]) }
        }
        return request.url
    }
}
