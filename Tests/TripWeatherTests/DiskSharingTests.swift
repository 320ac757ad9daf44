import EventLoop
import Foundation
import Storage
import TestSupport
import Testing
import Transport
import Weather

@testable import TripWeather

private let moment = 1_800_000_000.0

private func polite(
    _ transport: any Transport = CountingTransport(), minute: Int = 600,
    now: @escaping @Sendable () -> Double = { moment }
) -> PoliteTransport {
    PoliteTransport(
        transport,
        policy: PoliteTransport.Policy(budget: Budget.Limits(minute: minute, hour: 5_000, day: 10_000)),
        surroundings: PoliteTransport.Surroundings(unixTime: now, random: { 0 }, sleep: { _ in }))
}

extension PoliteTransport {
    fileprivate func spend(_ cost: Double) async throws {
        _ = try await get(
            HTTPRequest(url: "http://upstream/", cost: cost), deadline: .now.advanced(by: .seconds(20)))
    }

    fileprivate var spent: [Double] { withBudget { $0.accounts.map(\.spent) } }
}

@Suite struct BudgetLedgerTests {
    @Test func theBudgetIsKeptOverARestart() async throws {
        let bench = try DiskBench()
        let first = bench.store()
        let before = polite()
        let ledger = BudgetLedger(first, for: before, patience: bench.patience())
        try await before.spend(2)
        try await before.spend(1.5)
        await ledger.settle()
        await first.close()
        let second = bench.store()
        let after = polite()
        await BudgetLedger(second, for: after, patience: bench.patience()).load()
        #expect(after.spent == [3.5, 3.5, 3.5])
        await second.close()
    }

    @Test func twoProcessesSeeWhatBothSpend() async throws {
        let bench = try DiskBench()
        let stores = [bench.store(), bench.store()]
        let spenders = [polite(), polite()]
        let ledgers = [0, 1].map { BudgetLedger(stores[$0], for: spenders[$0], patience: bench.patience()) }
        for round in 1...5 {
            try await spenders[0].spend(3)
            try await spenders[1].spend(4)
            await ledgers[0].settle()
            await ledgers[1].settle()
            #expect(spenders[1].spent == [7, 7, 7].map { $0 * Double(round) })
        }
        await ledgers[0].load()
        #expect(spenders[0].spent == [35, 35, 35])
        for store in stores { await store.close() }
    }

    @Test func aProcessOfOneRequestIsHeldByWhatOthersSpent() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let other = polite(minute: 10)
        try await other.spend(10)
        await BudgetLedger(store, for: other, patience: bench.patience()).settle()
        let upstream = CountingTransport()
        let mine = polite(upstream, minute: 10)
        let transport = LedgerTransport(
            mine, ledger: BudgetLedger(store, for: mine, patience: bench.patience()))
        let error = await #expect(throws: TransportError.self) {
            try await transport.get(
                HTTPRequest(url: "http://upstream/"), deadline: .now.advanced(by: .seconds(5)))
        }
        guard case .held(.budget, _) = error else {
            Issue.record("not held: \(String(describing: error))")
            return
        }
        #expect(upstream.asked == 0)
        await store.close()
    }

    @Test func aWindowThatHasEndedIsNotTakenOver() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let before = polite()
        try await before.spend(5)
        await BudgetLedger(store, for: before, patience: bench.patience()).settle()
        let later = polite(now: { moment + 60 })
        await BudgetLedger(store, for: later, patience: bench.patience()).load()
        #expect(later.spent == [0, 5, 5])
        await store.close()
    }

    @Test func aRefundIsShared() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let mine = polite()
        let ledger = BudgetLedger(store, for: mine, patience: bench.patience())
        try await mine.spend(5)
        await ledger.settle()
        mine.withBudget { $0.refund(4, spentAt: moment, at: moment) }
        await ledger.settle()
        let other = polite()
        await BudgetLedger(store, for: other, patience: bench.patience()).load()
        #expect(other.spent == [1, 1, 1])
        await store.close()
    }

    @Test func aFileThatWasDeletedLearnsWhatIsKnown() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let mine = polite()
        let ledger = BudgetLedger(store, for: mine, patience: bench.patience())
        try await mine.spend(500)
        await ledger.settle()
        try FileManager.default.removeItem(atPath: bench.file)
        #expect(
            await eventually {
                try? await mine.spend(0.125)
                await ledger.settle()
                let other = polite()
                await bench.withLedger(for: other) { await $0.load() }
                return other.spent == mine.spent && other.spent[0] > 500
            })
        await store.close()
    }

    @Test func withoutADiskTheBudgetHoldsInMemory() async throws {
        let bench = try DiskBench()
        let store = bench.store(folder: "/proc/none/here")
        let mine = polite(minute: 10)
        let ledger = BudgetLedger(store, for: mine, patience: bench.patience())
        await ledger.load()
        try await mine.spend(10)
        await ledger.settle()
        #expect(mine.spent == [10, 10, 10])
        await #expect(throws: TransportError.self) { try await mine.spend(1) }
        #expect(bench.logged("is not used for") == 1)
        await store.close()
    }

    @Test func aDaemonSettlesByItselfAndAtItsEnd() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let mine = polite()
        let ledger = BudgetLedger(store, for: mine, patience: bench.patience())
        ledger.keep(on: bench.loop)
        try await mine.spend(5)
        #expect(await eventually { mine.withBudget { $0.accounts.allSatisfy { $0.unsettled == 0 } } })
        try await mine.spend(2)
        await ledger.finish()
        await store.close()
        let other = polite()
        await bench.withLedger(for: other) { await $0.load() }
        #expect(other.spent == [7, 7, 7])
    }
}

