import Testing

@testable import Weather

/// 2026-12-10 12:00:30 UTC.
private let noon = 1_796_904_030.0

@Suite struct MannersBudgetTests {
    @Test func aWindowThatIsUsedUpRefusesUntilItsEnd() {
        var budget = Budget(limits: Budget.Limits(minute: 2, hour: 100, day: 100), at: noon)
        #expect(budget.spend(1, at: noon) == nil)
        #expect(budget.spend(1, at: noon + 10) == nil)
        let refusal = budget.spend(1, at: noon + 20)
        #expect(refusal?.window == .minute)
        #expect(refusal?.retryAfter == .seconds(10))
        #expect(budget.spend(1, at: noon + 30) == nil)
    }

    @Test func theLongestWaitIsTheOneThatIsSaid() {
        var budget = Budget(limits: Budget.Limits(minute: 1, hour: 1, day: 1), at: noon)
        #expect(budget.spend(1, at: noon) == nil)
        #expect(budget.spend(1, at: noon)?.window == .day)
        #expect(budget.spend(1, at: noon + 60)?.retryAfter == .seconds(43_200 - 30 - 60))
    }

    @Test func aRefusalSpendsNothing() {
        var budget = Budget(limits: Budget.Limits(minute: 10, hour: 5, day: 100), at: noon)
        #expect(budget.spend(5, at: noon) == nil)
        for _ in 0..<10 { #expect(budget.spend(1, at: noon)?.window == .hour) }
        #expect(budget.left(in: .minute, at: noon) == 5)
        #expect(budget.left(in: .hour, at: noon) == 0)
        #expect(budget.left(in: .day, at: noon) == 95)
        #expect(abs(budget.dayShare(at: noon) - 0.05) < 1e-9)
    }

    @Test func aRefundReachesOnlyTheWindowsItWasSpentIn() {
        var budget = Budget(limits: .free, at: noon)
        #expect(budget.spend(3, at: noon) == nil)
        budget.refund(2, spentAt: noon, at: noon + 40)
        #expect(budget.left(in: .minute, at: noon + 40) == 600)
        #expect(budget.left(in: .hour, at: noon + 40) == 4_999)
        #expect(budget.left(in: .day, at: noon + 40) == 9_999)
    }

    @Test func aClockThatIsSetBackWipesNothing() {
        var budget = Budget(limits: Budget.Limits(minute: 1, hour: 100, day: 100), at: noon)
        #expect(budget.spend(1, at: noon) == nil)
        #expect(budget.spend(1, at: noon - 3_600) != nil)
    }

    @Test func settlingShowsWhatOthersSpent() throws {
        var budget = Budget(limits: .free, at: noon)
        #expect(budget.spend(10, at: noon) == nil)
        let day = try #require(budget.accounts.last)
        // 10 go to the shared sum, which held 500 of others; 3 more are spent meanwhile.
        #expect(budget.spend(3, at: noon) == nil)
        budget.settle(.day, index: day.index, sum: 510, settled: 10)
        #expect(budget.left(in: .day, at: noon) == 10_000 - 513)
        budget.settle(.day, index: day.index, sum: 600, settled: 3)
        #expect(budget.left(in: .day, at: noon) == 9_400)
        budget.settle(.day, index: day.index - 1, sum: 9_999, settled: 0)
        #expect(budget.left(in: .day, at: noon) == 9_400)
    }
}
