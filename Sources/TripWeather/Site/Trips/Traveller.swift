internal import Gateway
internal import Trips
internal import Weather

/// Whose trips a request is about.
struct Traveller: Sendable {
    /// Nil for somebody of whom nothing is kept: they are shown the examples.
    var id: TravellerID?
    /// As the browser is to know them from now on, if its cookie is to be set.
    var renewed: TravellerID?

    static let nobody = Traveller()
}

/// The cookie that holds a visitor's key. Under https its name keeps other hosts of the domain from setting it (RFC
/// 6265bis, section 4.1.3.2).
enum TravellerCookie {
    static let name = "traveller"
    static let secureName = "__Host-traveller"
    /// How long a browser keeps it after it was last set, in days: browsers keep none longer.
    static let daysKept = 400
    /// How many keys of one request are looked up.
    private static let keysAtMost = 8

    /// What a request's cookies say, in the order in which it is believed.
    static func keys(in request: GatewayRequest) -> (secure: [TravellerID], plain: [TravellerID]) {
        let header = request.parameters["HTTP_COOKIE"] ?? ""
        return (request.isSecure ? keys(of: secureName, in: header) : [], keys(of: name, in: header))
    }

    /// The values of a cookie (RFC 6265, section 4.2.1) that can be keys. Several paths may each have set one.
    private static func keys(of name: String, in header: String) -> [TravellerID] {
        let values = header.split(separator: ";").lazy.compactMap { pair -> TravellerID? in
            let pair = pair.drop { $0 == " " || $0 == "\t" }
            guard let equals = pair.firstIndex(of: "="), pair[..<equals] == name else { return nil }
            return TravellerID(visitor: pair[pair.index(after: equals)...])
        }
        return Array(values.prefix(keysAtMost))
    }

    /// The values of Set-Cookie that keep a visitor's key in their browser; none for a user whom the web server knows.
    static func set(_ id: TravellerID, for request: GatewayRequest) -> [String] {
        guard case .visitor(let key) = id else { return [] }
        return values(key.text, days: daysKept, for: request)
    }

    /// The values of Set-Cookie that remove it.
    static func remove(for request: GatewayRequest) -> [String] { values("", days: 0, for: request) }

    /// Under https, the cookie that 0.2.0 set goes.
    private static func values(_ value: String, days: Int, for request: GatewayRequest) -> [String] {
        guard request.isSecure else { return [cookie(name, value, days: days)] }
        let current = cookie(secureName, value, days: days) + "; Secure"
        guard !keys(in: request).plain.isEmpty else { return [current] }
        return [current, cookie(name, "", days: 0) + "; Secure"]
    }

    private static func cookie(_ name: String, _ value: String, days: Int) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(days * 86_400); HttpOnly; SameSite=Lax"
    }
}

extension GatewayRequest {
    /// Whether the browser came by https, as the web server tells.
    var isSecure: Bool {
        if parameters.holds("https", for: "REQUEST_SCHEME") { return true }
        guard let https = parameters["HTTPS"] else { return false }
        return !https.isEmpty && https != "off"
    }

    /// Whether another site's page made the browser send this (Fetch Metadata, section 2.1, or else Origin of RFC 6454):
    /// the browser sends the traveller's cookie along, whoever asked for the request.
    ///
    /// What isn't a browser sends neither, and has no cookie to abuse.
    var isCrossSite: Bool {
        if let site = parameters["HTTP_SEC_FETCH_SITE"], !site.isEmpty {
            return site != "same-origin" && site != "none"
        }
        guard let origin = parameters["HTTP_ORIGIN"], !origin.isEmpty else { return false }
        guard let host = parameters["HTTP_HOST"], !host.isEmpty,
            let slashes = origin.firstRange(of: "://")
        else { return true }
        let scheme = origin[..<slashes.lowerBound]
        let usualPort: Substring
        switch scheme {
        // A proxy before the web server may have ended https, but none turns http into it.
        case "https": usualPort = "443"
        case "http" where !isSecure: usualPort = "80"
        default: return true
        }
        let (theirs, ours) = (
            GatewayRequest.split(origin[slashes.upperBound...]), GatewayRequest.split(host[...])
        )
        guard theirs.name.lowercased() == ours.name.lowercased() else { return true }
        let port = theirs.port ?? usualPort
        if let own = ours.port { return port != own }
        // Debian's fastcgi_params passes the host without its port.
        return port != usualPort && String(port) != parameters["SERVER_PORT"]
    }

    /// "[::1]:8080" is the name "[::1]" and the port "8080".
    private static func split(_ authority: Substring) -> (name: Substring, port: Substring?) {
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
            return (authority, nil)
        }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }
}
