internal import Synchronization

/// The task that one or several flights share: it is cancelled when all of them are given up, and none landed
/// last. A flight may be given up before its task has started.
final class FlightHandle: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// Flights under way, and one for whoever is still adding flights and hasn't attached the task.
        var open = 1
        /// The last one to go was given up, so that nobody needs the task.
        var isAbandoned = false
    }

    private let state = Mutex(State())

    /// One more flight shares the task.
    func addFlight() {
        state.withLock { $0.open += 1 }
    }

    /// All flights are added, and this task runs for them.
    func attach(_ task: Task<Void, Never>) {
        let isAbandoned = state.withLock { state in
            state.open -= 1
            state.task = task
            return state.isAbandoned && state.open == 0
        }
        if isAbandoned { task.cancel() }
    }

    /// A flight has its answer; what the task still does for it (saving) goes on.
    func flightLanded() {
        state.withLock { state in
            state.open -= 1
            state.isAbandoned = false
        }
    }

    /// A flight was left by its last waiter.
    func flightWasAbandoned() {
        let task: Task<Void, Never>? = state.withLock { state in
            state.open -= 1
            state.isAbandoned = true
            return state.open == 0 ? state.task : nil
        }
        task?.cancel()
    }

    /// The task is out of time, whatever waits.
    func cancel() {
        let task: Task<Void, Never>? = state.withLock { state in
            state.isAbandoned = true
            return state.task
        }
        task?.cancel()
    }
}
