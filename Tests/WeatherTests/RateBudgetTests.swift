import Testing

@testable import Weather

/// 2026-12-10 12:00:30 UTC.
private let noon = 1_796_904_030.0

@Suite struct RateBudgetTests {
    @Test func aWindowThatIsUsedUpRefusesUntilItsEnd() {
        var budget = RateBudget(limits: RateBudget.Limits(minute: 2, hour: 100, day: 100), at: noon)
        #expect(budget.spend(1, at: noon) == nil)
        #expect(budget.spend(1, at: noon + 10) == nil)
        let refusal = budget.spend(1, at: noon + 20)
        #expect(refusal?.window == .minute)
        #expect(refusal?.retryAfter == .seconds(10))
        #expect(budget.spend(1, at: noon + 30) == nil)
    }

    @Test func theLongestWaitIsTheOneThatIsSaid() {
        var budget = RateBudget(limits: RateBudget.Limits(minute: 1, hour: 1, day: 1), at: noon)
        #expect(budget.spend(1, at: noon) == nil)
        #expect(budget.spend(1, at: noon)?.window == .day)
        #expect(budget.spend(1, at: noon + 60)?.retryAfter == .seconds(43_200 - 30 - 60))
    }

    @Test func aRefusalSpendsNothing() {
        var budget = RateBudget(limits: RateBudget.Limits(minute: 10, hour: 5, day: 100), at: noon)
        #expect(budget.spend(5, at: noon) == nil)
        for _ in 0..<10 { #expect(budget.spend(1, at: noon)?.window == .hour) }
        #expect(budget.left(in: .minute, at: noon) == 5)
        #expect(budget.left(in: .hour, at: noon) == 0)
        #expect(budget.left(in: .day, at: noon) == 95)
        #expect(abs(budget.dayShare(at: noon) - 0.05) < 1e-9)
    }

    @Test func aRefundReachesOnlyTheWindowsItWasSpentIn() {
        var budget = RateBudget(limits: .free, at: noon)
        #expect(budget.spend(3, at: noon) == nil)
        budget.add(-2, spentAt: noon, at: noon + 40)
        #expect(budget.left(in: .minute, at: noon + 40) == 600)
        #expect(budget.left(in: .hour, at: noon + 40) == 4_999)
        #expect(budget.left(in: .day, at: noon + 40) == 9_999)
    }

    @Test func aWindowOfTheFutureIsOver() {
        var budget = RateBudget(limits: RateBudget.Limits(minute: 1, hour: 1, day: 1), at: noon)
        #expect(budget.spend(1, at: noon) == nil)
        // Seconds are threads that have read the clock at different times; an hour is a clock that was set back.
        #expect(budget.spend(1, at: noon - 32)?.window == .day)
        #expect(budget.spend(1, at: noon - 86_400) == nil)
        #expect(budget.spend(1, at: noon - 86_400)?.window == .day)
    }

    @Test func aShareIsAPartOfEachWindowButEnoughForAFewPlaces() {
        let share = RateBudget.Limits(minute: 20, hour: 5_000, day: 8).share(percent: 25)
        #expect(share == RateBudget.Limits(minute: 10, hour: 1_250, day: 8))
    }
}
