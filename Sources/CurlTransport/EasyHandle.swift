internal import CCurl
internal import Glibc
internal import Transport

/// One libcurl easy handle, used for one transfer after another, with what its callbacks write to.
///
/// libcurl holds two pointers into it: the object itself, as the callbacks' user data, and `errorBuffer`.
/// Both are good as long as libcurl may follow them: libcurl calls back only while the handle is in a multi handle,
/// whose `CurlMulti` holds this object until it has taken the handle out; and it may write to the error buffer until
/// `curl_easy_cleanup`, which `deinit` calls before it frees the buffer.
final class EasyHandle {
    let easy: UnsafeMutableRawPointer
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private let configuration: CurlConfiguration

    /// Who is told what becomes of the transfer. Set while the handle is in a multi handle.
    var owner: Transfer?
    /// The multi handle that it is in.
    var multi: CurlMulti?
    /// For `CurlMulti`: the owner is yet to be told that something changed.
    var isTouched = false

    var reader: AnswerReader
    private(set) var phase = TransferFault.Phase.resolve
    private(set) var opensSocket = false
    /// When the request began to be sent, on a connection that stands.
    private(set) var requestedAt: ContinuousClock.Instant?
    private(set) var firstByteAt: ContinuousClock.Instant?
    /// The caller is gone and only the name matters: no connection is to be made.
    var wantsOnlyLookup = false

    /// Makes a handle for transfers of one transport, whose options are set once: they outlive a transfer.
    ///
    /// - Throws: `.failed` with libcurl's words.
    init(_ configuration: CurlConfiguration) throws(TransportError) {
        guard let easy = curl_easy_init() else {
            throw EasyHandle.failure(CURLE_OUT_OF_MEMORY, "no easy handle")
        }
        self.easy = easy
        self.configuration = configuration
        reader = AnswerReader(configuration)
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try check { setConstants(&$0) }
    }

    deinit {
        curl_easy_cleanup(easy)
        errorBuffer.deallocate()
    }

    // MARK: Before

    /// Makes the handle ready for a transfer, whatever it did before.
    ///
    /// - Parameter limit: The most that libcurl itself lets the transfer take, in case ours didn't end it.
    /// - Throws: `.failed` with libcurl's words.
    func prepare(url: String, limit: Duration) throws(TransportError) {
        reader = AnswerReader(configuration)
        phase = .resolve
        opensSocket = false
        requestedAt = nil
        firstByteAt = nil
        wantsOnlyLookup = false
        errorBuffer[0] = 0
        try check { options in
            options.set(CURLOPT_URL, url)
            options.set(CURLOPT_TIMEOUT_MS, limit.milliseconds)
        }
    }

    private func check(_ body: (inout Options) -> Void) throws(TransportError) {
        var options = Options(easy: easy)
        body(&options)
        guard options.failure == CURLE_OK else {
            throw EasyHandle.failure(options.failure, words(for: options.failure))
        }
    }

    static func failure(_ code: CURLcode, _ words: String) -> TransportError {
        .failed(TransferFault(phase: .queue, code: Int(code.rawValue), message: words))
    }

    private func setConstants(_ options: inout Options) {
        options.set(CURLOPT_ERRORBUFFER, errorBuffer)
        // Whether plain http may go to a host, `UpstreamAddress` decides.
        options.set(CURLOPT_PROTOCOLS_STR, "http,https")
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        options.set(CURLOPT_HTTPGET, 1)
        options.set(CURLOPT_USERAGENT, configuration.userAgent)
        // Answers are small, and each transfer has such a buffer to itself.
        options.set(CURLOPT_BUFFERSIZE, 4_096)
        // All that this libcurl can.
        options.set(CURLOPT_ACCEPT_ENCODING, "")

        // No signals among threads; and a transfer that ends during its lookup leaves the lookup's thread behind
        // instead of waiting for it.
        options.set(CURLOPT_NOSIGNAL, 1)
        options.set(CURLOPT_QUICK_EXIT, 1)
        options.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds)
        // A looked-up name must be cached for longer than the gate relies on it, and than a transfer that it let start.
        let cacheTime = configuration.dnsCacheTime + configuration.transferTimeout + .seconds(2)
        options.set(CURLOPT_DNS_CACHE_TIMEOUT, cacheTime.seconds)

