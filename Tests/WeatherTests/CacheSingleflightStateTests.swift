import TestSupport
import Testing

@testable import Weather

@Suite struct CacheSingleflightStateTests {
    private typealias State = SingleflightState<Int, String>

    private var state = State.idle

    private mutating func leave(_ number: UInt64, goingOn: Bool = false) -> State.Leaving {
        state.leave(number) { _ in goingOn }
    }

    @Test mutating func theFirstStartsACallAndOthersJoinIt() {
        state.start(number: 1, "call", waiters: [1: 10])
        state.join(20, as: 2)
        #expect(state.waiterCount == 2)
        let completed = state.complete(1)
        #expect(completed?.call == "call")
        #expect(Set(completed?.waiters ?? []) == [10, 20])
        #expect(state.isIdle)
    }

    @Test mutating func onlyTheLastWaiterEndsACall() {
        state.start(number: 1, "call", waiters: [1: 10])
        state.join(20, as: 2)
        guard case .left(10) = leave(1), case .abandoned(20, "call") = leave(2) else {
            Issue.record("the wrong leaving ended the call")
            return
        }
        #expect(state.isIdle)
    }

    @Test mutating func aNewcomerAfterTheLastLeavingStartsAnotherCall() {
        state.start(number: 1, "old", waiters: [1: 10])
        _ = leave(1)
        #expect(state.isIdle)
        state.start(number: 2, "new", waiters: [2: 20])
        // What the old one brings after all is nobody's.
        #expect(state.complete(1) == nil)
        #expect(state.isRunning(2) && state.waiterCount == 1)
    }

    @Test mutating func aCallForTheCacheGoesOnWithoutAnybody() {
        state.start(number: 1, "call")
        #expect(state.waiterCount == 1)
        state.goOn()
        state.join(10, as: 1)
        guard case .left(10) = leave(1) else {
            Issue.record("a reader's leaving ended a refresh")
            return
        }
        #expect(state.complete(1)?.waiters.isEmpty == true)
    }

    @Test mutating func aWaiterOutOfTimeLeavesTheCacheInItsPlace() {
        state.start(number: 1, "call", waiters: [1: 10])
        guard case .left(10) = leave(1, goingOn: true) else {
            Issue.record("the call ended")
            return
        }
        #expect(state.isRunning(1) && state.waiterCount == 1)
    }

    @Test mutating func whatComesTooLateIsIgnored() {
        state.start(number: 1, "call", waiters: [1: 10])
        _ = state.complete(1)
        guard case .unknown = leave(1) else {
            Issue.record("a waiter was handed out twice")
            return
        }
        #expect(state.complete(1) == nil)
        state.join(20, as: 2)
        state.goOn()
        #expect(state.isIdle, "there is nothing to join")
    }

    @Test mutating func whateverTheOrderEachWaiterIsHandedOutOnce() {
        var chance = SeededGenerator(seed: 7)
        var inside: Set<Int> = []
        var handedOut: [Int: Int] = [:]
        var (joined, call, goesOn) = (0, UInt64(0), false)
        for _ in 0..<50_000 {
            switch Int.random(in: 0..<10, using: &chance) {
            case 0..<5:
                joined += 1
                inside.insert(joined)
                if state.isIdle {
                    call += 1
                    goesOn = false
                    state.start(number: call, "call", waiters: [UInt64(joined): joined])
                } else {
                    state.join(joined, as: UInt64(joined))
                }
            case 5..<8:
                let waiter = Int.random(in: 0...max(1, joined), using: &chance)
                switch leave(UInt64(waiter)) {
                case .unknown: #expect(!inside.contains(waiter))
                case .left(let left):
                    handedOut[left, default: 0] += 1
                    inside.remove(left)
                    #expect(goesOn || !inside.isEmpty)
                case .abandoned(let left, _):
                    handedOut[left, default: 0] += 1
                    inside.remove(left)
                    #expect(!goesOn && inside.isEmpty && state.isIdle)
                }
            case 8:
                goesOn = goesOn || !state.isIdle
                state.goOn()
            default:
                guard let completed = state.complete(call) else { continue }
                #expect(Set(completed.waiters) == inside)
                for waiter in completed.waiters { handedOut[waiter, default: 0] += 1 }
                inside = []
                goesOn = false
            }
            #expect(state.waiterCount == inside.count + (goesOn ? 1 : 0))
        }
        #expect(handedOut.values.allSatisfy { $0 == 1 })
        #expect(handedOut.count + inside.count == joined)
    }
}
