/// The bookkeeping of questions that many wait for: who waits for which, and when a question is given up.
///
/// A value without clocks, locks or tasks: what happens goes in, and what is to be done comes out. Its owner
/// holds it under a mutex and does those things after the mutex is released. A waiter is handed out exactly once:
/// when it leaves or when its flight lands, whichever comes first.
struct FlightMachine<Key: Hashable & Sendable, Waiter: Sendable, Handle: Sendable>: Sendable {
    /// Names one flight for good: a newer one of the same key has another number.
    typealias FlightNumber = UInt64
    /// Names one waiter for good.
    typealias WaiterNumber = UInt64

    private struct Flight {
        let number: FlightNumber
        let handle: Handle
        var waiters: [WaiterNumber: Waiter] = [:]
        /// The cache itself waits: nobody's leaving ends the flight.
        var isHeld = false
    }

    enum Joining {
        /// The flight is under way.
        case joined
        /// There was none: start it.
        case begun(FlightNumber, Handle)
    }

    enum Leaving {
        /// It isn't here any more, or isn't yet: somebody was faster.
        case unknown
        /// Tell the waiter; its flight goes on.
        case left(Waiter)
        /// Nobody waits any more. The flight is out of the table: cancel it, and tell the waiter.
        case abandoned(Waiter, Handle)
    }

    enum Landing {
        /// The flight was given up before: nothing of it is kept.
        case unknown
        /// Keep what it brought, and tell these.
        case landed([Waiter], Handle)
    }

    private var flights: [Key: Flight] = [:]
    private var lastFlight: FlightNumber = 0
    /// Waiters of all flights, the cache's own included.
    private(set) var waiterCount = 0

    var flightCount: Int { flights.count }

    func isUnderWay(_ key: Key) -> Bool {
        flights[key] != nil
    }

    func isUnderWay(_ key: Key, _ number: FlightNumber) -> Bool {
        flights[key]?.number == number
    }

    /// A waiter comes. `makeHandle` is asked only where a flight begins.
    mutating func join(
        _ key: Key, as number: WaiterNumber, _ waiter: Waiter, makeHandle: () -> Handle
    ) -> Joining {
        waiterCount += 1
        if flights[key] != nil {
            flights[key]?.waiters[number] = waiter
            return .joined
        }
        let flight = begin(key, makeHandle)
        flights[key]?.waiters[number] = waiter
        return .begun(flight.number, flight.handle)
    }

    /// The cache itself waits, so that the flight goes on without anybody.
    mutating func hold(_ key: Key, makeHandle: () -> Handle) -> Joining {
        if let flight = flights[key] {
            if !flight.isHeld {
                flights[key]?.isHeld = true
                waiterCount += 1
            }
            return .joined
        }
        waiterCount += 1
        let flight = begin(key, makeHandle)
        flights[key]?.isHeld = true
        return .begun(flight.number, flight.handle)
    }

    /// A waiter is cancelled or out of time; with `holding` the cache takes its place.
    mutating func leave(_ key: Key, as number: WaiterNumber, holding: Bool = false) -> Leaving {
        guard let waiter = flights[key]?.waiters.removeValue(forKey: number) else { return .unknown }
        waiterCount -= 1
        if holding, flights[key]?.isHeld == false {
            flights[key]?.isHeld = true
            waiterCount += 1
        }
        guard let flight = flights[key], flight.waiters.isEmpty, !flight.isHeld else { return .left(waiter) }
        flights[key] = nil
        return .abandoned(waiter, flight.handle)
    }

    /// The flight has its answer, or has failed.
    mutating func land(_ key: Key, _ number: FlightNumber) -> Landing {
        guard let flight = flights[key], flight.number == number else { return .unknown }
        flights[key] = nil
        waiterCount -= flight.waiters.count + (flight.isHeld ? 1 : 0)
        return .landed(Array(flight.waiters.values), flight.handle)
    }

    private mutating func begin(_ key: Key, _ makeHandle: () -> Handle) -> Flight {
        lastFlight += 1
        let flight = Flight(number: lastFlight, handle: makeHandle())
        flights[key] = flight
        return flight
    }
}
