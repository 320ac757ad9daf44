internal import Synchronization

/// A key that says itself in which shard it belongs.
protocol FlightKey: Hashable, Sendable {
    /// Any number, well spread in its low bits.
    var spread: UInt { get }
    /// Its size beside its own fields, in bytes.
    var bytes: Int { get }
}

/// What a shard remembers beside its flights, under the same mutex: so that no question is asked between a
/// flight's landing and the keeping of its answer.
protocol FlightShelf: Sendable {
    associatedtype Key: FlightKey
    /// What a flight brings.
    associatedtype Outcome: Sendable
    /// What its waiters get.
    associatedtype Value: Sendable

    /// What a flight brings that ran out of time.
    static var outOfTime: Outcome { get }

    /// Keeps what a flight brought, counts it, and says what to tell its waiters.
    mutating func settle(_ outcome: Outcome, for key: Key, counting counters: inout CacheCounters) -> Value
}

/// How a waiter's wait ends.
enum FlightEnd<Value: Sendable>: Sendable {
    case landed(Value)
    case outOfTime
    case cancelled
}

/// One flight, as its task knows it.
struct FlightTicket<Key: FlightKey>: Sendable {
    let key: Key
    let number: UInt64
}

/// Who is told how a flight ends: a task that waits for it, or one place in a gathering of many.
enum FlightWaiter<Value: Sendable>: Sendable {
    case task(CheckedContinuation<FlightEnd<Value>, Never>)
    case part(FlightGathering<Value>, Int)

    func end(_ end: FlightEnd<Value>) {
        switch self {
        case .task(let continuation): continuation.resume(returning: end)
        case .part(let gathering, let index): gathering.deliver(end, at: index)
        }
    }
}

/// Flights and what they brought, in shards with a mutex each, for all event loops.
///
/// A flight is a task of its own under the configured time, never under a waiter's. Joining, leaving and landing
/// happen under the shard's mutex; waiters are told, and tasks started and cancelled, after it is released.
final class FlightTable<Shelf: FlightShelf>: Sendable {
    typealias Key = Shelf.Key
    typealias Waiter = FlightWaiter<Shelf.Value>
    typealias Machine = FlightMachine<Key, Waiter, FlightHandle>

    struct State: Sendable {
        var shelf: Shelf
        var flights = Machine()
        var counters = CacheCounters()
    }

    private final class Shard: Sendable {
        let state: Mutex<State>

        init(_ shelf: Shelf) {
            state = Mutex(State(shelf: shelf))
        }
    }

    private let shards: [Shard]
    private let limits: FlightLimits
    private let lastWaiter = Atomic<UInt64>(0)
    let environment: CacheEnvironment

    init(shards: Int, limits: FlightLimits, environment: CacheEnvironment, makeShelf: () -> Shelf) {
        self.shards = (0..<max(1, shards)).map { _ in Shard(makeShelf()) }
        self.limits = limits
        self.environment = environment
    }

    /// Looks at, or changes, what belongs to a key. Nothing is to be called from in there that may wait.
    func withState<R: Sendable>(of key: Key, _ body: (inout State) -> R) -> R {
        shards[Int(key.spread % UInt(shards.count))].state.withLock { body(&$0) }
    }

    /// What all shards together count.
    func total(_ count: (inout State) -> CacheCounters) -> CacheCounters {
        shards.reduce(into: CacheCounters()) { total, shard in
            total += shard.state.withLock { state in
                var counters = count(&state)
                counters.flights = state.flights.flightCount
                counters.waiters = state.flights.waiterCount
                return counters
            }
        }
    }

    // MARK: Waiting

