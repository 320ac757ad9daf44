import Glibc
import Testing

@testable import Gateway

@Suite struct StartModeTests {
    private func mode(_ environment: [(String, String)], standardInput: Int32) throws -> String {
        switch try StartMode.detect(environment: Parameters(environment), standardInput: standardInput) {
        case .fastCGI(let sockets): "fastCGI \(sockets.map(\.descriptor))"
        case .cgi: "cgi"
        case .standalone: "standalone"
        }
    }

    private func withDevNull(_ body: (Int32) throws -> Void) throws {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        try body(descriptor)
    }

    @Test func aListeningSocketAsStandardInputMeansFastCGI() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #expect(listen(socket, 1) == 0)
        // Even where the process manager's own environment has CGI's variable.
        #expect(try mode([("GATEWAY_INTERFACE", "CGI/1.1")], standardInput: socket) == "fastCGI [\(socket)]")
    }

    @Test func theVariableOfCGIMeansCGI() throws {
        try withDevNull { input in
            let mode = try mode([("GATEWAY_INTERFACE", "CGI/1.1")], standardInput: input)
            #expect(mode == "cgi")
        }
    }

    @Test func aConnectedSocketWhosePeerWentIsNoListener() throws {
        var pair: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        defer { close(pair[0]) }
        close(pair[1])
        #expect(try mode([("GATEWAY_INTERFACE", "CGI/1.1")], standardInput: pair[0]) == "cgi")
    }

    @Test func nothingOfThatMeansStandalone() throws {
        try withDevNull { input in
            let mode = try mode([], standardInput: input)
            #expect(mode == "standalone")
        }
    }

    @Test func socketsHandedToAnotherProcessAreNotTaken() throws {
        try withDevNull { input in
            for environment in [
                [("LISTEN_FDS", "1"), ("LISTEN_PID", "1")], [("LISTEN_FDS", "1")],
                [("LISTEN_FDS", "0"), ("LISTEN_PID", "\(getpid())")],
                [("LISTEN_FDS", "x"), ("LISTEN_PID", "\(getpid())")],
            ] {
                let mode = try mode(environment, standardInput: input)
                #expect(mode == "standalone")
            }
        }
    }

    @Test func theEnvironmentIsReadWithoutHTTPProxy() {
        let environment = Parameters.ofProcess()
        #expect(environment["PATH"] == getenv("PATH").map { String(cString: $0) })
        #expect(environment["HTTP_PROXY"] == nil)
    }
}
