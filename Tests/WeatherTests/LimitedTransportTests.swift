import Synchronization
import Testing
import Transport

@testable import Weather

/// Answers from a script, and counts.
private final class QueuedAnswers: Transport {
    private struct State {
        var script: [Result<HTTPAnswer, TransportError>]
        var asked = 0
    }

    private let state: Mutex<State>

    var asked: Int { state.withLock { $0.asked } }

    init(_ script: [Result<HTTPAnswer, TransportError>]) {
        state = Mutex(State(script: script))
    }

    func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        let result = state.withLock { state in
            state.asked += 1
            return state.script.isEmpty ? answer : state.script.removeFirst()
        }
        return try result.get()
    }
}

private let answer = Result<HTTPAnswer, TransportError>.success(
    HTTPAnswer(body: []))

private func refusal(_ status: Int, retryAfter: Duration? = nil, reason: String = "") -> Result<
    HTTPAnswer, TransportError
> {
    .failure(
        .status(
            HTTPRefusal(
                status: status, retryAfter: retryAfter,
                body: Array("{\"error\":true,\"reason\":\"\(reason)\"}".utf8))))
}

private func fault(
    _ phase: TransferFault.Phase, ofConnection: Bool = false
) -> Result<HTTPAnswer, TransportError> {
    .failure(.failed(TransferFault(phase: phase, code: 1, message: "", isOfConnection: ofConnection)))
}

private final class LimitedFixture: CacheScheduler {
    let clock = Mutex(1_796_904_030.0)
    let slept = Mutex(0)
    let events = Mutex<[LimitedTransport.Event]>([])
    let inner: QueuedAnswers

    init(_ script: [Result<HTTPAnswer, TransportError>]) {
        inner = QueuedAnswers(script)
    }

    func transport(
        budget: RateBudget.Limits = .free, failures: Int = 3, percentPerClient: Int = 100
    ) -> LimitedTransport {
        var policy = UpstreamLimits.Policy(budget: budget, percentPerClient: percentPerClient)
        policy.breaker.failures = failures
        return LimitedTransport(
            inner, policy: policy,
            environment: CacheEnvironment(
                scheduler: self, unixTime: { self.clock.withLock { $0 } }, random: { 0.5 })
        ) { event in self.events.withLock { $0.append(event) } }
    }

    // MARK: Scheduler: a pause is over at once, and counted.

    func start(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(operation: operation)
    }

    func timer(
        at instant: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
    ) -> any CacheTimer {
        slept.withLock { $0 += 1 }
        action()
        return NoTimer()
    }

    private struct NoTimer: CacheTimer {
        func cancel() {}
    }
}

private func ask(
    _ transport: LimitedTransport, cost: Double = 1, within limit: Duration = .seconds(5),
    host: String = "https://api.example"
) async -> TransportError? {
    do {
        _ = try await transport.get(
            HTTPRequest(url: "\(host)/v1/forecast?x=/a/b", cost: cost), deadline: .now.advanced(by: limit))
        return nil
    } catch {
        return error
    }
}

@Suite struct LimitedTransportTests {
    @Test(arguments: [
        (refusal(502), 2), (refusal(503), 2), (refusal(504), 2), (refusal(503, retryAfter: .seconds(1)), 1),
        (refusal(500), 1), (refusal(429, reason: "Too many concurrent requests"), 1), (refusal(400), 1),
        (refusal(404), 1), (fault(.connect, ofConnection: true), 2), (fault(.receive, ofConnection: true), 2),
        (fault(.receive), 1), (fault(.tls), 1),
        (.failure(.timedOut(TransferFault(phase: .wait, code: 28, message: ""))), 1),
        (.failure(.cancelled), 1), (.failure(.tooLarge(limit: 1)), 1),
    ])
    func onlyWhatMayPassIsAskedASecondTimeAndOnce(first: Result<HTTPAnswer, TransportError>, questions: Int)
        async
    {
        let fixture = LimitedFixture([first, first, first])
        _ = await ask(fixture.transport())
        #expect(fixture.inner.asked == questions)
        #expect(fixture.slept.withLock { $0 } == questions - 1)
    }

    @Test func aRetryNeedsTimeLeft() async {
        let fixture = LimitedFixture([refusal(502)])
        #expect(await ask(fixture.transport(), within: .milliseconds(100)) != nil)
        #expect(fixture.inner.asked == 1)
    }

