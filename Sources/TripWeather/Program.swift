internal import CurlTransport
internal import EventLoop
internal import Gateway
internal import Glibc

/// The program: what it is asked to do, and what it answers to a shell.
package enum Program {
    package static let version = "0.2.0"

    /// Runs the program, and returns its exit status: 0 done, 1 something is wrong, 2 it was called wrongly.
    package static func run(arguments: [String], environment: [String: String]) -> Int32 {
        prepareProcess()
        let start: StartMode
        do throws(ListenError) {
            start = try StartMode.detect()
        } catch {
            complain(error.description)
            return 1
        }
        // A query without "=" comes as arguments of a CGI program (RFC 3875, section 4.4): nobody asked for them.
        if case .cgi = start { return CGIProcess(environment: environment).run() }
        let options: Options
        do throws(Options.Fault) {
            options = try Options(arguments.dropFirst())
        } catch {
            complain("\(error.sentence)\n\(Options.help)")
            return 2
        }
        switch options.task {
        case .printHelp:
            print(Options.help, terminator: "")
            return 0
        case .printVersion:
            print("trip-weather \(version), libcurl \(CurlTransport.libraryVersion)")
            return 0
        case .serve, .checkConfiguration, .printConfiguration: break
        }
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try ConfigurationLoader.load(
                argument: options.configuration, environment: environment)
        } catch {
            complain(error.description)
            return 1
        }
        if options.task != .serve {
            for warning in configuration.warnings { complain(warning) }
        }
        switch options.task {
        case .checkConfiguration:
            let faults = configuration.faults(listening: options.listen)
            guard faults.isEmpty else {
                complain(faults.joined(separator: "\n"))
                return 1
            }
            let (path, _) = ConfigurationLoader.file(
                argument: options.configuration, environment: environment)
            print("trip-weather: the configuration is fine (\(path) and the environment)")
            return 0
        case .printConfiguration:
            print(configuration.listing)
            return 0
        default: break
        }
        return serve(configuration, options, start, environment: environment)
    }

    private static func serve(
        _ configuration: Configuration, _ options: Options, _ start: StartMode, environment: [String: String]
    ) -> Int32 {
        let faults = configuration.upstreamFaults
        guard faults.isEmpty else {
            complain(faults.joined(separator: "\n"))
            return 1
        }
        do {
            let sockets = try sockets(configuration, options, start)
            guard !sockets.isEmpty else {
                complain(
                    "nothing to listen on: give --listen or server.listen, or have a web server, spawn-fcgi or "
                        + "systemd hand a socket over\n\(Options.help)")
                return 2
            }
            let daemon = try Daemon(
                configuration, sockets: sockets, options: options, environment: environment)
            try daemon.run()
            return 0
        } catch {
            complain("\(error)")
            return 1
        }
    }

    /// What was handed over, or else what the command line or the configuration names.
    private static func sockets(
        _ configuration: Configuration, _ options: Options, _ start: StartMode
    ) throws(ListenError) -> [ListeningSocket] {
        var sockets: [ListeningSocket] = []
        if case .fastCGI(let handedOver) = start { sockets = handedOver }
        let named =
            options.listen.isEmpty ? (sockets.isEmpty ? configuration.server.listen : []) : options.listen
        for address in named {
            sockets.append(
                try ListeningSocket.listen(
                    on: address, mode: configuration.server.socketMode, replacing: options.replaces))
        }
        return sockets
    }

    private static func complain(_ sentence: String) {
        let line = Array("trip-weather: \(sentence)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    /// The process's environment variables, all of them but HTTP_PROXY.
    package static var environment: [String: String] {
        Dictionary(
            Parameters.ofProcess().all.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
