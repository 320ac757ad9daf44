internal import Fragments
internal import Gateway

/// What an address asks for. The raw value is the label in logs and metrics.
enum Route: String, Sendable, CaseIterable {
    case weather
    case places
    case livez
    case readyz
    case metrics
    case ideas
    /// The language that the reader gets: for pages, see nginx.conf.
    case language
    /// `/trips`, and what stands beside its trips.
    case trips
    case strip = "trips-weather"
    case planner = "trips-form"
    case forget = "trips-forget"
    /// `/trips/ID`, and what stands below it.
    case trip
    case tripCard = "trip-card"
    case tripForm = "trip-form"
    case tripWeather = "trip-weather"
    case tripDeletion = "trip-delete"
    case tripShare = "trip-share"
    case tripUnshare = "trip-unshare"
    /// `/shared/SHARE`.
    case shared
    case sharedWeather = "shared-weather"

    private static let inOrder = allCases

    /// Its place among all.
    var tag: Int? { Route.inOrder.firstIndex(of: self) }

    init(tag: Int) { self = Route.inOrder[tag] }

    /// What it can answer with, by Accept or by the address's suffix; nothing to choose from for operators.
    var representations: [Representation] {
        switch self {
        case .livez, .readyz, .metrics, .language: []
        default: isWeather ? Representation.drawn : Representation.written
        }
    }

    /// The methods that it answers, for Allow.
    var methods: [String] {
        switch self {
        case .trips, .tripDeletion, .forget: Route.readAndPost
        case .trip: Route.all
        case .tripShare, .tripUnshare: Route.post
        default: Route.read
        }
    }

    // Kept, since each request looks at one of them.
    private static let read = ["GET", "HEAD"]
    private static let post = ["POST"]
    private static let readAndPost = ["GET", "HEAD", "POST"]
    private static let all = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    /// Whether it is there only where trips are kept.
    var needsTrips: Bool {
        switch self {
        case .weather, .places, .livez, .readyz, .metrics, .ideas, .language: false
        default: true
        }
    }

    /// Whether it is about somebody's own trips, so that it matters who asks.
    var isTravellers: Bool {
        switch self {
        case .planner, .shared, .sharedWeather: false
        default: needsTrips
        }
    }

    /// Whether there is nothing but HTML of it: pieces of pages.
    var isPageOnly: Bool {
        switch self {
        case .planner, .tripCard, .tripForm: true
        default: false
        }
    }

    /// Whether it answers with the weather of one place, and takes `form`.
    var isWeather: Bool {
        switch self {
        case .weather, .tripWeather, .sharedWeather: true
        default: false
        }
    }

    /// Whether it shows weather that can be asked for past what is fresh: it takes `refresh`.
    var isRefreshable: Bool { isWeather || self == .strip }

    /// What a failure stands for in a page.
    var failureForm: ProblemForm {
        switch self {
        case .weather, .places, .livez, .readyz, .metrics, .tripWeather, .sharedWeather: .weather(.card)
        default: .section
        }
    }

    /// The routes of one name.
    fileprivate static let simple: [Route] = [
        .weather, .places, .livez, .readyz, .metrics, .ideas, .language, .trips,
    ]

    typealias Names = [(name: StaticString, route: Route)]

    /// `/trips/NAME`; any other name is a trip's id.
    private static let besideTrips: Names = [("weather", .strip), ("form", .planner), ("forget", .forget)]

    /// `/trips/ID/NAME`.
    private static let belowTrip: Names = [
        ("weather", .tripWeather), ("card", .tripCard), ("form", .tripForm), ("delete", .tripDeletion),
        ("share", .tripShare), ("unshare", .tripUnshare),
    ]

    /// `/shared/SHARE/NAME`.
    private static let belowShared: Names = [("weather", .sharedWeather)]

    /// What stands below `/trips` or `/shared`.
    fileprivate static func collection(
        _ name: some Sequence<UInt8>
    ) -> (beside: Names, named: Route, below: Names)? {
        if name.elementsEqual("trips".utf8) { return (besideTrips, .trip, belowTrip) }
        if name.elementsEqual("shared".utf8) { return ([], .shared, belowShared) }
        return nil
    }