extension DiskBench {
    fileprivate func withLedger(for polite: PoliteTransport, _ body: (BudgetLedger) async -> Void) async {
        let store = store()
        await body(BudgetLedger(store, for: polite, patience: patience()))
        await store.close()
    }
}

@Suite struct SlottedTransportTests {
    private func slotted(
        _ transport: any Transport, _ bench: DiskBench, _ store: DisposableStore, count: Int,
        folder: String? = nil
    ) -> SlottedTransport {
        SlottedTransport(
            transport, count: count, store: store, folder: folder ?? "\(bench.folderOfCache)/places",
            patience: bench.patience(), home: bench.loop, log: bench.log)
    }

    @Test func processesTogetherKeepToTheLimit() async throws {
        let bench = try DiskBench()
        let upstream = CountingTransport { try? await Task.sleep(for: .milliseconds(10)) }
        let stores = (0..<6).map { _ in bench.store() }
        let transports = stores.map { slotted(upstream, bench, $0, count: 2) }
        try await withThrowingTaskGroup { group in
            for transport in transports + transports {
                group.addTask {
                    _ = try await transport.get(
                        HTTPRequest(url: "http://host/path"), deadline: .now.advanced(by: .seconds(20)))
                }
            }
            try await group.waitForAll()
        }
        #expect(upstream.asked == 12)
        #expect(upstream.most <= 2)
        for store in stores { await store.close() }
    }

    @Test func waitingForAPlaceEndsAtTheDeadline() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let barrier = Barrier()
        let upstream = CountingTransport {
            while !barrier.isEntered { try? await Task.sleep(for: .milliseconds(2)) }
        }
        let transport = slotted(upstream, bench, store, count: 1)
        async let first = transport.get(
            HTTPRequest(url: "http://host/"), deadline: .now.advanced(by: .seconds(20)))
        #expect(await eventually { upstream.asked == 1 })
        // Another host has places of its own.
        async let elsewhere = transport.get(
            HTTPRequest(url: "http://other/"), deadline: .now.advanced(by: .seconds(20)))
        #expect(await eventually { upstream.asked == 2 })
        let begin = ContinuousClock.now
        let error = await #expect(throws: TransportError.self) {
            try await transport.get(
                HTTPRequest(url: "http://host/"), deadline: begin.advanced(by: .milliseconds(120)))
        }
        #expect(begin.duration(to: .now) >= .milliseconds(120))
        guard case .timedOut(let fault) = error else {
            Issue.record("not out of time: \(String(describing: error))")
            return
        }
        #expect(fault.phase == .queue)
        barrier.open()
        barrier.hold()
        _ = try await (first, elsewhere)
        await store.close()
    }

    @Test func wherePlacesCantStandTheProcessGoesOnAlone() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let transport = slotted(CountingTransport(), bench, store, count: 1, folder: "/proc/none/places")
        for _ in 0..<2 {
            _ = try await transport.get(
                HTTPRequest(url: "http://host/"), deadline: .now.advanced(by: .seconds(5)))
        }
        #expect(bench.logged("within this process only") == 1)
        await store.close()
    }
}
