package import Transport

/// What limits the questions to upstream: the budget, each client's share of it, the breakers and the retry budget.
///
/// A value, so that it can be kept in memory and as rows of a file that processes share. What happens is applied to
/// the copy in memory at once, and to the file's with the next exchange.
package struct UpstreamLimits: Sendable {
    package struct Policy: Sendable {
        package var budget: RateBudget.Limits
        /// The part of each window that one client may spend, in percent.
        package var percentPerClient: Int
        /// The part that the archive may have of it.
        package var percentForArchive = 33
        package var breaker = CircuitBreaker.Policy()
        /// The longest pause before a question is asked a second time.
        package var retryPause = Duration.milliseconds(300)

        package init(budget: RateBudget.Limits = .free, percentPerClient: Int = 100) {
            self.budget = budget
            self.percentPerClient = percentPerClient
        }
    }

    /// A question that is to be asked.
    package struct Question: Sendable, Hashable {
        /// Scheme, host and port.
        package var host: String
        package var cost: Double
        /// Whose shares of the budget it is taken from: the client's, and the archive's if it is one for that.
        package var shares: [String]
    }

    package enum Verdict: Sendable, Hashable {
        /// It may go; so much was taken from the budget beside its cost, for later ones.
        case go(isProbe: Bool, reserved: Double)
        case held(HoldReason, retryAfter: Duration, window: RateBudget.Window? = nil)
        /// Other processes have all the transfers at once that the host is asked with.
        case full
    }

    /// What happened since the last exchange with the file.
    package struct Changes: Sendable {
        package struct Spending: Sendable, Hashable {
            /// Nil for what all have spent together.
            package var client: String?
            /// A moment of the minute in which it was spent.
            package var time: Double
            /// Negative for what is given back.
            package var units: Double
        }

        package var spendings: [Spending] = []
        package var events: [(host: String, event: CircuitBreaker.Event)] = []
        package var asked = 0
        package var retried = 0
        /// Transfers that have ended, of those that are counted over all processes.
        package var ended: [Int] = []

        package init() {}

        mutating func spend(_ units: Double, of client: String?, at time: Double) {
            let minute = RateBudget.Window.minute.index(at: time)
            for index in spendings.indices
            where spendings[index].client == client
                && RateBudget.Window.minute.index(at: spendings[index].time) == minute
            {
                spendings[index].units += units
                return
            }
            spendings.append(Spending(client: client, time: time, units: units))
        }

        /// Puts what could not be exchanged in front of what happened since.
        mutating func putBack(_ older: Changes) {
            let newer = spendings
            spendings = older.spendings
            for spending in newer { spend(spending.units, of: spending.client, at: spending.time) }
            // A file that takes nothing for long gets the latest, and the rest is lost.
            spendings.removeFirst(max(0, spendings.count - 1_000))
            events = (older.events + events).suffix(100)
            asked += older.asked
            retried += older.retried
            ended = older.ended + ended
        }
    }

    /// The most clients whose shares are kept in memory.
    private static let clientsAtMost = 10_000

    package let policy: Policy
    package var budget: RateBudget
    package var clients: [String: RateBudget] = [:]
    package var breakers: [String: CircuitBreaker] = [:]
    package var retries = RetryBudget()

    package init(_ policy: Policy, at now: Double) {
        self.policy = policy
        budget = RateBudget(limits: policy.budget, at: now)
    }

    /// The share of a client, or of the archive.
    package func newShare(of name: String, at now: Double) -> RateBudget {
        RateBudget(limits: policy.budget.share(percent: percent(of: name)), at: now)
    }

    /// No client has this address.
    private static let archive = HTTPRequest.Share.archive.rawValue

    private func percent(of name: String) -> Int {
        name == UpstreamLimits.archive ? policy.percentForArchive : policy.percentPerClient
    }

    /// Decides whether a question may go now, and takes its cost.
    ///
    /// - Parameters:
    ///   - isPaid: Whether a reserve has paid its cost already.
    ///   - reserve: What is to be taken beside the cost, if there is so much.
    package mutating func admit(
        _ question: Question, isPaid: Bool = false, reserving reserve: Double = 0, at now: Double
    ) -> Verdict {
        let check = check(question, at: now)
        if let held = check.held { return held }
        var reserved = 0.0
        if !isPaid {
            if reserve > 0, budget.spend(question.cost + reserve, at: now) == nil {
                reserved = reserve
            } else if let refusal = budget.spend(question.cost, at: now) {
                return .held(.budget, retryAfter: refusal.retryAfter, window: refusal.window)
            }
        }
        breakers[question.host] = check.breaker
        for (client, share) in check.shares { keep(share, of: client, at: now) }
        return .go(isProbe: check.isProbe, reserved: reserved)
    }

    /// What the breaker and the shares say of a question, and what they are after it.
    package func check(
        _ question: Question, at now: Double
    ) -> (held: Verdict?, breaker: CircuitBreaker, isProbe: Bool, shares: [(String, RateBudget)]) {
        var breaker = breakers[question.host] ?? CircuitBreaker()
        let verdict = breaker.permit(at: now, policy.breaker)
        if case .refused(let retryAfter) = verdict {
            return (.held(.breaker, retryAfter: retryAfter), breaker, false, [])
        }
        var shares: [(String, RateBudget)] = []
        for name in question.shares where percent(of: name) < 100 {
            var share = clients[name] ?? newShare(of: name, at: now)
            if let refusal = share.spend(question.cost, at: now) {
                // A share that is the whole window, as it is of a budget of 0, is not this client's doing.
                let isWhole = share.limits[refusal.window] >= policy.budget[refusal.window]
                let reason: HoldReason = isWhole || name == UpstreamLimits.archive ? .budget : .client
                let held = Verdict.held(reason, retryAfter: refusal.retryAfter, window: refusal.window)
                return (held, breaker, false, [])
            }
            shares.append((name, share))
        }
        return (nil, breaker, verdict == .probe, shares)
    }

    private mutating func keep(_ share: RateBudget, of client: String, at now: Double) {
        if clients[client] == nil, clients.count >= UpstreamLimits.clientsAtMost {
            // Who has spent nothing in this hour loses least, and then whoever comes first.
            clients = clients.filter { _, budget in
                var budget = budget
                return budget.left(in: .hour, at: now) < budget.limits[.hour]
            }
            if clients.count >= UpstreamLimits.clientsAtMost, let first = clients.first?.key {
                clients[first] = nil
            }
        }
        clients[client] = share
    }

    mutating func add(_ spendings: [Changes.Spending], times factor: Double = 1, at now: Double) {
        for spending in spendings {
            let units = factor * spending.units
            guard let client = spending.client else {
                budget.add(units, spentAt: spending.time, at: now)
                continue
            }
            var share = clients[client] ?? newShare(of: client, at: now)
            share.add(units, spentAt: spending.time, at: now)
            keep(share, of: client, at: now)
        }
    }

    /// Repeats on this copy what has happened on another.
    package mutating func apply(_ changes: Changes, at now: Double) {
        add(changes.spendings, at: now)
        for (host, event) in changes.events {
            breakers[host, default: CircuitBreaker()].apply(event, policy.breaker)
        }
        retries.asked(changes.asked)
        retries.taken(changes.retried)
    }
}

/// Where processes share their limits, and find them again after a restart.
package protocol LimitsStore: Sendable {
    /// How long is waited for it. It goes on by itself then.
    var waitLimit: Duration { get }

    /// Applies the changes to what is shared, and decides about a question, all in one transaction.
    ///
    /// - Parameters:
    ///   - known: What this process knows: it stands for what the file doesn't hold.
    ///   - deadline: When a transfer ends at the latest that is begun for the question.
    /// - Returns: Nil if that failed.
    func exchange(
        _ changes: UpstreamLimits.Changes, _ question: UpstreamLimits.Question?, known: UpstreamLimits,
        until deadline: ContinuousClock.Instant
    ) async -> LimitsExchange?
}

/// What came of an exchange.
package struct LimitsExchange: Sendable {
    package var limits: UpstreamLimits
    /// Later exchanges have higher numbers.
    package var number: Int
    package var verdict: UpstreamLimits.Verdict?
    /// The number of the transfer, if those are counted over all processes.
    package var transfer: Int?

    package init(limits: UpstreamLimits, number: Int, verdict: UpstreamLimits.Verdict?, transfer: Int?) {
        (self.limits, self.number, self.verdict, self.transfer) = (limits, number, verdict, transfer)
    }
}
