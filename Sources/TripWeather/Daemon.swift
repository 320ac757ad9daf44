internal import CLinux
internal import CurlTransport
internal import EventLoop
internal import Gateway
internal import Glibc
internal import Storage

/// The program as a FastCGI responder: loops, the way to Open-Meteo, the site, and the signals that end it.
///
/// - Note: `@unchecked Sendable` is safe because the daemon is touched on the thread of its first loop alone, which
///   is the one that made it.
final class Daemon: @unchecked Sendable {
    private let loops: [EventLoop]
    private let server: GatewayServer
    private let site: Site
    private let upstream: Upstream
    private let trips: LazyTripStore?
    private let log: Log
    private let signals: Signals
    private let sockets: [ListeningSocket]
    private let options: Options
    private let environment: [String: String]
    private var configuration: Configuration
    /// Why it never came to serving.
    private var failure: OperatorFault?

    init(
        _ configuration: Configuration, sockets: [ListeningSocket], options: Options,
        environment: [String: String]
    ) throws {
        self.configuration = configuration
        self.options = options
        self.environment = environment
        self.sockets = sockets
        signals = Signals(blocking: [SIGTERM, SIGINT, SIGHUP])
        log = Log(descriptor: STDERR_FILENO)
        log.requests = configuration.logRequests
        let descriptors = clinux_raise_descriptor_limit()
        let count =
            configuration.server.workers > 0
            ? configuration.server.workers : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        var loops: [EventLoop] = []
        for index in 0..<count { loops.append(try EventLoop(name: "loop-\(index)")) }
        self.loops = loops
        let upstream = try Upstream(
            configuration, firstLoop: loops[0], otherLoops: Array(loops.dropFirst()), answersOne: false,
            log: log)
        self.upstream = upstream
        trips = LazyTripStore(configuration, log: log)
        let ideas = try TripIdeasFile.read(configuration.trips.ideas)
        site = Site(
            settings: configuration.site, places: upstream.places, weather: upstream.weather,
            archive: upstream.archive,
            trips: trips, ideas: { ideas }, log: log)
        server = GatewayServer(
            loops: loops, sockets: sockets, limits: configuration.gateway, handler: site,
            allowedPeers: PeerAddresses(environment["FCGI_WEB_SERVER_ADDRS"])
        ) { [log] message in
            log.write("gateway", level: "warning", [("message", message)])
        }
        site.operate { [server] operations in
            operations.metrics = { text in
                text.write(server.counters)
                upstream.writeMetrics(to: &text)
            }
        }
        log.warn(configuration.warnings)
        // A connection each, and one upstream at the most.
        if Int(descriptors) < configuration.gateway.connections + configuration.curl.transfersAtOnce + 64 {
            let message = "server.connections needs more open files: raise the hard limit (ulimit -Hn)"
            log.write(
                "few-descriptors", level: "warning", [("limit", "\(descriptors)"), ("message", message)])
        }
    }

    /// Serves until a signal ends it. The calling thread becomes the first loop's.
    ///
    /// - Throws: if a loop's thread can't start, or trips are to be kept and can't be.
    func run() throws {
        for loop in loops {
            loop.execute { [log] in loop.beforeEachWait { log.flush() } }
        }
        let first = loops[0]
        first.execute { self.begin(on: first) }
        defer {
            for loop in loops.dropFirst() {
                loop.stop()
                loop.join()
            }
            log.flush()
        }
        // A loop without a thread would keep the connections that it is given waiting.
        for loop in loops.dropFirst() {
            do {
                try loop.start()
            } catch {
                for socket in sockets { socket.close() }
                throw OperatorFault(
                    "can't start a thread for \(loop.name) (\(error)): lower server.workers, or raise the limit of "
                        + "processes (ulimit -u)")
            }
        }
        first.run()
        if let failure { throw failure }
    }

    private func begin(on loop: EventLoop) {
        signals.watch(on: loop, log) { [self] signal in
            if signal == SIGHUP { reload() } else { stop(on: loop) }
        }
        upstream.loadLimits(on: loop)
        guard let trips else { return serve() }
        // Nobody is let in before it is known that trips can be kept.
        Task(executorPreference: loop) {
            do throws(OperatorFault) {
                try await trips.start()
                self.serve()
            } catch {
                self.failure = error
                loop.stop()
            }
        }
    }

    private func serve() {
        server.start()
        log.write(
            "listening",
            [
                ("version", Program.version), ("addresses", sockets.map(\.name).joined(separator: ", ")),
                ("loops", "\(loops.count)"), ("libcurl", CurlTransport.libraryVersion),
            ])
    }

    private var isStopping = false

    private func stop(on loop: EventLoop) {
        guard !isStopping else { return }
        isStopping = true
        log.write("stopping", [("grace", configuration.shutdownGrace.asSetting)])
        site.operate { $0.isReady = false }
        let grace = configuration.shutdownGrace
        Task(executorPreference: loop) { [server, upstream, trips, log] in
            await server.drain(grace: grace)
            await upstream.shutDown(within: .seconds(2))
            await trips?.close()
            log.write("stopped")
            loop.stop()
        }
    }

    /// Checks the configuration again, and takes over what a running program can; the old one stays if it is wrong.
    private func reload() {
        let new: Configuration
        do throws(OperatorFault) {
            new = try Configuration(argument: options.configuration, environment: environment)
        } catch {
            log.write(
                "reload", level: "error",
                [("message", "the old configuration stays in force"), ("faults", error.description)])
            return
        }
        let (changed, pending) = configuration.reload(from: new)
        site.apply(configuration.site)
        upstream.apply(configuration)
        log.requests = configuration.logRequests
        let (done, waiting) = (changed.joined(separator: ", "), pending.joined(separator: ", "))
        log.write("reload", [("changed", done), ("needs-restart", waiting)])
        log.warn(new.warnings)
    }
}
