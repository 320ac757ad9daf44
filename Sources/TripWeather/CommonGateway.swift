internal import CurlTransport
internal import EventLoop
internal import Fragments
internal import Gateway
internal import Glibc
internal import Weather

/// The program as a CGI process: one request, on one loop, on the calling thread.
struct CommonGateway {
    let environment: [String: String]

    /// Answers the request, and returns the exit status: 0 whenever there is an answer, of whatever kind.
    func run() -> Int32 {
        let log = Log(descriptor: STDERR_FILENO)
        do {
            var configuration = try ConfigurationLoader.load(argument: nil, environment: environment)
            // One request needs no room for many.
            configuration.weatherCache.bounds.entries = min(configuration.weatherCache.bounds.entries, 1_024)
            configuration.placeCache.bounds.entries = configuration.weatherCache.bounds.entries
            log.requests = configuration.logRequests == .auto ? .failures : configuration.logRequests
            for warning in configuration.warnings {
                log.write("configuration", level: "warning", [("message", warning)])
            }
            let signals = Signals(blocking: [SIGTERM, SIGINT])
            let loop = try EventLoop(name: "cgi")
            let upstream = try Upstream(
                configuration, loops: [loop], home: loop, sharer: .commonGateway, log: log)
            let trips = LazyTripStore(configuration, log: log)
            let site = Site(
                settings: configuration.site, places: upstream.places, weather: upstream.weather,
                trips: trips, ideas: ideas(configuration.trips.ideas, log), log: log)
            let exchange = CGI(handler: site, loop: loop, limits: configuration.gateway)
            loop.execute {
                loop.beforeEachWait { log.flush() }
                do throws(SystemError) {
                    try signals.watch(on: loop) { _ in exchange.cancel() }
                } catch {
                    log.write("signals", level: "error", [("message", error.description)])
                }
            }
            Task(executorPreference: loop) {
                _ = await exchange.run()
                // The reader has all there is before anything is done for those who come after.
                endOutput()
                let limit = ContinuousClock.now.advanced(by: configuration.requestDeadline)
                await upstream.waitForRefreshes(until: limit, on: loop)
                await upstream.shutDown(within: .seconds(1))
                await trips?.close()
                loop.stop()
            }
            loop.run()
            log.flush()
            return 0
        } catch {
            log.write("start", level: "error", [("message", "\(error)")])
            log.flush()
            refuse()
            return 1
        }
    }

    /// Reads the file when it is asked for: hardly any of these processes is.
    private func ideas(_ path: String, _ log: Log) -> @Sendable () -> [TripIdea] {
        {
            do throws(TripIdeasFile.Fault) {
                return try TripIdeasFile.read(path)
            } catch {
                log.write("ideas", level: "error", [("message", error.description)])
                return []
            }
        }
    }

    /// Ends standard output: the web server sees the answer's end. The descriptor's number stays taken, so that no
    /// file gets it to which somebody would then print.
    private func endOutput() {
        let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nothing >= 0 else { return }
        dup2(nothing, STDOUT_FILENO)
        close(nothing)
    }

    /// The web server gets an answer even where the program can't start: what is wrong stands in the log.
    private func refuse() {
        let answer = """
            Status: 500 Internal Server Error\r
            Content-Type: text/plain; charset=utf-8\r
            Cache-Control: no-store\r
            \r
            The weather program can't start. Tell whoever runs this site: its error log says why.\n
            """
        let bytes = Array(answer.utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}
