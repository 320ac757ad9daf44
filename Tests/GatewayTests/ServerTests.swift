import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite struct ServerTests {
    @Test(arguments: [nil, "127.0.0.1:0", "[::1]:0"] as [String?])
    func aRequestIsAnsweredOverEachKindOfSocket(address: String?) async throws {
        let handler = TestHandler("hello")
        try await withServer(over: address.map { try ListenAddress($0) }, handler) { server in
            let client = try server.connect()
            client.send(Wire.request())
            let answer = try await client.answer()
            #expect(answer.status == 200)
            #expect(answer["Content-Length"] == "5")
            #expect(answer.text == "hello")
            #expect(client.received.records.last?.type == 3)
            #expect(await eventually { handler.outcomes == ["answered 200"] })
            #expect(handler.ends.allSatisfy { $0.wasOnLoop })
        }
    }

    @Test func aKeptConnectionAnswersManyRequestsAndStays() async throws {
        let handler = TestHandler()
        try await withServer(handler) { server in
            let client = try server.connect()
            for count in 1...20 {
                client.send(Wire.request())
                _ = try await client.answer(count: count)
            }
            #expect(!client.isAtEnd)
            #expect(await eventually { server.server.counters.answered == 20 })
            #expect(server.server.counters.connections == 1)
        }
    }

    @Test func aConnectionWithoutKeepConnIsClosedAfterItsAnswer() async throws {
        try await withServer(TestHandler()) { server in
            let client = try server.connect()
            client.send(Wire.request(keep: false))
            _ = try await client.answer()
            #expect(await client.waitForEnd())
            #expect(!client.wasReset)
            #expect(await eventually { server.server.counters.connections == 0 })
        }
    }

    @Test func requestsOfOneConnectionAreAnsweredAsTheyGetReady() async throws {
        let gate = Atomic<Bool>(false)
        let handler = TestHandler { request, loop in
            guard request.parameters.holds("first", for: "NAME") else {
                return .pending { plain("second") }
            }
            return .pending {
                while !gate.load(ordering: .relaxed) { await deafSleep(loop) }
                return plain("first")
            }
        }
        try await withServer(handler) { server in
            let client = try server.connect()
            client.send(
                Wire.request(id: 1, [("NAME", "first")]) + Wire.request(id: 65_535, [("NAME", "second")]))
            #expect(try await client.answer(id: 65_535).text == "second")
            #expect(client.received.ends(id: 1) == 0)
            gate.store(true, ordering: .relaxed)
            #expect(try await client.answer(id: 1).text == "first")
            #expect(await eventually { server.server.counters.requestsInFlight == 0 })
        }
    }

    @Test func twoHundredKeptConnectionsSpreadOverTwoLoops() async throws {
        try await withServer(loops: 2, TestHandler()) { server in
            var clients: [TestClient] = []
            for _ in 0..<200 {
                let client = try server.connect()
                client.send(Wire.request())
                clients.append(client)
            }
            for client in clients { _ = try await client.answer() }
            let counters = server.server.counters
            #expect(counters.connections == 200)
            #expect(counters.connectionsByLoop.allSatisfy { (90...110).contains($0) })
            for client in clients { client.close() }
            #expect(await eventually { server.server.counters.connections == 0 })
        }
    }

    @Test func aMalformedRecordClosesItsConnectionOnlyAndIsLoggedOnce() async throws {
        try await withServer(TestHandler()) { server in
            let good = try server.connect()
            good.send(Wire.request())
            _ = try await good.answer()
            let bad = try server.connect()
            bad.send([7] + [UInt8](repeating: 7, count: 5_000))
            bad.send([7])
            #expect(await bad.waitForEnd())
            good.send(Wire.request())
            _ = try await good.answer(count: 2)
            #expect(
                server.logged == [
                    "closed a FastCGI connection: record of FastCGI version 7; only version 1 is known"
                ])
            #expect(server.server.counters.malformedConnections == 1)
        }
    }

    @Test func tcpPeersOutsideTheWebServersListAreTurnedAway() async throws {
        let address = try ListenAddress("127.0.0.1:0")
        for (list, isAllowed) in [("10.0.0.1, 127.0.0.1", true), ("10.0.0.1", false), ("", true)] {
            try await withServer(over: address, allowedPeers: PeerAddresses(list), TestHandler()) { server in
                let client = try server.connect()
                client.send(Wire.request())
                if isAllowed {
                    _ = try await client.answer()
                } else {
                    #expect(await client.waitForEnd())
                    #expect(client.byteCount == 0)
                    #expect(server.logged.count == 1)
                }
            }
        }
    }

    @Test func theWebServersListDoesNotCloseUnixSockets() async throws {
        try await withServer(allowedPeers: PeerAddresses("10.0.0.1"), TestHandler()) { server in
            let client = try server.connect()
            client.send(Wire.request())
            _ = try await client.answer()
        }
    }
}
