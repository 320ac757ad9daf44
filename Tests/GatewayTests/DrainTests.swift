import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite struct DrainTests {
    @Test func whatIsInFlightFinishesAndIdleConnectionsClose() async throws {
        let gate = Atomic<Bool>(false)
        let handler = TestHandler { _, loop in
            .pending {
                while !gate.load(ordering: .relaxed) { await deafSleep(loop) }
                return plain("done")
            }
        }
        let server = try TestServer(loops: 2, handler)
        let busy = try server.connect()
        busy.send(Wire.request())
        #expect(await eventually { server.server.counters.requestsInFlight == 1 })
        let idle = try server.connect()
        #expect(await eventually { server.server.counters.connections == 2 })
        async let drained: Void = server.server.drain(grace: .seconds(20))
        #expect(await idle.waitForEnd())
        #expect(throws: (any Error).self) { try server.connect() }
        gate.store(true, ordering: .relaxed)
        #expect(try await busy.answer().text == "done")
        #expect(await busy.waitForEnd())
        await drained
        #expect(handler.outcomes == ["answered 200"])
        #expect(server.server.counters.connections == 0)
        await server.stop()
    }

    @Test func afterTheGraceTheRestIsCancelledAndAnswered503() async throws {
        let sleepers = CancellationTests.Sleepers()
        let handler = sleepers.handler
        let server = try TestServer(handler)
        let client = try server.connect()
        client.send(Wire.request())
        #expect(await sleepers.haveStarted())
        let start = ContinuousClock.now
        await server.server.drain(grace: .milliseconds(200))
        #expect(start.duration(to: .now) >= .milliseconds(200))
        #expect(sleepers.cancelled.load(ordering: .relaxed) == 1)
        #expect(try await client.answer().status == 503)
        #expect(await client.waitForEnd())
        #expect(handler.outcomes == ["refused 503 stopping"])
        await server.stop()
    }

    @Test func aTaskThatIsDeafToCancellationDoesNotHoldTheDrain() async throws {
        let gate = Atomic<Bool>(false)
        let handler = TestHandler { _, loop in
            .pending {
                while !gate.load(ordering: .relaxed) { await deafSleep(loop) }
                return plain("late")
            }
        }
        var limits = GatewayLimits.patient
        limits.cancellationTimeout = .milliseconds(200)
        let server = try TestServer(limits: limits, handler)
        let client = try server.connect()
        client.send(Wire.request())
        #expect(await eventually { server.server.counters.requestsInFlight == 1 })
        let start = ContinuousClock.now
        await server.server.drain(grace: .zero)
        // That it comes to an end is the point: the gate is shut still.
        #expect(start.duration(to: .now) >= .milliseconds(200))
        #expect(await client.waitForEnd())
        gate.store(true, ordering: .relaxed)
        #expect(await eventually { handler.outcomes == ["cancelled"] })
        await server.stop()
    }

    @Test func aRequestThatWaitsUnreadIsAnsweredBeforeTheConnectionCloses() async throws {
        let handler = TestHandler()
        let server = try TestServer(handler)
        let client = try server.connect()
        client.send(Wire.request())
        _ = try await client.answer()
        // The loop is kept busy while the request and the drain both come.
        let isBusy = Atomic<Bool>(true)
        server.loops[0].execute { while isBusy.load(ordering: .relaxed) {} }
        client.send(Wire.request())
        async let drained: Void = server.server.drain(grace: .seconds(5))
        isBusy.store(false, ordering: .relaxed)
        #expect(try await client.answer(count: 2).status == 200)
        await drained
        #expect(await client.waitForEnd())
        await server.stop()
    }

    @Test func aServerThatDrainsRemovesItsSocketFile() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/socket"
        let server = try TestServer(over: .unix(path: path), TestHandler())
        #expect(FileManager.default.fileExists(atPath: path))
        await server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
        // A second drain returns at once.
        await server.server.drain(grace: .seconds(60))
    }

    @Test func aConnectionThatHasSaidNothingIsWaitedForAMoment() async throws {
        let folder = try ScratchFolder()
        let handler = TestHandler()
        var limits = GatewayLimits.patient
        limits.silenceTimeout = .seconds(60)
        let server = try TestServer(over: .unix(path: folder.path + "/s"), limits: limits, handler)
        let client = try server.connect()
        #expect(await eventually { server.server.counters.connections == 1 })
        async let drained: Void = server.server.drain(grace: .seconds(60))
        #expect(await eventually { !FileManager.default.fileExists(atPath: folder.path + "/s") })
        client.send(Wire.request())
        #expect(try await client.answer().status == 200)
        #expect(await client.waitForEnd())
        await drained
        #expect(handler.outcomes == ["answered 200"])
        await server.stop()
    }

    @Test func aConnectionThatStaysSilentIsClosed() async throws {
        var limits = GatewayLimits.patient
        limits.silenceTimeout = .milliseconds(50)
        let server = try TestServer(limits: limits, TestHandler())
        let client = try server.connect()
        #expect(await eventually { server.server.counters.connections == 1 })
        await server.server.drain(grace: .seconds(60))
        #expect(await client.waitForEnd())
        await server.stop()
    }

    /// Connections that wait in the backlog when the process is told to stop.
    @Test(arguments: [true, false], [true, false])
    func whoWaitsToBeAcceptedIsAnswered(isUnix: Bool, isInherited: Bool) async throws {
        let folder = try ScratchFolder()
        let own = try ListeningSocket.listen(
            on: isUnix ? .unix(path: folder.path + "/s") : .tcp("127.0.0.1", port: 0))
        let address = try #require(own.address)
        var socket = own
        if isInherited {
            socket = try ListeningSocket.inherited(dup(own.descriptor))
        }
        let loop = try EventLoop(name: "test")
        try loop.start()
        let handler = TestHandler()
        let server = GatewayServer(loops: [loop], sockets: [socket], limits: .patient, handler: handler) {
            _ in
        }
        server.start()
        // The loop is kept busy while connections come, and while the server is told to stop.
        let isBusy = Atomic<Bool>(true)
        loop.execute { while isBusy.load(ordering: .relaxed) {} }
        if isInherited {
            if isUnix { #expect(link(folder.path + "/s", folder.path + "/t") == 0) }
            own.close()
        }
        var clients: [TestClient] = []
        for _ in 0..<50 {
            let client = try TestClient(to: isUnix && isInherited ? .unix(path: folder.path + "/t") : address)
            client.send(Wire.request(keep: true))
            clients.append(client)
        }
        async let drained: Void = server.drain(grace: .seconds(60))
        isBusy.store(false, ordering: .relaxed)
        for client in clients { #expect(try await client.answer().status == 200) }
        await drained
        #expect(throws: (any Error).self) { try TestClient(to: address) }
        loop.stop()
        loop.join()
    }
}
