/// How many questions may be asked a second time: never more than a tenth of all, with a little saved up.
package struct RetryAllowance: Sendable, Hashable {
    private static let share = 0.1
    private static let most = 10.0
    /// The first questions of a process may be the unlucky ones.
    private var saved = 1.0

    package init() {}

    /// Counts a question that was asked for the first time.
    package mutating func asked() {
        saved = min(RetryAllowance.most, saved + RetryAllowance.share)
    }

    /// Takes the right to ask one a second time, where there is one.
    package mutating func take() -> Bool {
        guard saved >= 1 else { return false }
        saved -= 1
        return true
    }
}
