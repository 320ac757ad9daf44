/// How much may be asked of Open-Meteo, by minute, hour and day: fixed windows by UTC, as the service counts them
/// itself, wiped when one ends. A value; the same serves for all who ask together and for each client's share.
package struct RateBudget: Sendable, Hashable {
    package enum Window: Int, Sendable, Hashable, CaseIterable {
        case minute = 60
        case hour = 3_600
        case day = 86_400

        /// In seconds.
        var length: Double { Double(rawValue) }

        /// The number of the window that holds this moment, since 1970.
        package func index(at unixTime: Double) -> Int { Int((unixTime / length).rounded(.down)) }
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

        subscript(_ window: Window) -> Double {
            switch window {
            case .minute: Double(minute)
            case .hour: Double(hour)
            case .day: Double(day)
            }
        }

        /// A part of each limit, but never so little that it wouldn't do for a few places.
        package func share(percent: Int) -> Limits {
            func part(_ limit: Int) -> Int { max(limit * percent / 100, min(limit, 10)) }
            return Limits(minute: part(minute), hour: part(hour), day: part(day))
        }
    }

    /// What was spent in one window.
    package struct Sum: Sendable, Hashable {
        package var window: Window
        /// Which window of its kind, since 1970.
        package var index: Int
        package var spent: Double
    }

    /// Why nothing may be spent.
    package struct Refusal: Sendable, Hashable {
        package var window: Window
        package var retryAfter: Duration
    }

    package let limits: Limits
    package var sums: [Sum]

    package init(limits: Limits, at unixTime: Double) {
        self.limits = limits
        sums = Window.allCases.map { Sum(window: $0, index: $0.index(at: unixTime), spent: 0) }
    }

    /// Spends `cost` from every window, or from none: then it says which is used up, and for how long.
    package mutating func spend(_ cost: Double, at unixTime: Double) -> Refusal? {
        turn(to: unixTime)
        // The longest wait is the one that counts.
        for sum in sums.reversed() where sum.spent + cost > limits[sum.window] {
            let end = Double(sum.index + 1) * sum.window.length
            return Refusal(window: sum.window, retryAfter: .seconds(end - unixTime))
        }
        for index in sums.indices { sums[index].spent += cost }
        return nil
    }

    /// Adds what was spent at `then`, whatever the limits; gives back if it is negative.
    package mutating func add(_ cost: Double, spentAt then: Double, at unixTime: Double) {
        turn(to: unixTime)
        for index in sums.indices where sums[index].window.index(at: then) == sums[index].index {
            sums[index].spent = max(0, sums[index].spent + cost)
        }
    }

    /// What is left in a window.
    package mutating func left(in window: Window, at unixTime: Double) -> Double {
        turn(to: unixTime)
        return sums.first { $0.window == window }.map { max(0, limits[window] - $0.spent) } ?? 0
    }

    /// The part of the day's budget that is spent, 0…1.
    package mutating func dayShare(at unixTime: Double) -> Double {
        limits.day == 0 ? 1 : 1 - left(in: .day, at: unixTime) / limits[.day]
    }

    /// A window that has ended is wiped, and so is one of the future: the clock has been set back.
    package mutating func turn(to unixTime: Double) {
        for index in sums.indices {
            let window = sums[index].window
            let current = window.index(at: unixTime)
            if current > sums[index].index
                || unixTime < Double(sums[index].index) * window.length - clockTolerance
            {
                sums[index] = Sum(window: window, index: current, spent: 0)
            }
        }
    }
}
