internal import CurlTransport
internal import EventLoop
internal import Fragments
internal import Gateway
internal import Glibc
internal import Weather

/// The program as a CGI process: one request, on one loop, on the calling thread.
struct CGIProcess {
    let environment: [String: String]

    /// Answers the request, and returns the exit status: 0 whenever there is an answer, of whatever kind.
    func run() -> Int32 {
        let log = Log(descriptor: STDERR_FILENO)
        do {
            var configuration = try Configuration(argument: nil, environment: environment)
            // One request needs no room for many.
            configuration.weatherCache.bounds.entries = min(configuration.weatherCache.bounds.entries, 1_024)
            configuration.placeCache.bounds.entries = configuration.weatherCache.bounds.entries
            configuration.archiveCache.bounds.entries = configuration.weatherCache.bounds.entries
            // Nothing is asked behind the answer, and whoever asks again asks another process.
            configuration.site.archiveWait = configuration.site.deadline
            log.requests = configuration.logRequests == .auto ? .failures : configuration.logRequests
            log.warn(configuration.warnings)
            let loop = try EventLoop(name: "cgi")
            let request = CGI(loop: loop, limits: configuration.gateway)
            let signals = Signals(blocking: [SIGTERM, SIGINT])
            let upstream = try Upstream(configuration, firstLoop: loop, answersOne: true, log: log)
            let trips = LazyTripStore(configuration, log: log)
            let site = Site(
                settings: configuration.site, places: upstream.places, weather: upstream.weather,
                archive: upstream.archive,
                trips: trips, ideas: ideas(configuration.trips.ideas, log), log: log)
            loop.execute {
                loop.beforeEachWait { log.flush() }
                signals.watch(on: loop, log) { _ in request.cancel() }
            }
            Task(executorPreference: loop) {
                _ = await request.answer(by: site)
                // The web server waits for the end of both outputs.
                log.flush()
                endOutputs()
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
            do throws(OperatorFault) {
                return try TripIdeasFile.read(path)
            } catch {
                log.write("ideas", level: "error", [("message", error.description)])
                return []
            }
        }
    }

    /// Ends standard output and standard error: the web server sees the answer's end. The descriptors' numbers stay
    /// taken, so that no file gets them to which somebody would then print.
    private func endOutputs() {
        let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard nothing >= 0 else { return }
        dup2(nothing, STDOUT_FILENO)
        dup2(nothing, STDERR_FILENO)
        close(nothing)
    }

    /// The web server gets an answer even where the program can't start: what is wrong stands in the log.
    private func refuse() {
        let answer = """
            Content-Type: text/plain; charset=utf-8
            Cache-Control: no-store
            Status: 500 Internal Server Error

            The weather program can't start. Tell whoever runs this site: its error log says why.\n
            """
        let bytes = Array(answer.utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}
