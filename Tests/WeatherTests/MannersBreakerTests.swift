import Testing

@testable import Weather

private func failing(_ breaker: inout Breaker, times: Int, at now: Double, spread: Double = 1) {
    for _ in 0..<times {
        #expect(breaker.permit(at: now) == .pass)
        breaker.ended(.failed(retryAfter: nil), wasProbe: false, at: now, spread: spread)
    }
}

@Suite struct MannersBreakerTests {
    private let policy = Breaker.Policy(
        failures: 3, firstPause: .seconds(2), longestPause: .seconds(10), probePatience: .seconds(15))

    @Test func itOpensAfterSoManyFailuresInARow() {
        var breaker = Breaker(policy: policy)
        failing(&breaker, times: 2, at: 0)
        breaker.ended(.answered, wasProbe: false, at: 0, spread: 1)
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 1) == .refused(retryAfter: .seconds(1)))
    }

    @Test func oneProbeGoesAloneAndItsAnswerCloses() {
        var breaker = Breaker(policy: policy)
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 2) == .probe)
        #expect(breaker.permit(at: 2) == .refused(retryAfter: .seconds(1)))
        breaker.ended(.answered, wasProbe: true, at: 2.5, spread: 1)
        #expect(breaker.permit(at: 2.5) == .pass)
        #expect(breaker.state == .closed(failures: 0))
    }

    @Test func thePauseDoublesWithEachProbeThatFailsUpToABound() {
        var breaker = Breaker(policy: policy)
        failing(&breaker, times: 3, at: 0)
        var now = 0.0
        for pause in [2.0, 4, 8, 10, 10] {
            guard case .open(let until) = breaker.state else {
                Issue.record("not open")
                return
            }
            #expect(until == now + pause)
            now = until
            #expect(breaker.permit(at: now) == .probe)
            breaker.ended(.failed(retryAfter: nil), wasProbe: true, at: now, spread: 1)
        }
    }

    @Test func thePauseIsSpreadBetweenHalfAndAll() {
        var breaker = Breaker(policy: policy)
        failing(&breaker, times: 3, at: 0, spread: 0)
        #expect(breaker.state == .open(until: 1))
    }

    @Test func aCancelledProbeLeavesTheNextOneToProbe() {
        var breaker = Breaker(policy: policy)
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 2) == .probe)
        breaker.ended(.cancelled, wasProbe: true, at: 3, spread: 1)
        #expect(breaker.permit(at: 3) == .probe)
    }

    @Test func aProbeThatNeverEndsDoesNotShutTheHostForEver() {
        var breaker = Breaker(policy: policy)
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 2) == .probe)
        #expect(breaker.permit(at: 16.9) == .refused(retryAfter: .seconds(1)))
        #expect(breaker.permit(at: 17) == .probe)
    }

    @Test func aLimitIsWaitedOutToItsWindowsEndAndALittleMore() {
        var breaker = Breaker(policy: policy)
        #expect(breaker.permit(at: 0) == .pass)
        breaker.ended(.limited(.seconds(30)), wasProbe: false, at: 0, spread: 0.5)
        guard case .open(let until) = breaker.state else {
            Issue.record("not open")
            return
        }
        #expect(until > 30 && until < 35)
        // What was under way fails too; it must not shorten the wait.
        breaker.ended(.failed(retryAfter: nil), wasProbe: false, at: 1, spread: 1)
        breaker.ended(.crowded, wasProbe: false, at: 1, spread: 1)
        #expect(breaker.state == .open(until: until))
        #expect(breaker.permit(at: until) == .probe)
    }

    @Test func crowdingPausesOneSecondAndUpToTen() {
        var breaker = Breaker(policy: policy)
        var now = 0.0
        for pause in [1.0, 2, 4, 8, 10, 10] {
            breaker.ended(.crowded, wasProbe: breaker.permit(at: now) == .probe, at: now, spread: 0)
            #expect(breaker.state == .open(until: now + pause))
            now += pause
        }
    }

    @Test func aHostThatSaysWhenToComeBackIsBelievedWithinReason() {
        var breaker = Breaker(policy: policy)
        #expect(breaker.permit(at: 0) == .pass)
        breaker.ended(.failed(retryAfter: .seconds(7)), wasProbe: false, at: 0, spread: 1)
        #expect(breaker.permit(at: 6) == .refused(retryAfter: .seconds(1)))
        #expect(breaker.permit(at: 7) == .probe)
        breaker.ended(.failed(retryAfter: .seconds(1_000_000)), wasProbe: true, at: 7, spread: 1)
        #expect(breaker.state == .open(until: 7 + 3_600))
    }

    @Test func aLateAnswerOfBeforeDoesNotCloseIt() {
        var breaker = Breaker(policy: policy)
        failing(&breaker, times: 3, at: 0)
        breaker.ended(.answered, wasProbe: false, at: 1, spread: 1)
        #expect(breaker.permit(at: 1) == .refused(retryAfter: .seconds(1)))
    }
}
