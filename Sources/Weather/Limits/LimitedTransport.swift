internal import Synchronization
package import Transport

/// A transport that keeps to limits: it stays within a budget, spares a host that is unwell, and asks at most once
/// more, seldom.
///
/// One for the whole process, whatever loop asks: its state is small, and guarded by a mutex that is never held
/// across a wait. With a store the limits hold over all processes.
package final class LimitedTransport: Transport {
    /// Something worth a line in the log.
    package enum Event: Sendable, Hashable {
        case breakerOpened(host: String, seconds: Double, reason: String)
        case breakerClosed(host: String)
        case retrying(host: String, reason: String)
        case budgetUsedUp(RateBudget.Window)
        /// A client has spent its share.
        case shareUsedUp(RateBudget.Window)
        /// The day's budget is spent so far that what is known must do for longer.
        case budgetNearlySpent
    }

    /// The present state, for metrics.
    package struct Snapshot: Sendable {
        package var budgetLeft: [(window: RateBudget.Window, left: Double)]
        /// 0 closed, 1 open, 2 probing.
        package var breakers: [(host: String, state: Int)]
        package var retries: Int
    }

    fileprivate struct State {
        var limits: UpstreamLimits
        /// Taken from the shared budget in advance, in the minute of `reservedAt`, and not spent yet.
        var reserve = 0.0
        var reservedAt = 0.0
        var changes = UpstreamLimits.Changes()
        /// When the limits were last exchanged, and when that will be tried again.
        var exchangedAt = -Double.infinity
        var restsUntil = -Double.infinity
        var exchanges = 0
        var retries = 0
    }

    /// A question that was let through.
    private struct Admission: Sendable {
        var isProbe: Bool
        var begin: Double
        var transfer: Int?
    }

    /// The part of the day's budget from which on freshness doubles.
    private static let nearlySpent = 0.8
    /// How old, in seconds, what is known of other processes may be when a question is asked.
    fileprivate static let newEnough = 1.0
    /// How long a store that failed is left alone, in seconds.
    fileprivate static let storeRest = 5.0

    private let transport: any Transport
    private let policy: UpstreamLimits.Policy
    private let store: (any LimitsStore)?
    private let environment: CacheEnvironment
    private let note: @Sendable (Event) -> Void
    private let state: Mutex<State>
    private let nearlySpent = Atomic<Bool>(false)

    /// - Parameter note: Told what happens, for the log.
    package init(
        _ transport: any Transport, policy: UpstreamLimits.Policy, store: (any LimitsStore)? = nil,
        environment: CacheEnvironment, note: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.transport = transport
        self.policy = policy
        self.store = store
        self.environment = environment
        self.note = note
        state = Mutex(State(limits: UpstreamLimits(policy, at: environment.unixTime())))
    }

    package func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        state.withLock { state in
            state.limits.retries.asked()
            if store != nil { state.changes.asked += 1 }
        }
        do {
            return try await ask(request, deadline: deadline)
        } catch {
            guard isWorthRepeating(error) else { throw error }
            let pause = policy.retryPause * environment.random()
            let start = ContinuousClock.now.advanced(by: pause)
            guard start < deadline, takeRetry() else { throw error }
            await environment.scheduler.pause(until: start)
            if Task.isCancelled { throw .cancelled }
            note(.retrying(host: request.origin, reason: error.label))
            do {
                return try await ask(request, deadline: deadline)
            } catch .held {
                // What the first question met says more.
                throw error
            }
        }
    }

    /// Whether so much of the day's budget is spent that what is known must do for longer.
    package var isNearlySpent: Bool { nearlySpent.load(ordering: .relaxed) }

    package var snapshot: Snapshot {
        let now = environment.unixTime()
        return state.withLock { state in
            Snapshot(
                budgetLeft: RateBudget.Window.allCases.map {
                    ($0, state.limits.budget.left(in: $0, at: now) + state.reserve)
                },
                breakers: state.limits.breakers.sorted { $0.key < $1.key }.map { host, breaker in
                    switch breaker.state {
                    case .closed: (host, 0)
                    case .open: (host, 1)
                    case .probing: (host, 2)
                    }
                },
                retries: state.retries)
        }
    }

    // MARK: The store

    /// Takes over what others have stored, and stores what they don't know.
    package func exchange() async {
        guard let store else { return }
        let (changes, known) = state.withLock { $0.takeChanges(at: environment.unixTime()) }
        _ = await environment.scheduler.answer(until: .now.advanced(by: store.waitLimit)) { [self] in
            take(await store.exchange(changes, nil, known: known, until: .now), instead: changes)
        }
    }

    /// Stores what is known, and gives back what was reserved: the process ends.
    package func finish() async {
        state.withLock { $0.giveBackReserve() }
        await exchange()
    }

    private func take(_ exchange: LimitsExchange?, instead changes: UpstreamLimits.Changes) {
        let now = environment.unixTime()
        state.withLock { state in
            guard let exchange else {
                state.changes.putBack(changes)
                state.restsUntil = now + LimitedTransport.storeRest
                return
            }
            state.take(exchange, at: now)
        }
    }

    // MARK: One question

    private func ask(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        let payer = RequestBudget.current
        if let payer, !payer.spend(request.cost) { throw .held(.request, retryAfter: .seconds(1)) }
        let question = UpstreamLimits.Question(
            host: request.origin, cost: request.cost,
            shares: [payer?.client, request.share?.rawValue].compactMap(\.self))
        let admission: Admission
        do throws(TransportError) {
            admission = try await admit(question, until: deadline)
        } catch {
            payer?.giveBack(request.cost)
            throw error
        }
        do {
            let answer = try await transport.get(request, deadline: deadline)
            ended(question, admission, .answered, refund: 0, reason: "answered")
            return answer
        } catch {
            let (outcome, refund) = meaning(of: error, cost: request.cost)
            if refund > 0 { payer?.giveBack(refund) }
            ended(question, admission, outcome, refund: refund, reason: error.label)
            throw error
        }
    }

    private func admit(
        _ question: UpstreamLimits.Question, until deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> Admission {
        var pause = Duration.milliseconds(5)
        while true {
            let (verdict, begin, transfer) = await decide(question, until: deadline)
            switch verdict {
            case .go(let isProbe, _): return Admission(isProbe: isProbe, begin: begin, transfer: transfer)
            case .held(let reason, let retryAfter, let window):
                if let window {
                    note(reason == .client ? .shareUsedUp(window) : .budgetUsedUp(window))
                }
                throw .held(reason, retryAfter: retryAfter)
            case .full: break
            }
            guard ContinuousClock.now < deadline else {
                throw .timedOut(
                    TransferFault(phase: .queue, code: 0, message: "other processes make all the transfers"))
            }
            await environment.scheduler.pause(until: min(.now.advanced(by: pause), deadline))
            if Task.isCancelled { throw .cancelled }
            pause = min(pause * 3 / 2, .milliseconds(50))
        }
    }

    private func decide(
        _ question: UpstreamLimits.Question, until deadline: ContinuousClock.Instant
    ) async -> (UpstreamLimits.Verdict, begin: Double, transfer: Int?) {
        let now = environment.unixTime()
        if let verdict = state.withLock({ $0.decide(question, sharing: store != nil, at: now) }) {
            noteDayShare(at: now)
            return (verdict, now, nil)
        }
        guard let store else { return (.full, now, nil) }
        let (changes, known) = state.withLock { $0.takeChanges(with: question.shares, at: now) }
        // What is written must be noted, however late: so the work goes on when it isn't waited for.
        let exchange = await environment.scheduler.answer(until: .now.advanced(by: store.waitLimit)) {
            [self] in
            let exchange = await store.exchange(changes, question, known: known, until: deadline)
            take(exchange, instead: changes)
            return exchange
        } late: { [self] exchange in
            guard let exchange, case .go(let isProbe, _) = exchange.verdict else { return }
            let admission = Admission(isProbe: isProbe, begin: now, transfer: exchange.transfer)
            ended(question, admission, .cancelled, refund: question.cost, reason: "cancelled")
        }
        noteDayShare(at: now)
        if let exchange = exchange ?? nil, let verdict = exchange.verdict {
            return (verdict, now, exchange.transfer)
        }
        // Without the file each process keeps to its limits by itself.
        let verdict = state.withLock { state in
            state.restsUntil = now + LimitedTransport.storeRest
            return state.decideAlone(question, at: now)
        }
        return (verdict, now, nil)
    }

    private func noteDayShare(at now: Double) {
        let crosses = state.withLock { state in
            let isSpent = state.limits.budget.dayShare(at: now) > LimitedTransport.nearlySpent
            return nearlySpent.exchange(isSpent, ordering: .relaxed) != isSpent && isSpent
        }
        if crosses { note(.budgetNearlySpent) }
    }

    /// Notes how a question ended, and lets others learn of it soon.
    private func ended(
        _ question: UpstreamLimits.Question, _ admission: Admission, _ outcome: CircuitBreaker.Outcome,
        refund: Double, reason: String
    ) {
        let event = CircuitBreaker.Event(
            outcome: outcome, wasProbe: admission.isProbe, time: environment.unixTime(),
            spread: environment.random())
        let (before, after) = state.withLock { state in
            if refund > 0 {
                state.giveBack(
                    refund, question, spentAt: admission.begin, at: event.time, sharing: store != nil)
            }
            if let transfer = admission.transfer { state.changes.ended.append(transfer) }
            let before = state.limits.breakers[question.host] ?? CircuitBreaker()
            var breaker = before
            breaker.apply(event, policy.breaker)
            guard breaker != before else { return (before.state, before.state) }
            state.limits.breakers[question.host] = breaker
            if store != nil { state.changes.events.append((question.host, event)) }
            return (before.state, breaker.state)
        }
        switch (before, after) {
        case (.closed, .open(let since, let until)), (.probing, .open(let since, let until)):
            if outcome != .cancelled {
                note(.breakerOpened(host: question.host, seconds: until - since, reason: reason))
            }
        case (.probing, .closed), (.open, .closed): note(.breakerClosed(host: question.host))
        default: break
        }
        // Behind the answer; the process waits for it at its end.
        guard before != after || admission.transfer != nil, store != nil else { return }
        if !state.withLock({ $0.rests(at: event.time) }) {
            environment.scheduler.start { [self] in await exchange() }
        }
    }

    private func takeRetry() -> Bool {
        state.withLock { state in
            guard state.limits.retries.take() else { return false }
            state.retries += 1
            if store != nil { state.changes.retried += 1 }
            return true
        }
    }

    // MARK: What errors mean

    /// What an error says of the host, and what of its cost is given back.
    private func meaning(of error: TransportError, cost: Double) -> (CircuitBreaker.Outcome, refund: Double) {
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

    private func meaning(of refusal: HTTPRefusal) -> CircuitBreaker.Outcome {
        switch refusal.status {
        case 429:
            let (window, wait) = refusal.limit(atUnixTime: Int(environment.unixTime()))
            return window == .concurrency ? .crowded(retryAfter: refusal.retryAfter) : .limited(wait)
        case 400..<500: return .answered
        default: return .failed(retryAfter: refusal.retryAfter)
        }
    }

    /// Connections that failed or broke, and a gateway's errors that name no time.
    private func isWorthRepeating(_ error: TransportError) -> Bool {
        switch error {
        case .status(let refusal): [502, 503, 504].contains(refusal.status) && refusal.retryAfter == nil
        case .failed(let fault): fault.isOfConnection
        default: false
        }
    }
}

extension LimitedTransport.State {
    /// The verdict, if it can be found in memory; nil if the file has to be asked.
    fileprivate mutating func decide(
        _ question: UpstreamLimits.Question, sharing: Bool, at now: Double
    ) -> UpstreamLimits.Verdict? {
        guard sharing else { return limits.admit(question, at: now) }
        guard !rests(at: now) else { return decideAlone(question, at: now) }
        dropOldReserve(at: now)
        guard now >= exchangedAt, now - exchangedAt < LimitedTransport.newEnough else { return nil }
        guard reserve >= question.cost else {
            // What is known to be held needs no transaction.
            return limits.check(question, at: now).held
        }
        // Only one process may probe: the file says which.
        if case .open = limits.breakers[question.host]?.state { return nil }
        let verdict = limits.admit(question, isPaid: true, at: now)
        if case .go = verdict {
            reserve -= question.cost
            for share in question.shares { changes.spend(question.cost, of: share, at: now) }
        }
        return verdict
    }

    /// Whether the store is left alone, after it failed or took too long.
    fileprivate func rests(at now: Double) -> Bool {
        now < restsUntil && restsUntil <= now + LimitedTransport.storeRest
    }

    /// Decides by what is known here, and notes it for the file.
    fileprivate mutating func decideAlone(
        _ question: UpstreamLimits.Question, at now: Double
    ) -> UpstreamLimits.Verdict {
        dropOldReserve(at: now)
        let isPaid = reserve >= question.cost
        let verdict = limits.admit(question, isPaid: isPaid, at: now)
        if case .go = verdict {
            if isPaid { reserve -= question.cost } else { changes.spend(question.cost, of: nil, at: now) }
            for share in question.shares { changes.spend(question.cost, of: share, at: now) }
        }
        return verdict
    }

    /// What the file has to learn, and what is known here of all that it concerns.
    fileprivate mutating func takeChanges(
        with shares: [String] = [], at now: Double
    ) -> (UpstreamLimits.Changes, known: UpstreamLimits) {
        dropOldReserve(at: now)
        defer { changes = UpstreamLimits.Changes() }
        var known = limits
        known.clients = [:]
        for client in changes.spendings.compactMap(\.client) + shares {
            known.clients[client] = limits.clients[client]
        }
        // A sum that the file doesn't hold gets the spendings added too.
        known.add(changes.spendings, times: -1, at: now)
        return (changes, known)
    }

    fileprivate mutating func take(_ exchange: LimitsExchange, at now: Double) {
        if case .go(_, let reserved) = exchange.verdict, reserved > 0 {
            giveBackReserve()
            (reserve, reservedAt) = (reserved, now)
        }
        guard exchange.number > exchanges else { return }
        exchanges = exchange.number
        exchangedAt = now
        var clients = limits.clients
        limits = exchange.limits
        for (client, share) in limits.clients { clients[client] = share }
        limits.clients = clients
        // What has happened since is on its way to the file.
        limits.apply(changes, at: now)
    }

    fileprivate mutating func giveBack(
        _ units: Double, _ question: UpstreamLimits.Question, spentAt begin: Double, at now: Double,
        sharing: Bool
    ) {
        limits.budget.add(-units, spentAt: begin, at: now)
        if sharing { changes.spend(-units, of: nil, at: begin) }
        for share in question.shares where limits.clients[share] != nil {
            limits.clients[share]?.add(-units, spentAt: begin, at: now)
            if sharing { changes.spend(-units, of: share, at: begin) }
        }
    }

    /// The rest of a reserve is given back when its minute is over.
    private mutating func dropOldReserve(at now: Double) {
        let minute = RateBudget.Window.minute
        if minute.index(at: now) != minute.index(at: reservedAt) { giveBackReserve() }
    }

    fileprivate mutating func giveBackReserve() {
        if reserve > 0 { changes.spend(-reserve, of: nil, at: reservedAt) }
        reserve = 0
    }
}
