import CLinux
import Foundation
import TestSupport
import Testing
import Transport

@testable import CurlTransport

extension NetworkTests {
    /// Each limit ends a transfer: not before its time, and not long after it.
    @Suite struct TimeLimitTests {
        /// Asks, and checks how long it took until the error that comes instead of an answer: never less than the
        /// limit, and not a second more, for which a busy machine has three tries.
        private func fault(
            _ bench: Bench, _ url: String, deadline: Duration = .seconds(60), after limit: Duration,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async -> TransferFault? {
            var tries: [Duration] = []
            while tries.count < 3 {
                let (result, elapsed) = await bench.time(url, deadline: deadline)
                tries.append(elapsed)
                #expect(elapsed >= limit, sourceLocation: sourceLocation)
                guard case .timedOut(let fault) = result.error else {
                    Issue.record("\(result)", sourceLocation: sourceLocation)
                    return nil
                }
                if elapsed < limit + .seconds(1) { return fault }
            }
            Issue.record("took \(tries)", sourceLocation: sourceLocation)
            return nil
        }

        private func server(_ steps: [Step]) -> RawServer {
            RawServer { $0.path == "/good" ? [answer("200 OK", "good")] : steps }
        }

        @Test func connecting() async throws {
            // A listener whose queue is full: its next connection is never made.
            let (listener, port) = RawServer.listen(backlog: 0)
            var fillers: [Int32] = []
            defer { for descriptor in fillers + [listener] { close(descriptor) } }
            for _ in 0..<4 {
                let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                fillers.append(filler)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
                address.sin_port = UInt16(port).bigEndian
                withUnsafePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        _ = connect(filler, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
            }
            let bench = try Bench { $0.connectTimeout = .milliseconds(300) }
            // What is left of an earlier transfer on the same handle must not count.
            let good = server([])
            defer { good.stop() }
            #expect(await bench.get(good.url("/good")).text == "good")
            let fault = await fault(bench, "http://127.0.0.1:\(port)/", after: .milliseconds(300))
            #expect(fault?.phase == .connect)
            #expect(fault?.code == 28)
        }

        @Test func agreeingOnTLS() async throws {
            let (listener, port) = RawServer.listen(backlog: 8)
            defer { close(listener) }
            let bench = try Bench { $0.connectTimeout = .milliseconds(300) }
            let fault = await fault(bench, "https://127.0.0.1:\(port)/", after: .milliseconds(300))
            #expect(fault?.phase == .tls)
        }

        @Test func waitingForTheFirstByte() async throws {
            let server = server([.hang])
            defer { server.stop() }
            let bench = try Bench { $0.firstByteTimeout = .milliseconds(250) }
            #expect(await fault(bench, server.url(), after: .milliseconds(250))?.phase == .wait)
            await eventually { server.seen.open == 0 }
            #expect(await bench.get(server.url("/good")).text == "good")
        }

        @Test func anAnswerJustInTimeIsTaken() async throws {
            let server = server([.wait(.milliseconds(150)), answer("200 OK", "late")])
            defer { server.stop() }
            let bench = try Bench { $0.firstByteTimeout = .seconds(1) }
            #expect(await bench.get(server.url()).text == "late")
        }

        @Test func aStall() async throws {
            let server = server([.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx"), .hang])
            defer { server.stop() }
            let bench = try Bench {
                $0.lowSpeedTime = .milliseconds(400)
                // The first-byte limit is over by then, and must not count any more.
                $0.firstByteTimeout = .milliseconds(200)
            }
            let fault = await fault(bench, server.url(), after: .milliseconds(400))
            #expect(fault?.phase == .receive)
            #expect(fault?.code == 28)
            #expect(await bench.get(server.url("/good")).text == "good")
        }

        @Test func aDrip() async throws {
            let server = server([
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
                .drip("x", every: .milliseconds(40)),
            ])
            defer { server.stop() }
            let bench = try Bench { $0.lowSpeedTime = .milliseconds(600) }
            #expect(await fault(bench, server.url(), after: .milliseconds(600))?.phase == .receive)
        }

        @Test func aDripInTheHeader() async throws {
            let server = server([.send("HTTP/1.1 200 OK\r\n"), .drip("A:b\r\n", every: .milliseconds(100))])
            defer { server.stop() }
            let bench = try Bench { $0.lowSpeedTime = .milliseconds(600) }
            #expect(await fault(bench, server.url(), after: .milliseconds(600))?.phase == .receive)
        }

        @Test func slowButFastEnoughIsLetGoOn() async throws {
            let pieces = (0..<12).flatMap { _ in [Step.send("0123456789"), .wait(.milliseconds(50))] }
            let server = server([.send("HTTP/1.1 200 OK\r\nContent-Length: 120\r\n\r\n")] + pieces)
            defer { server.stop() }
            let bench = try Bench {
                $0.lowSpeedTime = .milliseconds(300)
                $0.lowSpeedBytes = 20
            }
            #expect(await bench.get(server.url()).text?.count == 120)
        }

        @Test func theWholeTransfer() async throws {
            let server = server([
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"),
                .drip(String(repeating: "x", count: 100), every: .milliseconds(20)),
            ])
            defer { server.stop() }
            let bench = try Bench { $0.transferTimeout = .milliseconds(500) }
            let fault = await fault(bench, server.url(), after: .milliseconds(500))
            #expect(fault?.phase == .receive)
            #expect(fault?.message.contains("bytes received") == true)
        }

        @Test func theDeadlineCutsAllOthersDown() async throws {
            let server = server([.hang])
            defer { server.stop() }
            let bench = try Bench()
            let fault = await fault(
                bench, server.url(), deadline: .milliseconds(200), after: .milliseconds(200))
            #expect(fault?.phase == .wait)
        }

        @Test func aDeadlineThatHasPassedSendsNothing() async throws {
            let server = server([answer("200 OK", "")])
            defer { server.stop() }
            let bench = try Bench()
            guard case .timedOut(let fault) = await bench.get(server.url(), deadline: .zero).error else {
                return #expect(Bool(false))
            }
            #expect(fault.phase == .queue)
            #expect(server.seen.connections == 0)
        }

        @Test func theDeadlineCountsInTheQueue() async throws {
            let server = server([.hang])
            defer { server.stop() }
            let bench = try Bench { $0.transfersAtOnce = 1 }
            let first = bench.start(server.url())
            await eventually { server.seen.requests.count == 1 }
            let fault = await fault(
                bench, server.url("/good"), deadline: .milliseconds(300), after: .milliseconds(300))
            #expect(fault?.phase == .queue)
            #expect(fault?.code == 0)
            first.cancel()
            #expect(await bench.get(server.url("/good")).text == "good")
        }

        @Test func theWaitInTheQueueIsNotPartOfTheTransferLimit() async throws {
            let server = server([.wait(.milliseconds(300)), answer("200 OK", "slow")])
            defer { server.stop() }
            let bench = try Bench {
                $0.transfersAtOnce = 1
                $0.transferTimeout = .milliseconds(450)
            }
            let tasks = (0..<3).map { _ in bench.start(server.url()) }
            for task in tasks { #expect(await task.value.text == "slow") }
        }
    }
}
