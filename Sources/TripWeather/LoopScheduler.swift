internal import EventLoop
internal import Synchronization
internal import Weather

/// Runs the caches' work on the event loops: on the one that asks, else on the first.
struct LoopScheduler: CacheScheduler {
    private let home: EventLoop

    init(home: EventLoop) {
        self.home = home
    }

    @discardableResult
    func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: EventLoop.current ?? home, operation: operation)
    }

    func timer(
        at instant: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
    ) -> any CacheTimer {
        let loop = EventLoop.current ?? home
        let call = ScheduledCall(loop: loop)
        if loop.isCurrent {
            call.set(at: instant, action)
        } else {
            loop.execute { call.set(at: instant, action) }
        }
        return call
    }
}

/// A timer that any thread can take back.
private final class ScheduledCall: CacheTimer {
    private enum State: Sendable {
        case new
        case set(LoopBound<LoopTimer>)
        case over
    }

    private let loop: EventLoop
    private let state = Mutex(State.new)

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// On the loop's thread.
    func set(at instant: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
        let timer = loop.schedule(at: instant) { [self] in
            state.withLock { $0 = .over }
            action()
        }
        let bound = LoopBound(timer, to: loop)
        let isOver = state.withLock { state in
            // Cancelled before the loop came to it.
            if case .over = state { return true }
            state = .set(bound)
            return false
        }
        if isOver { loop.cancel(timer) }
    }

    func cancel() {
        let timer: LoopBound<LoopTimer>? = state.withLock { state in
            defer { state = .over }
            if case .set(let timer) = state { return timer }
            return nil
        }
        guard let timer else { return }
        if loop.isCurrent {
            loop.cancel(timer.value)
        } else {
            loop.execute { [loop] in loop.cancel(timer.value) }
        }
    }
}
