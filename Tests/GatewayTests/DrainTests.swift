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
}
