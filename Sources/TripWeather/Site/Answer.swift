internal import Fragments
internal import Gateway

/// An answer as it is built: what is the same for every route stands here once.
struct Answer {
    /// Who may keep it.
    enum Caching {
        /// Anyone, who asks each time whether it still holds.
        case revalidated
        case forbidden
    }

    private(set) var response: GatewayResponse

    private init(status: Int, body: [UInt8], contentType: String, caching: Caching) {
        response = GatewayResponse(status: status, body: body)
        field("Content-Type", contentType)
        switch caching {
        case .revalidated: field("Cache-Control", "public, max-age=0, must-revalidate")
        case .forbidden: field("Cache-Control", "no-store")
        }
    }

    /// A 200, or a 304 where the reader has these very bytes already (RFC 9110, section 13.1.2).
    init(
        _ body: [UInt8], as presentation: Presentation, isNegotiated: Bool, caching: Caching,
        ifNoneMatch: String?
    ) {
        let tag = EntityTag(of: body)
        let isKnown = caching == .revalidated && ifNoneMatch.map { tag.matches(ifNoneMatch: $0) } ?? false
        self.init(
            status: isKnown ? 304 : 200, body: isKnown ? [] : body,
            contentType: presentation.representation.contentType, caching: caching)
        if caching == .revalidated { field("ETag", tag.description) }
        describe(presentation, isNegotiated: isNegotiated)
    }

    /// A failure, with what RFC 9110 wants beside its status.
    init(_ problem: Problem, as presentation: Presentation, isNegotiated: Bool) {
        self.init(
            status: problem.status, body: Renderer.problem(problem, as: presentation),
            contentType: presentation.representation.problemContentType, caching: .forbidden)
        describe(presentation, isNegotiated: isNegotiated)
        if let seconds = problem.retryAfterSeconds { field("Retry-After", String(seconds)) }
        if !problem.allow.isEmpty { field("Allow", problem.allow.joined(separator: ", ")) }
        note("problem", problem.type)
    }

    mutating func field(_ name: String, _ value: String) {
        response.fields.append(GatewayResponse.Field(name, value))
    }

    mutating func note(_ key: StaticString, _ value: String) {
        response.notes.append((key, value))
    }

    /// How long the parts of the work took (W3C Server Timing, section 3).
    mutating func timing(_ parts: [(name: StaticString, duration: Duration?)]) {
        let metrics = parts.compactMap { name, duration in
            duration.map { "\(name);dur=\(milliseconds($0))" }
        }
        if !metrics.isEmpty { field("Server-Timing", metrics.joined(separator: ", ")) }
    }

    private mutating func describe(_ presentation: Presentation, isNegotiated: Bool) {
        field("Content-Language", presentation.language.rawValue)
        if isNegotiated { field("Vary", "Accept") }
    }
}

/// To a tenth: "12.3".
private func milliseconds(_ duration: Duration) -> String {
    let tenths = Int((duration.inSeconds * 10_000).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}
