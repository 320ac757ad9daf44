/// How many questions may be asked a second time: never more than a tenth of all, with a little saved up.
package struct RetryBudget: Sendable, Hashable {
    private static let share = 0.1
    private static let most = 10.0
    /// The first questions may be the unlucky ones.
    package var saved = 1.0

    package init() {}

    /// Counts questions that were asked for the first time.
    package mutating func asked(_ count: Int = 1) {
        saved = min(RetryBudget.most, saved + RetryBudget.share * Double(count))
    }

    /// Takes the right to ask one a second time, if there is one.
    package mutating func take() -> Bool {
        guard saved >= 1 else { return false }
        saved -= 1
        return true
    }

    /// Takes in what was asked a second time elsewhere.
    package mutating func taken(_ count: Int) {
        saved = max(0, saved - Double(count))
    }
}
