internal import Synchronization

/// Starts work and wakes the caches at a time. The wiring makes one over the event loops; the room knows none.
package protocol CacheScheduler: Sendable {
    /// Starts an unstructured task on the caller's event loop. It doesn't run before this returns.
    @discardableResult
    func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// Calls `action` once at `instant`, never before it, unless it is cancelled first. Called from any thread;
    /// `action` may run on any.
    func alarm(
        at instant: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
    ) -> any CacheAlarm
}

/// A call that is due at a time.
package protocol CacheAlarm: Sendable {
    /// Takes the call back; from any thread. A call that was made or taken back is left alone.
    func cancel()
}

/// What the caches know of the world: where work runs, what time it is, and chance.
package struct CacheEnvironment: Sendable {
    package var scheduler: any CacheScheduler
    /// Seconds since 1970: for lives and dates.
    package var unixTime: @Sendable () -> Int
    /// The clock that never jumps: for deadlines.
    package var now: @Sendable () -> ContinuousClock.Instant
    /// 0 ..< 1: for jitter.
    package var random: @Sendable () -> Double
    /// How long a call to upstream may take that starts from now on; nil for the policy's.
    package var callDeadline: SharedDuration?

    package init(
        scheduler: any CacheScheduler, unixTime: @escaping @Sendable () -> Int,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        callDeadline: SharedDuration? = nil
    ) {
        self.scheduler = scheduler
        self.unixTime = unixTime
        self.now = now
        self.random = random
        self.callDeadline = callDeadline
    }
}

extension CacheScheduler {
    /// Waits until `instant`, or until the task is cancelled.
    func pause(until instant: ContinuousClock.Instant) async {
        let pause = Pause()
        let alarm = alarm(at: instant) { pause.end() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { pause.begin($0) }
        } onCancel: {
            pause.end()
        }
        alarm.cancel()
    }
}

/// One wait that may end before it has begun.
private final class Pause: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Void, Never>)
        case ended
    }

    private let state = Mutex(State.new)

    func begin(_ continuation: CheckedContinuation<Void, Never>) {
        let hasEnded = state.withLock { state in
            if case .ended = state { return true }
            state = .waiting(continuation)
            return false
        }
        if hasEnded { continuation.resume() }
    }

    func end() {
        let continuation: CheckedContinuation<Void, Never>? = state.withLock { state in
            defer { state = .ended }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume()
    }
}
