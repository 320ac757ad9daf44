internal import Gateway
internal import Glibc
internal import Storage
internal import Synchronization
internal import Weather

/// The limits of upstream as rows of the cache's file, for all processes and for later ones.
///
/// All of an exchange is one transaction that writes from its beginning, on the storage thread: no two processes
/// spend the same units. Without the file each process keeps to its limits by itself.
final class SharedLimits: LimitsStore {
    /// The tables. Moments are in seconds since 1970; `client` is empty for what all have spent together.
    static let migration: StaticString = """
        DROP TABLE IF EXISTS budget;
        CREATE TABLE budget (
            client TEXT NOT NULL, length INTEGER NOT NULL, position INTEGER NOT NULL, spent REAL NOT NULL,
            PRIMARY KEY (client, length, position)) STRICT, WITHOUT ROWID;
        CREATE TABLE breaker (
            host TEXT PRIMARY KEY, failures INTEGER, since REAL, until REAL, openings INTEGER NOT NULL,
            crowdings INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE retry (only INTEGER PRIMARY KEY CHECK (only = 0), saved REAL NOT NULL) STRICT;
        CREATE TABLE transfer (
            number INTEGER PRIMARY KEY AUTOINCREMENT, host TEXT NOT NULL, until REAL NOT NULL) STRICT;
        """

    let waitLimit: Duration
    /// How much is reserved at a time, so that not each question takes a transaction.
    private let reserve: Double
    /// The most transfers at once to a host over all processes; nil if each process counts its own.
    private let transfersAtOnce: Int?
    private let store: DisposableStore
    private let unixTime: @Sendable () -> Double
    private let exchanges = Atomic<Int>(0)

    /// - Parameter transfersAtOnce: For a process of one request: it reserves nothing, and counts its transfers together
    ///   with others' up to this many.
    init(
        _ store: DisposableStore, budget: RateBudget.Limits, transfersAtOnce: Int?, waitLimit: Duration,
        unixTime: @escaping @Sendable () -> Double = unixTimeNow
    ) {
        self.store = store
        // A small budget must not be shut up in the reserves of a few processes.
        reserve = transfersAtOnce == nil ? min(10, Double(budget.minute) / 20) : 0
        self.transfersAtOnce = transfersAtOnce
        self.waitLimit = waitLimit
        self.unixTime = unixTime
    }

    func exchange(
        _ changes: UpstreamLimits.Changes, _ question: UpstreamLimits.Question?, known: UpstreamLimits,
        until deadline: ContinuousClock.Instant
    ) async -> LimitsExchange? {
        do throws(StorageError) {
            // As long as it is waited for: others may hold the file, and that says nothing against it.
            return try await store.write(by: .now.advanced(by: waitLimit)) {
                connection throws(StorageError) in
                try self.exchange(changes, question, known, until: deadline, in: connection)
            }
        } catch {
            // The store has logged it.
            return nil
        }
    }

    // MARK: On the storage thread

    private func exchange(
        _ changes: UpstreamLimits.Changes, _ question: UpstreamLimits.Question?, _ known: UpstreamLimits,
        until deadline: ContinuousClock.Instant, in connection: Connection
    ) throws(StorageError) -> LimitsExchange {
        let now = unixTime()
        var limits = known
        let isNewWindow = try load(&limits.budget, of: "", at: now, in: connection)
        let clients = Set(changes.spendings.compactMap(\.client) + (question?.shares ?? []))
        for client in clients {
            var share = known.clients[client] ?? known.newShare(of: client, at: now)
            _ = try load(&share, of: client, at: now, in: connection)
            limits.clients[client] = share
        }
        let stored = try breakers(in: connection)
        limits.breakers.merge(stored) { _, stored in stored }
        let saved = try connection.value("SELECT saved FROM retry", as: Double.self)
        var news = changes
        if let saved {
            limits.retries.saved = saved
        } else {
            (news.asked, news.retried) = (0, 0)
        }
        // What the file doesn't hold is taken from what is known here, which has the changes already.
        news.events.removeAll { !stored.keys.contains($0.host) }
        limits.apply(news, at: now)
        for number in changes.ended {
            try connection.run("DELETE FROM transfer WHERE number = ?", .integer(number))
        }
        var verdict: UpstreamLimits.Verdict?
        var transfer: Int?
        if let question {
            if try isFull(question.host, at: now, in: connection) {
                verdict = limits.check(question, at: now).held ?? .full
            } else {
                let admitted = limits.admit(question, reserving: reserve, at: now)
                verdict = admitted
                if case .go = admitted {
                    transfer = try begin(question.host, now: now, until: deadline, in: connection)
                }
            }
        }
        try save(limits.budget, of: "", in: connection)
        for client in clients {
            if let share = limits.clients[client] { try save(share, of: client, in: connection) }
        }
        if isNewWindow { try dropOldWindows(limits.budget, in: connection) }
        for (host, breaker) in limits.breakers
        where stored[host] != breaker {
            try save(breaker, of: host, in: connection)
        }
        try connection.run(
            "INSERT INTO retry VALUES (0, ?) ON CONFLICT DO UPDATE SET saved = excluded.saved",
            .real(limits.retries.saved))
        let number = exchanges.add(1, ordering: .relaxed).newValue
        return LimitsExchange(limits: limits, number: number, verdict: verdict, transfer: transfer)
    }

