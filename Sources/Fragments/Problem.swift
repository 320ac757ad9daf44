package import Storage
package import Transport
package import Trips

/// Why a request is not answered as it was meant (RFC 9457): what the status line, the headers and the body say.
package struct Problem: Error, Sendable, Hashable {
    /// A part of the request that is wrong.
    package struct Field: Sendable, Hashable {
        /// The parameter's name, as it came.
        package var name: String
        /// What is wrong with it, as a sentence.
        package var detail: String
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

    /// What kind of problem it is.
    struct Kind: Sendable, Hashable {
        /// The last part of its type's address.
        let name: String
        /// The HTTP status.
        let status: Int
        /// In a few words.
        let english, german: String

        static let badRequest = Kind("bad-request", 400, "Invalid request", "Ungültige Anfrage")
        static let noSuchAddress = Kind("no-such-address", 404, "Page not found", "Seite nicht gefunden")
        static let methodNotAllowed = Kind(
            "method-not-allowed", 405, "Method not allowed", "Methode nicht erlaubt")
        static let notAcceptable = Kind("not-acceptable", 406, "Not acceptable", "Format nicht verfügbar")
        static let arrivedTooLate = Kind(
            "arrived-too-late", 408, "Request timed out", "Zeitüberschreitung der Anfrage")
        static let lengthRequired = Kind("length-required", 411, "Length required", "Länge fehlt")
        static let bodyTooLarge = Kind("body-too-large", 413, "Request too large", "Anfrage zu groß")
        static let addressTooLong = Kind("address-too-long", 414, "Address too long", "Adresse zu lang")
        static let headersTooLarge = Kind(
            "headers-too-large", 431, "Header fields too large", "Kopfzeilen zu groß")
        static let noSuchPlace = Kind("no-such-place", 404, "Place not found", "Ort nicht gefunden")
        static let upstreamRefused = Kind(
            "upstream-refused", 502, "Open-Meteo refused the request", "Open-Meteo hat die Anfrage abgelehnt")
        static let upstreamUnreadable = Kind(
            "upstream-unreadable", 502, "Unreadable answer from Open-Meteo",
            "Unlesbare Antwort von Open-Meteo")
        static let upstreamUnavailable = Kind(
            "upstream-unavailable", 502, "Open-Meteo is not available", "Open-Meteo ist nicht verfügbar")
        static let upstreamLimited = Kind(
            "upstream-limited", 503, "Too many requests to Open-Meteo", "Zu viele Anfragen an Open-Meteo")
        static let outOfTime = Kind("out-of-time", 504, "Timed out", "Zeit abgelaufen")
        static let overLimit = Kind(
            "over-limit", 503, "Too many requests at once", "Zu viele Anfragen auf einmal")
        static let cancelled = Kind("cancelled", 503, "Cancelled", "Abgebrochen")
        static let internalError = Kind("internal-error", 500, "Internal error", "Interner Fehler")

        // Of trips.
        static let gone = Kind("gone", 404, "This trip is gone", "Diese Reise gibt es nicht mehr")
        static let tripFaults = Kind(
            "trip-faults", 400, "Please check the trip", "Bitte prüfen Sie die Reise")
        static let unreadableBody = Kind("unreadable-body", 400, "Unreadable body", "Inhalt nicht lesbar")
        static let unsupportedMediaType = Kind(
            "unsupported-media-type", 415, "Unsupported media type", "Medientyp nicht unterstützt")
        static let crossSite = Kind(
            "cross-site", 403, "Requested by another site", "Von einer anderen Website verlangt")
        static let alreadyAdded = Kind("already-added", 409, "Already added", "Schon hinzugefügt")
        static let tooManyTrips = Kind("too-many-trips", 409, "Too many trips", "Zu viele Reisen")
        static let versionConflict = Kind(
            "version-conflict", 412, "The trip was changed meanwhile", "Die Reise wurde inzwischen geändert")
        static let versionRequired = Kind(
            "version-required", 428, "The version is missing", "Die Version fehlt")
        static let storage = Kind("storage", 503, "Trips are not available", "Reisen sind nicht verfügbar")

        // A further language is one more parameter.
        private init(_ name: String, _ status: Int, _ english: String, _ german: String) {
            self.name = name
            self.status = status
            self.english = english
            self.german = german
        }
    }

    /// What happened in particular: each has its sentence in every language.
    package enum Cause: Sendable {
        case noSuchAddress, methodNotAllowed([String]), notAcceptable
        case unreadableRequest, arrivedTooLate, lengthRequired, bodyTooLarge(limit: Int), addressTooLong
        case headersTooLarge
        case noSuchPlace(String, isSample: Bool), elsewhere(String, notIn: String, isSample: Bool)
        case notSubscribed
        case refused(status: Int, reason: String?), limited(reason: String?), unavailable(status: Int)
        case unreadable, tooLarge, forbidden
        case timedOut(TransferFault.Phase), failed(TransferFault.Phase), outOfTime
        case overLimit, queueFull, overBudget, breakerOpen, cancelled, internalError
        case gone, unreadableBody, unsupportedMediaType([String]), crossSite
        case alreadyAdded(city: String), tooManyTrips(limit: Int)
        case versionConflict(current: Trip), versionRequired
        case storage(StorageError.Kind, isWrite: Bool)

        var kind: Kind {
            switch self {
            case .noSuchAddress: .noSuchAddress
            case .methodNotAllowed: .methodNotAllowed
            case .notAcceptable: .notAcceptable
            case .unreadableRequest: .badRequest
            case .arrivedTooLate: .arrivedTooLate
            case .lengthRequired: .lengthRequired
            case .bodyTooLarge: .bodyTooLarge
            case .addressTooLong: .addressTooLong
            case .headersTooLarge: .headersTooLarge
            case .noSuchPlace, .elsewhere: .noSuchPlace
            case .refused, .notSubscribed: .upstreamRefused
            case .limited, .overBudget, .breakerOpen: .upstreamLimited
            case .unavailable, .forbidden, .failed: .upstreamUnavailable
            case .unreadable, .tooLarge: .upstreamUnreadable
            case .timedOut, .outOfTime: .outOfTime
            case .overLimit, .queueFull: .overLimit
            case .cancelled: .cancelled
            case .internalError: .internalError
            case .gone: .gone
            case .unreadableBody: .unreadableBody
            case .unsupportedMediaType: .unsupportedMediaType
            case .crossSite: .crossSite
            case .alreadyAdded: .alreadyAdded
            case .tooManyTrips: .tooManyTrips
            case .versionConflict: .versionConflict
            case .versionRequired: .versionRequired
            case .storage: .storage
            }
        }

        /// How long to wait before asking again, if nothing else says it.
        var usualWait: Duration? {
            switch self {
            case .overLimit, .queueFull, .storage(.busy, _): .seconds(1)
            // The service doesn't say when its limit ends: its shortest window is a minute.
            case .limited: .seconds(60)
            default: nil
            }
        }
    }

    let kind: Kind
    /// The HTTP status.
    package var status: Int { kind.status }
    /// The problem's kind as a URI reference that stays the same: "/problems/no-such-place".
    package var type: String { "/problems/\(kind.name)" }
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
        title = language.phrases.pick(kind.english, kind.german)
        self.detail = detail
    }

    package init(
        because cause: Cause, in language: Language = .english, retryAfter wait: Duration? = nil
    ) {
        let wait = wait ?? cause.usualWait
        let detail = language.phrases.detail(of: cause, retryAfter: wait.map(Problem.wholeSeconds))
        self.init(cause.kind, detail: detail, in: language)
        retryAfter = wait
        switch cause {
        case .methodNotAllowed(let methods): allow = methods
        case .unsupportedMediaType(let types): accept = types
        case .versionConflict(let trip): current = trip
        default: break
        }
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
        return Problem(.badRequest, fields: fields, in: language)
    }

    /// 400: these fields of a trip are wrong. The detail is all of their sentences.
    package static func tripFaults(_ faults: [TripFault], in language: Language = .english) -> Problem {
        let fields = faults.map { Field(name: $0.field, detail: language.phrases.sentence(of: $0)) }
        return Problem(.tripFaults, fields: fields, in: language)
    }

    /// The detail is all of the fields' sentences, each said once.
    init(_ kind: Kind, fields: [Field], in language: Language) {
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
}
