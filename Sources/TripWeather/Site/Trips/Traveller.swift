internal import Gateway
internal import Trips

/// Whose trips a request is about.
struct Traveller: Sendable {
    /// Nil for somebody of whom nothing is known yet: they are shown the examples.
    let id: TravellerID?

    /// The cookie's name, and that of nginx's variable `$cookie_traveller`.
    static let cookie = "traveller"
    /// How long a browser keeps the cookie after the last write, in seconds: a year.
    private static let cookieLife = 31_536_000

    /// - Parameter trustsRemoteUser: whether the web server has checked who REMOTE_USER is.
    init(_ parameters: Parameters, trustsRemoteUser: Bool) {
        if trustsRemoteUser, let name = parameters["REMOTE_USER"], let user = TravellerID(remoteUser: name) {
            id = user
            return
        }
        let keys = Traveller.values(of: Traveller.cookie, in: parameters["HTTP_COOKIE"] ?? "")
        id = keys.lazy.compactMap { TravellerID(visitor: $0) }.first
    }

    /// The values of a cookie (RFC 6265, section 4.2.1). Several paths may each have set one.
    private static func values(of name: String, in header: String) -> [Substring] {
        header.split(separator: ";").compactMap { pair in
            let pair = pair.drop { $0 == " " || $0 == "\t" }
            guard let equals = pair.firstIndex(of: "="), pair[..<equals] == name else { return nil }
            return pair[pair.index(after: equals)...]
        }
    }

    /// The value of Set-Cookie that keeps a visitor's key in their browser; nil for a user whom the web server knows.
    static func setCookie(_ id: TravellerID, isSecure: Bool) -> String? {
        guard case .visitor(let key) = id else { return nil }
        return cookie(key.text, life: cookieLife, isSecure: isSecure)
    }

    /// The value of Set-Cookie that removes it.
    static func removeCookie(isSecure: Bool) -> String {
        cookie("", life: 0, isSecure: isSecure)
    }

    private static func cookie(_ value: String, life: Int, isSecure: Bool) -> String {
        "\(cookie)=\(value); Path=/; Max-Age=\(life); HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
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
        guard let host = parameters["HTTP_HOST"], let slashes = origin.firstRange(of: "://") else {
            return true
        }
        // The scheme isn't compared: a proxy before the web server may have ended https.
        return origin[slashes.upperBound...].lowercased() != host.lowercased()
    }
}
