internal import Synchronization
internal import Weather

/// Waits for work that may hang, such as a disk's, but not for ever.
struct TimeLimit: Sendable {
    let scheduler: any CacheScheduler
    /// How long is waited.
    let limit: Duration

    var deadline: ContinuousClock.Instant { .now.advanced(by: limit) }

    /// What `body` answers; nil when that takes longer than the limit, or the task is cancelled. The work goes on
    /// then, and what it answers is dropped.
    func wait<Answer: Sendable>(
        for body: @escaping @Sendable () async -> Answer
    ) async -> Answer? {
        let answer = LateAnswer<Answer>()
        let timer = scheduler.timer(at: deadline) { answer.give(nil) }
        scheduler.start { answer.give(await body()) }
        let given = await withTaskCancellationHandler {
            await withCheckedContinuation { answer.take($0) }
        } onCancel: {
            answer.give(nil)
        }
        timer.cancel()
        return given
    }
}

/// An answer for one waiter: the first that is given counts.
private final class LateAnswer<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case asked(CheckedContinuation<Answer?, Never>)
        case given(Answer?)
        case over
    }

    private let state = Mutex(State.open)

    func give(_ answer: Answer?) {
        let asker: CheckedContinuation<Answer?, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .given(answer)
                return nil
            case .asked(let continuation):
                state = .over
                return continuation
            case .given, .over: return nil
            }
        }
        asker?.resume(returning: answer)
    }

    func take(_ continuation: CheckedContinuation<Answer?, Never>) {
        let given: Answer?? = state.withLock { state in
            guard case .given(let answer) = state else {
                state = .asked(continuation)
                return .none
            }
            state = .over
            return .some(answer)
        }
        if case .some(let answer) = given { continuation.resume(returning: answer) }
    }
}