    @Test func retriesStayUnderATenthOfAllQuestions() async {
        let fixture = LimitedFixture(Array(repeating: fault(.connect, ofConnection: true), count: 2_000))
        let transport = fixture.transport(
            budget: .init(minute: 10_000, hour: 10_000, day: 10_000), failures: 100_000)
        for _ in 0..<500 { _ = await ask(transport) }
        #expect(fixture.inner.asked > 500)
        #expect(fixture.inner.asked <= 500 + 50 + 1)
    }

    @Test func overBudgetNothingIsAsked() async {
        let fixture = LimitedFixture([])
        let transport = fixture.transport(budget: .init(minute: 2, hour: 10, day: 10))
        #expect(await ask(transport, cost: 2) == nil)
        #expect(await ask(transport) == .held(.budget, retryAfter: .seconds(30)))
        #expect(fixture.inner.asked == 1)
        #expect(fixture.events.withLock { $0 } == [.budgetUsedUp(.minute)])
        fixture.clock.withLock { $0 += 30 }
        #expect(await ask(transport) == nil)
    }

    @Test func thatTheDaysBudgetIsNearlySpentIsNotedOnceADay() async {
        let fixture = LimitedFixture([])
        let transport = fixture.transport(budget: .init(minute: 100, hour: 100, day: 10))
        for _ in 0..<8 { #expect(await ask(transport) == nil) }
        #expect(!transport.isNearlySpent)
        #expect(fixture.events.withLock { $0 }.isEmpty)
        for _ in 0..<2 { #expect(await ask(transport) == nil) }
        #expect(transport.isNearlySpent)
        #expect(fixture.events.withLock { $0 } == [.budgetNearlySpent])
        fixture.clock.withLock { $0 += 86_400 }
        #expect(await ask(transport) == nil)
        #expect(!transport.isNearlySpent)
    }

    @Test func bothHostsShareTheBudgetAndEachHasItsBreaker() async {
        let fixture = LimitedFixture(Array(repeating: refusal(500), count: 3))
        let transport = fixture.transport(budget: .init(minute: 5, hour: 10, day: 10))
        for _ in 0..<3 { _ = await ask(transport) }
        guard case .held(.breaker, _) = await ask(transport) else {
            Issue.record("the breaker is not open")
            return
        }
        #expect(await ask(transport, host: "https://geocoding.example") == nil)
        #expect(await ask(transport, host: "https://geocoding.example") == nil)
        guard case .held(.budget, _) = await ask(transport, host: "https://geocoding.example") else {
            Issue.record("the budget is not used up")
            return
        }
    }

    @Test func aQuestionThatFailsCostsOneAndOneThatWasNeverSentNothing() async {
        let fixture = LimitedFixture([
            refusal(400), fault(.tls), .failure(.cancelled), .failure(.queueFull),
        ])
        let transport = fixture.transport()
        func left() -> Double { transport.snapshot.budgetLeft.last?.left ?? 0 }
        _ = await ask(transport, cost: 10)
        #expect(left() == 9_999)
        _ = await ask(transport, cost: 10)
        #expect(left() == 9_999)
        _ = await ask(transport, cost: 10)
        #expect(left() == 9_989)
        _ = await ask(transport, cost: 10)
        #expect(left() == 9_989)
    }

    @Test(arguments: [
        ("Minutely API request limit exceeded. Please try again in one minute.", 30.0),
        ("Hourly API request limit exceeded. Please try again in the next hour.", 3_570),
        ("Daily API request limit exceeded. Please try again tomorrow.", 43_170),
        ("Too many concurrent requests", 1),
    ])
    func aLimitHoldsTheHostUntilItsWindowEnds(reason: String, seconds: Double) async {
        let fixture = LimitedFixture([refusal(429, reason: reason)])
        let transport = fixture.transport()
        _ = await ask(transport)
        fixture.clock.withLock { $0 += seconds - 0.5 }
        guard case .held(.breaker, _) = await ask(transport) else {
            Issue.record("asked too early")
            return
        }
        fixture.clock.withLock { $0 += 6 }
        #expect(await ask(transport) == nil)
        #expect(fixture.inner.asked == 2)
        #expect(fixture.events.withLock { $0 }.contains(.breakerClosed(host: "https://api.example")))
    }

    @Test func refusalsOfTheQuestionNeverOpenTheBreaker() async {
        let fixture = LimitedFixture(Array(repeating: refusal(404), count: 50))
        let transport = fixture.transport()
        for _ in 0..<51 { _ = await ask(transport) }
        #expect(fixture.inner.asked == 51)
    }

    @Test func theFirstErrorIsToldIfTheSecondQuestionIsHeld() async {
        let fixture = LimitedFixture([fault(.connect, ofConnection: true)])
        let transport = fixture.transport(failures: 1)
        guard case .failed(let fault) = await ask(transport) else {
            Issue.record("not the first error")
            return
        }
        #expect(fault.phase == .connect)
        #expect(fixture.inner.asked == 1)
    }

    @Test(
        arguments: [
            (refusal(429, retryAfter: .seconds(7)), 7.0), (refusal(429), 60),
            (refusal(429, reason: "Slow down"), 60),
            (refusal(429, retryAfter: .seconds(3), reason: "Too many concurrent requests"), 3),
            (refusal(429, retryAfter: .seconds(90), reason: "Minutely API request limit exceeded."), 90),
            (refusal(503, retryAfter: .seconds(40)), 40),
        ] as [(Result<HTTPAnswer, TransportError>, Double)])
    func whoAskedAndOthersHearTheSameWait(first: Result<HTTPAnswer, TransportError>, seconds: Double) async {
        let fixture = LimitedFixture([first])
        let transport = fixture.transport()
        guard case .status(let refusal) = await ask(transport) else {
            Issue.record("no refusal")
            return
        }
        let told: Duration? =
            switch WeatherError(refusal: refusal, unixTime: 1_796_904_030) {
            case .limited(_, let wait, _): wait
            case .unavailable(_, let wait): wait
            default: nil
            }
        #expect(told == .seconds(seconds))
        guard case .held(.breaker, let wait) = await ask(transport) else {
            Issue.record("others are not held back")
            return
        }
        #expect(wait >= .seconds(seconds) && wait <= .seconds(seconds + 5.1))
    }

    @Test func oneClientSpendsItsShareAloneAndOthersTheRest() async {
        let fixture = LimitedFixture([])
        let transport = fixture.transport(
            budget: .init(minute: 100, hour: 1_000, day: 1_000), percentPerClient: 25)
        func asks(_ client: String?) async -> Int {
            let budget = RequestBudget(client: client, units: 1_000)
            return await RequestBudget.$current.withValue(budget) {
                var asked = 0
                while asked < 200, await ask(transport) == nil { asked += 1 }
                return asked
            }
        }
        #expect(await asks("192.0.2.1") == 25)
        #expect(await asks("192.0.2.1") == 0)
        #expect(await asks("192.0.2.2") == 25)
        #expect(await asks(nil) == 50)
        #expect(fixture.events.withLock { $0 }.contains(.shareUsedUp(.minute)))
        fixture.clock.withLock { $0 += 60 }
        #expect(await asks("192.0.2.1") == 25)
    }

    @Test func aBudgetOfNothingIsNoClientsDoing() async {
        let fixture = LimitedFixture([])
        let transport = fixture.transport(
            budget: .init(minute: 0, hour: 1_000, day: 1_000), percentPerClient: 25)
        let error = await RequestBudget.$current.withValue(RequestBudget(client: "192.0.2.1", units: 1_000)) {
            await ask(transport)
        }
        guard case .held(.budget, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fixture.events.withLock { $0 } == [.budgetUsedUp(.minute)])
    }

    @Test func oneRequestSpendsNoMoreThanItMay() async {
        let fixture = LimitedFixture([
            .success(HTTPAnswer(body: [])), fault(.tls),
        ])
        let transport = fixture.transport()
        await RequestBudget.$current.withValue(RequestBudget(client: nil, units: 5)) {
            #expect(await ask(transport, cost: 3) == nil)
            #expect(await ask(transport, cost: 3) == .held(.request, retryAfter: .seconds(1)))
            // What was never sent costs nothing.
            #expect(await ask(transport, cost: 2) != nil)
            #expect(await ask(transport, cost: 2) == nil)
        }
        #expect(await ask(transport, cost: 3) == nil)
        #expect(transport.snapshot.budgetLeft.last?.left == 9_992)
    }
}
