package import Gateway

/// What the command line asks for.
package struct Options: Sendable, Hashable {
    package enum Task: Sendable, Hashable {
        case serve
        case checkConfiguration
        case printConfiguration
        case printVersion
        case printHelp
    }

    package var task = Task.serve
    package var configuration: String?
    package var listen: [ListenAddress] = []
    /// Whether to take the unix sockets over from the process that listens on them.
    package var replaces = false

    /// Why a command line can't be understood.
    package struct Fault: Error, Sendable, Hashable {
        package var sentence: String
    }

    package init() {}

    /// Reads the arguments after the program's name.
    package init(_ arguments: some Sequence<String>) throws(Fault) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            switch argument {
            case "-t": task = .checkConfiguration
            case "--print-config": task = .printConfiguration
            case "--replace": replaces = true
            case "--version": task = .printVersion
            case "--help", "-h": task = .printHelp
            case "--config", "--listen":
                guard let value = iterator.next() else { throw Fault(sentence: "\(argument) needs a value") }
                if argument == "--config" {
                    configuration = value
                } else {
                    do throws(ListenError) {
                        listen.append(try ListenAddress(value))
                    } catch {
                        throw Fault(sentence: error.description)
                    }
                }
            default: throw Fault(sentence: "there is no option \(argument)")
            }
        }
    }

    package static let help = """
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
