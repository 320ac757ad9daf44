internal import Synchronization

/// Gathers the ends of many flights for one task.
final class FlightGathering<Value: Sendable>: Sendable {
    private struct State {
        var ends: [FlightEnd<Value>?]
        var open: Int
        var continuation: CheckedContinuation<[FlightEnd<Value>], Never>?

        /// The ends, once all are in.
        var all: [FlightEnd<Value>]? { open == 0 ? ends.compactMap(\.self) : nil }
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(ends: Array(repeating: nil, count: count), open: count))
    }

    func deliver(_ end: FlightEnd<Value>, at index: Int) {
        let (continuation, all) = state.withLock {
            state -> (CheckedContinuation<[FlightEnd<Value>], Never>?, [FlightEnd<Value>]?) in
            guard state.ends[index] == nil else { return (nil, nil) }
            state.ends[index] = end
            state.open -= 1
            guard let all = state.all, let continuation = state.continuation else { return (nil, nil) }
            state.continuation = nil
            return (continuation, all)
        }
        if let continuation, let all { continuation.resume(returning: all) }
    }

    func all() async -> [FlightEnd<Value>] {
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
