import TestSupport
import Testing
import Transport

@testable import CurlTransport

extension NetworkTests {
    /// Name lookups that take long, or for ever: they hold up nothing else, and few threads.
    @Suite struct LookupTests {
        private func bench(loops: Int = 1, _ configure: (inout CurlConfiguration) -> Void = { _ in }) throws
            -> Bench
        {
            try Bench(loops: loops) {
                $0.allowPlainHTTP = true
                $0.connectTimeout = .milliseconds(300)
                configure(&$0)
            }
        }

        private func server() -> RawServer { RawServer { _ in [answer("200 OK", "x")] } }

        @Test func oneThatNeverAnswersEndsInTimeAndShutsTheGate() async throws {
            var tries: [Duration] = []
            repeat {
                let name = SlowLookup.held()
                defer { SlowLookup.release(name) }
                let bench = try bench()
                let (first, elapsed) = await bench.time("http://\(name):1/")
                tries.append(elapsed)
                #expect(elapsed >= .milliseconds(300))
                guard case .timedOut(let fault) = first.error else { return #expect(Bool(false), "\(first)") }
                #expect(fault.phase == .resolve)
                #expect(fault.code == 28)
                let second = await bench.get("http://\(name):1/")
                guard case .gateShut(let retryAfter) = second.error else {
                    return #expect(Bool(false), "\(second)")
                }
                #expect(retryAfter > .zero && retryAfter <= .seconds(5))
                #expect(SlowLookup[name].calls == 1)
            } while tries.count < 3 && tries[tries.count - 1] >= .milliseconds(1_300)
            #expect(tries[tries.count - 1] < .milliseconds(1_300), "took \(tries)")
        }

        @Test func aHundredRequestsHoldOneThread() async throws {
            let server = server()
            defer { server.stop() }
            let name = SlowLookup.held()
            defer { SlowLookup.release(name) }
            let bench = try bench(loops: 2)
            let tasks = (0..<100).map { bench.start("http://\(name):\(server.port)/", loop: $0 % 2) }
            var labels: [String?: Int] = [:]
            for task in tasks { labels[await task.value.error?.label, default: 0] += 1 }
            #expect(labels == ["timeout-resolve": 1, "gate-shut": 99])
            #expect(SlowLookup[name].calls == 1)
        }

        @Test func aHundredWhoLeaveHoldOneThread() async throws {
            let server = server()
            defer { server.stop() }
            let name = SlowLookup.held()
            let bench = try bench { $0.connectTimeout = .seconds(10) }
            for _ in 0..<100 {
                let task = bench.start("http://\(name):\(server.port)/")
                try #require(await eventually { SlowLookup[name].calls == 1 })
                let start = ContinuousClock.now
                task.cancel()
                #expect(await task.value.error == .cancelled)
                #expect(start.duration(to: .now) < .milliseconds(500))
            }
            #expect(SlowLookup[name].mostRunning == 1)
            // What they left behind serves the next.
            let last = bench.start("http://\(name):\(server.port)/")
            SlowLookup.release(name)
            #expect(await last.value.text == "x")
            #expect(SlowLookup[name].calls == 1)
            #expect(server.seen.requests.count == 1)
        }

        @Test func theDeadlineHoldsDuringTheLookupAndLeavesItToTheNext() async throws {
            let server = server()
            defer { server.stop() }
            let name = SlowLookup.held()
            let bench = try bench { $0.connectTimeout = .seconds(10) }
            let (result, elapsed) = await bench.time(
                "http://\(name):\(server.port)/", deadline: .milliseconds(200))
            #expect(elapsed >= .milliseconds(200) && elapsed < .seconds(5))
            guard case .timedOut(let fault) = result.error else { return #expect(Bool(false), "\(result)") }
            #expect(fault.phase == .resolve)
            // One that only waited for it says the same of itself.
            let other = await bench.get("http://\(name):\(server.port)/", deadline: .milliseconds(100))
            guard case .timedOut(let second) = other.error else { return #expect(Bool(false), "\(other)") }
            #expect(second.phase == .resolve)
            let last = bench.start("http://\(name):\(server.port)/")
            SlowLookup.release(name)
            #expect(await last.value.text == "x")
            #expect(SlowLookup[name].calls == 1)
        }

        @Test func otherHostsAndTheLoopAreNotHeldUp() async throws {
            let server = server()
            defer { server.stop() }
            let (dead, alive) = (SlowLookup.held(), SlowLookup.quick())
            defer { SlowLookup.release(dead) }
            let bench = try bench { $0.connectTimeout = .seconds(10) }
            #expect(await bench.get("http://\(alive):\(server.port)/").text == "x")
            let task = bench.start("http://\(dead):\(server.port)/")
            await eventually { SlowLookup[dead].running == 1 }
            SlowLookup.hold(alive)
            defer { SlowLookup.release(alive) }
            let start = ContinuousClock.now
            // Known already, and an address: neither needs a lookup.
            for url in ["http://\(alive):\(server.port)/", server.url(), "http://localhost:\(server.port)/"] {
                for _ in 0..<20 { #expect(await bench.get(url).text == "x") }
            }
            #expect(start.duration(to: .now) < .seconds(5))
            #expect(SlowLookup[alive].calls == 1)
            task.cancel()
        }

        @Test func aProbeOpensTheGateWhenNamesAreBack() async throws {
            let server = server()
            defer { server.stop() }
            let name = SlowLookup.held()
            let bench = try bench { $0.dnsRetryAfter = .seconds(1) }
            let url = "http://\(name):\(server.port)/"
            #expect(await bench.get(url).error?.label == "timeout-resolve")
            SlowLookup.release(name)
            #expect(await bench.get(url).error?.label == "gate-shut")
            // Each probe may come too late on a busy machine, and shuts the gate for another second.
            let end = ContinuousClock.now.advanced(by: .seconds(20))
            while await bench.get(url).text != "x", ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(await bench.get(url).text == "x")
        }

        @Test func eachLoopLooksUpOnceAndOneAfterTheOther() async throws {
            let server = RawServer { _ in [.wait(.milliseconds(20)), answer("200 OK", "x")] }
            defer { server.stop() }
            let name = SlowLookup.quick()
            let bench = try bench(loops: 3) { $0.connectTimeout = .seconds(10) }
            let tasks = (0..<90).map { bench.start("http://\(name):\(server.port)/", loop: $0 % 3) }
            for task in tasks { #expect(await task.value.text == "x") }
            #expect(SlowLookup[name].calls == 3)
            #expect(SlowLookup[name].mostRunning == 1)
        }

        @Test func aNameThatDoesNotExistIsTheAnswerToAllWhoWaited() async throws {
            let name = SlowLookup.held()
            SlowLookup.fail(name)
            let bench = try bench { $0.connectTimeout = .seconds(10) }
            let tasks = (0..<10).map { _ in bench.start("http://\(name):1/") }
            await eventually { bench.transport.counters().first?.queued == 9 }
            SlowLookup.release(name)
            for task in tasks {
                guard case .failed(let fault) = await task.value.error else { return #expect(Bool(false)) }
                #expect(fault.phase == .resolve)
                #expect(fault.code == 6)
            }
            #expect(SlowLookup[name].calls == 1)
        }

        @Test func shuttingDownWaitsForNoLookup() async throws {
            let name = SlowLookup.held()
            defer { SlowLookup.release(name) }
            let bench = try bench { $0.connectTimeout = .seconds(10) }
            let (left, kept) = (bench.start("http://\(name):1/"), bench.start("http://\(name):1/"))
            await eventually { SlowLookup[name].running == 1 }
            left.cancel()
            let start = ContinuousClock.now
            bench.transport.shutDown()
            for task in [left, kept] { #expect(await task.value.error == .cancelled) }
            // The loop itself is free too.
            await Task(executorPreference: bench.loops[0]) {}.value
            #expect(start.duration(to: .now) < .seconds(1))
            #expect(SlowLookup[name].running == 1)
        }

        @Test func cancellingEndsTheWaitForAName() async throws {
            let name = SlowLookup.held()
            defer { SlowLookup.release(name) }
            let bench = try bench { $0.connectTimeout = .seconds(10) }
            let tasks = (0..<10).map { _ in bench.start("http://\(name):1/") }
            await eventually { bench.transport.counters().first?.queued == 9 }
            let start = ContinuousClock.now
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value.error == .cancelled) }
            #expect(start.duration(to: .now) < .seconds(1))
        }
    }
}
