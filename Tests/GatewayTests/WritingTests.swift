import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Answers that the peer doesn't take at once.
@Suite struct WritingTests {
    private static let large = [UInt8](repeating: 0x61, count: 4_000_000)

    @Test(arguments: [nil, "127.0.0.1:0"] as [String?])
    func anAnswerOf200000BytesComesWhole(address: String?) async throws {
        let body = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let handler = TestHandler { _, _ in .ready(GatewayResponse(status: 200, body: body)) }
        try await withServer(over: address.map { try ListenAddress($0) }, handler) { server in
            for keep in [true, false] {
                let client = try server.connect()
                client.send(Wire.request(keep: keep))
                #expect(try await client.answer().body == body)
                #expect(client.received.isWhole)
                #expect(keep || !client.wasReset)
            }
        }
    }

    @Test(arguments: [true, false])
    func aSlowReaderGetsALargeAnswerWhole(keep: Bool) async throws {
        let handler = TestHandler { _, _ in .ready(GatewayResponse(status: 200, body: WritingTests.large)) }
        try await withServer(handler) { server in
            let client = try server.connect()
            client.send(Wire.request(keep: keep))
            #expect(await eventually { handler.asked == 1 })
            #expect(handler.ends.isEmpty, "the kernel can't have taken all of it")
            #expect(try await client.answer().body == WritingTests.large)
            #expect(await eventually { handler.outcomes == ["answered 200"] })
        }
    }

    @Test func aPeerThatNeverReadsIsClosedAfterTheWriteTimeoutAndNotBefore() async throws {
        var limits = GatewayLimits.patient
        limits.writeTimeout = .milliseconds(300)
        let handler = TestHandler { _, _ in .ready(GatewayResponse(status: 200, body: WritingTests.large)) }
        try await withServer(limits: limits, handler) { server in
            let client = try server.connect()
            client.send(Wire.request())
            #expect(await eventually { handler.outcomes == ["cut"] })
            let elapsed = try #require(handler.ends.first).end.elapsed
            #expect(elapsed >= .milliseconds(300))
            #expect(elapsed < .milliseconds(1_300))
            #expect(server.server.counters.cut == 1)
            #expect(await eventually { server.server.counters.connections == 0 })
        }
    }

    @Test func aPeerThatLeavesInTheMiddleOfAnAnswerCutsIt() async throws {
        let handler = TestHandler { _, _ in .ready(GatewayResponse(status: 200, body: WritingTests.large)) }
        try await withServer(handler) { server in
            let client = try server.connect()
            client.send(Wire.request())
            #expect(await eventually { handler.asked == 1 })
            client.close()
            #expect(await eventually { handler.outcomes == ["cut"] })
        }
    }

    @Test func nothingMoreIsReadWhileAnswersWait() async throws {
        let handler = TestHandler { _, _ in
            .ready(GatewayResponse(status: 200, body: [UInt8](repeating: 1, count: 100_000)))
        }
        try await withServer(handler) { server in
            let client = try server.connect()
            // Each is larger than the buffer that a read fills, so that no two are read at once.
            let request = Wire.request(
                [("CONTENT_LENGTH", "60000")], body: [UInt8](repeating: 0, count: 60_000))
            let sending = Thread { for _ in 0..<50 { client.send(request) } }
            var lastAsked = -1
            // It comes to rest well before all are read.
            #expect(
                await eventually {
                    defer { lastAsked = handler.asked }
                    return handler.asked > 2 && handler.asked == lastAsked
                })
            #expect(handler.asked < 25)
            _ = try await client.answer(count: 50, within: .seconds(30))
            sending.join()
            #expect(handler.asked == 50)
            #expect(await eventually { handler.outcomes.count == 50 })
        }
    }

    @Test func anAnswerBeforeTheBodyWasReadIsNotLostToAReset() async throws {
        var limits = GatewayLimits.patient
        limits.bodyBytes = 100
        for address in [nil, "127.0.0.1:0"] {
            try await withServer(over: address.map { try ListenAddress($0) }, limits: limits, TestHandler()) {
                server in
                let client = try server.connect()
                client.send(
                    Wire.request(
                        keep: false, [("CONTENT_LENGTH", "500000")],
                        body: [UInt8](repeating: 0, count: 500_000)))
                #expect(try await client.answer().status == 413)
                #expect(await client.waitForEnd())
                #expect(!client.wasReset)
            }
        }
    }

    @Test func aPeerThatNeverStopsSendingIsNotReadForEver() async throws {
        var limits = GatewayLimits.patient
        limits.lingerTimeout = .milliseconds(200)
        try await withServer(limits: limits, TestHandler()) { server in
            let client = try server.connect()
            client.send(Wire.begin(role: 9, keep: false))
            #expect(await client.waitForEnd(), "the server's half is closed")
            #expect(await eventually { server.server.counters.connections == 0 })
        }
    }
}
