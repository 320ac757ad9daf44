/// How much may be asked of Open-Meteo, by minute, hour and day: fixed windows by UTC, as the service counts them
/// itself, wiped when one ends.
///
/// A value: what was spent is added up here, and the caller says when. Several processes share one budget by
/// settling: each adds what it spent since the last time to a shared sum, and takes the sum over.
package struct Budget: Sendable, Hashable {
    /// One of the windows.
    package enum Window: Int, Sendable, Hashable, CaseIterable {
        case minute = 60
        case hour = 3_600
        case day = 86_400

        /// In seconds.
        var length: Int { rawValue }

        /// The number of the window that holds this moment, since 1970.
        func index(at unixTime: Double) -> Int { Int((unixTime / Double(length)).rounded(.down)) }

        /// How long until it ends.
        func remaining(at unixTime: Double) -> Duration {
            .seconds(Double((index(at: unixTime) + 1) * length) - unixTime)
        }
    }

    /// The most that may be spent in each window.
    package struct Limits: Sendable, Hashable {
        package var minute: Int
        package var hour: Int
        package var day: Int

        /// Open-Meteo's free service.
        package static let free = Limits(minute: 600, hour: 5_000, day: 10_000)

        package init(minute: Int, hour: Int, day: Int) {
            (self.minute, self.hour, self.day) = (minute, hour, day)
        }

        package subscript(_ window: Window) -> Int {
            switch window {
            case .minute: minute
            case .hour: hour
            case .day: day
            }
        }
    }

    /// What was spent in one window.
    package struct Account: Sendable, Hashable {
        package var window: Window
        /// Which window of its kind, since 1970.
        package var index: Int
        /// What all have spent, as far as it is known here.
        package var spent: Double
        /// The part of it that the shared sum doesn't hold yet; negative after a refund.
        package var unsettled: Double = 0
    }

    package var limits: Limits
    package private(set) var accounts: [Account]

    package init(limits: Limits, at unixTime: Double) {
        self.limits = limits
        accounts = Window.allCases.map { Account(window: $0, index: $0.index(at: unixTime), spent: 0) }
    }

    /// Spends `cost` from every window, or from none: then it says which is used up, and for how long.
    package mutating func spend(_ cost: Double, at unixTime: Double) -> (
        window: Window, retryAfter: Duration
    )? {
        turn(to: unixTime)
        // The longest wait is the one that counts.
        for account in accounts.reversed() where account.spent + cost > Double(limits[account.window]) {
            return (account.window, account.window.remaining(at: unixTime))
        }
        for index in accounts.indices {
            accounts[index].spent += cost
            accounts[index].unsettled += cost
        }
        return nil
    }

    /// Gives back what was spent at `then` for something that cost less than expected, or nothing.
    package mutating func refund(_ cost: Double, spentAt then: Double, at unixTime: Double) {
        turn(to: unixTime)
        for index in accounts.indices where accounts[index].window.index(at: then) == accounts[index].index {
            accounts[index].spent -= cost
            accounts[index].unsettled -= cost
        }
    }

    /// What is left in a window.
    package mutating func left(in window: Window, at unixTime: Double) -> Double {
        turn(to: unixTime)
        return accounts.first { $0.window == window }.map { max(0, Double(limits[window]) - $0.spent) } ?? 0
    }

    /// The part of the day's budget that is spent, 0…1.
    package mutating func dayShare(at unixTime: Double) -> Double {
        limits.day == 0 ? 1 : 1 - left(in: .day, at: unixTime) / Double(limits.day)
    }

    /// Takes over the shared sum of a window: what others have spent shows here from now on.
    ///
    /// - Parameter settled: The part of `unsettled` that the sum holds.
    package mutating func settle(_ window: Window, index: Int, sum: Double, settled: Double) {
        for position in accounts.indices
        where accounts[position].window == window && accounts[position].index == index {
            accounts[position].unsettled -= settled
            accounts[position].spent = sum + accounts[position].unsettled
        }
    }

    private mutating func turn(to unixTime: Double) {
        for index in accounts.indices {
            let window = accounts[index].window
            let current = window.index(at: unixTime)
            // A clock that is set back must not wipe what was spent.
            if current > accounts[index].index {
                accounts[index] = Account(window: window, index: current, spent: 0)
            }
        }
    }
}
