/// Fetches from an upstream server over HTTP.
///
/// What calls it sees no sockets and no libcurl; what implements it knows no weather.
package protocol Transport: Sendable {
    /// Asks once, and answers with what came under status 200.
    ///
    /// Cancelling the task ends the transfer and closes its socket; the call then throws `.cancelled`.
    ///
    /// - Parameters:
    ///   - request: What to ask.
    ///   - deadline: When the caller gives up. The transfer's own limits apply too; the earliest wins.
    /// - Throws: `TransportError`, for any status other than 200 too.
    func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer
}

/// A GET to an upstream server.
package struct HTTPRequest: Sendable, Hashable {
    /// The absolute address, percent-encoded, with its query.
    package let url: String
    /// Scheme, host and port of `url`.
    package let origin: String
    /// A part of the query that must not be logged, such as "apikey=…"; appended to `url` as it is sent.
    package var secretQuery: String?
    /// What the host counts it as, against a budget.
    package var cost: Double
    /// What it is about, in a few words for the log.
    package var subject: String
    /// Set for what may only spend a share of the budget.
    package var share: Share?

    /// Requests that together have a share of the budget.
    package enum Share: String, Sendable, Hashable {
        case archive
    }

    package init(url: String, secretQuery: String? = nil, cost: Double = 1, subject: String = "") {
        self.url = url
        origin = HTTPRequest.origin(of: url)
        self.secretQuery = secretQuery
        self.cost = cost
        self.subject = subject
    }

    private static func origin(of url: String) -> String {
        var slashes = 0
        for index in url.utf8.indices where url.utf8[index] == UInt8(ascii: "/") {
            slashes += 1
            if slashes == 3 { return String(url[..<index]) }
        }
        return url
    }
}

/// An answer with status 200.
package struct HTTPAnswer: Sendable, Hashable {
    /// The decoded body: after Content-Encoding, at most as long as the transport allows.
    package var body: [UInt8]

    package init(body: [UInt8]) {
        self.body = body
    }
}
