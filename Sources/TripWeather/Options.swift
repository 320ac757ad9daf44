internal import Gateway

/// What the command line asks for.
struct Options {
    /// The raw value is the option that asks for it.
    enum Task: String {
        case serve = ""
        case checkConfiguration = "-t"
        case printConfiguration = "--print-config"
        case printVersion = "--version"
        case printHelp = "--help"
    }

    private(set) var task = Task.serve
    private(set) var configuration: String?
    private(set) var listen: [ListenAddress] = []
    /// Whether to take the unix sockets over from the process that listens on them.
    private(set) var replaces = false

    /// The command line doesn't say what to do.
    struct Misuse: Error {
        let sentence: String
    }

    /// Reads the arguments after the program's name.
    ///
    /// - Throws: `Misuse`, `ListenError`.
    init(_ arguments: some Sequence<String>) throws {
        var iterator = arguments.makeIterator()
        func value(of option: String) throws -> String {
            guard let value = iterator.next() else { throw Misuse(sentence: "\(option) needs a value") }
            return value
        }
        while let argument = iterator.next() {
            switch argument {
            case "--config": configuration = try value(of: argument)
            case "--listen": listen.append(try ListenAddress(value(of: argument)))
            case "--replace": replaces = true
            default:
                guard let task = Task(rawValue: argument == "-h" ? "--help" : argument), task != .serve else {
                    throw Misuse(sentence: "there is no option \(argument)")
                }
                self.task = task
            }
        }
    }

    static let help = """
        usage: trip-weather [--config FILE] [--listen ADDRESS]... [--replace] [-t | --print-config | --version]

        Answers weather fragments for a trip, by FastCGI or CGI.

          --config FILE      the configuration; else TRIP_WEATHER_CONFIG, else /etc/trip-weather.json5
          --listen ADDRESS   take FastCGI connections at unix:/path, 127.0.0.1:9000 or [::1]:9000; several allowed
          --replace          take unix sockets over from the process that has them now; then stop that one (SIGTERM)
          -t                 check the configuration and exit
          --print-config     show each value in force and where it comes from
          --version          show the program's version and that of libcurl

        A web server, spawn-fcgi or systemd may hand a listening socket over in place of --listen. Started with
        GATEWAY_INTERFACE in the environment, it answers one CGI request; arguments are ignored then.

        """
}
