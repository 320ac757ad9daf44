import EventLoop
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing
import Transport
import Weather

@testable import TripWeather

/// At the beginning of a minute, an hour and a day.
private let moment = 1_799_971_200.0

/// One process as far as SQLite knows: a connection of its own, and limits of its own.
private final class Sharer: Sendable {
    let store: DisposableStore
    let limited: LimitedTransport
    let events = Mutex<[LimitedTransport.Event]>([])

    init(
        _ bench: DiskBench, _ transport: any Transport = CountingTransport(), minute: Int = 600,
        percentPerClient: Int = 100, isCGI: Bool = false, transfersAtOnce: Int = 100,
        waitLimit: Duration = .seconds(20), folder: String? = nil,
        now: @escaping @Sendable () -> Double = { moment }
    ) {
        store = bench.store(folder: folder)
        let policy = UpstreamLimits.Policy(
            budget: RateBudget.Limits(minute: minute, hour: 5_000, day: 10_000),
            percentPerClient: percentPerClient)
        limited = LimitedTransport(
            transport, policy: policy,
            store: SharedLimits(
                store, budget: policy.budget, transfersAtOnce: isCGI ? transfersAtOnce : nil,
                waitLimit: waitLimit, unixTime: now),
            environment: CacheEnvironment(
                scheduler: bench.scheduler, unixTime: now, random: { 0 }))
    }

    func ask(
        _ cost: Double = 1, host: String = "http://upstream", within limit: Duration = .seconds(20)
    ) async -> TransportError? {
        do throws(TransportError) {
            _ = try await limited.get(
                HTTPRequest(url: "\(host)/x", cost: cost), deadline: .now.advanced(by: limit))
            return nil
        } catch {
            return error
        }
    }

    /// How many questions go through before one is held.
    func asksUntilHeld(atMost most: Int = 1_000) async -> Int {
        var asked = 0
        while asked < most, await ask() == nil { asked += 1 }
        return asked
    }

    func end() async {
        await limited.finish()
        await store.close()
    }
}

