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
        case notUTF8
        /// It contains NUL or another control character.
        case controlCharacter
        case notANumber
        case notAWholeNumber
        case outOfRange(ClosedRange<Int>)
        /// It is no day of the calendar written as "2026-12-10".
        case notADate
        case notOneOf([String])
        /// It isn't written as "60.39,5.32", or is no point on the Earth.
        case notACoordinate
        /// It isn't of so many letters, digits, hyphens or underscores.
        case notAKey(lengths: ClosedRange<Int>)
        /// It comes more often than this.
        case tooMany(limit: Int)
        /// There is no parameter of this name.
        case unknown
        /// Its name is not valid UTF-8, or contains a control character.
        case unreadableName
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
        case lengthRequired = "length-required"
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
            case .lengthRequired: 411
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
        case unreadableRequest, arrivedTooLate, lengthRequired, bodyTooLarge(limit: Int), addressTooLong
        case headersTooLarge
        case noSuchPlace(String, isSample: Bool), elsewhere(String, notIn: String)
        case refused(status: Int, reason: String?), limited(reason: String?), unavailable(status: Int)
        case unreadable, tooLarge, forbidden
        case timedOut(Step), failed(Step), outOfTime
        case overLimit, queueFull, overBudget, breakerOpen, cancelled, internalError
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
        /// Others were writing for too long: it may work soon.
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
        title = language.phrases.title(of: kind)
        self.detail = detail
    }

    init(_ kind: Kind, _ cause: Cause, in language: Language, retryAfter: Duration? = nil) {
        let seconds = retryAfter.map(Problem.wholeSeconds)
        self.init(kind, detail: language.phrases.detail(of: cause, retryAfter: seconds), in: language)
        self.retryAfter = retryAfter
    }

    /// Whether a trip isn't there, or isn't any more.
    var isGone: Bool { kind == .gone }

    /// `retryAfter` in whole seconds, rounded up, at least 1: the value of Retry-After (RFC 9110, section 10.2.3).
    package var retryAfterSeconds: Int64? { retryAfter.map(Problem.wholeSeconds) }

    private static func wholeSeconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        guard seconds < .max else { return seconds }
        return max(1, attoseconds > 0 ? seconds + 1 : seconds)
    }
}

// MARK: Problems of a request

extension Problem {
    /// How many faults one answer lists, whatever was sent.
    package static let faultsAtMost = 20

    /// How much of a parameter's name is repeated, in characters.
    private static let longestName = 64

    /// 400: these parameters are wrong, for these reasons. Each is said once.
    package static func badRequest(
        _ faults: [(field: String, fault: Fault)], in language: Language = .english
    ) -> Problem {
        // The number of faults that are worded is bounded too: a request can bring many thousands.
        let fields = faults.prefix(faultsAtMost * 4).map { field, fault in
            let name = field.shortened(to: longestName)
            return Field(name: name, detail: language.phrases.sentence(of: fault, field: name))
        }
        return badRequest(fields: fields, in: language)
    }

    /// 400, with sentences of the caller's own. The detail is all of them.
    package static func badRequest(fields: [Field], in language: Language = .english) -> Problem {
        Problem(.badRequest, fields: fields, in: language)
    }

    /// 400: these fields of a trip are wrong. The detail is all of their sentences.
    package static func tripFaults(_ faults: [TripFault], in language: Language = .english) -> Problem {
        let fields = faults.map { Field(name: $0.field, detail: language.phrases.sentence(of: $0)) }
        return Problem(.tripFaults, fields: fields, in: language)
    }

    private init(_ kind: Kind, fields: [Field], in language: Language) {
        var listed: [Field] = []
        for field in fields where !listed.contains(field) {
            guard listed.count < Problem.faultsAtMost else {
                listed.append(Field(name: "", detail: language.phrases.moreFaults))
                break
            }
            listed.append(field)
        }
        self.init(kind, detail: listed.map(\.detail).joined(separator: " "), in: language)
        self.fields = Array(listed.prefix(Problem.faultsAtMost))
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

    /// 408: the request was not received in time.
    package static func arrivedTooLate(in language: Language = .english) -> Problem {
        Problem(.arrivedTooLate, .arrivedTooLate, in: language)
    }

    /// 400: what arrived of the request isn't what it says of itself.
    package static func unreadableRequest(in language: Language = .english) -> Problem {
        Problem(.badRequest, .unreadableRequest, in: language)
    }

    /// 411: the address needs a body, and none of a known length came.
    package static func lengthRequired(in language: Language = .english) -> Problem {
        Problem(.lengthRequired, .lengthRequired, in: language)
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

// MARK: Problems of trips

extension Problem {
    /// 404: the traveller has no such trip, or the share link leads nowhere.
    package static func gone(in language: Language = .english) -> Problem {
        Problem(.gone, .gone, in: language)
    }

    /// 400: the body is no JSON object.
    package static func unreadableBody(in language: Language = .english) -> Problem {
        Problem(.unreadableBody, .unreadableBody, in: language)
    }

    /// 415: the address reads bodies of these types alone.
    package static func unsupportedMediaType(
        accept: [String], in language: Language = .english
    ) -> Problem {
        var problem = Problem(.unsupportedMediaType, .unsupportedMediaType(accept), in: language)
        problem.accept = accept
        return problem
    }

    /// 403: another site requested the write.
    package static func crossSite(in language: Language = .english) -> Problem {
        Problem(.crossSite, .crossSite, in: language)
    }

    /// 409: a form was sent again, with another trip in it.
    ///
    /// - Parameter city: of the trip that was added the first time.
    package static func alreadyAdded(city: String, in language: Language = .english) -> Problem {
        Problem(.alreadyAdded, .alreadyAdded(city: city.shortened(to: 200)), in: language)
    }

    /// 409: the traveller has as many trips as one may have.
    package static func tooManyTrips(limit: Int, in language: Language = .english) -> Problem {
        Problem(.tooManyTrips, .tooManyTrips(limit: limit), in: language)
    }

    /// 412: the trip is in another state than the one that the traveller saw.
    package static func versionConflict(current: Trip, in language: Language = .english) -> Problem {
        var problem = Problem(.versionConflict, .versionConflict, in: language)
        problem.current = current
        return problem
    }

    /// 428: a write that doesn't say which version its traveller saw.
    package static func versionRequired(in language: Language = .english) -> Problem {
        Problem(.versionRequired, .versionRequired, in: language)
    }

    /// 503: trips can't be read or saved. Nothing was changed.
    ///
    /// - Parameter isWrite: whether something was to be saved.
    package static func storage(
        _ trouble: StorageTrouble, isWrite: Bool = true, in language: Language = .english
    ) -> Problem {
        Problem(
            .storage, .storage(trouble, isWrite: isWrite), in: language,
            retryAfter: trouble == .busy ? .seconds(1) : nil)
    }
}
