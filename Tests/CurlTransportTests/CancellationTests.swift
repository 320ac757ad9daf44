import EventLoop
import Foundation
import TestSupport
import Testing
import Transport

@testable import CurlTransport

extension NetworkTests {
    /// Cancelled, a transfer ends at once, whatever it was doing: the server sees its socket close.
    @Suite struct CancellationTests {
        private func server(_ steps: [Step]) -> RawServer {
            RawServer { $0.path == "/good" ? [answer("200 OK", "good")] : steps }
        }

        @Test func beforeItStarts() async throws {
            let server = server([.hang])
            defer { server.stop() }
            let bench = try Bench()
            let transport = bench.transport
            let url = server.url()
            let task = Task(executorPreference: bench.loops[0]) { () -> TransportError? in
                withUnsafeCurrentTask { $0?.cancel() }
                do throws(TransportError) {
                    _ = try await transport.get(HTTPRequest(url: url), deadline: .now + .seconds(5))
                    return nil
                } catch {
                    return error
                }
            }
            #expect(await task.value == .cancelled)
            #expect(server.seen.connections == 0)
        }

        @Test func inTheQueue() async throws {
            let server = server([.hang])
            defer { server.stop() }
            let bench = try Bench { $0.transfersAtOnce = 1 }
            let first = bench.start(server.url())
            await eventually { server.seen.requests.count == 1 }
            let second = bench.start(server.url("/good"))
            await eventually { bench.transport.counters().first?.queued == 1 }
            second.cancel()
            #expect(await second.value.error == .cancelled)
            #expect(bench.transport.counters().first?.queued == 0)
            first.cancel()
            #expect(await bench.get(server.url("/good")).text == "good")
            #expect(server.seen.requests.count == 2)
        }

        @Test func agreeingOnTLS() async throws {
            let (listener, port) = RawServer.listen(backlog: 8)
            defer { close(listener) }
            let bench = try Bench()
            let task = bench.start("https://127.0.0.1:\(port)/")
            let connection = accept(listener, nil, nil)
            defer { close(connection) }
            var byte: UInt8 = 0
            #expect(recv(connection, &byte, 1, 0) == 1)
            task.cancel()
            #expect(await task.value.error == .cancelled)
            // The rest of its hello, then the end.
            var rest = [UInt8](repeating: 0, count: 4_096)
            var limit = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var count = 1
            while count > 0 { count = recv(connection, &rest, rest.count, 0) }
            // Not a time-out: the connection was closed or reset.
            #expect(count == 0 || errno == ECONNRESET)
        }

        @Test func waitingForTheFirstByte() async throws {
            let server = server([.hang])
            defer { server.stop() }
            let bench = try Bench()
            let task = bench.start(server.url())
            await eventually { server.seen.requests.count == 1 }
            task.cancel()
            #expect(await task.value.error == .cancelled)
            await eventually(within: .seconds(1)) { server.seen.open == 0 }
            #expect(await bench.get(server.url("/good")).text == "good")
        }

        @Test func receiving() async throws {
            let server = server([
                .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
                .drip(String(repeating: "x", count: 50), every: .milliseconds(5)),
            ])
            defer { server.stop() }
            let bench = try Bench()
            let task = bench.start(server.url())
            await eventually { server.seen.requests.count == 1 }
            try await Task.sleep(for: .milliseconds(20))
            task.cancel()
            #expect(await task.value.error == .cancelled)
            await eventually(within: .seconds(1)) { server.seen.open == 0 }
        }

        @Test func tooLateIsIgnored() async throws {
            let server = server([answer("200 OK", "done")])
            defer { server.stop() }
            let bench = try Bench()
            let task = bench.start(server.url())
            #expect(await task.value.text == "done")
            task.cancel()
            #expect(await task.value.text == "done")
            #expect(await bench.get(server.url("/good")).text == "good")
            #expect(server.seen.connections == 1)
        }

        @Test func onTheLoopItselfItIsDoneAtOnce() async throws {
            let server = server([.hang])
            defer { server.stop() }
            let bench = try Bench()
            let task = bench.start(server.url())
            await eventually { server.seen.requests.count == 1 }
            let transport = bench.transport
            let inFlight = await Task(executorPreference: bench.loops[0]) {
                task.cancel()
                return transport.counters().first?.inFlight
            }.value
            #expect(inFlight == 0)
        }

        @Test func twoHundredAtOnce() async throws {
            let server = server([.hang])
            defer { server.stop() }
            let bench = try Bench(loops: 2)
            let tasks = (0..<200).map { bench.start(server.url(), loop: $0 % 2) }
            await eventually { server.seen.requests.count == 200 }
            #expect(server.seen.open == 200)
            for task in tasks { task.cancel() }
            await eventually(within: .seconds(1)) { server.seen.open == 0 }
            for task in tasks { #expect(await task.value.error == .cancelled) }
            #expect(await bench.get(server.url("/good")).text == "good")
        }

        @Test func shuttingDownEndsAllAndRefusesTheRest() async throws {
            let server = server([.hang])
            defer { server.stop() }
            let bench = try Bench(loops: 2) { $0.transfersAtOnce = 2 }
            let tasks = (0..<6).map { bench.start(server.url(), loop: $0 % 2) }
            await eventually { server.seen.requests.count == 2 }
            bench.transport.shutDown()
            for task in tasks { #expect(await task.value.error == .cancelled) }
            await eventually { server.seen.open == 0 }
            #expect(await bench.get(server.url("/good")).error == .cancelled)
        }

        /// Transfers of all kinds on several loops, each cancelled at some moment from some thread: each ends once,
        /// nothing is left, and the transport still works.
        @Test func atAnyMomentFromAnyLoop() async throws {
            let server = RawServer { request in
                switch request.path.utf8.reduce(0, { ($0 &* 31) &+ Int($1) }) & 3 {
                case 0: [answer("200 OK", "quick")]
                case 1: [.wait(.milliseconds(3)), answer("500 Oh", "no")]
                case 2:
                    [
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), .wait(.milliseconds(4)),
                        .send("12345678"),
                    ]
                default: [.wait(.milliseconds(2)), .close]
                }
            }
            defer { server.stop() }
            let bench = try Bench(loops: 3) {
                $0.transfersAtOnce = 20
                $0.queueLength = 1_000
            }
            var random = SeededGenerator(seed: 7)
            let endedOtherwise = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<600 {
                    let task = bench.start(server.url("/\(number)"), loop: number % 3)
                    let canceller = bench.loops[Int(random.next() % 3)]
                    let delay = Duration.microseconds(Int(random.next() % 8_000))
                    let spares = random.next() % 4 == 0
                    group.addTask {
                        if !spares {
                            await Task(executorPreference: canceller) {
                                try? await canceller.sleep(for: delay)
                                task.cancel()
                            }.value
                        }
                        let result = await task.value
                        if spares { #expect(result.error != .cancelled) }
                        return result.error != .cancelled
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            let counters = try #require(bench.transport.counters().first)
            #expect(counters.inFlight == 0)
            #expect(counters.queued == 0)
            #expect(endedOtherwise >= 100)
            let counted = counters.finished.filter { $0.key != "cancelled" }
            #expect(counted.values.reduce(0, +) == endedOtherwise, "each transfer is counted once")
            #expect(await bench.get(server.url("/again")).error != .cancelled)
        }
    }
}