        // libcurl takes proxies from the environment if it isn't told otherwise, and in CGI a request's header
        // can get there.
        options.set(CURLOPT_PROXY, configuration.proxy)
        options.set(CURLOPT_NOPROXY, configuration.proxy.isEmpty ? "*" : "")
        options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)

        options.set(CURLOPT_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        if !configuration.caFile.isEmpty {
            options.set(CURLOPT_CAINFO, configuration.caFile)
            // The system's folder of authorities would be trusted too.
            options.set(CURLOPT_CAPATH, nil)
        }

        if configuration.http2 {
            options.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            // Transfers that start together wait to share one connection instead of opening one each.
            options.set(CURLOPT_PIPEWAIT, 1)
        } else {
            options.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        }
        options.set(CURLOPT_TCP_KEEPALIVE, 1)
        options.set(CURLOPT_MAXAGE_CONN, configuration.idleTime.seconds)

        let user = Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA] {
            options.set(option, user)
        }
        options.check(
            ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, user in
                EasyHandle.at(user)?.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ?? 0
            })
        options.check(
            ccurl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, user in
                EasyHandle.at(user)?.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
                    ?? 0
            })
        options.check(
            ccurl_set_open_socket_callback(easy) { user, _, address in
                EasyHandle.at(user)?.openSocket(address) ?? ccurl_socket_bad
            })
        options.check(
            ccurl_set_before_request_callback(easy) { user, _, _, _, _ in
                EasyHandle.at(user)?.beginRequest()
                return 0
            })
    }

    // MARK: During: libcurl's callbacks. None of them may call libcurl.

    private static func at(_ user: UnsafeMutableRawPointer?) -> EasyHandle? {
        user.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
        if firstByteAt == nil {
            firstByteAt = .now
            phase = .receive
            multi?.touch(self)
        }
        // Less than what was offered ends the transfer (CURLE_WRITE_ERROR).
        return reader.takeHeader(line) ? line.count : 0
    }

    private func receiveBody(_ piece: UnsafeRawBufferPointer) -> Int {
        // An empty piece is no reason to end, and answering 0 for it is right too.
        reader.takeBody(piece) ? piece.count : 0
    }

    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
        // Also if a kept connection turned out dead and libcurl asks again on a new one.
        phase = .connect
        opensSocket = true
        requestedAt = nil
        multi?.touch(self)
        guard let address, !wantsOnlyLookup else { return ccurl_socket_bad }
        return socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
    }

    private func beginRequest() {
        phase = .wait
        requestedAt = .now
        multi?.touch(self)
    }

    // MARK: After

    /// Bytes that came, header and encoded body.
    var receivedBytes: Int {
        var bytes: curl_off_t = 0
        _ = ccurl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes)
        return Int(bytes) + reader.headerBytes
    }

    /// Where the transfer is, connecting and TLS told apart.
    var exactPhase: TransferFault.Phase {
        guard phase == .connect else { return phase }
        // The local port is known once TCP stands; CURLINFO_CONNECT_TIME_T of 7.88 stays 0 until TLS stands too.
        var port = 0
        _ = ccurl_get_long(easy, CURLINFO_LOCAL_PORT, &port)
        return port > 0 ? .tls : .connect
    }

    /// libcurl's own words for a failure.
    func words(for code: CURLcode) -> String {
        let detail = String(cString: errorBuffer)
        return detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
    }
}

/// Sets options and keeps the first failure.
private struct Options {
    let easy: UnsafeMutableRawPointer
    var failure = CURLE_OK

    mutating func check(_ result: CURLcode) {
        if failure == CURLE_OK { failure = result }
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        check(ccurl_set_long(easy, option, value))
    }

    mutating func set(_ option: CURLoption, _ value: String) {
        check(ccurl_set_string(easy, option, value))
    }

    mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        check(ccurl_set_pointer(easy, option, value))
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, at least 1: for libcurl, to which 0 means no limit or its own default.
    var milliseconds: Int {
        whole(unit: 1_000)
    }

    /// Whole seconds, rounded up, at least 1.
    var seconds: Int {
        whole(unit: 1)
    }

    private func whole(unit perSecond: Int64) -> Int {
        let (seconds, attoseconds) = components
        // A good 11 days in milliseconds, and what libcurl takes as an int.
        guard seconds < 1_000_000 else { return Int(1_000_000 * perSecond) }
        let unit = 1_000_000_000_000_000_000 / perSecond
        return max(1, Int(seconds * perSecond + (attoseconds + unit - 1) / unit))
    }
}
