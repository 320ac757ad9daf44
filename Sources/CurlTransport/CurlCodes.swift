internal import CCurl
internal import Transport

extension CURLcode {
    /// Whether libcurl says by it that the two sides didn't agree on TLS, or on trust.
    var isTLS: Bool {
        [
            CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE,
            CURLE_SSL_CLIENTCERT,
        ].contains(self)
    }

    /// Whether it says that the connection could not be made, or broke.
    var isOfConnection: Bool {
        [
            CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR, CURLE_GOT_NOTHING,
            CURLE_SEND_ERROR, CURLE_RECV_ERROR,
        ].contains(self)
    }
}

/// Keeps what must not be logged out of libcurl's messages, some of which hold the address.
enum Secret {
    /// Replaces the secret part of a query, and each value in it, by an ellipsis.
    static func redact(_ secretQuery: String?, from message: String) -> String {
        guard let secretQuery, !secretQuery.isEmpty else { return message }
        var values = [secretQuery]
        for pair in secretQuery.split(separator: "&") {
            if let equals = pair.firstIndex(of: "=") {
                values.append(String(pair[pair.index(after: equals)...]))
            }
        }
        return values.filter { !$0.isEmpty }.reduce(message) { $0.replacing($1, with: "…") }
    }
}

/// The Retry-After field (RFC 9110, section 10.2.3): a number of seconds, or a date.
enum RetryAfter {
    /// How long to wait, from 0 to `HTTPRefusal.longestRetryAfter`; nil for what can't be read.
    ///
    /// - Parameter now: Seconds since 1970.
    static func delay(_ field: String, now: Int) -> Duration? {
        let limit = HTTPRefusal.longestRetryAfter
        if !field.isEmpty, field.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return Int32(field).map { min(.seconds($0), limit) } ?? limit
        }
        // libcurl reads all three forms of an HTTP date.
        let date = curl_getdate(field, nil)
        return date < 0 ? nil : min(max(.seconds(date - now), .zero), limit)
    }
}
