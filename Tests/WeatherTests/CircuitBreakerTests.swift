import Testing

@testable import Weather

private let policy = CircuitBreaker.Policy(
    failures: 3, firstPause: .seconds(2), longestPause: .seconds(10), probeTimeout: .seconds(15))

extension CircuitBreaker {
    fileprivate var opensUntil: Double? {
        if case .open(_, let until) = state { until } else { nil }
    }
}

private func failing(_ breaker: inout CircuitBreaker, times: Int, at now: Double, spread: Double = 1) {
    for _ in 0..<times {
        #expect(breaker.permit(at: now, policy) == .pass)
        breaker.apply(
            .init(outcome: .failed(retryAfter: nil), wasProbe: false, time: now, spread: spread), policy)
    }
}

@Suite struct CircuitBreakerTests {
    @Test func itOpensAfterSoManyFailuresInARow() {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 2, at: 0)
        breaker.apply(.init(outcome: .answered, wasProbe: false, time: 0, spread: 1), policy)
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 1, policy) == .refused(retryAfter: .seconds(1)))
    }

    @Test func oneProbeGoesAloneAndItsAnswerCloses() {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 2, policy) == .probe)
        #expect(breaker.permit(at: 2, policy) == .refused(retryAfter: .seconds(1)))
        breaker.apply(.init(outcome: .answered, wasProbe: true, time: 2.5, spread: 1), policy)
        #expect(breaker.permit(at: 2.5, policy) == .pass)
        #expect(breaker.state == .closed(failures: 0))
    }

    @Test func thePauseDoublesWithEachProbeThatFailsUpToABound() {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 3, at: 0)
        var now = 0.0
        for pause in [2.0, 4, 8, 10, 10] {
            guard case .open(_, let until) = breaker.state else {
                Issue.record("not open")
                return
            }
            #expect(until == now + pause)
            now = until
            #expect(breaker.permit(at: now, policy) == .probe)
            breaker.apply(
                .init(outcome: .failed(retryAfter: nil), wasProbe: true, time: now, spread: 1), policy)
        }
    }

    @Test func thePauseIsSpreadBetweenHalfAndAll() {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 3, at: 0, spread: 0)
        #expect(breaker.opensUntil == 1)
    }

    @Test func aCancelledProbeLeavesTheNextOneToProbe() {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 2, policy) == .probe)
        breaker.apply(.init(outcome: .cancelled, wasProbe: true, time: 3, spread: 1), policy)
        #expect(breaker.permit(at: 3, policy) == .probe)
    }

    @Test func aProbeThatNeverEndsDoesNotShutTheHostForEver() {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 2, policy) == .probe)
        #expect(breaker.permit(at: 16.9, policy) == .refused(retryAfter: .seconds(1)))
        #expect(breaker.permit(at: 17, policy) == .probe)
    }

    @Test func aLimitIsWaitedOutToItsWindowsEndAndALittleMore() {
        var breaker = CircuitBreaker()
        #expect(breaker.permit(at: 0, policy) == .pass)
        breaker.apply(.init(outcome: .limited(.seconds(30)), wasProbe: false, time: 0, spread: 0.5), policy)
        guard case .open(_, let until) = breaker.state else {
            Issue.record("not open")
            return
        }
        #expect(until > 30 && until < 35)
        // What was under way fails too; it must not shorten the wait.
        breaker.apply(.init(outcome: .failed(retryAfter: nil), wasProbe: false, time: 1, spread: 1), policy)
        breaker.apply(.init(outcome: .crowded(retryAfter: nil), wasProbe: false, time: 1, spread: 1), policy)
        #expect(breaker.opensUntil == until)
        #expect(breaker.permit(at: until, policy) == .probe)
    }

    @Test func crowdingPausesOneSecondAndUpToTen() {
        var breaker = CircuitBreaker()
        var now = 0.0
        for pause in [1.0, 2, 4, 8, 10, 10] {
            breaker.apply(
                .init(
                    outcome: .crowded(retryAfter: nil), wasProbe: breaker.permit(at: now, policy) == .probe,
                    time: now,
                    spread: 0), policy)
            #expect(breaker.opensUntil == now + pause)
            now += pause
        }
    }

    @Test func aHostThatSaysWhenToComeBackIsBelievedWithinReason() {
        var breaker = CircuitBreaker()
        #expect(breaker.permit(at: 0, policy) == .pass)
        breaker.apply(
            .init(outcome: .failed(retryAfter: .seconds(7)), wasProbe: false, time: 0, spread: 1), policy)
        #expect(breaker.permit(at: 6, policy) == .refused(retryAfter: .seconds(1)))
        #expect(breaker.permit(at: 7, policy) == .probe)
        breaker.apply(
            .init(outcome: .failed(retryAfter: .seconds(3_600)), wasProbe: true, time: 7, spread: 1), policy)
        #expect(breaker.opensUntil == 3_607)
    }

    @Test func aLateAnswerOfBeforeDoesNotCloseIt() {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 3, at: 0)
        breaker.apply(.init(outcome: .answered, wasProbe: false, time: 1, spread: 1), policy)
        #expect(breaker.permit(at: 1, policy) == .refused(retryAfter: .seconds(1)))
    }

    @Test func aClockThatIsSetBackNeverLengthensThePause() {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 3, at: 100_000)
        // An hour back: the two seconds begin again, and end.
        #expect(breaker.permit(at: 96_400, policy) == .refused(retryAfter: .seconds(2)))
        #expect(breaker.permit(at: 96_401, policy) == .refused(retryAfter: .seconds(1)))
        #expect(breaker.permit(at: 96_402, policy) == .probe)
        // A day back, while the probe is under way: it is given up.
        #expect(breaker.permit(at: 10_000, policy) == .probe)
        breaker.apply(
            .init(outcome: .limited(.seconds(3_600)), wasProbe: true, time: 10_000, spread: 0), policy)
        guard case .refused(let wait) = breaker.permit(at: 5_000, policy) else {
            Issue.record("a limit ended by the clock alone")
            return
        }
        #expect(wait <= .seconds(3_601))
    }

    @Test(arguments: [CircuitBreaker.Outcome.cancelled, .answered])
    func aProbesEndKeepsALimitLearntMeanwhile(outcome: CircuitBreaker.Outcome) {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 2, policy) == .probe)
        // An older question hears of the day's limit.
        breaker.apply(.init(outcome: .limited(.seconds(5_000)), wasProbe: false, time: 3, spread: 0), policy)
        breaker.apply(.init(outcome: outcome, wasProbe: true, time: 4, spread: 0), policy)
        guard case .refused(let wait) = breaker.permit(at: 5, policy) else {
            Issue.record("the limit was forgotten")
            return
        }
        #expect(wait > .seconds(4_990))
    }

    @Test func aLateFailureOfAnOlderQuestionLeavesAProbesPauseAlone() {
        var breaker = CircuitBreaker()
        failing(&breaker, times: 3, at: 0)
        #expect(breaker.permit(at: 2, policy) == .probe)
        breaker.apply(.init(outcome: .failed(retryAfter: nil), wasProbe: false, time: 3, spread: 1), policy)
        #expect(breaker.state == .probing(since: 2))
        breaker.apply(.init(outcome: .failed(retryAfter: nil), wasProbe: true, time: 4, spread: 1), policy)
        #expect(breaker.opensUntil == 8)
    }
}
