internal import Synchronization
internal import Transport

/// The gates of all hosts, whatever loop asks, and the transfers that wait in front of them.
///
/// What a gate decides is told to a transfer after the table is unlocked, on the transfer's own loop.
final class GateTable: Sendable {
    private struct Entry {
        var gate: HostGate
        var waiting: [HostGate.TransferID: Transfer] = [:]
        var finished: [String: Int] = [:]
    }

    private struct Table {
        var entries: [UpstreamHost: Entry] = [:]
        var lastID: UInt64 = 0
        var isClosed = false
    }

    /// More hosts than any program here asks: over it, the gates of hosts that nobody asks are forgotten.
    private static let hostLimit = 64

    private let table = Mutex(Table())
    private let limits: CurlConfiguration

    init(limits: CurlConfiguration) {
        self.limits = limits
    }

    /// Brings a transfer to its host's gate. If the verdict is `.wait`, `Transfer.admit` will be called, once, unless
    /// the transfer leaves before.
    func arrive(
        _ transfer: Transfer, at host: UpstreamHost, cache: HostGate.Cache
    ) -> (HostGate.TransferID, HostGate.Verdict) {
        table.withLock { table in
            table.lastID += 1
            let id = HostGate.TransferID(number: table.lastID)
            guard !table.isClosed else { return (id, .refuse(.cancelled)) }
            if table.entries[host] == nil {
                if table.entries.count >= GateTable.hostLimit {
                    guard let idle = table.entries.first(where: { $0.value.gate.isIdle }) else {
                        return (id, .refuse(.queueFull))
                    }
                    table.entries[idle.key] = nil
                }
                table.entries[host] = Entry(gate: HostGate(limits: limits, needsNoLookup: host.needsNoLookup))
            }
            let verdict =
                table.entries[host]?.gate.arrive(id, cache: cache, at: .now) ?? .refuse(.queueFull)
            switch verdict {
            case .start: break
            case .wait: table.entries[host]?.waiting[id] = transfer
            case .refuse(let error): table.entries[host]?.finished[error.label, default: 0] += 1
            }
            return (id, verdict)
        }
    }

    /// Takes a transfer out of the queue or off its place, and counts how it ended.
    func leave(_ id: HostGate.TransferID, of host: UpstreamHost, as label: String, keepsLookup: Bool = false)
    {
        change(host) { entry in
            entry.waiting[id] = nil
            entry.finished[label, default: 0] += 1
            return entry.gate.leave(id, keepsLookup: keepsLookup, at: .now)
        }
    }

    func lookupEnded(_ id: HostGate.TransferID, of host: UpstreamHost, _ result: HostGate.LookupResult) {
        change(host) { $0.gate.lookupEnded(id, result, at: .now) }
    }

    func isBehindLookup(_ id: HostGate.TransferID, of host: UpstreamHost) -> Bool {
        table.withLock { $0.entries[host]?.gate.isBehindLookup(id, at: .now) ?? false }
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
        let counters = table.withLock { table in
            table.entries.map { host, entry in
                HostCounters(
                    host: host.description, inFlight: entry.gate.inFlight, queued: entry.gate.queued,
                    finished: entry.finished)
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
                entry.waiting.removeValue(forKey: admission.id).map { ($0, admission.verdict) }
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
}
