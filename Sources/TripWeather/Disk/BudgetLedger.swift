internal import EventLoop
internal import Storage
internal import Synchronization
internal import Transport
internal import Weather

/// Shares the budget with other processes and later ones, through the archive's file.
///
/// What may be asked is decided in memory; now and then what was spent is added to the file's sums, and these are
/// taken over. Without the file each process keeps to the budget alone.
final class BudgetLedger: Sendable {
    private struct State {
        var isSettling = false
        var hasLoaded = false
        var keeper: Task<Void, Never>?
    }

    /// A sum of one window, of all processes.
    private struct Sum: Sendable {
        let account: Budget.Account
        let spent: Double
    }

    private let store: DisposableStore
    private let polite: PoliteTransport
    private let patience: Patience
    private let state = Mutex(State())

    /// - Parameter patience: How long the disk is waited for.
    init(_ store: DisposableStore, for polite: PoliteTransport, patience: Patience) {
        self.store = store
        self.polite = polite
        self.patience = patience
    }

    /// Takes over what others have spent, without adding anything.
    func load() async {
        let accounts = polite.withBudget { $0.accounts }
        let deadline = patience.deadline
        let sums = await patience.wait { [store] in
            await store.read(by: deadline) { connection throws(StorageError) in
                var sums: [Sum] = []
                for account in accounts {
                    guard let spent = try BudgetLedger.sum(of: account, in: connection) else { continue }
                    sums.append(Sum(account: account, spent: spent))
                }
                return sums
            }
        }
        take(sums.flatMap { $0 } ?? [], settled: { _ in 0 })
        state.withLock { $0.hasLoaded = true }
    }

    /// `load()`, the first time it is called.
    func loadOnce() async {
        if state.withLock({ !$0.hasLoaded }) { await load() }
    }

    /// Adds what was spent since the last time, if anything, and takes the sums over.
    func settle() async {
        guard state.withLock({ !$0.isSettling }), polite.withBudget({ $0.isUnsettled }) else { return }
        state.withLock { $0.isSettling = true }
        // What is written must be noted as settled, however late: so the work goes on when it isn't waited for.
        _ = await patience.wait { [self] in
            await add()
            state.withLock { $0.isSettling = false }
        }
    }

    private func add() async {
        let accounts = polite.withBudget { $0.accounts }
        let sums: [Sum]
        do throws(StorageError) {
            sums = try await store.write { connection throws(StorageError) in
                var sums: [Sum] = []
                for account in accounts {
                    let shared = try BudgetLedger.sum(of: account, in: connection)
                    // A file that was made anew learns what is known here.
                    let before = shared ?? max(0, account.spent - account.unsettled)
                    let sum = max(0, before + account.unsettled)
                    try BudgetLedger.set(sum, of: account, in: connection)
                    sums.append(Sum(account: account, spent: sum))
                }
                return sums
            }
        } catch {
            // The store has logged it. What is unsettled stays so, for the next time.
            return
        }
        take(sums, settled: \.unsettled)
    }

    private func take(_ sums: [Sum], settled: @Sendable (Budget.Account) -> Double) {
        polite.withBudget { budget in
            for sum in sums {
                budget.settle(
                    sum.account.window, index: sum.account.index, sum: sum.spent,
                    settled: settled(sum.account))
            }
        }
    }

    // MARK: For a daemon

    /// Loads, and settles every second from then on.
    func keep(on loop: EventLoop) {
        let keeper = Task(executorPreference: loop) { [self] in
            await load()
            while !Task.isCancelled {
                do {
                    try await loop.sleep(for: .seconds(1))
                } catch {
                    return
                }
                await settle()
            }
        }
        state.withLock { $0.keeper = keeper }
    }

    /// Ends that, and settles once more.
    func finish() async {
        let keeper = state.withLock { state in
            defer { state.keeper = nil }
            return state.keeper
        }
        keeper?.cancel()
        await keeper?.value
        await settle()
    }

    // MARK: On the storage thread

    private static func sum(
        of account: Budget.Account, in connection: Connection
    ) throws(StorageError) -> Double? {
        try connection.first(
            "SELECT spent FROM budget WHERE length = ? AND position = ?",
            .integer(account.window.rawValue), .integer(account.index)
        ) { row throws(StorageError) in try row.value(0, as: Double.self) }
    }

    private static func set(
        _ sum: Double, of account: Budget.Account, in connection: Connection
    ) throws(StorageError) {
        let window = Value.integer(account.window.rawValue)
        try connection.run(
            """
            INSERT INTO budget (length, position, spent) VALUES (?, ?, ?)
            ON CONFLICT (length, position) DO UPDATE SET spent = excluded.spent
            """, window, .integer(account.index), .real(sum))
        try connection.run(
            "DELETE FROM budget WHERE length = ? AND position < ?", window, .integer(account.index - 1))
    }
}

extension Budget {
    fileprivate var isUnsettled: Bool { accounts.contains { $0.unsettled != 0 } }
}

/// Learns what other processes have spent before it asks: for a process of one request.
struct LedgerTransport: Transport {
    private let transport: any Transport
    private let ledger: BudgetLedger

    init(_ transport: any Transport, ledger: BudgetLedger) {
        self.transport = transport
        self.ledger = ledger
    }

    func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        await ledger.loadOnce()
        return try await transport.get(request, deadline: deadline)
    }
}
