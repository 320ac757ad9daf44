internal import CCurl
internal import EventLoop
internal import Synchronization
internal import Transport

/// libcurl on one loop: the multi handle in use, and easy handles kept for the next transfer.
///
/// - Note: `@unchecked Sendable` is safe because all but the constants is touched on the loop's thread only.
final class CurlDriver: @unchecked Sendable {
    /// Easy handles that are kept while nobody uses them.
    private static let spareHandles = 64
    private static let lastCache = Atomic<UInt64>(0)

    let loop: EventLoop
    let configuration: CurlConfiguration
    let gates: GateTable
    /// Told of each request that is handed to libcurl.
    let started: @Sendable (HTTPRequest) -> Void

    private var spare: [EasyHandle] = []
    private var current: CurlMulti?
    /// Multi handles that are replaced and still hold transfers.
    private var retired: [CurlMulti] = []
    private var isShut = false

    init(
        loop: EventLoop, configuration: CurlConfiguration, gates: GateTable,
        started: @escaping @Sendable (HTTPRequest) -> Void
    ) {
        self.started = started
        self.loop = loop
        self.configuration = configuration
        self.gates = gates
        loop.execute { [weak self] in
            self?.loop.beforeEachWait { [weak self] in self?.flush() }
        }
    }

    /// Names the DNS cache that a transfer started now would use.
    ///
    /// - Throws: `.failed` if libcurl gives no multi handle, `.cancelled` after the end.
    func cache() throws(TransportError) -> HostGate.Cache {
        try multi().cache
    }

    /// Whether libcurl is being called on this loop right now.
    var isInsideLibcurl: Bool {
        current?.isInside == true || retired.contains { $0.isInside }
    }

    /// Starts a transfer.
    ///
    /// - Throws: `.failed` with libcurl's words when it doesn't take the transfer.
    func start(_ transfer: Transfer, _ address: UpstreamAddress, limit: Duration) throws(TransportError)
        -> EasyHandle
    {
        let multi = try multi()
        let handle = if let used = spare.popLast() { used } else { try EasyHandle(configuration) }
        // Ours ends it before; libcurl's limit is for the case that ours has a fault.
        try handle.prepare(url: address.url, limit: limit + .seconds(1))
        handle.owner = transfer
        let added = multi.add(handle)
        guard added == CURLM_OK else {
            handle.owner = nil
            throw EasyHandle.failure(CURLE_FAILED_INIT, String(cString: curl_multi_strerror(added)))
        }
        return handle
    }

    /// Takes a transfer's handle out of libcurl, which closes an unfinished one's connection, and keeps it for another.
    func end(_ handle: EasyHandle) {
        handle.multi?.remove(handle)
        if spare.count < CurlDriver.spareHandles, !isShut { spare.append(handle) }
        closeRetired()
    }

    /// Lets new transfers have new connections, all of them. libcurl 7.88 uses an HTTP/2 connection again on which
    /// a transfer just ran out of time, dead or not.
    func startAfresh() {
        guard let current else { return }
        self.current = nil
        retired.append(current)
        closeRetired()
    }

    /// Ends all transfers with `.cancelled`, and libcurl on this loop.
    func shutDown() {
        isShut = true
        startAfresh()
        for multi in retired { multi.forEachOwner { $0.shutDown() } }
        spare = []
        closeRetired()
    }

    private func multi() throws(TransportError) -> CurlMulti {
        if let current { return current }
        guard !isShut else { throw .cancelled }
        let number = CurlDriver.lastCache.add(1, ordering: .relaxed).newValue
        guard
            let multi = CurlMulti(
                loop: loop, cache: HostGate.Cache(number: number),
                idleConnections: configuration.idleConnections)
        else { throw EasyHandle.failure(CURLE_OUT_OF_MEMORY, "no multi handle") }
        multi.onFailure = { [unowned self, unowned multi] in
            if self.current === multi { self.startAfresh() }
        }
        current = multi
        return multi
    }

    private func flush() {
        current?.flush()
        for multi in retired { multi.flush() }
    }

    private func closeRetired() {
        retired.removeAll { multi in
            // One that is inside is closed by the next transfer's end.
            guard multi.isEmpty, !multi.isInside else { return false }
            multi.close()
            return true
        }
    }
}
