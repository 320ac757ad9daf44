import TestSupport
import Testing
import Transport

@testable import CurlTransport

/// The gate as a value: events in, verdicts out, no waiting.
@Suite struct HostGateTests {
    private let start = ContinuousClock.now
    private let cache = HostGate.Cache(number: 1)
    private let other = HostGate.Cache(number: 2)
    private let fault = TransferFault(phase: .resolve, code: 28, message: "Resolving timed out")

    private func gate(
        places: Int = 2, queue: Int = 3, needsNoLookup: Bool = true, cacheTime: Duration = .seconds(60)
    ) -> HostGate {
        var limits = CurlConfiguration()
        limits.transfersAtOnce = places
        limits.queueLength = queue
        limits.dnsRetryAfter = .seconds(5)
        limits.dnsCacheTime = cacheTime
        return HostGate(limits: limits, needsNoLookup: needsNoLookup)
    }

    private func id(_ number: UInt64) -> HostGate.TransferID { HostGate.TransferID(number: number) }

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    // MARK: Places and the queue

    @Test func placesAreGivenUpToTheLimitAndTheRestWaits() {
        var gate = gate()
        #expect(gate.arrive(id(1), cache: cache, at: start) == .start(looksUp: false))
        #expect(gate.arrive(id(2), cache: cache, at: start) == .start(looksUp: false))
        #expect(gate.arrive(id(3), cache: cache, at: start) == .wait)
        #expect(gate.inFlight == 2)
        #expect(gate.queued == 1)
    }

    @Test func aFullQueueRefusesAtOnce() {
        var gate = gate(places: 1, queue: 1)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.arrive(id(2), cache: cache, at: start)
        #expect(gate.arrive(id(3), cache: cache, at: start) == .refuse(.queueFull))
        #expect(gate.queued == 1)
    }

    @Test func aQueueOfLengthZeroStillLetsTransfersStart() {
        var gate = gate(places: 1, queue: 0)
        #expect(gate.arrive(id(1), cache: cache, at: start) == .start(looksUp: false))
        #expect(gate.arrive(id(2), cache: cache, at: start) == .refuse(.queueFull))
    }

