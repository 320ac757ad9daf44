internal import Gateway
internal import Trips

/// The log's line for a request. It holds the path but not the query, which says where somebody travels, and of a
/// path neither whose trip it is nor the secret of a share link.
enum RequestLine {
    /// The status as the log and the metrics have it: 499 where the reader left first.
    static func status(of outcome: GatewayEnd.Outcome) -> Int {
        switch outcome {
        case .answered(let answer), .cut(let answer): answer.status
        case .cancelled: 499
        case .refused(let status, _): status
        }
    }

    static func write(_ request: GatewayRequest, _ end: GatewayEnd, to log: Log) {
        let wanted = log.requests
        guard wanted != .none else { return }
        let status = status(of: end.outcome)
        let (outcome, response, reason): (StaticString, GatewayResponse?, String?) =
            switch end.outcome {
            case .answered(let answer): ("answered", answer, nil)
            case .cut(let answer): ("cut", answer, nil)
            case .cancelled: ("cancelled", nil, nil)
            case .refused(_, let why): ("refused", nil, why)
            }
        if wanted == .failures, status < 400, case .answered = end.outcome { return }
        var line = LogLine(
            level: status >= 500 ? "warning" : "info", event: "request", unixTime: unixTimeNow())
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

    static func path(of parameters: Parameters) -> String {
        var path = (parameters["SCRIPT_NAME"] ?? "") + (parameters["PATH_INFO"] ?? "")
        if path.isEmpty { path = parameters["DOCUMENT_URI"] ?? "" }
        // Whatever stands around a key: an address that leads nowhere may hold one too.
        if path.utf8.count > RandomKey.length {
            path = path.split(separator: "/", omittingEmptySubsequences: false).map(withoutKey)
                .joined(separator: "/")
        }
        return String(path.prefix(200))
    }

    /// A part of a path, or "*" and its suffix where it is long enough to hold a trip's id or a share link's key.
    private static func withoutKey(_ part: Substring) -> Substring {
        guard part.utf8.count >= RandomKey.length else { return part }
        let suffix = part.lastIndex(of: ".").map { part[$0...] } ?? ""
        return suffix.utf8.count <= ".html".utf8.count ? "*" + suffix : "*"
    }
}