    fileprivate static func named(_ name: some Sequence<UInt8>, in names: Names) -> Route? {
        names.first { name.elementsEqual($0.name.bytes) }?.route
    }
}

/// A request's address, as far as the program's routes go.
///
/// The path is SCRIPT_NAME and PATH_INFO together (RFC 3875, section 3.3), since servers split it in different places.
/// If the site mounts the program under a prefix, SITE_PREFIX names it. The program's own `/api` and `/fragments`
/// come after that. REQUEST_URI is never looked at: of a fragment within a page it is the page's.
struct Address: Sendable, Hashable {
    var route: Route
    /// "json", "html", "txt" or "svg" where the address ends in one.
    var suffix: String?
    /// Which trip, or which share link, as the address has it; whether there can be such a one is not looked at.
    var name: String?

    init(route: Route, suffix: String? = nil, name: String? = nil) {
        (self.route, self.suffix, self.name) = (route, suffix, name)
    }

    /// Nil if no route is named.
    init?(_ parameters: Parameters) {
        guard let path = Address.path(of: parameters) else { return nil }
        self.init(path: path)
    }

    init?(path: some BidirectionalCollection<UInt8>) {
        var rest = path[...]
        let last = Address.takeLast(&rest)
        let dot = last.firstIndex(of: UInt8(ascii: "."))
        let name = last[..<(dot ?? last.endIndex)]
        guard let (route, identifier) = Address.route(name, below: rest) else { return nil }
        self.route = route
        self.name = identifier
        if let dot {
            let ending = last[last.index(after: dot)...]
            guard
                let suffix = route.representations.first(where: { $0.rawValue.utf8.elementsEqual(ending) })
            else { return nil }
            self.suffix = suffix.rawValue
        }
    }

    private static func route<Path: BidirectionalCollection<UInt8>>(
        _ last: Path, below path: Path
    ) -> (Route, name: String?)? where Path.SubSequence == Path {
        var rest = path
        let parent = takeLast(&rest)
        if isRoot(rest), let (beside, named, _) = Route.collection(parent) {
            if let route = Route.named(last, in: beside) { return (route, nil) }
            return last.isEmpty ? nil : (named, String(decoding: last, as: UTF8.self))
        }
        let grandparent = takeLast(&rest)
        if isRoot(rest), let (_, _, below) = Route.collection(grandparent) {
            return Route.named(last, in: below).map { ($0, String(decoding: parent, as: UTF8.self)) }
        }
        guard isRoot(path) else { return nil }
        return Route.simple.first { last.elementsEqual($0.rawValue.utf8) }.map { ($0, nil) }
    }

    /// Whether routes stand right below `path`.
    private static func isRoot(_ path: some Collection<UInt8>) -> Bool {
        path.isEmpty || path.elementsEqual("/api".utf8) || path.elementsEqual("/fragments".utf8)
    }

    /// What stands behind the last "/"; `path` keeps what stands before it.
    private static func takeLast<Path: BidirectionalCollection<UInt8>>(_ path: inout Path) -> Path
    where Path.SubSequence == Path {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else {
            defer { path = path[path.startIndex..<path.startIndex] }
            return path
        }
        let last = path[path.index(after: slash)...]
        path = path[..<slash]
        return last
    }

    /// The request's path below SITE_PREFIX; nil if it isn't there.
    private static func path(of parameters: Parameters) -> ArraySlice<UInt8>? {
        let script = parameters.bytes("SCRIPT_NAME") ?? []
        let info = parameters.bytes("PATH_INFO") ?? []
        var path = script
        if script.isEmpty {
            path = info.isEmpty ? parameters.bytes("DOCUMENT_URI") ?? [] : info
        } else if !info.isEmpty, script != info {
            // Some servers give the whole path in both.
            path = (script.last == UInt8(ascii: "/") ? script.dropLast() : script) + info
        }
        guard var prefix = parameters.bytes("SITE_PREFIX") else { return path }
        if prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
        guard path.starts(with: prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        return rest.first == UInt8(ascii: "/") ? rest : nil
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
