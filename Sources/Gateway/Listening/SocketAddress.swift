internal import Glibc

/// A sockaddr of any family, for the calls that take one.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length: socklen_t

    /// - Throws: `.pathTooLong`, or `.unreadableAddress` if the host is no numeric address.
    init(_ address: ListenAddress) throws(ListenError) {
        length = 0
        switch address {
        case .unix(let path):
            var unix = sockaddr_un()
            unix.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            guard bytes.count < MemoryLayout.size(ofValue: unix.sun_path) else {
                throw .pathTooLong(address.description)
            }
            withUnsafeMutableBytes(of: &unix.sun_path) { $0.copyBytes(from: bytes) }
            store(unix)
        case .tcp(let host, let port):
            var ipv4 = sockaddr_in()
            var ipv6 = sockaddr_in6()
            if inet_pton(AF_INET, host, &ipv4.sin_addr) == 1 {
                ipv4.sin_family = sa_family_t(AF_INET)
                ipv4.sin_port = port.bigEndian
                store(ipv4)
            } else if inet_pton(AF_INET6, host, &ipv6.sin6_addr) == 1 {
                ipv6.sin6_family = sa_family_t(AF_INET6)
                ipv6.sin6_port = port.bigEndian
                store(ipv6)
            } else {
                throw .unreadableAddress(address.description)
            }
        }
    }

    /// The address that getsockname(2) or getpeername(2) tells; nil if it fails.
    init?(
        of descriptor: Int32,
        _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var length = length
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        self.length = length
    }

    private mutating func store<Address>(_ address: Address) {
        length = socklen_t(MemoryLayout<Address>.size)
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
        }
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// Hands the address to bind(2) or connect(2).
    func with(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, length) }
        }
    }

    /// The numeric IP address, with an IPv4 address mapped to IPv6 as IPv4; nil for other families.
    var host: String? {
        guard case .tcp(let host, _) = listenAddress else { return nil }
        return host.hasPrefix("::ffff:") && host.contains(".") ? String(host.dropFirst(7)) : host
    }

    /// What was bound; nil for other families and for a unix socket without a path.
    var listenAddress: ListenAddress? {
        withUnsafeBytes(of: storage) { bytes in
            switch family {
            case AF_UNIX:
                let path = bytes.loadUnaligned(as: sockaddr_un.self).sun_path
                let text = withUnsafeBytes(of: path) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                return text.isEmpty ? nil : .unix(path: text)
            case AF_INET:
                let ipv4 = bytes.loadUnaligned(as: sockaddr_in.self)
                return .tcp(text(AF_INET, ipv4.sin_addr), port: UInt16(bigEndian: ipv4.sin_port))
            case AF_INET6:
                let ipv6 = bytes.loadUnaligned(as: sockaddr_in6.self)
                return .tcp(text(AF_INET6, ipv6.sin6_addr), port: UInt16(bigEndian: ipv6.sin6_port))
            default:
                return nil
            }
        }
    }

    private func text<Address>(_ family: Int32, _ address: Address) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            withUnsafePointer(to: address) { inet_ntop(family, $0, buffer.baseAddress, 64) }
                .map { String(cString: $0) } ?? ""
        }
    }
}

/// The addresses of web servers that may connect over TCP: FCGI_WEB_SERVER_ADDRS (FastCGI 1.0, section 3.2).
///
/// The specification lets no other peer in, not even one of a unix socket; those pass here, as they do with every
/// known responder, since the file's mode guards them.
public struct PeerAddresses: Sendable {
    private let allowed: Set<String>

    /// - Parameter list: IP addresses with commas between them; nil or an empty one lets every peer in, as in libfcgi.
    public init?(_ list: String?) {
        guard let list, list.contains(where: { $0 != " " }) else { return nil }
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
        let text = host.contains(":") ? "[\(host)]:0" : "\(host):0"
        return (try? SocketAddress(ListenAddress(text)))?.host
    }
}
