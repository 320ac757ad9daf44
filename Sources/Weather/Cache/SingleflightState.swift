/// Where a key stands: nobody asks for it, or a call to upstream is under way for those who wait and for the cache.
///
/// A value without clocks, locks or tasks: what happens goes in, and what is to be done comes out. A waiter is
/// handed out exactly once: when it leaves or when its call completes, whichever comes first.
enum SingleflightState<Waiter: Sendable, Call: Sendable>: Sendable {
    /// Names one waiter for good.
    typealias WaiterNumber = UInt64

    case idle
    /// With `goesOn` the cache itself wants the answer: nobody's leaving ends the call.
    case running(number: UInt64, Call, waiters: [WaiterNumber: Waiter], goesOn: Bool)
    /// While another state is being made of this one, so that nothing is copied.
    case modifying

    enum Leaving {
        /// It isn't here any more, or isn't yet: somebody was faster.
        case unknown
        /// Tell the waiter; its call goes on.
        case left(Waiter)
        /// Nobody waits any more, and the state is idle: cancel the call, and tell the waiter.
        case abandoned(Waiter, Call)
    }

    var isIdle: Bool {
        if case .idle = self { true } else { false }
    }

    /// Whether the call of this number is under way: one that was abandoned isn't.
    func isRunning(_ wanted: UInt64) -> Bool {
        if case .running(wanted, _, _, _) = self { true } else { false }
    }

    /// Those who wait, the cache itself included.
    var waiterCount: Int {
        if case .running(_, _, let waiters, let goesOn) = self { waiters.count + (goesOn ? 1 : 0) } else { 0 }
    }

    mutating func start(number: UInt64, _ call: Call, waiters: [WaiterNumber: Waiter] = [:]) {
        self = .running(number: number, call, waiters: waiters, goesOn: waiters.isEmpty)
    }

    /// A waiter joins the call under way.
    mutating func join(_ waiter: Waiter, as waiterNumber: WaiterNumber) {
        guard case .running(let number, let call, var waiters, let goesOn) = self else { return }
        self = .modifying
        waiters[waiterNumber] = waiter
        self = .running(number: number, call, waiters: waiters, goesOn: goesOn)
    }

    /// The cache itself wants the answer of the call under way, so that it goes on without anybody.
    mutating func goOn() {
        guard case .running(let number, let call, let waiters, _) = self else { return }
        self = .running(number: number, call, waiters: waiters, goesOn: true)
    }

    /// A waiter was cancelled or is out of time. With `leavesCache` for it the cache takes its place.
    mutating func leave(_ waiterNumber: WaiterNumber, leavesCache: (Waiter) -> Bool) -> Leaving {
        guard case .running(let number, let call, var waiters, var goesOn) = self else { return .unknown }
        self = .modifying
        let waiter = waiters.removeValue(forKey: waiterNumber)
        if let waiter, leavesCache(waiter) { goesOn = true }
        let isAbandoned = waiter != nil && waiters.isEmpty && !goesOn
        self = isAbandoned ? .idle : .running(number: number, call, waiters: waiters, goesOn: goesOn)
        guard let waiter else { return .unknown }
        return isAbandoned ? .abandoned(waiter, call) : .left(waiter)
    }

    /// The call has its answer, or has failed. Nil if it was abandoned before: nothing of it is kept.
    mutating func complete(_ wanted: UInt64) -> (call: Call, waiters: [Waiter])? {
        guard case .running(wanted, let call, let waiters, _) = self else { return nil }
        self = .idle
        return (call, Array(waiters.values))
    }
}
