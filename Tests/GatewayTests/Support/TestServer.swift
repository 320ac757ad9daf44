import EventLoop
import Foundation
import Gateway
import Synchronization
import TestSupport
import Testing

extension GatewayLimits {
    /// Limits of time that no test reaches but one that sets its own, however busy the machine is.
    static var patient: GatewayLimits {
        var limits = GatewayLimits()
        limits.arrivalTimeout = .seconds(60)
        limits.writeTimeout = .seconds(60)
        limits.lingerTimeout = .seconds(60)
        limits.cancellationTimeout = .seconds(60)
        return limits
    }
}

/// A server on loops of its own.
final class TestServer: Sendable {
    let server: GatewayServer
    let loops: [EventLoop]
    let socket: ListeningSocket
    private let folder: ScratchFolder

    init(
        loops count: Int = 1, over address: ListenAddress? = nil, limits: GatewayLimits = .patient,
        allowedPeers: PeerAddresses? = nil, _ handler: TestHandler
    ) throws {
        folder = try ScratchFolder()
        socket = try ListeningSocket.listen(on: address ?? .unix(path: folder.path + "/s"))
        loops = try (0..<count).map { try EventLoop(name: "test-\($0)") }
        for loop in loops { try loop.start() }
        let events = Events()
        server = GatewayServer(
            loops: loops, sockets: [socket], limits: limits, handler: handler, allowedPeers: allowedPeers
        ) { event in events.add(event.description) }
        recorded = events
        server.start()
    }

    private let recorded: Events
    var logged: [String] { recorded.all }

    func connect() throws -> TestClient { try TestClient(to: #require(socket.address)) }

    func stop(grace: Duration = .zero) async {
        await server.drain(grace: grace)
        for loop in loops { loop.stop() }
        for loop in loops { loop.join() }
    }
}

final class Events: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
}

/// Runs `body` with a server, and stops that whatever happens.
func withServer(
    loops: Int = 1, over address: ListenAddress? = nil, limits: GatewayLimits = .patient,
    allowedPeers: PeerAddresses? = nil, _ handler: TestHandler, _ body: (TestServer) async throws -> Void
) async throws {
    let server = try TestServer(
        loops: loops, over: address, limits: limits, allowedPeers: allowedPeers, handler)
    do {
        try await body(server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
