package import Trips

/// Why a request is not answered as it was meant (RFC 9457): what the status line, the headers and the body say.
package struct Problem: Error, Sendable, Hashable {
    /// A part of the request that is wrong.
    package struct Field: Sendable, Hashable {
        /// The parameter's name, as it came.
        package var name: String
        /// What is wrong with it, as a sentence.
        package var detail: String

        package init(name: String, detail: String) {
            self.name = name
            self.detail = detail
        }
    }

    /// What can be wrong with a parameter.
    package enum Fault: Sendable, Hashable {
        case missing
        case empty
        /// It has more characters than this.
        case tooLong(limit: Int)
        /// It has fewer characters than this.
        case tooShort(least: Int)
        case notUTF8
        /// It holds NUL or another control character.
        case controlCharacter
        case notANumber
        /// It isn't a whole number.
        case notAWholeNumber
        case outOfRange(ClosedRange<Int>)
        /// It is no day of the calendar written as "2026-12-10".
        case notADate
        case notOneOf([String])
        /// It isn't written as "60.39,5.32", or is no point on the Earth.
        case notACoordinate
        /// It comes more often than this.
        case tooMany(limit: Int)
        /// There is no parameter of this name.
        case unknown
        case repeated
        /// It is of no use without this other one.
        case needs(String)
        /// It can't stand beside this other one.
        case excludes(String)
    }

    /// What kind of problem it is; the raw value is the last part of its type's address.
    enum Kind: String, CaseIterable {
        case badRequest = "bad-request"
        case noSuchAddress = "no-such-address"
        case methodNotAllowed = "method-not-allowed"
        case notAcceptable = "not-acceptable"
        case arrivedTooLate = "arrived-too-late"
        case bodyTooLarge = "body-too-large"
        case addressTooLong = "address-too-long"
        case headersTooLarge = "headers-too-large"
        case noSuchPlace = "no-such-place"
        case upstreamRefused = "upstream-refused"
        case upstreamUnreadable = "upstream-unreadable"
        case upstreamUnavailable = "upstream-unavailable"
        case upstreamLimited = "upstream-limited"
        case outOfTime = "out-of-time"
        case overLimit = "over-limit"
        case cancelled
        case internalError = "internal-error"

        // Of trips.
        case gone
        case tripFaults = "trip-faults"
        case unreadableBody = "unreadable-body"
        case unsupportedMediaType = "unsupported-media-type"
        case crossSite = "cross-site"
        case alreadyAdded = "already-added"
        case tooManyTrips = "too-many-trips"
        case versionConflict = "version-conflict"
        case versionRequired = "version-required"
        case storage

        var status: Int {
            switch self {
            case .badRequest, .tripFaults, .unreadableBody: 400
            case .crossSite: 403
            case .noSuchAddress, .noSuchPlace, .gone: 404
            case .methodNotAllowed: 405
            case .notAcceptable: 406
            case .arrivedTooLate: 408
            case .alreadyAdded, .tooManyTrips: 409
            case .versionConflict: 412
            case .bodyTooLarge: 413
            case .addressTooLong: 414
            case .unsupportedMediaType: 415
            case .versionRequired: 428
            case .headersTooLarge: 431
            case .internalError: 500
            case .upstreamRefused, .upstreamUnreadable, .upstreamUnavailable: 502
            case .upstreamLimited, .overLimit, .cancelled, .storage: 503
            case .outOfTime: 504
            }
        }
    }

    /// What happened in particular: each has its sentence in every language.
    enum Cause {
        case noSuchAddress, methodNotAllowed([String]), notAcceptable
        case arrivedTooLate, bodyTooLarge(limit: Int), addressTooLong, headersTooLarge
        case noSuchPlace(String)
        case refused(status: Int, reason: String?), limited(reason: String?), unavailable(status: Int)
        case unreadable, tooLarge, forbidden
        case timedOut(Step), failed(Step), outOfTime
        case overLimit, queueFull, overBudget, spared, cancelled, internalError
        case gone, unreadableBody, unsupportedMediaType([String]), crossSite
        case alreadyAdded(city: String), tooManyTrips(limit: Int)
        case versionConflict, versionRequired
        case storage(StorageTrouble, isWrite: Bool)
    }

    /// What kept trips from being read or saved, as far as its reader cares.
    package enum StorageTrouble: Sendable, Hashable, CaseIterable {
        /// There is no space left.
        case full
        case readOnly
        /// Others were at it for too long: soon it may go.
        case busy
        case failed
    }

    /// How far a question to the service had come, as far as its reader cares.
    enum Step: CaseIterable {
        case waiting, lookingUp, connecting, asking, receiving
    }

    let kind: Kind
    /// The HTTP status.
    package let status: Int
    /// The problem's kind as a URI reference that stays the same: "/problems/no-such-place".
    package let type: String
    /// The kind in a few words.
    package let title: String
    /// What happened and what to do, for people.
    package let detail: String
    /// The parts of the request that are wrong.
    package var fields: [Field] = []
    /// How long to wait before asking again: for Retry-After.
    package var retryAfter: Duration?
    /// The methods that the address has, for a 405: for Allow.
    package var allow: [String] = []
    /// The media types that the address reads, for a 415: for Accept, Accept-Patch or Accept-Post.
    package var accept: [String] = []
    /// The trip as it is now, for a 412.
    package var current: Trip?

    init(_ kind: Kind, detail: String, in language: Language) {
        self.kind = kind
        status = kind.status
        type = "/problems/\(kind.rawValue)"
        title = language.words.title(of: kind)
        self.detail = detail
    }

    init(_ kind: Kind, _ cause: Cause, in language: Language, retryAfter: Duration? = nil) {
        self.init(kind, detail: language.words.detail(of: cause), in: language)
        self.retryAfter = retryAfter
    }

    /// Whether a trip isn't there, or isn't any more.
    var isGone: Bool { kind == .gone }

    /// `retryAfter` in whole seconds, rounded up, at least 1: the value of Retry-After (RFC 9110, section 10.2.3).
    package var retryAfterSeconds: Int64? {
        guard let (seconds, attoseconds) = retryAfter?.components else { return nil }
        guard seconds < .max else { return seconds }
        return max(1, attoseconds > 0 ? seconds + 1 : seconds)
    }
}