    // MARK: Budgets

    /// Takes over what the file holds of the present windows, and returns whether one of them is new there.
    private func load(
        _ budget: inout RateBudget, of client: String, at now: Double, in connection: Connection
    ) throws(StorageError) -> Bool {
        budget.turn(to: now)
        var isNew = false
        for index in budget.sums.indices {
            let sum = budget.sums[index]
            let spent = try connection.value(
                "SELECT spent FROM budget WHERE client = ? AND length = ? AND position = ?", .text(client),
                .integer(sum.window.rawValue), .integer(sum.index), as: Double.self)
            if let spent { budget.sums[index].spent = spent } else { isNew = true }
        }
        return isNew
    }

    private func save(
        _ budget: RateBudget, of client: String, in connection: Connection
    ) throws(StorageError) {
        for sum in budget.sums {
            try connection.run(
                """
                INSERT INTO budget VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET spent = excluded.spent WHERE spent <> excluded.spent
                """, .text(client), .integer(sum.window.rawValue), .integer(sum.index), .real(sum.spent))
        }
    }

    /// Also of clients, and those of a future that the clock was set back from.
    private func dropOldWindows(_ budget: RateBudget, in connection: Connection) throws(StorageError) {
        for sum in budget.sums {
            try connection.run(
                "DELETE FROM budget WHERE length = ? AND abs(position - ?) > 1",
                .integer(sum.window.rawValue), .integer(sum.index))
        }
    }

    // MARK: Breakers

    private func breakers(in connection: Connection) throws(StorageError) -> [String: CircuitBreaker] {
        let rows = try connection.rows(
            "SELECT host, failures, since, until, openings, crowdings FROM breaker LIMIT 100"
        ) { row throws(StorageError) in
            let state: CircuitBreaker.State
            if let failures = try row.value(1, as: Int?.self) {
                state = .closed(failures: failures)
            } else {
                let since = try row.value(2, as: Double.self)
                state =
                    try row.value(3, as: Double?.self).map { .open(since: since, until: $0) }
                    ?? .probing(since: since)
            }
            return (
                try row.value(0, as: String.self),
                CircuitBreaker(
                    state: state, openings: try row.value(4, as: Int.self),
                    crowdings: try row.value(5, as: Int.self))
            )
        }
        return Dictionary(rows) { first, _ in first }
    }

    private func save(
        _ breaker: CircuitBreaker, of host: String, in connection: Connection
    ) throws(StorageError) {
        let (failures, since, until): (Value, Value, Value) =
            switch breaker.state {
            case .closed(let failures): (.integer(failures), .null, .null)
            case .open(let since, let until): (.null, .real(since), .real(until))
            case .probing(let since): (.null, .real(since), .null)
            }
        try connection.run(
            "INSERT OR REPLACE INTO breaker VALUES (?, ?, ?, ?, ?, ?)", .text(host), failures, since, until,
            .integer(breaker.openings), .integer(breaker.crowdings))
    }

    // MARK: Transfers

    /// Whether other processes make all the transfers at once that the host is asked with.
    private func isFull(
        _ host: String, at now: Double, in connection: Connection
    ) throws(StorageError) -> Bool {
        guard let transfersAtOnce else { return false }
        // One that a process left behind ends by itself, also if the clock was set back since.
        try connection.run(
            "DELETE FROM transfer WHERE until NOT BETWEEN ? AND ?", .real(now), .real(now + 3_600))
        let count = try connection.value(
            "SELECT count(*) FROM transfer WHERE host = ?", .text(host), as: Int.self)
        return (count ?? 0) >= transfersAtOnce
    }

    private func begin(
        _ host: String, now: Double, until deadline: ContinuousClock.Instant, in connection: Connection
    ) throws(StorageError) -> Int? {
        guard transfersAtOnce != nil else { return nil }
        let limit = min(.seconds(3_500), ContinuousClock.now.duration(to: deadline) + .seconds(1))
        return try connection.value(
            "INSERT INTO transfer (host, until) VALUES (?, ?) RETURNING number", .text(host),
            .real(now + limit / .seconds(1)))
    }
}

extension RequestBudget {
    /// What a request may spend.
    convenience init(of request: GatewayRequest, _ settings: Site.Settings) {
        let client = request.parameters["REMOTE_ADDR"].flatMap { RequestBudget.client(of: $0) }
        self.init(client: client, units: Double(settings.unitsPerRequest))
    }

    /// Who an address belongs to: of an IPv6 address the network of 64 bits counts, since that is what one client
    /// has.
    static func client(of address: String) -> String? {
        var four = in_addr()
        if inet_pton(AF_INET, address, &four) == 1 { return address }
        var six = in6_addr()
        guard inet_pton(AF_INET6, address, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        // An IPv4 address in the guise of IPv6.
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
            return bytes[12...].map { "\($0)" }.joined(separator: ".")
        }
        return bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }
}
