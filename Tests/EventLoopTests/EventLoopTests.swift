import EventLoop
import Glibc
import Synchronization
import Testing

/// Runs `body` with a loop on a thread of its own, and stops it afterwards.
func withLoop<Result: Sendable>(
    _ body: @Sendable @escaping (EventLoop) async throws -> Result
) async throws -> Result {
    let loop = try EventLoop(name: "test")
    try loop.start()
    defer {
        loop.stop()
        loop.join()
    }
    return try await Task(executorPreference: loop) { try await body(loop) }.value
}

private final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() {
        count.add(1, ordering: .relaxed)
    }
}

@Suite struct EventLoopTests {
    @Test func tasksStayOnTheirLoop() async throws {
        let stayed = try await withLoop { loop in
            var stayed = loop.isCurrent && EventLoop.current === loop
            try await loop.sleep(for: .milliseconds(5))
            stayed = stayed && loop.isCurrent
            await withTaskGroup { group in
                for _ in 0..<10 { group.addTask { loop.isCurrent } }
                for await onLoop in group { stayed = stayed && onLoop }
            }
            return stayed
        }
        #expect(stayed)
    }

    @Test func anActorOnTheLoopIsEnteredWithoutLeavingIt() async throws {
        actor Counter {
            let loop: EventLoop
            var count = 0
            nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
            init(loop: EventLoop) { self.loop = loop }
            func increment() -> Bool {
                count += 1
                return loop.isCurrent
            }
        }
        let stayed = try await withLoop { loop in
            let counter = Counter(loop: loop)
            var stayed = true
            for _ in 0..<100 { stayed = await counter.increment() && loop.isCurrent && stayed }
            return await counter.count == 100 && stayed
        }
        #expect(stayed)
    }

    @Test func closuresOfAnyThreadRunInTheirOrder() async throws {
        let loop = try EventLoop(name: "test")
        try loop.start()
        let seen = Mutex<[Int]>([])
        for number in 0..<1_000 { loop.execute { seen.withLock { $0.append(number) } } }
        await withCheckedContinuation { done in loop.execute { done.resume() } }
        #expect(seen.withLock { $0 } == Array(0..<1_000))
        loop.stop()
        loop.join()
    }

