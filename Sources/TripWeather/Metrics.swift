internal import CurlTransport
internal import Gateway
internal import Storage
internal import Synchronization
internal import Weather

/// Metrics as Prometheus reads them (text exposition format 0.0.4).
struct MetricsText {
    private(set) var bytes: [UInt8] = []

    /// Begins a family: its name without the program's prefix, ending in its unit. What ends in "_total" is a counter.
    mutating func family(_ name: String, _ help: String, isHistogram: Bool = false) {
        let kind = isHistogram ? "histogram" : name.hasSuffix("_total") ? "counter" : "gauge"
        append("# HELP tripweather_\(name) \(help)\n# TYPE tripweather_\(name) \(kind)\n")
    }

    /// A sample. Labels hold words of our own only: nothing that a reader typed.
    mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Double) {
        append("tripweather_\(name)")
        if !labels.isEmpty {
            append("{\(labels.map { "\($0)=\"\(MetricsText.escaped($1))\"" }.joined(separator: ","))}")
        }
        append(" \(MetricsText.number(value))\n")
    }

    mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Int) {
        sample(name, labels, Double(value))
    }

    /// A family of one sample without labels.
    mutating func single(_ name: String, _ help: String, _ value: Int) {
        family(name, help)
        sample(name, [:], value)
    }

    /// A family whose samples differ in one label.
    mutating func counts(_ name: String, _ help: String, by label: String, _ counts: [(String, Int)]) {
        family(name, help)
        for (value, count) in counts { sample(name, [label: value], count) }
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private static func number(_ value: Double) -> String {
        Int(exactly: value).map { String($0) } ?? "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// How many requests were answered on each route, with which status, and how long that took.
final class RequestMetrics: Sendable {
    /// Upper bounds of the histogram's buckets, in seconds: from a hit to the deadline.
    static let bounds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private struct Key: Hashable {
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

    /// - Parameter code: The HTTP status, or 499 if the reader left first.
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
        func label(_ route: Route?) -> String { route?.rawValue ?? "other" }
        var name = "http_requests_total"
        text.family(name, "Requests by route and status; 499 if the reader left first.")
        for (key, count) in state.requests.sorted(by: {
            (label($0.key.route), $0.key.code) < (label($1.key.route), $1.key.code)
        }) {
            text.sample(name, ["route": label(key.route), "code": "\(key.code)"], count)
        }
        name = "http_request_duration_seconds"
        text.family(name, "From a request's first byte to its answer's last.", isHistogram: true)
        for (route, histogram) in state.durations.sorted(by: { label($0.key) < label($1.key) }) {
            let route = label(route)
            var count = 0
            for (bound, bucket) in zip(RequestMetrics.bounds, histogram.buckets) {
                count += bucket
                text.sample("\(name)_bucket", ["route": route, "le": "\(bound)"], count)
            }
            text.sample("\(name)_bucket", ["route": route, "le": "+Inf"], histogram.count)
            text.sample("\(name)_sum", ["route": route], histogram.sum)
            text.sample("\(name)_count", ["route": route], histogram.count)
        }
    }
}

extension MetricsText {
    mutating func write(_ counters: GatewayCounters) {
        single("http_requests_in_flight", "Requests that are not answered yet.", counters.requestsInFlight)
        counts(
            "gateway_connections", "FastCGI connections by event loop.", by: "loop",
            counters.connectionsByLoop.enumerated().map { ("\($0)", $1) })
        single("gateway_connections_accepted_total", "Connections taken.", counters.acceptedConnections)
        single(
            "gateway_connections_malformed_total", "Connections closed for what they sent.",
            counters.malformedConnections)
        single("http_requests_cancelled_total", "Requests whose reader left first.", counters.cancelled)
        single("http_requests_cut_total", "Answers that were not taken whole.", counters.cut)
        counts(
            "http_requests_refused_total", "Requests over a limit, by the limit.", by: "limit",
            counters.refused.sorted { $0.key < $1.key }.map { ($0, $1) })
        family("build_info", "1, with the versions in use.")
        sample("build_info", ["version": Program.version, "libcurl": CurlTransport.libraryVersion], 1)
    }

    mutating func write(caches: [(String, CacheCounters)]) {
        func write(
            _ name: String, _ help: String, by label: String,
            _ values: KeyValuePairs<String, KeyPath<CacheCounters, Int>>
        ) {
            family(name, help)
            for (cache, counters) in caches {
                for (value, count) in values {
                    sample(name, ["cache": cache, label: value], counters[keyPath: count])
                }
            }
        }
        func write(_ name: String, _ help: String, _ value: KeyPath<CacheCounters, Int>) {
            counts(name, help, by: "cache", caches.map { ($0, $1[keyPath: value]) })
        }
        write(
            "cache_requests_total", "Questions to a cache by how they were answered.", by: "result",
            [
                "hit": \.hits, "stale": \.stale, "miss": \.misses, "shared": \.joined,
                "negative": \.negativeHits, "disk": \.diskHits,
            ])
        write(
            "cache_calls_total", "Calls to upstream by how they ended.", by: "outcome",
            ["success": \.successes, "failure": \.failures, "cancelled": \.cancelled])
        write("cache_entries", "Entries in memory.", \.entries)
        write("cache_bytes", "Bytes in memory, as counted.", \.bytes)
        write("cache_calls", "Calls under way.", \.calls)
        write("cache_waiters", "Who waits for calls.", \.waiters)
        write("cache_evictions_total", "Entries that made room for others.", \.evictions)
    }

    mutating func write(
        reads: SQLiteDiskCache.Counters, writes: WriteQueue.Counters, file: DisposableStore.Counters
    ) {
        counts(
            "disk_entries_read_total", "Entries looked for on disk.", by: "result",
            [("found", reads.found), ("missing", reads.missing)])
        single("disk_reads_failed_total", "Reads that the disk answered with an error.", file.failedReads)
        single("disk_reads_late_total", "Reads that were not waited for any longer.", reads.late)
        counts(
            "disk_writes_total", "Writes offered to the disk by what became of them.", by: "outcome",
            [("saved", writes.written), ("dropped", writes.dropped), ("failed", writes.failed)])
        single("disk_writes_waiting", "Writes that wait for the disk.", writes.waiting)
        single(
            "disk_files_discarded_total", "Files thrown away for being damaged or of a newer version.",
            file.discarded)
        single("disk_files_moved_total", "Times that the file was found deleted or replaced.", file.moved)
    }
}
