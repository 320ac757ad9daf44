internal import CCurl
package import EventLoop
package import Transport

/// Fetches over HTTP with libcurl, on event loops.
///
/// Each loop has a libcurl multi handle of its own, driven by the loop's epoll and timers; a transfer belongs
/// to the loop that asked for it, and never leaves it. In front of each host stands a gate, one for all loops: a
/// number of transfers at once, a bounded queue, and one name lookup at a time.
package final class CurlTransport: Transport, Sendable {
    private let drivers: [CurlDriver]
    private let gates: GateTable
    private let configuration: CurlConfiguration

    /// Makes a transport for loops that run, or will.
    ///
    /// - Parameters:
    ///   - loops: At least one; a caller on none of them is served by the first.
    ///   - started: Told of each request that is handed to libcurl, after the queue.
    /// - Throws: `CurlStartError` if the system's libcurl lacks what is needed.
    package init(
        loops: [EventLoop], configuration: CurlConfiguration,
        started: @escaping @Sendable (HTTPRequest) -> Void = { _ in }
    ) throws(CurlStartError) {
        try CurlLibrary.start()
        guard !loops.isEmpty else {
            throw CurlStartError(description: "libcurl needs at least one event loop")
        }
        let gates = GateTable(limits: configuration)
        self.gates = gates
        self.configuration = configuration
        drivers = loops.map {
            CurlDriver(loop: $0, configuration: configuration, gates: gates, started: started)
        }
    }

    deinit {
        shutDown()
    }

    package func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        let address = try UpstreamAddress(request, allowPlainHTTP: configuration.allowPlainHTTP)
        let transfer = Transfer(request, address, deadline: deadline, driver: driver())
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                transfer.onItsLoop { $0.begin(caller) }
            }
        } onCancel: {
            // Runs on the canceller's thread.
            transfer.onItsLoop { $0.cancel() }
        }
        return try answer.get()
    }

    /// Ends all transfers with `.cancelled`, closes all connections, and refuses what comes later.
    ///
    /// It is done on each loop when the loop comes to it: call it before the loops stop, from any thread.
    package func shutDown() {
        gates.close()
        for driver in drivers { driver.loop.execute { driver.shutDown() } }
    }

    /// What goes on in front of each host that was asked, sorted by host.
    package func counters() -> [HostCounters] {
        gates.counters()
    }

    private func driver() -> CurlDriver {
        drivers.first { $0.loop.isCurrent } ?? drivers[0]
    }
}
