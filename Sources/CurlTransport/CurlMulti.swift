internal import CCurl
internal import EventLoop
internal import Glibc

/// One libcurl multi handle on one event loop: its sockets in the loop's epoll, its one timer in the loop's timers.
///
/// It belongs to the loop's thread. libcurl holds a pointer to it as the callbacks' user data; the callbacks run only
/// inside the calls that this object's own methods make, so that it is alive whenever they do.
final class CurlMulti {
    /// Names this handle's DNS cache.
    let cache: HostGate.Cache

    fileprivate let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private let idleConnections: Int
    private var sockets: [curl_socket_t: SocketWatch] = [:]
    private var timer: LoopTimer?
    /// libcurl wants to be called at once.
    private var isDue = false
    private var touched: [EasyHandle] = []
    private var handles: [UnsafeMutableRawPointer: EasyHandle] = [:]

    /// Called when libcurl gave the multi handle up, before its transfers are failed: use it no more.
    var onFailure: () -> Void = {}

    /// Whether libcurl is being called: nothing may call it then.
    private(set) var isInside = false

    /// - Returns: nil if there is no memory.
    init?(loop: EventLoop, cache: HostGate.Cache, idleConnections: Int) {
        guard let multi = curl_multi_init() else { return nil }
        self.loop = loop
        self.cache = cache
        self.multi = multi
        self.idleConnections = idleConnections
        // libcurl's own queues (CURLMOPT_MAX_HOST_CONNECTIONS, CURLMOPT_MAX_TOTAL_CONNECTIONS) stay without a limit,
        // as they are: transfers in them wouldn't time out.
        let user = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, user)
        _ = ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, user)
        _ = ccurl_multi_set_socket_callback(multi) { _, socket, what, user, _ in
            CurlMulti.at(user)?.watch(socket, what)
            // −1 would end all transfers.
            return 0
        }
        _ = ccurl_multi_set_timer_callback(multi) { _, milliseconds, user in
            CurlMulti.at(user)?.setTimer(milliseconds)
            return 0
        }
    }

    deinit {
        // All handles are out: `handles` keeps none of them, and `close()` was called on the loop.
        curl_multi_cleanup(multi)
    }

    var isEmpty: Bool { handles.isEmpty }

    // MARK: Transfers

    /// Starts a transfer whose handle is prepared. Its owner hears of it later, never from inside this call.
    func add(_ handle: EasyHandle) -> CURLMcode {
        handle.isTouched = false
        let result = inside { curl_multi_add_handle(multi, handle.easy) }
        if result == CURLM_OK {
            handle.multi = self
            handles[handle.easy] = handle
            keepConnections()
        }
        return result
    }

    /// Takes a handle out, finished or not; an unfinished transfer's HTTP/1.1 connection is closed at once.
    func remove(_ handle: EasyHandle) {
        guard handles.removeValue(forKey: handle.easy) != nil else { return }
        _ = inside { curl_multi_remove_handle(multi, handle.easy) }
        handle.owner = nil
        handle.multi = nil
        keepConnections()
    }

    /// Ends everything; the object is of no use afterwards. Each owner must have removed its handle before.
    func close() {
        setTimer(-1)
        for handle in Array(handles.values) { remove(handle) }
        for watch in sockets.values { watch.end() }
        sockets = [:]
    }

    /// libcurl counts what is kept together with what is in use (CURLMOPT_MAXCONNECTS), so the limit moves with
    /// the transfers. It looks when one ends, whose connection is idle then.
    private func keepConnections() {
        _ = ccurl_multi_set_long(
            multi, CURLMOPT_MAXCONNECTS, max(handles.count, 1) - 1 + max(idleConnections, 1))
    }

    // MARK: Driving

    /// Does what libcurl wants done at once; the loop calls it before it waits.
    func flush() {
        var roundsLeft = 4
        while isDue, roundsLeft > 0 {
            roundsLeft -= 1
            act(ccurl_socket_timeout, 0)
        }
        // Let others have a turn, but don't let the loop sleep.
        if isDue { wake(after: .zero) }
    }

    fileprivate func act(_ socket: curl_socket_t, _ readiness: Int32) {
        if socket == ccurl_socket_timeout { isDue = false }
        var running: Int32 = 0
        let result = inside { curl_multi_socket_action(multi, socket, readiness, &running) }
        settle()
        // Such a multi handle may not be used on while it holds transfers.
        if result != CURLM_OK {
            onFailure()
            forEachOwner { $0.broke(String(cString: curl_multi_strerror(result))) }
        }
    }

    /// Tells the owners what happened while libcurl was at work.
    private func settle() {
        var moved: [EasyHandle] = []
        swap(&moved, &touched)
        for handle in moved {
            handle.isTouched = false
            handle.owner?.moved()
        }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else {
                continue
            }
            // The message dies with the removal.
            let result = ccurl_message_result(message)
            guard let handle = handles[easy] else { continue }
            handle.owner?.ended(result)
        }
        // Only what isn't over by now needs its time watched.
        for handle in moved { handle.owner?.settled() }
        if touched.isEmpty {
            moved.removeAll(keepingCapacity: true)
            swap(&moved, &touched)
        }
    }

    /// Notes that a handle's transfer came further, for its owner to be told once libcurl has returned.
    func touch(_ handle: EasyHandle) {
        guard !handle.isTouched else { return }
        handle.isTouched = true
        touched.append(handle)
    }

    /// Calls `body` with the owner of each transfer; it may remove it.
    func forEachOwner(_ body: (Transfer) -> Void) {
        for handle in Array(handles.values) {
            if let owner = handle.owner { body(owner) }
        }
    }

    private func inside<Result>(_ body: () -> Result) -> Result {
        precondition(!isInside, "libcurl was called from one of its callbacks")
        isInside = true
        defer { isInside = false }
        return body()
    }

    // MARK: libcurl's callbacks. None of them may call libcurl.

    private static func at(_ user: UnsafeMutableRawPointer?) -> CurlMulti? {
        user.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
    }

    private func watch(_ socket: curl_socket_t, _ what: Int32) {
        guard what != CURL_POLL_REMOVE else {
            sockets.removeValue(forKey: socket)?.end()
            return
        }
        var interest: Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        let watch = sockets[socket] ?? SocketWatch(socket, multi: self)
        sockets[socket] = watch
        watch.wait(for: interest)
    }

    private func setTimer(_ milliseconds: Int) {
        isDue = milliseconds == 0
        // libcurl cuts what is left down to whole milliseconds: one more, or it would be called too early, in vain.
        wake(after: milliseconds > 0 ? .milliseconds(milliseconds + 1) : nil)
    }

    private func wake(after delay: Duration?) {
        if let timer { loop.cancel(timer) }
        timer = delay.map { delay in
            loop.schedule(after: delay) { [unowned self] in
                self.timer = nil
                self.act(ccurl_socket_timeout, 0)
            }
        }
    }
}

