internal import Gateway

/// The log's line for a request. It holds the path but not the query, which says where somebody travels.
enum RequestLine {
    static func write(_ request: GatewayRequest, _ end: GatewayEnd, to log: Log) {
        let wanted = log.requests
        guard wanted != .none else { return }
        let status: Int
        let outcome: StaticString
        var response: GatewayResponse?
        var reason: String?
        switch end.outcome {
        case .answered(let answer): (status, outcome, response) = (answer.status, "answered", answer)
        case .cut(let answer): (status, outcome, response) = (answer.status, "cut", answer)
        case .cancelled: (status, outcome) = (499, "cancelled")
        case .refused(let code, let why): (status, outcome, reason) = (code, "refused", why)
        }
        if wanted == .failures, status < 400, case .answered = end.outcome { return }
        var line = LogLine(level: status >= 500 ? "warning" : "info", event: "request", unixTime: unixTimeNow())
        if let identifier = request.parameters["REQUEST_ID"], !identifier.isEmpty {
            line.field("id", text: String(identifier.prefix(64)))
        }
        line.field("method", text: String(request.method.prefix(16)))
        line.field("path", text: path(of: request.parameters))
        line.field("status", number: status)
        line.field("outcome", text: "\(outcome)")
        line.field("ms", duration: end.elapsed)
        if let response {
            line.field("bytes", number: response.body.count)
            for (key, value) in response.notes { line.field(key, text: String(value.prefix(300))) }
        }
        if let reason { line.field("reason", text: reason) }
        log.write(line)
    }

    private static func path(of parameters: Parameters) -> String {
        let path = (parameters["SCRIPT_NAME"] ?? "") + (parameters["PATH_INFO"] ?? "")
        return String((path.isEmpty ? parameters["DOCUMENT_URI"] ?? "" : path).prefix(200))
    }
}
