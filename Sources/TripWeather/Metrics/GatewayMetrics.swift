internal import CurlTransport
internal import Gateway

/// The gateway's numbers as metrics.
enum GatewayMetrics {
    static func write(_ counters: GatewayCounters, to text: inout MetricsText) {
        text.single(
            "http_requests_in_flight", .gauge, "Requests that are not answered yet.",
            counters.requestsInFlight)
        text.family("gateway_connections", .gauge, "FastCGI connections by event loop.")
        for (loop, count) in counters.connectionsByLoop.enumerated() {
            text.sample("gateway_connections", [("loop", "\(loop)")], count)
        }
        text.single(
            "gateway_connections_accepted_total", .counter, "Connections taken.", counters.acceptedConnections
        )
        text.single(
            "gateway_connections_malformed_total", .counter, "Connections closed for what they sent.",
            counters.malformedConnections)
        text.single(
            "http_requests_cancelled_total", .counter, "Requests whose reader left first.", counters.cancelled
        )
        text.single("http_requests_cut_total", .counter, "Answers that were not taken whole.", counters.cut)
        text.family("http_requests_refused_total", .counter, "Requests over a limit, by the limit.")
        for (reason, count) in counters.refused.sorted(by: { $0.key < $1.key }) {
            text.sample("http_requests_refused_total", [("limit", reason)], count)
        }
        text.family("build_info", .gauge, "1, with the versions in use.")
        text.sample(
            "build_info", [("version", Program.version), ("libcurl", CurlTransport.libraryVersion)], 1)
    }
}