/// One of libcurl's sockets, in the loop's epoll.
private final class SocketWatch: EventHandler {
    private let socket: curl_socket_t
    private unowned let multi: CurlMulti
    private var registration: Registration?

    init(_ socket: curl_socket_t, multi: CurlMulti) {
        self.socket = socket
        self.multi = multi
    }

    func wait(for interest: Readiness) {
        if let registration {
            do {
                return try multi.loop.modify(registration, for: interest)
            } catch {
                // The descriptor was closed and opened again (ENOENT): register it again.
                multi.loop.deregister(registration)
            }
        }
        do {
            registration = try multi.loop.register(socket, for: interest, handler: self)
        } catch {
            // Without events the transfer runs into its time limit, and is ended there.
            registration = nil
        }
    }

    func end() {
        if let registration { multi.loop.deregister(registration) }
        registration = nil
    }

    func ready(_ readiness: Readiness) {
        var mask: Int32 = 0
        if readiness.contains(.readable) || readiness.contains(.hungUp) { mask |= CURL_CSELECT_IN }
        if readiness.contains(.writable) { mask |= CURL_CSELECT_OUT }
        if readiness.contains(.failed) || readiness.contains(.hungUp) { mask |= CURL_CSELECT_ERR }
        multi.act(socket, mask)
    }
}