    @Test func aPlaceIsHandedToTheFirstThatWaits() {
        var gate = gate(places: 1)
        for number in 1...4 { _ = gate.arrive(id(UInt64(number)), cache: cache, at: start) }
        #expect(
            gate.leave(id(1), at: start) == [.init(id: id(2), verdict: .start(looksUp: false))])
        #expect(gate.inFlight == 1)
        #expect(
            gate.leave(id(2), at: start) == [.init(id: id(3), verdict: .start(looksUp: false))])
    }

    @Test func oneThatLeavesTheQueueIsSkippedAndFreesNothing() {
        var gate = gate(places: 1)
        for number in 1...3 { _ = gate.arrive(id(UInt64(number)), cache: cache, at: start) }
        #expect(gate.leave(id(2), at: start).isEmpty)
        #expect(gate.inFlight == 1)
        #expect(
            gate.leave(id(1), at: start) == [.init(id: id(3), verdict: .start(looksUp: false))])
    }

    @Test func oneThatLeavesAfterItsAdmissionGivesThePlaceOn() {
        var gate = gate(places: 1)
        for number in 1...3 { _ = gate.arrive(id(UInt64(number)), cache: cache, at: start) }
        _ = gate.leave(id(1), at: start)
        // 2 was admitted and was cancelled before it heard of it.
        #expect(
            gate.leave(id(2), at: start) == [.init(id: id(3), verdict: .start(looksUp: false))])
    }

    @Test func leavingTwiceFreesOnePlace() {
        var gate = gate(places: 1)
        for number in 1...3 { _ = gate.arrive(id(UInt64(number)), cache: cache, at: start) }
        _ = gate.leave(id(1), at: start)
        #expect(gate.leave(id(1), at: start).isEmpty)
        #expect(gate.inFlight == 1)
        #expect(gate.queued == 1)
    }

    // MARK: The lookup

    @Test func onlyOneLooksUpAndTheOthersWaitForIt() {
        var gate = gate(places: 10, queue: 10, needsNoLookup: false)
        #expect(gate.arrive(id(1), cache: cache, at: start) == .start(looksUp: true))
        #expect(gate.arrive(id(2), cache: cache, at: start) == .wait)
        #expect(gate.arrive(id(3), cache: cache, at: start) == .wait)
        #expect(gate.phase(at: start) == "resolving")
        #expect(gate.isBehindLookup(id(3), at: start))
        #expect(
            gate.lookupEnded(id(1), .resolved, at: start) == [
                .init(id: id(2), verdict: .start(looksUp: false)),
                .init(id: id(3), verdict: .start(looksUp: false)),
            ])
        #expect(gate.phase(at: start) == "open")
    }

    @Test func aNameIsKnownToOneCacheOnly() {
        var gate = gate(places: 10, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.lookupEnded(id(1), .resolved, at: start)
        #expect(gate.arrive(id(2), cache: cache, at: start) == .start(looksUp: false))
        #expect(gate.arrive(id(3), cache: other, at: start) == .start(looksUp: true))
        // And the known one isn't held up by the other's lookup.
        #expect(gate.arrive(id(4), cache: cache, at: start) == .start(looksUp: false))
    }

    @Test func aNameIsLookedUpAgainAfterItsTime() {
        var gate = gate(places: 10, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.lookupEnded(id(1), .resolved, at: start)
        #expect(gate.arrive(id(2), cache: cache, at: at(59.9)) == .start(looksUp: false))
        #expect(gate.arrive(id(3), cache: cache, at: at(60)) == .start(looksUp: true))
    }

    @Test func aKeptConnectionTeachesNothing() {
        var gate = gate(places: 10, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.arrive(id(2), cache: cache, at: start)
        #expect(
            gate.lookupEnded(id(1), .notNeeded, at: start) == [
                .init(id: id(2), verdict: .start(looksUp: true))
            ])
    }

    @Test func aTransferThatEndsWithoutAWordGivesItsLookupBack() {
        var gate = gate(places: 10, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.arrive(id(2), cache: cache, at: start)
        #expect(
            gate.leave(id(1), at: start) == [.init(id: id(2), verdict: .start(looksUp: true))])
    }

    @Test func aLookupWhoseCallerLeftGoesOnAndHoldsNoPlace() {
        var gate = gate(places: 1, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.arrive(id(2), cache: cache, at: start)
        #expect(gate.leave(id(1), keepsLookup: true, at: start).isEmpty)
        #expect(gate.inFlight == 0)
        #expect(!gate.isIdle)
        #expect(
            gate.lookupEnded(id(1), .resolved, at: start) == [
                .init(id: id(2), verdict: .start(looksUp: false))
            ])
    }

    @Test func aRefusedLookupIsTheAnswerToAllWhoWaitedForIt() {
        var gate = gate(places: 10, needsNoLookup: false)
        let fault = TransferFault(phase: .resolve, code: 6, message: "no such host")
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.arrive(id(2), cache: cache, at: start)
        #expect(
            gate.lookupEnded(id(1), .failed(fault), at: start) == [
                .init(id: id(2), verdict: .refuse(.failed(fault)))
            ])
        // The name server works: the next asks it.
        #expect(gate.arrive(id(3), cache: cache, at: start) == .start(looksUp: true))
    }

    // MARK: Shut

    @Test func aLookupOutOfTimeShutsTheGateForAllThatWaitsAndComes() {
        var gate = gate(places: 10, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.arrive(id(2), cache: cache, at: start)
        #expect(
            gate.lookupEnded(id(1), .timedOut, at: start) == [
                .init(id: id(2), verdict: .refuse(.gateShut(retryAfter: .seconds(5))))
            ])
        _ = gate.leave(id(1), at: start)
        #expect(
            gate.arrive(id(3), cache: cache, at: at(4)) == .refuse(.gateShut(retryAfter: .seconds(1))))
        #expect(
            gate.arrive(id(4), cache: other, at: at(4.5)) == .refuse(.gateShut(retryAfter: .seconds(0.5)))
        )
        #expect(gate.phase(at: at(4.9)) == "shut")
        #expect(gate.inFlight == 0)
        #expect(gate.queued == 0)
    }

    @Test func afterAWhileOneProbeIsLetThroughAndItsSuccessOpensTheGate() {
        var gate = gate(places: 10, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.lookupEnded(id(1), .timedOut, at: start)
        _ = gate.leave(id(1), at: start)
        #expect(gate.arrive(id(2), cache: cache, at: at(5)) == .start(looksUp: true))
        #expect(gate.phase(at: at(5)) == "probing")
        #expect(
            gate.arrive(id(3), cache: cache, at: at(5)) == .refuse(.gateShut(retryAfter: .seconds(1))))
        #expect(gate.lookupEnded(id(2), .resolved, at: at(5)).isEmpty)
        #expect(gate.arrive(id(4), cache: cache, at: at(5)) == .start(looksUp: false))
    }

    @Test func aProbeOutOfTimeShutsTheGateAgain() {
        var gate = gate(places: 10, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.lookupEnded(id(1), .timedOut, at: start)
        _ = gate.arrive(id(2), cache: cache, at: at(5))
        _ = gate.lookupEnded(id(2), .timedOut, at: at(7))
        #expect(
            gate.arrive(id(3), cache: cache, at: at(11)) == .refuse(.gateShut(retryAfter: .seconds(1))))
        #expect(gate.arrive(id(4), cache: cache, at: at(12)) == .start(looksUp: true))
    }

    @Test func aProbeThatEndsWithoutAWordIsFollowedByAnother() {
        var gate = gate(places: 10, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.lookupEnded(id(1), .timedOut, at: start)
        _ = gate.arrive(id(2), cache: cache, at: at(5))
        #expect(gate.leave(id(2), at: at(5)).isEmpty)
        #expect(gate.arrive(id(3), cache: cache, at: at(5)) == .start(looksUp: true))
        #expect(gate.phase(at: at(5)) == "probing")
    }

    @Test func aShutGateLetsThroughWhoKnowsTheName() {
        var gate = gate(places: 1, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        _ = gate.lookupEnded(id(1), .resolved, at: start)
        _ = gate.leave(id(1), at: start)
        _ = gate.arrive(id(2), cache: other, at: start)
        _ = gate.lookupEnded(id(2), .timedOut, at: start)
        _ = gate.leave(id(2), at: start)
        #expect(gate.arrive(id(3), cache: cache, at: at(1)) == .start(looksUp: false))
        #expect(gate.arrive(id(4), cache: cache, at: at(1)) == .wait)
        #expect(
            gate.arrive(id(5), cache: other, at: at(1)) == .refuse(.gateShut(retryAfter: .seconds(4))))
        #expect(
            gate.leave(id(3), at: at(1)) == [.init(id: id(4), verdict: .start(looksUp: false))])
    }

    @Test func anotherTicketsWordOnTheLookupIsIgnored() {
        var gate = gate(places: 10, needsNoLookup: false)
        _ = gate.arrive(id(1), cache: cache, at: start)
        #expect(gate.lookupEnded(id(9), .timedOut, at: start).isEmpty)
        #expect(gate.phase(at: start) == "resolving")
    }

    /// Whatever happens in whatever order, the limits hold, nobody is forgotten, and all is free in the end.
    @Test(arguments: 0..<50) func randomEventsKeepTheLimits(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var gate = gate(
            places: 3, queue: 5, needsNoLookup: seed % 3 == 0, cacheTime: .seconds(2))
        var now = start
        var next: UInt64 = 0
        var running: Set<HostGate.TransferID> = []
        var waiting: [HostGate.TransferID] = []
        var holder: HostGate.TransferID?

        func take(_ admissions: [HostGate.Admission]) {
            for admission in admissions {
                #expect(waiting.contains(admission.id))
                waiting.removeAll { $0 == admission.id }
                note(admission.id, admission.verdict)
            }
        }
        func note(_ id: HostGate.TransferID, _ verdict: HostGate.Verdict) {
            switch verdict {
            case .start(let looksUp):
                running.insert(id)
                if looksUp {
                    #expect(holder == nil, "two lookups at once")
                    holder = id
                }
            case .wait: waiting.append(id)
            case .refuse: break
            }
        }
        func endLookup(_ result: HostGate.LookupResult) {
            guard let id = holder else { return }
            holder = nil
            take(gate.lookupEnded(id, result, at: now))
        }

        for _ in 0..<400 {
            now = now.advanced(by: .milliseconds(Int(random.next() % 500)))
            switch random.next() % 8 {
            case 0, 1, 2:
                next += 1
                note(
                    id(next),
                    gate.arrive(id(next), cache: random.next() % 2 == 0 ? cache : other, at: now))
            case 3:
                if let id = running.randomElement(using: &random) {
                    running.remove(id)
                    let keeps = holder == id && random.next() % 2 == 0
                    if holder == id, !keeps { holder = nil }
                    take(gate.leave(id, keepsLookup: keeps, at: now))
                }
            case 4:
                if let id = waiting.randomElement(using: &random) {
                    waiting.removeAll { $0 == id }
                    take(gate.leave(id, at: now))
                }
            case 5: endLookup(.resolved)
            case 6: endLookup(random.next() % 2 == 0 ? .notNeeded : .failed(fault))
            default: if random.next() % 4 == 0 { endLookup(.timedOut) }
            }
            #expect(running.count <= 3)
            #expect(gate.inFlight == running.count)
            #expect(gate.queued == waiting.count)
            #expect(waiting.count <= 5)
            // Who waits has a reason to.
            if !waiting.isEmpty { #expect(running.count == 3 || holder != nil) }
        }
        endLookup(.resolved)
        while let id = running.first ?? waiting.first {
            running.remove(id)
            waiting.removeAll { $0 == id }
            if holder == id { holder = nil }
            take(gate.leave(id, at: now))
            endLookup(.resolved)
        }
        #expect(gate.inFlight == 0)
        #expect(gate.queued == 0)
    }
}

extension HostGate {
    /// What it lets through, in a word.
    fileprivate func phase(at now: ContinuousClock.Instant) -> String {
        switch lookup {
        case .idle: "open"
        case .running(_, let isProbe): isProbe ? "probing" : "resolving"
        case .shut(let until): now < until ? "shut" : "open"
        }
    }
}