// MARK: Problems of a request

extension Problem {
    /// 400: these parameters are wrong, for these reasons.
    package static func badRequest(
        _ faults: [(field: String, fault: Fault)], in language: Language = .english
    ) -> Problem {
        badRequest(
            fields: faults.map { field, fault in
                Field(
                    name: field,
                    detail: language.words.sentence(of: fault, field: field.shortened(to: 64)))
            },
            in: language)
    }

    /// 400, with sentences of the caller's own. The detail is all of them.
    package static func badRequest(fields: [Field], in language: Language = .english) -> Problem {
        var problem = Problem(
            .badRequest, detail: fields.map(\.detail).joined(separator: " "), in: language)
        problem.fields = fields
        return problem
    }

    /// 404: no route has this address.
    package static func noSuchAddress(in language: Language = .english) -> Problem {
        Problem(.noSuchAddress, .noSuchAddress, in: language)
    }

    /// 405: the address has only these methods.
    package static func methodNotAllowed(allow: [String], in language: Language = .english) -> Problem {
        var problem = Problem(.methodNotAllowed, .methodNotAllowed(allow), in: language)
        problem.allow = allow
        return problem
    }

    /// 406: Accept wants none of JSON, HTML and plain text.
    package static func notAcceptable(in language: Language = .english) -> Problem {
        Problem(.notAcceptable, .notAcceptable, in: language)
    }

    /// 408: the request didn't arrive whole in time.
    package static func arrivedTooLate(in language: Language = .english) -> Problem {
        Problem(.arrivedTooLate, .arrivedTooLate, in: language)
    }

    /// 413: the body has more bytes than `limit`.
    package static func bodyTooLarge(limit: Int, in language: Language = .english) -> Problem {
        Problem(.bodyTooLarge, .bodyTooLarge(limit: limit), in: language)
    }

    /// 414: the address or its query is too long.
    package static func addressTooLong(in language: Language = .english) -> Problem {
        Problem(.addressTooLong, .addressTooLong, in: language)
    }

    /// 431: the request's header fields are too large.
    package static func headersTooLarge(in language: Language = .english) -> Problem {
        Problem(.headersTooLarge, .headersTooLarge, in: language)
    }

    /// 503: as many requests as the configuration allows are in flight, or the program is stopping.
    package static func overLimit(
        retryAfter: Duration = .seconds(1), in language: Language = .english
    ) -> Problem {
        Problem(.overLimit, .overLimit, in: language, retryAfter: retryAfter)
    }

    /// 500: a fault of the program's own.
    package static func internalError(in language: Language = .english) -> Problem {
        Problem(.internalError, .internalError, in: language)
    }
}

extension String {
    /// The text, or its beginning and "…" where it has more than `limit` characters.
    func shortened(to limit: Int) -> String {
        guard let end = index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else {
            return self
        }
        return self[..<end] + "…"
    }
}
