internal import Fragments
internal import Gateway
internal import Trips

/// An answer as it is built: what is the same for every route stands here once. It can be thrown where another was
/// to be made.
struct Answer: Error {
    /// Who may keep it.
    enum Caching {
        /// Anyone, who asks each time whether it still holds.
        case revalidated
        /// Nobody.
        case forbidden
        /// Nobody, since it holds what is one reader's alone.
        case personal

        fileprivate var control: String {
            switch self {
            case .revalidated: "public, max-age=0, must-revalidate"
            case .forbidden: "no-store"
            case .personal: "private, no-store"
            }
        }
    }

    private(set) var response: GatewayResponse
    /// The value of ETag; empty where nobody may keep the answer.
    private(set) var entityTag = ""

    /// A 200.
    init(_ body: [UInt8], as presentation: Presentation, isNegotiated: Bool, caching: Caching) {
        response = GatewayResponse(status: 200, body: body)
        field("Content-Type", presentation.representation.contentType)
        field("Cache-Control", caching.control)
        if case .revalidated = caching {
            entityTag = EntityTag(of: body).description
            field("ETag", entityTag)
        }
        describe(presentation, isNegotiated: isNegotiated)
    }

    /// Without a body.
    init(status: Int) {
        response = GatewayResponse(status: status)
    }

    /// A failure, with what RFC 9110 wants beside its status.
    ///
    /// - Parameter form: what it stands for in a page.
    init(
        _ problem: Problem, as presentation: Presentation, form: ProblemForm = .weather(.card),
        isNegotiated: Bool,
        caching: Caching = .forbidden
    ) {
        response = GatewayResponse(
            status: problem.status, body: Renderer.problem(problem, form: form, as: presentation))
        field("Content-Type", presentation.representation.problemContentType)
        field("Cache-Control", caching.control)
        describe(presentation, isNegotiated: isNegotiated)
        if let seconds = problem.retryAfterSeconds { field("Retry-After", String(seconds)) }
        if !problem.allow.isEmpty { field("Allow", problem.allow.joined(separator: ", ")) }
        if !problem.accept.isEmpty { field("Accept", problem.accept.joined(separator: ", ")) }
        if let current = problem.current { field("ETag", current.version.entityTag) }
        note("problem", problem.type)
    }

    var status: Int {
        get { response.status }
        set { response.status = newValue }
    }

    var body: [UInt8] {
        get { response.body }
        set { response.body = newValue }
    }

    /// Turns into a 304 where the reader has these very bytes already (RFC 9110, section 13.1.2).
    mutating func answerNotModified(ifNoneMatch: String?) {
        guard let ifNoneMatch, !entityTag.isEmpty, EntityTag.matches(entityTag, ifNoneMatch: ifNoneMatch)
        else { return }
        response.status = 304
        response.body = []
    }

    /// The fields so far as lines.
    var encodedFields: [UInt8] {
        var lines: [UInt8] = []
        for field in response.fields { lines.appendField(field.name, field.value) }
        return lines
    }

    mutating func field(_ name: String, _ value: String) {
        response.fields.append(GatewayResponse.Field(name, value))
    }

    mutating func note(_ key: StaticString, _ value: String) {
        response.notes.append((key, value))
    }

    /// How long the parts of the work took.
    mutating func timing(_ parts: [(name: StaticString, duration: Duration?)]) {
        response.encodedFields.appendTiming(parts)
    }

    private mutating func describe(_ presentation: Presentation, isNegotiated: Bool) {
        if let policy = presentation.representation.contentSecurityPolicy {
            field("Content-Security-Policy", policy)
        }
        field("Content-Language", presentation.language.rawValue)
        field("Vary", isNegotiated ? "Accept, Accept-Language" : "Accept-Language")
    }
}

extension Parameters {
    /// The tags of If-None-Match or If-Match, without what Apache adds when it compresses an answer: "x-gzip" is "x".
    func entityTags(_ name: StaticString) -> String? {
        guard let field = self[name], field.utf8.contains(UInt8(ascii: "-")) else { return self[name] }
        return field.replacing("-gzip\"", with: "\"").replacing("-br\"", with: "\"")
    }
}

extension [UInt8] {
    mutating func appendField(_ name: String, _ value: String) {
        append(contentsOf: name.utf8)
        append(contentsOf: ": ".utf8)
        append(contentsOf: value.utf8)
        append(contentsOf: "\r\n".utf8)
    }

    mutating func appendField(_ name: StaticString, _ value: Int) {
        append(name)
        append(contentsOf: ": ".utf8)
        appendDecimal(value)
        append(contentsOf: "\r\n".utf8)
    }

    /// A line "Server-Timing: place;dur=12.3, render;dur=0.1" (W3C Server Timing, section 3), in milliseconds.
    mutating func appendTiming(_ parts: [(name: StaticString, duration: Duration?)]) {
        append("Server-Timing: ")
        var isFirst = true
        for (name, duration) in parts {
            guard let duration else { continue }
            if !isFirst { append(contentsOf: ", ".utf8) }
            isFirst = false
            append(name)
            append(";dur=")
            let (seconds, attoseconds) = duration.components
            let tenths = Int(seconds) * 10_000 + Int(attoseconds / 100_000_000_000_000)
            appendDecimal(tenths / 10)
            append(UInt8(ascii: "."))
            appendDecimal(tenths % 10)
        }
        append("\r\n")
    }

    private mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
