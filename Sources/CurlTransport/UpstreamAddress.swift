internal import CCurl
internal import Synchronization
internal import Transport

/// A server that transfers go to: what a gate stands in front of.
struct UpstreamHost: Sendable, Hashable {
    /// "https" or "http".
    let scheme: String
    /// A name in lower case or an address; IPv6 in brackets.
    let name: String
    let port: Int

    /// Whether libcurl knows the address without a lookup: an address, or the local host's name.
    let needsNoLookup: Bool

    /// "https://api.example:443", for counters and messages.
    var description: String { "\(scheme)://\(name):\(port)" }
}

/// An address that may be asked, read by libcurl's own reader so that no two readings of it can differ.
struct UpstreamAddress: Sendable {
    /// The whole address, its secret part included: for libcurl only, never for a log.
    let url: String
    let host: UpstreamHost

    /// The hosts that were read before, by the part of an address that names them and whether plain http was allowed:
    /// there are two, as a rule, and reading an address costs as much as all else that is done before libcurl gets it.
    private static let known = Mutex<[Bool: [String: UpstreamHost]]>([:])
    private static let mostKnown = 64

    /// - Throws: `.forbidden`, with a reason that doesn't hold the address.
    init(_ request: HTTPRequest, allowPlainHTTP: Bool) throws(TransportError) {
        url = UpstreamAddress.whole(request)
        guard !url.utf8.contains(0) else { throw .forbidden(reason: "the address holds a NUL byte") }
        // libcurl looks for a host behind more slashes too: that isn't in such an origin.
        let namesHost = request.origin.utf8.last != UInt8(ascii: "/")
        if namesHost, let known = UpstreamAddress.known.withLock({ $0[allowPlainHTTP]?[request.origin] }) {
            host = known
            return
        }
        let read = try UpstreamAddress.host(of: url, allowPlainHTTP: allowPlainHTTP)
        host = read
        guard namesHost else { return }
        UpstreamAddress.known.withLock { known in
            if known[allowPlainHTTP, default: [:]].count >= UpstreamAddress.mostKnown { known = [:] }
            known[allowPlainHTTP, default: [:]][request.origin] = read
        }
    }

    private static func host(of url: String, allowPlainHTTP: Bool) throws(TransportError) -> UpstreamHost {
        guard let reader = curl_url() else { throw .forbidden(reason: "no memory to read the address") }
        defer { curl_url_cleanup(reader) }
        let result = curl_url_set(reader, CURLUPART_URL, url, 0)
        guard result == CURLUE_OK else {
            throw .forbidden(reason: "not an address: \(String(cString: curl_url_strerror(result)))")
        }
        guard let scheme = UpstreamAddress.part(CURLUPART_SCHEME, of: reader)?.lowercased(),
            let name = UpstreamAddress.part(CURLUPART_HOST, of: reader)?.lowercased(),
            let text = UpstreamAddress.part(CURLUPART_PORT, of: reader, UInt32(CURLU_DEFAULT_PORT)),
            let port = Int(text)
        else { throw .forbidden(reason: "the address names no host") }
        guard UpstreamAddress.part(CURLUPART_USER, of: reader) == nil,
            UpstreamAddress.part(CURLUPART_PASSWORD, of: reader) == nil
        else { throw .forbidden(reason: "the address holds a user name or password") }
        let isLoopback = UpstreamAddress.isLoopback(name)
        switch scheme {
        case "https": break
        case "http":
            guard isLoopback || allowPlainHTTP else {
                throw .forbidden(reason: "plain http to \(name), which is not this machine: use https")
            }
        default: throw .forbidden(reason: "the scheme \(scheme) is not https")
        }
        return UpstreamHost(
            scheme: scheme, name: name, port: port,
            needsNoLookup: name == "localhost" || UpstreamAddress.isNumeric(name))
    }

    /// Appends the secret part of the query. What follows a "#" is not sent, and is left out.
    private static func whole(_ request: HTTPRequest) -> String {
        var url = request.url
        if let fragment = url.utf8.firstIndex(of: UInt8(ascii: "#")) { url = String(url[..<fragment]) }
        guard let secret = request.secretQuery, !secret.isEmpty else { return url }
        return url + (url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + secret
    }

    fileprivate static func part(_ part: CURLUPart, of reader: OpaquePointer, _ flags: UInt32 = 0) -> String?
    {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(reader, part, &text, flags) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    /// libcurl has brought numeric IPv4 addresses to four decimal parts already.
    private static func isNumeric(_ name: String) -> Bool {
        if name.hasPrefix("[") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isLoopback(_ name: String) -> Bool {
        name == "localhost" || name == "[::1]" || (isNumeric(name) && name.hasPrefix("127."))
    }
}

extension CurlTransport {
    /// Why questions to this address would be refused; nil if they wouldn't be.
    package static func fault(ofAddress url: String, allowPlainHTTP: Bool) -> String? {
        do throws(TransportError) {
            _ = try UpstreamAddress(HTTPRequest(url: url), allowPlainHTTP: allowPlainHTTP)
            return nil
        } catch {
            if case .forbidden(let reason) = error { return reason }
            return error.label
        }
    }

    /// Why libcurl would refuse this proxy; nil if it wouldn't, or if there is none.
    package static func fault(ofProxy proxy: String) -> String? {
        guard !proxy.isEmpty else { return nil }
        guard let reader = curl_url() else { return "no memory to read the address" }
        defer { curl_url_cleanup(reader) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME)
        let result = curl_url_set(reader, CURLUPART_URL, proxy, flags)
        guard result == CURLUE_OK else {
            return "not an address: \(String(cString: curl_url_strerror(result)))"
        }
        let scheme = UpstreamAddress.part(CURLUPART_SCHEME, of: reader)?.lowercased() ?? "http"
        let known = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        // A scheme that was guessed says nothing: without one it is a proxy of HTTP.
        return !proxy.contains("://") || known.contains(scheme) ? nil : "there are no proxies of \(scheme)"
    }
}
