import Synchronization
import TestSupport
import Testing
import Transport

@testable import CurlTransport

extension NetworkTests {
    @Suite struct QueueTests {
        @Test func noMoreThanAllowedAreOnTheirWayAndAllGetThere() async throws {
            let server = RawServer { _ in [.wait(.milliseconds(5)), answer("200 OK", "x")] }
            defer { server.stop() }
            let bench = try Bench(loops: 3) {
                $0.transfersAtOnce = 4
                $0.idleConnections = 1
            }
            let tasks = (0..<120).map { bench.start(server.url("/\($0)"), loop: $0 % 3) }
            for task in tasks { #expect(await task.value.text == "x") }
            let counters = try #require(bench.transport.counters().first)
            #expect(counters.inFlight == 0)
            #expect(counters.queued == 0)
            #expect(counters.finished == ["answered": 120])
            #expect(server.seen.requests.count == 120)
            #expect(server.seen.mostInFlight == 4)
        }

        @Test func theQueueIsServedInItsOrder() async throws {
            let server = RawServer { $0.path == "/first" ? [.hang] : [answer("200 OK", "x")] }
            defer { server.stop() }
            let bench = try Bench { $0.transfersAtOnce = 1 }
            let first = bench.start(server.url("/first"))
            await eventually { server.seen.requests.count == 1 }
            var tasks: [Task<Result<HTTPAnswer, TransportError>, Never>] = []
            for number in 0..<20 {
                tasks.append(bench.start(server.url("/\(number)")))
                await eventually { bench.transport.counters().first?.queued == number + 1 }
            }
            first.cancel()
            for task in tasks { #expect(await task.value.text == "x") }
            #expect(server.seen.requests.dropFirst().map(\.path) == (0..<20).map { "/\($0)" })
        }

        @Test func aPlaceGoesOnToAnotherLoop() async throws {
            let server = RawServer {
                $0.path == "/first"
                    ? [.wait(.milliseconds(100)), answer("200 OK", "1")] : [answer("200 OK", "2")]
            }
            defer { server.stop() }
            let bench = try Bench(loops: 2) { $0.transfersAtOnce = 1 }
            let first = bench.start(server.url("/first"), loop: 0)
            await eventually { server.seen.requests.count == 1 }
            let second = bench.start(server.url("/second"), loop: 1)
            #expect(await second.value.text == "2")
            #expect(await first.value.text == "1")
        }

        @Test func oneTooManyIsToldAtOnce() async throws {
            let server = RawServer { _ in [.hang] }
            defer { server.stop() }
            let bench = try Bench {
                $0.transfersAtOnce = 1
                $0.queueLength = 2
            }
            let tasks = (0..<3).map { _ in bench.start(server.url()) }
            await eventually {
                bench.transport.counters().first?.queued == 2
                    && bench.transport.counters().first?.inFlight == 1
            }
            #expect(await bench.get(server.url()).error == .queueFull)
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value.error == .cancelled) }
            #expect(bench.transport.counters().first?.finished == ["cancelled": 3, "queue-full": 1])
        }

        @Test func anotherHostIsNotHeldUp() async throws {
            let silent = RawServer { _ in [.hang] }
            let other = RawServer { _ in [answer("200 OK", "x")] }
            defer {
                silent.stop()
                other.stop()
            }
            let bench = try Bench { $0.transfersAtOnce = 1 }
            let task = bench.start(silent.url())
            await eventually { silent.seen.requests.count == 1 }
            #expect(await bench.get(other.url()).text == "x")
            #expect(bench.transport.counters().count == 2)
            task.cancel()
        }

        @Test func sixHundredAtOnceDontQueue() async throws {
            let server = RawServer { _ in [.hang] }
            defer { server.stop() }
            let bench = try Bench { $0.transfersAtOnce = 600 }
            let tasks = (0..<600).map { _ in bench.start(server.url()) }
            await eventually(within: .seconds(30)) { server.seen.requests.count == 600 }
            #expect(bench.transport.counters().first?.queued == 0)
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value.error == .cancelled) }
            await eventually { server.seen.open == 0 }
        }
    }
}
