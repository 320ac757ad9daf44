internal import Synchronization

/// How many requests were answered on each route, with which status, and how long that took.
final class RequestMetrics: Sendable {
    /// Upper bounds of the histogram's buckets, in seconds: from a hit to the deadline.
    static let bounds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    fileprivate struct Key: Hashable {
        var route: Route?
        var code: Int
    }

    private struct Histogram {
        var buckets = [Int](repeating: 0, count: RequestMetrics.bounds.count)
        var count = 0
        var sum = 0.0
    }

    private struct State {
        var requests: [Key: Int] = [:]
        var durations: [Route?: Histogram] = [:]
    }

    private let state = Mutex(State())

    /// - Parameter code: The HTTP status, or 499 where the reader left first.
    func record(_ route: Route?, code: Int, elapsed: Duration) {
        let seconds = elapsed.inSeconds
        state.withLock { state in
            state.requests[Key(route: route, code: code), default: 0] += 1
            var histogram = state.durations.removeValue(forKey: route) ?? Histogram()
            histogram.count += 1
            histogram.sum += seconds
            if let bucket = RequestMetrics.bounds.firstIndex(where: { seconds <= $0 }) {
                histogram.buckets[bucket] += 1
            }
            state.durations[route] = histogram
        }
    }

    func write(to text: inout MetricsText) {
        let state = state.withLock { $0 }
        text.family(
            "http_requests_total", .counter, "Requests by route and status; 499 where the reader left first.")
        for (key, count) in state.requests.sorted(by: {
            ($0.key.name, $0.key.code) < ($1.key.name, $1.key.code)
        }) {
            text.sample("http_requests_total", [("route", key.name), ("code", "\(key.code)")], count)
        }
        let name = "http_request_duration_seconds"
        text.family(name, .histogram, "From a request's first byte to its answer's last.")
        for (route, histogram) in state.durations.sorted(by: { label($0.key) < label($1.key) }) {
            var count = 0
            for (bound, bucket) in zip(RequestMetrics.bounds, histogram.buckets) {
                count += bucket
                text.sample("\(name)_bucket", [("route", label(route)), ("le", "\(bound)")], count)
            }
            text.sample("\(name)_bucket", [("route", label(route)), ("le", "+Inf")], histogram.count)
            text.sample("\(name)_sum", [("route", label(route))], histogram.sum)
            text.sample("\(name)_count", [("route", label(route))], histogram.count)
        }
    }
}

private func label(_ route: Route?) -> String {
    route?.rawValue ?? "other"
}

extension RequestMetrics.Key {
    fileprivate var name: String { label(route) }
}
