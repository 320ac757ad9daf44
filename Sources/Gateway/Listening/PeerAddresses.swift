internal import Glibc

/// The addresses of web servers that may connect over TCP: FCGI_WEB_SERVER_ADDRS (FastCGI 1.0, section 3.2).
///
/// The specification lets no other peer in, not even one of a unix socket; those pass here, as they do with every
/// known responder, since the file's mode guards them.
public struct PeerAddresses: Sendable {
    private let allowed: Set<String>

    /// - Parameter list: IP addresses with commas between them; nil lets every peer in.
    public init?(_ list: String?) {
        guard let list else { return nil }
        let parts = list.split(separator: ",").map { part in
            String(part.drop { $0 == " " }.prefix { $0 != " " })
        }
        allowed = Set(parts.compactMap(PeerAddresses.canonical))
    }

    func contains(_ host: String) -> Bool {
        PeerAddresses.canonical(host).map(allowed.contains) ?? false
    }

    /// One spelling for each address; nil for what isn't one.
    private static func canonical(_ host: String) -> String? {
        if let address = try? ListenAddress("\(host):0") { return SocketAddress(address)?.host }
        if let address = try? ListenAddress("[\(host)]:0") { return SocketAddress(address)?.host }
        return nil
    }
}
