internal import Transport

/// What stands in front of one host: how many transfers are on their way, who waits, and whether its name is known.
///
/// A value that events go into and verdicts come out of; it does nothing itself. Two things are given out:
///
/// - **places**, `transfersAtOnce` of them, in the order of arrival;
/// - **the lookup**, of which there is one: a transfer whose DNS cache may not hold the host's name starts only
///   as the one that looks it up. The others wait until it knows, so that a dead name server holds one thread
///   and not one for each transfer. Each loop has a DNS cache of its own, so names are known to one cache at a time.
///
/// A lookup that runs out of time shuts the gate: what waits for the name and what comes fails at once with
/// `.gateShut`. After `retryAfter` the next to come is a probe; when it gets past its lookup the gate is open.
struct HostGate {
    /// One transfer, from its arrival to its leaving.
    struct TransferID: Hashable, Sendable {
        let number: UInt64
    }

    /// One DNS cache: a libcurl multi handle's.
    struct Cache: Hashable, Sendable {
        let number: UInt64
    }

    enum Verdict: Equatable {
        /// It has a place. If it `looksUp`, the gate waits for `lookupEnded`.
        case start(looksUp: Bool)
        case wait
        case refuse(TransportError)
    }

    /// A verdict on a transfer that waited.
    struct Admission: Equatable {
        let id: TransferID
        let verdict: Verdict
    }

    enum LookupResult: Equatable {
        /// The name is in the cache now.
        case resolved
        /// Nothing was learned: a kept connection was used, or the transfer ended before its lookup began.
        case notNeeded
        /// The name server said no.
        case failed(TransferFault)
        /// Time ran out.
        case timedOut
    }

    enum Lookup {
        case idle
        case running(Waiter, isProbe: Bool)
        case shut(until: ContinuousClock.Instant)
    }

    /// A transfer, and where the name must be known for it. One that looks it up may have given its place back already.
    struct Waiter {
        let id: TransferID
        let cache: Cache
    }

    /// What those are told to wait who come while a probe is under way.
    private static let probeTime: Duration = .seconds(1)

    private let limits: CurlConfiguration
    private let needsNoLookup: Bool
    private(set) var lookup = Lookup.idle
    private var knownUntil: [Cache: ContinuousClock.Instant] = [:]
    private var placed: Set<TransferID> = []
    /// In the order of arrival. Between two events none of them can start.
    private var waiting: [Waiter] = []

    init(limits: CurlConfiguration, needsNoLookup: Bool) {
        self.limits = limits
        self.needsNoLookup = needsNoLookup
    }

    // MARK: State

    /// Transfers that have a place.
    var inFlight: Int { placed.count }

    /// Transfers that wait.
    var queued: Int { waiting.count }

    /// Whether the gate can be forgotten without loss.
    var isIdle: Bool {
        guard case .idle = lookup else { return false }
        return placed.isEmpty && waiting.isEmpty
    }

    /// Whether a transfer waits for the name, not for a place.
    func isBehindLookup(_ id: TransferID, at now: ContinuousClock.Instant) -> Bool {
        guard case .running(_, isProbe: false) = lookup else { return false }
        return waiting.contains { $0.id == id && needsLookup($0.cache, at: now) }
    }

    // MARK: Events

    mutating func arrive(_ id: TransferID, cache: Cache, at now: ContinuousClock.Instant) -> Verdict {
        let waiter = Waiter(id: id, cache: cache)
        if let verdict = decide(waiter, at: now) { return verdict }
        guard waiting.count < limits.queueLength else { return .refuse(.queueFull) }
        waiting.append(waiter)
        return .wait
    }

