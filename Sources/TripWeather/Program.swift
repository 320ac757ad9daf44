internal import CurlTransport
internal import EventLoop
internal import Gateway
internal import Glibc

/// The program: what it is asked to do, and what it answers to a shell.
package enum Program {
    package static let version = "0.3.0"

    /// Runs the program, and returns its exit status: 0 done, 1 something is wrong, 2 it was called wrongly.
    package static func run(arguments: [String], environment: [String: String]) -> Int32 {
        prepareProcess()
        do {
            let start = try StartMode.detect()
            // A query without "=" comes as arguments of a CGI program (RFC 3875, section 4.4): nobody asked for them.
            if case .cgi = start { return CGIProcess(environment: environment).run() }
            try run(Options(arguments.dropFirst()), start, environment)
            return 0
        } catch let misuse as Options.Misuse {
            complain("\(misuse.sentence)\n\(Options.help)")
            return 2
        } catch {
            complain("\(error)")
            return 1
        }
    }

    private static func run(
        _ options: Options, _ start: StartMode, _ environment: [String: String]
    ) throws {
        if options.task == .printHelp { return print(Options.help, terminator: "") }
        if options.task == .printVersion {
            return print("trip-weather \(version), libcurl \(CurlTransport.libraryVersion)")
        }
        let configuration = try Configuration(argument: options.configuration, environment: environment)
        guard options.task != .serve else {
            return try serve(configuration, options, start, environment: environment)
        }
        for warning in configuration.warnings { complain(warning) }
        if options.task == .printConfiguration { return print(configuration.listing) }
        let faults = configuration.faults(listening: options.listen)
        guard faults.isEmpty else { throw OperatorFault(faults) }
        let (path, _) = Configuration.file(argument: options.configuration, environment: environment)
        print("trip-weather: the configuration is fine (\(path) and the environment)")
    }

    private static func serve(
        _ configuration: Configuration, _ options: Options, _ start: StartMode, environment: [String: String]
    ) throws {
        let faults = configuration.upstreamFaults
        guard faults.isEmpty else { throw OperatorFault(faults) }
        let sockets = try sockets(configuration, options, start)
        guard !sockets.isEmpty else {
            throw Options.Misuse(
                sentence: "nothing to listen on: give --listen or server.listen, or have a web server, "
                    + "spawn-fcgi or systemd hand a socket over")
        }
        try Daemon(configuration, sockets: sockets, options: options, environment: environment).run()
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

/// What keeps the program from running as it was told to, in words for its operator: a line each.
struct OperatorFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ faults: [String]) {
        description = faults.joined(separator: "\n")
    }
}
