internal import EventLoop
internal import Weather

/// Runs the caches' work on the event loops: on the one that asks, or on a default one where none does.
struct LoopScheduler: CacheScheduler {
    let defaultLoop: EventLoop

    @discardableResult
    func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: EventLoop.current ?? defaultLoop, operation: operation)
    }

    func timer(
        at instant: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
    ) -> any CacheTimer {
        let call = ScheduledCall(on: EventLoop.current ?? defaultLoop)
        call.schedule(at: instant, action)
        return call
    }
}

/// A loop's timer that any thread can take back.
///
/// - Note: `@unchecked Sendable` is safe because its state is touched on the loop's thread only.
private final class ScheduledCall: CacheTimer, @unchecked Sendable {
    private let loop: EventLoop
    private var timer: LoopTimer?
    private var isCancelled = false

    init(on loop: EventLoop) {
        self.loop = loop
    }

    func schedule(at instant: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
        onLoop { call in
            // Another thread's call may come to the loop after its end.
            if !call.isCancelled { call.timer = call.loop.schedule(at: instant, action) }
        }
    }

    func cancel() {
        onLoop { call in
            call.isCancelled = true
            if let timer = call.timer { call.loop.cancel(timer) }
            call.timer = nil
        }
    }

    private func onLoop(_ body: @escaping @Sendable (ScheduledCall) -> Void) {
        if loop.isCurrent { body(self) } else { loop.execute { body(self) } }
    }
}