    /// Takes a transfer out, waiting or placed, and gives its place to the next. A second call does nothing.
    ///
    /// - Parameter keepsLookup: The caller is gone, but its lookup goes on: `lookupEnded` will follow.
    mutating func leave(_ id: TransferID, keepsLookup: Bool = false, at now: ContinuousClock.Instant)
        -> [Admission]
    {
        if placed.remove(id) != nil {
            if !keepsLookup { giveLookupBack(id, at: now) }
        } else if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting.remove(at: index)
        }
        return admit(at: now)
    }

    /// Tells how a lookup ended. Only the first call of the transfer that looks up counts.
    mutating func lookupEnded(
        _ id: TransferID, _ result: LookupResult, at now: ContinuousClock.Instant
    ) -> [Admission] {
        guard let holder, holder.id == id else { return [] }
        var refused: [Admission] = []
        switch result {
        case .resolved:
            knownUntil = knownUntil.filter { now < $0.value }
            knownUntil[holder.cache] = now.advanced(by: limits.dnsCacheTime)
            lookup = .idle
        case .notNeeded:
            giveLookupBack(id, at: now)
        case .failed(let fault):
            // Who waited for this lookup asked the same question.
            lookup = .idle
            refused = refuseUnknowing(.failed(fault), at: now)
        case .timedOut:
            lookup = .shut(until: now.advanced(by: limits.dnsRetryAfter))
            refused = refuseUnknowing(.gateShut(retryAfter: limits.dnsRetryAfter), at: now)
        }
        return refused + admit(at: now)
    }

    // MARK: Inside

    private var holder: Waiter? {
        guard case .running(let holder, _) = lookup else { return nil }
        return holder
    }

    private func needsLookup(_ cache: Cache, at now: ContinuousClock.Instant) -> Bool {
        if needsNoLookup { return false }
        guard let until = knownUntil[cache] else { return true }
        return until <= now
    }

    /// What a transfer may do now; nil if it has to wait.
    private mutating func decide(_ waiter: Waiter, at now: ContinuousClock.Instant) -> Verdict? {
        guard needsLookup(waiter.cache, at: now) else {
            guard placed.count < limits.transfersAtOnce else { return nil }
            placed.insert(waiter.id)
            return .start(looksUp: false)
        }
        var isProbe = false
        switch lookup {
        case .running(_, isProbe: false): return nil
        case .running(_, isProbe: true): return .refuse(.gateShut(retryAfter: HostGate.probeTime))
        case .shut(let until) where now < until:
            return .refuse(.gateShut(retryAfter: now.duration(to: until)))
        case .shut: isProbe = true
        case .idle: break
        }
        guard placed.count < limits.transfersAtOnce else { return nil }
        lookup = .running(waiter, isProbe: isProbe)
        placed.insert(waiter.id)
        return .start(looksUp: true)
    }

    private mutating func admit(at now: ContinuousClock.Instant) -> [Admission] {
        guard !waiting.isEmpty else { return [] }
        var admissions: [Admission] = []
        var index = 0
        while index < waiting.count {
            // Without a place only refusals are possible, and a gate with an idle lookup refuses none.
            if placed.count >= limits.transfersAtOnce, case .idle = lookup { break }
            let waiter = waiting[index]
            if let verdict = decide(waiter, at: now) {
                waiting.remove(at: index)
                admissions.append(Admission(id: waiter.id, verdict: verdict))
            } else {
                index += 1
            }
        }
        return admissions
    }

    private mutating func refuseUnknowing(
        _ error: TransportError, at now: ContinuousClock.Instant
    ) -> [Admission] {
        let refused = waiting.filter { needsLookup($0.cache, at: now) }
        waiting = waiting.filter { !needsLookup($0.cache, at: now) }
        return refused.map { Admission(id: $0.id, verdict: .refuse(error)) }
    }

    /// The lookup taught nothing: the next that needs it does it.
    private mutating func giveLookupBack(_ id: TransferID, at now: ContinuousClock.Instant) {
        guard case .running(let holder, let isProbe) = lookup, holder.id == id else { return }
        lookup = isProbe ? .shut(until: now) : .idle
    }
}
