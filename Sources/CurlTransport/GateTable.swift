internal import Synchronization
internal import Transport

/// The gates of all hosts, whatever loop asks, and the transfers that wait in front of them.
///
/// What a gate decides is told to a transfer after the table is unlocked, on the transfer's own loop.
final class GateTable: Sendable {
    private struct Entry {
        var gate: HostGate
        var waiting: [HostGate.Ticket: Transfer] = [:]
        var finished: [String: Int] = [:]
    }

    private struct Table {
        var entries: [UpstreamHost: Entry] = [:]
        var lastTicket: UInt64 = 0
        var isClosed = false
    }

    /// More hosts than any program here asks: over it, the gates of hosts that nobody asks are forgotten.
    private static let hostLimit = 64

    private let table = Mutex(Table())
    private let limits: HostGate.Limits

    init(limits: HostGate.Limits) {
        self.limits = limits
    }

    /// Brings a transfer to its host's gate. If the verdict is `.wait`, `Transfer.admit` will be called, once, unless
    /// the transfer leaves before.
    func arrive(
        _ transfer: Transfer, at host: UpstreamHost, cache: HostGate.Cache
    ) -> (HostGate.Ticket, HostGate.Verdict) {
        table.withLock { table in
            table.lastTicket += 1
            let ticket = HostGate.Ticket(number: table.lastTicket)
            guard !table.isClosed else { return (ticket, .refuse(.cancelled)) }
            if table.entries[host] == nil {
                if table.entries.count >= GateTable.hostLimit {
                    guard let idle = table.entries.first(where: { $0.value.gate.isIdle }) else {
                        return (ticket, .refuse(.queueFull))
                    }
                    table.entries[idle.key] = nil
                }
                table.entries[host] = Entry(gate: HostGate(limits: limits, needsNoLookup: host.needsNoLookup))
            }
            let verdict =
                table.entries[host]?.gate.arrive(ticket, cache: cache, at: .now) ?? .refuse(.queueFull)
            switch verdict {
            case .start: break
            case .wait: table.entries[host]?.waiting[ticket] = transfer
            case .refuse(let error): table.entries[host]?.finished[error.label, default: 0] += 1
            }
            return (ticket, verdict)
        }
    }

    /// Takes a transfer out of the queue or off its place, and counts how it ended.
    func leave(_ ticket: HostGate.Ticket, of host: UpstreamHost, as label: String, keepsLookup: Bool = false)
    {
        change(host) { entry in
            entry.waiting[ticket] = nil
            entry.finished[label, default: 0] += 1
            return entry.gate.leave(ticket, keepsLookup: keepsLookup, at: .now)
        }
    }

    func lookupEnded(_ ticket: HostGate.Ticket, of host: UpstreamHost, _ result: HostGate.LookupResult) {
        change(host) { $0.gate.lookupEnded(ticket, result, at: .now) }
    }

    func isBehindLookup(_ ticket: HostGate.Ticket, of host: UpstreamHost) -> Bool {
        table.withLock { $0.entries[host]?.gate.isBehindLookup(ticket, at: .now) ?? false }
    }

    /// Refuses all that waits and all that comes.
    func close() {
        let waiting = table.withLock { table in
            table.isClosed = true
            return table.entries.values.flatMap { $0.waiting.values }
        }
        for transfer in waiting { transfer.onItsLoop { $0.shutDown() } }
    }

    func counters() -> [HostCounters] {
        let now = ContinuousClock.now
        let counters = table.withLock { table in
            table.entries.map { host, entry in
                HostCounters(
                    host: host.description, inFlight: entry.gate.inFlight, queued: entry.gate.queued,
                    finished: entry.finished, gate: entry.gate.phase(at: now).rawValue)
            }
        }
        return counters.sorted { $0.host < $1.host }
    }

    private func change(_ host: UpstreamHost, _ body: (inout Entry) -> [HostGate.Admission]) {
        let admitted: [(Transfer, HostGate.Verdict)] = table.withLock { table in
            guard var entry = table.entries[host] else { return [] }
            // Out of the table while it changes, so that its arrays aren't copied.
            table.entries[host] = nil
            let admissions = body(&entry)
            let admitted = admissions.compactMap { admission in
                entry.waiting.removeValue(forKey: admission.ticket).map { ($0, admission.verdict) }
            }
            table.entries[host] = entry
            return admitted
        }
        for (transfer, verdict) in admitted { transfer.onItsLoop { $0.admit(verdict) } }
    }
}

/// What goes on in front of one host, and what has become of its transfers since the start.
package struct HostCounters: Sendable, Hashable {
    /// "https://api.example:443".
    package let host: String
    /// Transfers that have a place now.
    package let inFlight: Int
    /// Transfers that wait for one now.
    package let queued: Int
    /// How many ended how: "answered", or the `label` of a `TransportError`.
    package let finished: [String: Int]
    /// "open", "resolving", "shut" or "probing".
    package let gate: String
}
