internal import CCurl

/// Why libcurl can't be used here.
package struct CurlStartError: Error, Sendable, CustomStringConvertible {
    /// What is wrong and what to do.
    package let description: String
}

/// The libcurl that the program is linked with at run time.
enum CurlLibrary {
    /// 7.87.0, the first with CURLOPT_QUICK_EXIT.
    private static let oldest: UInt32 = 0x07_57_00

    /// libcurl's one start for the process (curl_global_init): the first use of it runs it, the others wait.
    private static let initialised = curl_global_init(ccurl_global_default)

    /// Starts libcurl, once for the process, and checks that it can do what is needed.
    static func start() throws(CurlStartError) {
        let result = initialised
        guard result == CURLE_OK else {
            throw CurlStartError(
                description: "libcurl doesn't start: \(String(cString: curl_easy_strerror(result)))")
        }
        let information = curl_version_info(CURLVERSION_FIRST)?.pointee
        try check(
            version: information?.version_num ?? 0, name: CurlTransport.libraryVersion,
            features: information?.features ?? 0)
    }

    static func check(version: UInt32, name: String, features: Int32) throws(CurlStartError) {
        guard version >= oldest else {
            throw CurlStartError(description: "libcurl \(name) is too old: install 7.87.0 or newer")
        }
        let needed = [
            (CURL_VERSION_SSL, "was built without TLS: install one that has it"),
            (
                CURL_VERSION_ASYNCHDNS,
                "looks names up in the calling thread: install one with asynchronous lookup"
            ),
        ]
        for (feature, fault) in needed where features & feature == 0 {
            throw CurlStartError(description: "libcurl \(name) \(fault)")
        }
    }
}

extension CurlTransport {
    /// Whether the libcurl in use was built with HTTP/2.
    package static var knowsHTTP2: Bool {
        (curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0) & CURL_VERSION_HTTP2 != 0
    }

    /// The version of the libcurl in use, such as "7.88.1".
    package static var libraryVersion: String {
        curl_version_info(CURLVERSION_FIRST)?.pointee.version.map { String(cString: $0) } ?? "unknown"
    }
}
