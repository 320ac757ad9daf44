internal import Synchronization

/// Starts work and calls back at a time. The wiring makes one over the event loops; the room knows none.
package protocol CacheScheduler: Sendable {
    /// Starts an unstructured task on the caller's event loop. It doesn't run before this returns, and has the
    /// caller's task-local values: so whoever starts a call pays for it (`RequestBudget`).
    @discardableResult
    func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// Calls `action` once at `instant`, never before it, unless it is cancelled first. Called from any thread;
    /// `action` may run on any.
    func timer(
        at instant: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
    ) -> any CacheTimer
}

/// A call that is due at a time.
package protocol CacheTimer: Sendable {
    /// Takes the call back; from any thread. One that was made or taken back is left alone.
    func cancel()
}

/// What the caches and the limits know of the world: where work runs, what time it is, and chance.
package struct CacheEnvironment: Sendable {
    package var scheduler: any CacheScheduler
    /// Seconds since 1970, UTC: for TTLs, dates and windows.
    package var unixTime: @Sendable () -> Double
    /// The clock that never jumps: for deadlines.
    package var now: @Sendable () -> ContinuousClock.Instant
    /// 0 ..< 1: for jitter.
    package var random: @Sendable () -> Double
    /// How long upstream may take for a call that starts now, whoever waits.
    package var callDeadline: SharedDuration
    /// How much longer until a call is given up whose client doesn't keep to that.
    package var grace: Duration = .milliseconds(500)
    /// How often the disk is looked at while another process asks.
    package var claimPoll: Duration = .milliseconds(50)

    package init(
        scheduler: any CacheScheduler, unixTime: @escaping @Sendable () -> Double,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        callDeadline: SharedDuration = SharedDuration(.seconds(10))
    ) {
        (self.scheduler, self.unixTime, self.now, self.random) = (scheduler, unixTime, now, random)
        self.callDeadline = callDeadline
    }
}

/// A duration that a running program may change, read by whoever shares it.
package final class SharedDuration: Sendable {
    private let duration: Mutex<Duration>

    package init(_ value: Duration) {
        duration = Mutex(value)
    }

    package var value: Duration {
        get { duration.withLock { $0 } }
        set { duration.withLock { $0 = newValue } }
    }
}

extension CacheEnvironment {
    var unixSeconds: Int { Int(unixTime()) }
}

extension CacheScheduler {
    /// Waits until `instant`, or until the task is cancelled.
    func pause(until instant: ContinuousClock.Instant) async {
        await result(of: WaiterGroup<Void>(count: 1), until: instant, else: ())
    }

    /// What `body` answers; nil if that takes longer than until `instant`, or the task is cancelled. The work goes on
    /// then, and `late` gets what it answers.
    package func answer<Answer: Sendable>(
        until instant: ContinuousClock.Instant, of body: @escaping @Sendable () async -> Answer,
        late: @escaping @Sendable (Answer) -> Void = { _ in }
    ) async -> Answer? {
        let group = WaiterGroup<Answer?>(count: 1)
        start {
            let answer = await body()
            if !group.deliver(answer, at: 0) { late(answer) }
        }
        return await result(of: group, until: instant, else: nil)
    }

    private func result<Result: Sendable>(
        of group: WaiterGroup<Result>, until instant: ContinuousClock.Instant, else missing: Result
    ) async -> Result {
        let timer = timer(at: instant) { group.deliver(missing, at: 0) }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await group.all().first ?? missing
        } onCancel: {
            group.deliver(missing, at: 0)
        }
    }
}

/// Collects what several waits come to, for one task. Of each wait the first result counts.
final class WaiterGroup<Result: Sendable>: Sendable {
    private struct State {
        var results: [Result?]
        var missing: Int
        var continuation: CheckedContinuation<[Result], Never>?

        /// The results, once all are in.
        var all: [Result]? { missing == 0 ? results.compactMap(\.self) : nil }
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(results: Array(repeating: nil, count: count), missing: count))
    }

    var isComplete: Bool { state.withLock { $0.missing == 0 } }

    /// Returns false if there was a result already.
    @discardableResult
    func deliver(_ result: Result, at index: Int) -> Bool {
        let (isFirst, continuation, all) = state.withLock {
            state -> (Bool, CheckedContinuation<[Result], Never>?, [Result]) in
            guard state.results[index] == nil else { return (false, nil, []) }
            state.results[index] = result
            state.missing -= 1
            guard let all = state.all else { return (true, nil, []) }
            defer { state.continuation = nil }
            return (true, state.continuation, all)
        }
        continuation?.resume(returning: all)
        return isFirst
    }

    /// Waits until all results are in. To be called once.
    func all() async -> [Result] {
        await withCheckedContinuation { continuation in
            let all = state.withLock { state in
                let all = state.all
                if all == nil { state.continuation = continuation }
                return all
            }
            if let all { continuation.resume(returning: all) }
        }
    }
}
