import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Every way in which a server gives a request up reaches the handler's task.
@Suite struct CancellationTests {
    /// Sleeps for a minute unless it is cancelled.
    final class Sleepers: Sendable {
        let started = Atomic<Int>(0)
        let cancelled = Atomic<Int>(0)

        var handler: TestHandler {
            TestHandler { [self] _, loop in
                .pending { [self] in
                    started.add(1, ordering: .relaxed)
                    do {
                        try await loop.sleep(for: .seconds(60))
                    } catch {
                        cancelled.add(1, ordering: .relaxed)
                    }
                    return plain("too late")
                }
            }
        }

        func haveStarted(_ count: Int = 1) async -> Bool {
            await eventually { started.load(ordering: .relaxed) == count }
        }

        func wereCancelled(_ count: Int = 1) async -> Bool {
            await eventually { cancelled.load(ordering: .relaxed) == count }
        }
    }

    enum Leaving: CaseIterable {
        case close, halfClose, reset, insideARecord
    }

    @Test(arguments: Leaving.allCases, [nil, "127.0.0.1:0"] as [String?])
    func aConnectionThatEndsCancelsItsRequests(leaving: Leaving, address: String?) async throws {
        let sleepers = Sleepers()
        let handler = sleepers.handler
        try await withServer(over: address.map { try ListenAddress($0) }, handler) { server in
            let client = try server.connect()
            client.send(Wire.request(id: 1) + Wire.request(id: 2))
            #expect(await sleepers.haveStarted(2))
            switch leaving {
            case .close: client.close()
            case .halfClose: client.shutdownWriting()
            case .reset: client.reset()
            case .insideARecord:
                client.send([1, 2, 0])
                client.close()
            }
            #expect(await sleepers.wereCancelled(2))
            #expect(await eventually { handler.outcomes == ["cancelled", "cancelled"] })
            #expect(await eventually { server.server.counters.requestsInFlight == 0 })
            #expect(server.server.counters.connections == 0)
            #expect(server.server.counters.cancelled == 2)
            #expect(handler.ends.allSatisfy { $0.wasOnLoop })
        }
    }

    @Test func anAbortCancelsAndIsAnsweredByTheEnd() async throws {
        let sleepers = Sleepers()
        let handler = sleepers.handler
        try await withServer(handler) { server in
            let client = try server.connect()
            client.send(Wire.request(id: 3) + Wire.request(id: 4))
            #expect(await sleepers.haveStarted(2))
            client.send(Wire.abort(id: 3))
            _ = try await client.answer(id: 3)
            #expect(client.received.records.map(\.type) == [3])
            #expect(await eventually { handler.outcomes == ["cancelled"] })
            #expect(sleepers.cancelled.load(ordering: .relaxed) == 1, "the other goes on")
            client.close()
            #expect(await sleepers.wereCancelled(2))
        }
    }

    @Test func aMalformedRecordCancelsTheRequestsOfItsConnection() async throws {
        let sleepers = Sleepers()
        try await withServer(sleepers.handler) { server in
            let client = try server.connect()
            client.send(Wire.request())
            #expect(await sleepers.haveStarted())
            client.send([0])
            #expect(await sleepers.wereCancelled())
            #expect(await client.waitForEnd())
        }
    }

    @Test func anAnswerThatComesAfterTheConnectionWentIsDropped() async throws {
        let gate = Atomic<Bool>(false)
        let handler = TestHandler { _, loop in
            .pending {
                // Deaf to cancellation.
                while !gate.load(ordering: .relaxed) { await deafSleep(loop) }
                return plain("late")
            }
        }
        try await withServer(handler) { server in
            let client = try server.connect()
            client.send(Wire.request())
            #expect(await eventually { server.server.counters.requestsInFlight == 1 })
            client.close()
            #expect(await eventually { server.server.counters.connections == 0 })
            #expect(server.server.counters.requestsInFlight == 1, "it runs still")
            #expect(handler.ends.isEmpty)
            gate.store(true, ordering: .relaxed)
            #expect(await eventually { handler.outcomes == ["cancelled"] })
            #expect(server.server.counters.requestsInFlight == 0)
        }
    }

    @Test func aRequestThatIsGivenUpBeforeItArrivedNeverReachesTheHandler() async throws {
        let handler = TestHandler()
        try await withServer(handler) { server in
            let client = try server.connect()
            client.send(Wire.begin() + Wire.record(4, Wire.pair("A", "B")))
            #expect(await eventually { server.server.counters.requestsInFlight == 1 })
            client.close()
            #expect(await eventually { server.server.counters.dropped == 1 })
            #expect(server.server.counters.requestsInFlight == 0)
            #expect(handler.asked == 0)
            #expect(handler.ends.isEmpty)
        }
    }
}
