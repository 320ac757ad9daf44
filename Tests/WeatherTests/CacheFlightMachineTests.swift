import TestSupport
import Testing

@testable import Weather

@Suite struct CacheFlightMachineTests {
    private typealias Machine = FlightMachine<String, Int, String>

    private var machine = Machine()

    @Test mutating func theFirstBeginsAFlightAndOthersJoinIt() {
        guard case .begun(let flight, "task") = machine.join("bergen", as: 1, 10, makeHandle: { "task" })
        else {
            Issue.record("no flight was begun")
            return
        }
        guard case .joined = machine.join("bergen", as: 2, 20, makeHandle: { "another" }) else {
            Issue.record("a second flight was begun")
            return
        }
        #expect(machine.flightCount == 1)
        #expect(machine.waiterCount == 2)
        guard case .landed(let waiters, "task") = machine.land("bergen", flight) else {
            Issue.record("it did not land")
            return
        }
        #expect(Set(waiters) == [10, 20])
        #expect(machine.flightCount == 0)
        #expect(machine.waiterCount == 0)
    }

    @Test mutating func onlyTheLastWaiterEndsAFlight() {
        _ = machine.join("bergen", as: 1, 10, makeHandle: { "task" })
        _ = machine.join("bergen", as: 2, 20, makeHandle: { "another" })
        guard case .left(10) = machine.leave("bergen", as: 1) else {
            Issue.record("the first leaving ended the flight")
            return
        }
        guard case .abandoned(20, "task") = machine.leave("bergen", as: 2) else {
            Issue.record("the last leaving did not end the flight")
            return
        }
        #expect(!machine.isUnderWay("bergen"))
        #expect(machine.waiterCount == 0)
    }

    @Test mutating func aNewcomerAfterTheLastLeavingBeginsAnotherFlight() {
        guard case .begun(let old, _) = machine.join("bergen", as: 1, 10, makeHandle: { "old" }) else {
            return
        }
        _ = machine.leave("bergen", as: 1)
        guard case .begun(let new, "new") = machine.join("bergen", as: 2, 20, makeHandle: { "new" }) else {
            Issue.record("the newcomer joined a cancelled flight")
            return
        }
        #expect(old != new)
        // What the old one brings after all is nobody's.
        guard case .unknown = machine.land("bergen", old) else {
            Issue.record("the old flight landed in the new one's place")
            return
        }
        #expect(machine.isUnderWay("bergen", new))
        #expect(machine.waiterCount == 1)
    }

    @Test mutating func aHeldFlightGoesOnWithoutAnybody() {
        guard case .begun(let flight, _) = machine.hold("bergen", makeHandle: { "task" }) else { return }
        #expect(machine.waiterCount == 1)
        guard case .joined = machine.hold("bergen", makeHandle: { "another" }) else {
            Issue.record("two refreshes at once")
            return
        }
        #expect(machine.waiterCount == 1)
        _ = machine.join("bergen", as: 1, 10, makeHandle: { "another" })
        guard case .left(10) = machine.leave("bergen", as: 1) else {
            Issue.record("a reader's leaving ended a refresh")
            return
        }
        guard case .landed(let waiters, _) = machine.land("bergen", flight) else { return }
        #expect(waiters.isEmpty)
        #expect(machine.waiterCount == 0)
    }

    @Test mutating func aWaiterOutOfPatienceLeavesTheCacheInItsPlace() {
        guard case .begun(let flight, _) = machine.join("bergen", as: 1, 10, makeHandle: { "task" }) else {
            return
        }
        guard case .left(10) = machine.leave("bergen", as: 1, holding: true) else {
            Issue.record("the flight ended")
            return
        }
        #expect(machine.isUnderWay("bergen", flight))
        #expect(machine.waiterCount == 1)
    }

    @Test mutating func whatComesTooLateIsIgnored() {
        guard case .begun(let flight, _) = machine.join("bergen", as: 1, 10, makeHandle: { "task" }) else {
            return
        }
        _ = machine.land("bergen", flight)
        guard case .unknown = machine.leave("bergen", as: 1), case .unknown = machine.land("bergen", flight),
            case .unknown = machine.leave("oslo", as: 1)
        else {
            Issue.record("something was handed out twice")
            return
        }
        #expect(machine.waiterCount == 0)
    }

    @Test mutating func whateverTheOrderEachWaiterIsHandedOutOnce() {
        var chance = SeededGenerator(seed: 7)
        var inside: [Int: String] = [:]
        var flights: [String: (UInt64, isHeld: Bool)] = [:]
        var handedOut: [Int: Int] = [:]
        var joined = 0
        for _ in 0..<50_000 {
            let key = "place \(Int.random(in: 0..<4, using: &chance))"
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<5:
                joined += 1
                inside[joined] = key
                let joining = machine.join(key, as: UInt64(joined), joined, makeHandle: { key })
                if case .begun(let flight, _) = joining {
                    #expect(flights[key] == nil)
                    flights[key] = (flight, false)
                } else {
                    #expect(flights[key] != nil)
                }
            case 5..<8:
                let waiter = Int.random(in: 0...max(1, joined), using: &chance)
                let leaving = machine.leave(inside[waiter] ?? key, as: UInt64(waiter))
                switch leaving {
                case .unknown: #expect(inside[waiter] == nil)
                case .left(let left), .abandoned(let left, _):
                    #expect(left == waiter)
                    handedOut[left, default: 0] += 1
                    let key = inside.removeValue(forKey: left) ?? ""
                    let isLast = !inside.values.contains(key) && flights[key]?.isHeld == false
                    if case .abandoned = leaving {
                        #expect(isLast)
                        flights[key] = nil
                    } else {
                        #expect(!isLast)
                    }
                }
            case 8:
                if case .begun(let flight, _) = machine.hold(key, makeHandle: { key }) {
                    flights[key] = (flight, true)
                } else {
                    flights[key]?.isHeld = true
                }
            default:
                guard let flight = flights.removeValue(forKey: key) else { continue }
                guard case .landed(let waiters, _) = machine.land(key, flight.0) else {
                    Issue.record("a flight was lost")
                    return
                }
                let expected = inside.filter { $0.value == key }.keys
                #expect(Set(waiters) == Set(expected))
                for waiter in waiters {
                    handedOut[waiter, default: 0] += 1
                    inside[waiter] = nil
                }
            }
            #expect(machine.flightCount == flights.count)
            #expect(machine.waiterCount == inside.count + flights.values.count { $0.isHeld })
        }
        #expect(handedOut.values.allSatisfy { $0 == 1 })
        #expect(handedOut.count + inside.count == joined)
    }
}