    /// Waits for the flight of a key, and begins it where there is none.
    ///
    /// - Parameters:
    ///   - deadline: The waiter's own.
    ///   - staysBehind: Out of time, the waiter leaves the cache in its place: the flight goes on.
    ///   - look: Whether the shelf has an answer after all; called under the mutex.
    ///   - fly: What the flight does; it lands its ticket by `land(_:with:)`.
    func wait(
        for key: Key, until deadline: ContinuousClock.Instant, staysBehind: Bool,
        look: (inout State) -> Shelf.Value?,
        fly: @escaping @Sendable (FlightTicket<Key>, ContinuousClock.Instant) async -> Void
    ) async -> FlightEnd<Shelf.Value> {
        let number = newWaiters(1)
        let alarm = environment.scheduler.alarm(at: deadline) {
            self.leave(key, as: number, with: .outOfTime, holding: staysBehind)
        }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter.task(continuation)
                switch admit(waiter, as: number, to: key, until: deadline, look: look) {
                case .ended(let end): waiter.end(end)
                case .waits: break
                case .begun(let ticket, let handle):
                    launch([ticket], handle) { deadline in await fly(ticket, deadline) }
                }
            }
        } onCancel: {
            leave(key, as: number, with: .cancelled, holding: false)
        }
    }

    enum Admission: Sendable {
        case ended(FlightEnd<Shelf.Value>)
        case waits
        case begun(FlightTicket<Key>, FlightHandle)
    }

    /// The task's cancellation and the deadline are looked at under the mutex: a leaving that came before found
    /// no waiter, and one that comes after will find it.
    func admit(
        _ waiter: Waiter, as number: UInt64, to key: Key, until deadline: ContinuousClock.Instant,
        sharing handle: FlightHandle? = nil, look: (inout State) -> Shelf.Value?
    ) -> Admission {
        withState(of: key) { state in
            if Task.isCancelled { return .ended(.cancelled) }
            if let value = look(&state) { return .ended(.landed(value)) }
            if environment.now() >= deadline { return .ended(.outOfTime) }
            let joining = state.flights.join(key, as: number, waiter) { FlightTable.share(handle) }
            switch joining {
            case .joined:
                state.counters.joined += 1
                return .waits
            case .begun(let flight, let handle):
                state.counters.misses += 1
                return .begun(FlightTicket(key: key, number: flight), handle)
            }
        }
    }

    private static func share(_ handle: FlightHandle?) -> FlightHandle {
        let handle = handle ?? FlightHandle()
        handle.addFlight()
        return handle
    }

    func leave(_ key: Key, as number: UInt64, with end: FlightEnd<Shelf.Value>, holding: Bool) {
        let leaving = withState(of: key) { state in
            let leaving = state.flights.leave(key, as: number, holding: holding)
            if case .abandoned = leaving { state.counters.cancelled += 1 }
            return leaving
        }
        switch leaving {
        case .unknown: break
        case .left(let waiter): waiter.end(end)
        case .abandoned(let waiter, let handle):
            handle.flightWasAbandoned()
            waiter.end(end)
        }
    }

    func newWaiters(_ count: Int) -> UInt64 {
        let count = UInt64(count)
        return lastWaiter.add(count, ordering: .relaxed).newValue - count + 1
    }

    // MARK: Flights

    /// Begins a flight that nobody waits for but the cache, under the mutex that the caller holds. Nil where one
    /// is under way, which the cache then waits for.
    func hold(_ key: Key, sharing handle: FlightHandle? = nil, in state: inout State) -> (
        FlightTicket<Key>, FlightHandle
    )? {
        switch state.flights.hold(key, makeHandle: { FlightTable.share(handle) }) {
        case .joined: return nil
        case .begun(let flight, let handle):
            state.counters.refreshes += 1
            return (FlightTicket(key: key, number: flight), handle)
        }
    }

    /// Starts the task of flights that have begun. Those that it leaves in the air land out of time.
    func launch(
        _ tickets: [FlightTicket<Key>], _ handle: FlightHandle,
        fly: @escaping @Sendable (ContinuousClock.Instant) async -> Void
    ) {
        let deadline = environment.now().advanced(by: environment.callDeadline?.value ?? limits.time)
        let alarm = environment.scheduler.alarm(at: deadline.advanced(by: limits.grace)) {
            for ticket in tickets { self.land(ticket, with: Shelf.outOfTime) }
            handle.cancel()
        }
        let task = environment.scheduler.start {
            await fly(deadline)
            alarm.cancel()
            for ticket in tickets { self.land(ticket, with: Shelf.outOfTime) }
        }
        handle.attach(task)
    }

    /// Ends a flight: keeps what it brought and tells its waiters. What comes after it was given up is dropped.
    @discardableResult
    func land(_ ticket: FlightTicket<Key>, with outcome: Shelf.Outcome) -> Bool {
        let landing: (waiters: [Waiter], value: Shelf.Value, handle: FlightHandle)? =
            withState(of: ticket.key) { state in
                switch state.flights.land(ticket.key, ticket.number) {
                case .unknown: return nil
                case .landed(let waiters, let handle):
                    let value = state.shelf.settle(
                        outcome, for: ticket.key, counting: &state.counters)
                    return (waiters, value, handle)
                }
            }
        guard let landing else { return false }
        landing.handle.flightLanded()
        for waiter in landing.waiters { waiter.end(.landed(landing.value)) }
        return true
    }

    /// Does something to the shelf if the flight hasn't been given up.
    func during(_ ticket: FlightTicket<Key>, _ body: (inout Shelf) -> Void) {
        withState(of: ticket.key) { state in
            if state.flights.isUnderWay(ticket.key, ticket.number) { body(&state.shelf) }
        }
    }
}