    @Test func closuresFromManyThreadsAllRun() async throws {
        let counter = Counter()
        try await withLoop { loop in
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask(executorPreference: globalConcurrentExecutor) {
                        for _ in 0..<1_000 { loop.execute { counter.increment() } }
                    }
                }
            }
            await withCheckedContinuation { done in loop.execute { done.resume() } }
        }
        #expect(counter.value == 8_000)
    }

    @Test func aSleepEndsNeverEarly() async throws {
        let elapsed = try await withLoop { loop in
            let start = ContinuousClock.now
            try await loop.sleep(for: .milliseconds(30))
            return start.duration(to: .now)
        }
        #expect(elapsed >= .milliseconds(30))
        #expect(elapsed < .milliseconds(1_030))
    }

    @Test func aCancelledSleepEndsAtOnce() async throws {
        let loop = try EventLoop(name: "test")
        try loop.start()
        let task = Task(executorPreference: loop) { try await loop.sleep(for: .seconds(60)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        loop.stop()
        loop.join()
    }

    @Test func timersFireInOrderAndCancelledOnesNever() async throws {
        let fired = try await withLoop { loop in
            let fired = Mutex<[Int]>([])
            await withCheckedContinuation { done in
                loop.execute {
                    let start = ContinuousClock.now
                    var timers: [LoopTimer] = []
                    for number in (0..<20).reversed() {
                        timers.append(
                            loop.schedule(at: start.advanced(by: .milliseconds(number))) {
                                fired.withLock { $0.append(number) }
                            })
                    }
                    for timer in timers where timer.deadline == start.advanced(by: .milliseconds(7)) {
                        loop.cancel(timer)
                        loop.cancel(timer)
                    }
                    loop.schedule(at: start.advanced(by: .milliseconds(40))) { done.resume() }
                }
            }
            return fired.withLock { $0 }
        }
        #expect(fired == Array(0..<7) + Array(8..<20))
    }

    @Test func anEventOfAnEarlierRegistrationIsDropped() async throws {
        // Both pipes are readable in one batch; the first handler closes the second pipe's descriptor and registers
        // another under the same number, which must not be told of the old one's event.
        final class Reader: EventHandler {
            var calls = 0
            var action: () -> Void = {}
            func ready(_ readiness: Readiness) {
                calls += 1
                action()
            }
        }
        let calls = try await withLoop { loop in
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<[Int], any Error>) in
                loop.execute {
                    do {
                        let (first, second, third) = (try Pipe(), try Pipe(), try Pipe())
                        let (one, two, replacement) = (Reader(), Reader(), Reader())
                        let registration = try loop.register(first.reading, for: .readable, handler: one)
                        var registrations = [
                            try loop.register(second.reading, for: .readable, handler: two), registration,
                        ]
                        let replace = { (closing: Int) in
                            for registration in registrations { loop.deregister(registration) }
                            registrations = []
                            let number = closing == 0 ? second.reading : first.reading
                            dup2(third.reading, number)
                            do {
                                registrations = [
                                    try loop.register(number, for: .readable, handler: replacement)
                                ]
                            } catch {
                                done.resume(throwing: error)
                            }
                        }
                        one.action = { replace(0) }
                        two.action = { replace(1) }
                        first.write()
                        second.write()
                        loop.schedule(after: .milliseconds(20)) {
                            for registration in registrations { loop.deregister(registration) }
                            done.resume(returning: [one.calls + two.calls, replacement.calls])
                            for pipe in [first, second, third] { pipe.close() }
                        }
                    } catch {
                        done.resume(throwing: error)
                    }
                }
            }
        }
        #expect(calls == [1, 0])
    }

    @Test func aPipeWhoseReaderWentIsToldAsFailed() async throws {
        final class Writer: EventHandler {
            var seen: Readiness = []
            var action: () -> Void = {}
            func ready(_ readiness: Readiness) {
                seen.formUnion(readiness)
                action()
            }
        }
        let seen = try await withLoop { loop in
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Readiness, any Error>) in
                loop.execute {
                    do {
                        let pipe = try Pipe()
                        let writer = Writer()
                        let registration = try loop.register(pipe.writing, for: [], handler: writer)
                        writer.action = {
                            loop.deregister(registration)
                            Glibc.close(pipe.writing)
                            done.resume(returning: writer.seen)
                        }
                        Glibc.close(pipe.reading)
                    } catch {
                        done.resume(throwing: error)
                    }
                }
            }
        }
        #expect(seen.contains(.failed))
    }

    @Test func aPlainFileCannotBeWaitedFor() async throws {
        let number = try await withLoop { loop in
            await withCheckedContinuation { done in
                loop.execute {
                    done.resume(returning: numberOfRegistering(file: tmpfile(), on: loop))
                }
            }
        }
        #expect(number == EPERM)
    }

    @Test func whatIsAskedBeforeEachWaitRunsAfterABatch() async throws {
        let calls = try await withLoop { loop in
            let calls = Counter()
            await withCheckedContinuation { done in
                loop.execute {
                    loop.beforeEachWait { calls.increment() }
                    loop.execute { done.resume() }
                }
            }
            return calls.value
        }
        #expect(calls >= 1)
    }
}

/// The errno that registering a plain file gives.
private func numberOfRegistering(file: UnsafeMutablePointer<FILE>?, on loop: EventLoop) -> Int32 {
    final class Nobody: EventHandler {
        func ready(_ readiness: Readiness) {}
    }
    guard let file else { return -1 }
    defer { fclose(file) }
    do throws(SystemError) {
        _ = try loop.register(fileno(file), for: .readable, handler: Nobody())
        return 0
    } catch {
        return error.number
    }
}

private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError(call: "pipe") }
        (reading, writing) = (ends[0], ends[1])
    }

    func write() {
        _ = Glibc.write(writing, [1], 1)
    }

    func close() {
        Glibc.close(reading)
        Glibc.close(writing)
    }
}