private func daily(_ seconds: Int = 3_600) -> CountingTransport {
    CountingTransport { () throws(TransportError) in
        throw .status(
            HTTPRefusal(
                status: 429, retryAfter: .seconds(seconds),
                body: Array(#"{"error":true,"reason":"Daily API request limit exceeded."}"#.utf8)))
    }
}

@Suite struct SharedLimitsTests {
    @Test(arguments: [false, true]) func twoProcessesNeverOverspendOneBudget(isCGI: Bool) async throws {
        let bench = try DiskBench()
        let transport = CountingTransport()
        let sharers = (0..<2).map { _ in Sharer(bench, transport, minute: 60, isCGI: isCGI) }
        await withTaskGroup(of: Void.self) { group in
            for sharer in sharers {
                for _ in 0..<4 { group.addTask { _ = await sharer.asksUntilHeld(atMost: 100) } }
            }
        }
        #expect(transport.asked <= 60)
        // What one has reserved and not spent is the other's to spend when it is given back.
        for sharer in sharers { await sharer.end() }
        let last = Sharer(bench, transport, minute: 60, isCGI: isCGI)
        _ = await last.asksUntilHeld()
        #expect(transport.asked == 60)
        await last.end()
    }

    @Test func notEachQuestionTakesATransaction() async throws {
        let bench = try DiskBench()
        let sharer = Sharer(bench)
        for _ in 0..<100 { #expect(await sharer.ask() == nil) }
        // Eleven units a transaction.
        let written = try await sharer.store.write { connection throws(StorageError) in
            try connection.first("SELECT spent FROM budget WHERE client = '' AND length = 60") {
                row throws(StorageError) in try row.value(0, as: Double.self)
            }
        }
        #expect(written == 110)
        await sharer.end()
    }

    @Test func theBudgetAndTheBreakerAreKeptOverARestart() async throws {
        let bench = try DiskBench()
        let before = Sharer(bench, daily())
        #expect(await before.ask(3) != nil)
        await before.end()
        let transport = CountingTransport()
        let after = Sharer(bench, transport)
        guard case .held(.breaker, let wait) = await after.ask() else {
            Issue.record("the limit was forgotten")
            return
        }
        #expect(wait > .seconds(3_500))
        #expect(transport.asked == 0)
        #expect(await after.ask(host: "http://other") == nil)
        // The question that was refused counted as one, and this one too.
        await after.limited.finish()
        #expect(after.limited.snapshot.budgetLeft.map(\.left) == [598, 4_998, 9_998])
        await after.end()
    }

    @Test func tenProcessesOfOneRequestAskOnceDuringADailyLimit() async throws {
        let bench = try DiskBench()
        let transport = daily()
        for _ in 0..<10 {
            let sharer = Sharer(bench, transport, isCGI: true)
            _ = await sharer.ask()
            await sharer.end()
        }
        #expect(transport.asked == 1)
    }

    @Test func aDaemonTellsProcessesOfOneRequestWhatItLearnt() async throws {
        let bench = try DiskBench()
        let daemon = Sharer(bench, daily())
        _ = await daemon.ask()
        let transport = CountingTransport()
        #expect(
            await eventually {
                let sharer = Sharer(bench, transport, isCGI: true)
                let error = await sharer.ask()
                await sharer.end()
                guard case .held(.breaker, _) = error else { return false }
                return true
            })
        await daemon.end()
    }

    @Test func retriesAreATenthOverAllProcesses() async throws {
        let bench = try DiskBench()
        let transport = CountingTransport { () throws(TransportError) in
            throw .failed(TransferFault(phase: .receive, code: 56, message: "", isOfConnection: true))
        }
        // Each host has its own breaker, so that none opens.
        for number in 0..<20 {
            let sharer = Sharer(bench, transport, isCGI: true)
            _ = await sharer.ask(host: "http://upstream\(number)")
            await sharer.end()
        }
        #expect(transport.asked >= 21 && transport.asked <= 23)
    }

    @Test func aClientsShareHoldsOverAllProcesses() async throws {
        let bench = try DiskBench()
        let transport = CountingTransport()
        for _ in 0..<5 {
            let sharer = Sharer(bench, transport, minute: 100, percentPerClient: 25, isCGI: true)
            await RequestBudget.$current.withValue(
                RequestBudget(client: RequestBudget.client(of: "2001:db8::1"), units: 1_000)
            ) {
                _ = await sharer.asksUntilHeld(atMost: 10)
            }
            await sharer.end()
        }
        #expect(transport.asked == 25)
        let other = Sharer(bench, transport, minute: 100, percentPerClient: 25, isCGI: true)
        await RequestBudget.$current.withValue(
            RequestBudget(client: RequestBudget.client(of: "2001:db8:0:1::1"), units: 1_000)
        ) {
            #expect(await other.ask() == nil)
        }
        await other.end()
    }

    @Test func aWindowThatHasEndedIsNotTakenOver() async throws {
        let bench = try DiskBench()
        let before = Sharer(bench, minute: 20)
        #expect(await before.asksUntilHeld() == 20)
        await before.end()
        let after = Sharer(bench, minute: 20, now: { moment + 61 })
        #expect(await after.asksUntilHeld() == 20)
        await after.end()
        // Nor one of the future: the clock has been set back.
        let back = Sharer(bench, minute: 20, now: { moment - 86_400 })
        #expect(await back.asksUntilHeld() == 20)
        await back.end()
    }

    @Test func aFileThatWasDeletedLearnsWhatIsKnown() async throws {
        let bench = try DiskBench()
        let keeper = Sharer(bench, minute: 20)
        for _ in 0..<10 { #expect(await keeper.ask() == nil) }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: bench.file + suffix)
        }
        #expect(
            await eventually {
                await keeper.limited.exchange()
                return FileManager.default.fileExists(atPath: bench.file)
            })
        await keeper.end()
        let other = Sharer(bench, minute: 20)
        #expect(await other.asksUntilHeld() == 10)
        await other.end()
    }

    @Test func withoutAUsableFileTheLimitsHoldInMemory() async throws {
        let bench = try DiskBench()
        let transport = CountingTransport()
        let sharer = Sharer(bench, transport, minute: 20, folder: "/proc/none/here")
        #expect(await sharer.asksUntilHeld() == 20)
        await sharer.end()
    }

    @Test func aFileThatComesLateLearnsEachSpendingOnce() async throws {
        let bench = try DiskBench()
        let sharer = Sharer(bench, waitLimit: .milliseconds(50))
        let barrier = Barrier()
        // The file isn't even open yet.
        _ = await sharer.store.read { _ throws(StorageError) -> Int? in nil }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: bench.file + suffix)
        }
        sharer.store.hand { barrier.hold() }
        for _ in 0..<7 { #expect(await sharer.ask() == nil) }
        barrier.open()
        let other = Sharer(bench)
        await eventually {
            await sharer.limited.finish()
            await other.limited.exchange()
            return other.limited.snapshot.budgetLeft.first?.left == 593
        }
        for sharer in [sharer, other] { await sharer.end() }
    }

    @Test func aDiskThatHangsHoldsUpOneQuestionShortly() async throws {
        let bench = try DiskBench()
        let sharer = Sharer(bench, waitLimit: .milliseconds(100))
        let barrier = Barrier()
        #expect(await sharer.ask() == nil)
        sharer.store.hand { barrier.hold() }
        #expect(await eventually { barrier.isEntered })
        let begin = ContinuousClock.now
        for _ in 0..<50 { #expect(await sharer.ask() == nil) }
        #expect(begin.duration(to: .now) < .seconds(5))
        barrier.open()
        // Late as it came, nothing is counted twice.
        #expect(
            await eventually {
                await sharer.limited.exchange()
                await sharer.limited.finish()
                return sharer.limited.snapshot.budgetLeft.first?.left == 549
            })
        await sharer.end()
    }

    @Test func processesTogetherKeepToTheTransfersAtOnce() async throws {
        let bench = try DiskBench()
        let transport = CountingTransport { () throws(TransportError) in
            do { try await Task.sleep(for: .milliseconds(5)) } catch { throw .cancelled }
        }
        let sharers = (0..<6).map { _ in Sharer(bench, transport, isCGI: true, transfersAtOnce: 2) }
        await withTaskGroup(of: TransportError?.self) { group in
            for sharer in sharers { group.addTask { await sharer.ask() } }
            for await error in group { #expect(error == nil) }
        }
        #expect(transport.asked == 6)
        #expect(transport.most <= 2)
        for sharer in sharers { await sharer.end() }
    }

    @Test func waitingForATransferEndsAtTheDeadline() async throws {
        let bench = try DiskBench()
        let barrier = Barrier()
        let busy = Sharer(
            bench,
            CountingTransport { () throws(TransportError) in
                while !barrier.isOpen {
                    do { try await Task.sleep(for: .milliseconds(2)) } catch { throw .cancelled }
                }
            }, isCGI: true, transfersAtOnce: 1)
        async let holding = busy.ask()
        let late = Sharer(bench, isCGI: true, transfersAtOnce: 1)
        #expect(
            await eventually {
                guard case .timedOut(let fault) = await late.ask(within: .milliseconds(100)) else {
                    return false
                }
                return fault.phase == .queue
            })
        // Another host is not concerned.
        #expect(await late.ask(host: "http://other") == nil)
        barrier.open()
        #expect(await holding == nil)
        #expect(await late.ask() == nil)
        for sharer in [busy, late] { await sharer.end() }
    }
}

@Suite struct RequestBudgetClientTests {
    @Test(
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2/64"), ("2001:db8:1:2::", "20:1:d:b8:0:1:0:2/64"),
            ("unix:", nil), ("", nil), ("fe80::1%eth0", nil),
        ] as [(String, String?)])
    func aClientIsAnAddressOrANetwork(address: String, client: String?) {
        #expect(RequestBudget.client(of: address) == client)
    }
}
