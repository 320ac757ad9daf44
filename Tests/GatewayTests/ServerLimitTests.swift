import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite struct ServerLimitTests {
    private func limits(_ change: (inout GatewayLimits) -> Void) -> GatewayLimits {
        var limits = GatewayLimits.patient
        change(&limits)
        return limits
    }

    @Test func oneConnectionTooManyIsAnswered503AndClosedAndTheOthersGoOn() async throws {
        let handler = TestHandler()
        try await withServer(loops: 2, limits: limits { $0.connections = 2 }, handler) { server in
            let first = try server.connect()
            let second = try server.connect()
            for client in [first, second] {
                client.send(Wire.request())
                _ = try await client.answer()
            }
            let third = try server.connect()
            third.send(Wire.request())
            let answer = try await third.answer()
            #expect(answer.status == 503)
            #expect(await third.waitForEnd())
            #expect(!third.wasReset)
            #expect(server.server.counters.refused == ["too many connections": 1])
            first.send(Wire.request())
            _ = try await first.answer(count: 2)
            second.close()
            #expect(await eventually { server.server.counters.connections == 1 })
            let fourth = try server.connect()
            fourth.send(Wire.request())
            #expect(try await fourth.answer().status == 200)
        }
    }

    @Test func aConnectionOverTheLimitThatSaysNothingIsClosedInTime() async throws {
        try await withServer(
            limits: limits {
                $0.connections = 1
                $0.arrivalTimeout = .milliseconds(200)
            }, TestHandler()
        ) { server in
            let first = try server.connect()
            first.send(Wire.request())
            _ = try await first.answer()
            let start = ContinuousClock.now
            let second = try server.connect()
            #expect(await second.waitForEnd())
            #expect(start.duration(to: .now) >= .milliseconds(200))
            #expect(!first.isAtEnd)
        }
    }

    @Test func oneRequestTooManyIsAnswered503UntilThereIsRoom() async throws {
        let gate = Atomic<Bool>(false)
        let handler = TestHandler { _, loop in
            .pending {
                while !gate.load(ordering: .relaxed) { await deafSleep(loop) }
                return plain("done")
            }
        }
        try await withServer(loops: 2, limits: limits { $0.requestsInFlight = 1 }, handler) { server in
            let first = try server.connect()
            first.send(Wire.request())
            #expect(await eventually { server.server.counters.requestsInFlight == 1 })
            let second = try server.connect()
            second.send(Wire.request())
            #expect(try await second.answer().status == 503)
            #expect(await eventually { handler.outcomes == ["refused 503 too many requests"] })
            gate.store(true, ordering: .relaxed)
            #expect(try await first.answer().status == 200)
            second.send(Wire.request(id: 2))
            #expect(try await second.answer(id: 2).status == 200)
            #expect(await eventually { server.server.counters.requestsInFlight == 0 })
        }
    }

    @Test func aRequestThatDoesNotArriveInTimeIsAnswered408AndTheConnectionGoesOn() async throws {
        let handler = TestHandler()
        try await withServer(limits: limits { $0.arrivalTimeout = .milliseconds(300) }, handler) { server in
            let client = try server.connect()
            client.send(Wire.begin() + Wire.stream(4, Wire.pair("A", "B")))
            #expect(try await client.answer().status == 408)
            #expect(await eventually { !handler.ends.isEmpty })
            let elapsed = try #require(handler.ends.first).end.elapsed
            #expect(elapsed >= .milliseconds(300))
            #expect(elapsed < .milliseconds(1_300))
            client.send(Wire.record(5) + Wire.request(id: 2))
            #expect(try await client.answer(id: 2).status == 200)
            #expect(
                await eventually {
                    handler.outcomes == ["refused 408 request arrived too slowly", "answered 200"]
                })
        }
    }

    @Test func aRequestThatTricklesInTimeIsAnswered() async throws {
        try await withServer(limits: limits { $0.arrivalTimeout = .seconds(20) }, TestHandler()) { server in
            let client = try server.connect()
            for byte in Wire.request() { client.send([byte]) }
            #expect(try await client.answer().status == 200)
        }
    }

    @Test func aRecordThatStandsStillIsGivenUp() async throws {
        try await withServer(limits: limits { $0.arrivalTimeout = .milliseconds(200) }, TestHandler()) {
            server in
            let client = try server.connect()
            client.send([1, 1, 0])
            #expect(await client.waitForEnd())
            #expect(
                server.logged == ["closed a FastCGI connection: a record that didn't arrive whole in time"])
        }
    }

    @Test func aNewConnectionThatSaysNothingIsClosedAndAKeptOneIsNot() async throws {
        try await withServer(limits: limits { $0.arrivalTimeout = .milliseconds(100) }, TestHandler()) {
            server in
            let kept = try server.connect()
            kept.send(Wire.request())
            _ = try await kept.answer()
            let silent = try server.connect()
            #expect(await silent.waitForEnd())
            kept.read()
            #expect(!kept.isAtEnd)
        }
    }
}
