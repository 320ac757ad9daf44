extension EventLoop {
    /// Suspends the task until `deadline`; unlike `Task.sleep` it starts no thread pool.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        let sleeper = Sleeper(loop: self)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                self.execute { sleeper.begin(continuation, until: deadline) }
            }
        } onCancel: {
            // Runs on the canceller's thread.
            self.execute { sleeper.cancel() }
        }
    }

    /// Suspends the task for `duration`.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await sleep(until: ContinuousClock.now.advanced(by: duration))
    }
}

/// One sleep of a task.
///
/// - Note: `@unchecked Sendable` is safe because its state is touched in closures that run on the loop's thread.
private final class Sleeper: @unchecked Sendable {
    private let loop: EventLoop
    private var continuation: CheckedContinuation<Void, any Error>?
    private var timer: LoopTimer?
    private var isCancelled = false

    init(loop: EventLoop) {
        self.loop = loop
    }

    func begin(_ continuation: CheckedContinuation<Void, any Error>, until deadline: ContinuousClock.Instant)
    {
        // Cancelled before it began.
        if isCancelled { return continuation.resume(throwing: CancellationError()) }
        self.continuation = continuation
        timer = loop.schedule(at: deadline) {
            self.continuation = nil
            continuation.resume()
        }
    }

    func cancel() {
        isCancelled = true
        if let timer { loop.cancel(timer) }
        continuation?.resume(throwing: CancellationError())
        continuation = nil
    }
}
