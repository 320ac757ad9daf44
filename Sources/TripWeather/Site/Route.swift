package import Gateway

/// What an address asks for.
package enum Route: String, Sendable, CaseIterable {
    case weather
    case places
    case livez
    case readyz
    case metrics

    /// Whether the address may end in ".json", ".html" or ".txt".
    var hasRepresentations: Bool {
        switch self {
        case .weather, .places: true
        case .livez, .readyz, .metrics: false
        }
    }

    /// The methods that it answers, for Allow.
    package var methods: [String] { ["GET", "HEAD"] }
}

/// A request's address, as far as the program's routes go.
///
/// The web server may mount the program anywhere, and what it calls the mount differs: with PATH_INFO the rest
/// is there by itself, and without it SCRIPT_NAME (nginx) or DOCUMENT_URI (SSI) is the whole path. So an address
/// is known by how it ends. REQUEST_URI is never looked at: of a fragment within a page it is the page's.
package struct Address: Sendable, Hashable {
    package var route: Route
    /// "json", "html" or "txt" where the address ends in one.
    package var suffix: String?

    package init(route: Route, suffix: String? = nil) {
        self.route = route
        self.suffix = suffix
    }

    /// Nil where no route is named.
    package init?(_ parameters: Parameters) {
        guard let path = Address.path(of: parameters) else { return nil }
        self.init(path: path)
    }

    package init?(path: some BidirectionalCollection<UInt8>) {
        let last = path.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] } ?? path[...]
        let dot = last.firstIndex(of: UInt8(ascii: "."))
        let name = last[..<(dot ?? last.endIndex)]
        guard let route = Route.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name) }) else {
            return nil
        }
        self.route = route
        if let dot {
            let ending = last[last.index(after: dot)...]
            guard route.hasRepresentations,
                let suffix = ["json", "html", "txt"].first(where: { $0.utf8.elementsEqual(ending) })
            else {
                return nil
            }
            self.suffix = suffix
        }
    }

    private static func path(of parameters: Parameters) -> ArraySlice<UInt8>? {
        for bytes in [
            parameters.bytes("PATH_INFO"), parameters.bytes("SCRIPT_NAME"), parameters.bytes("DOCUMENT_URI"),
        ] {
            if let bytes, !bytes.isEmpty, !bytes.elementsEqual("/".utf8) { return bytes }
        }
        return nil
    }
}
