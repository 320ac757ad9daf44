internal import Synchronization

/// What one request may spend upstream, and whose share of the budget it is taken from.
///
/// Bound around whatever may ask upstream. Who begins a question pays for it: a question that several wait for takes
/// the budget of the first with it, and so does a refresh behind an answer.
package final class RequestBudget: Sendable {
    @TaskLocal package static var current: RequestBudget?

    /// The client's address, or its network's; nil if it isn't known.
    package let client: String?
    private let units: Mutex<Double>

    package init(client: String?, units: Double) {
        self.client = client
        self.units = Mutex(units)
    }

    /// What may still be spent.
    package var left: Double { units.withLock { $0 } }

    /// Takes `cost`, or nothing if there isn't so much.
    func spend(_ cost: Double) -> Bool {
        units.withLock { units in
            guard cost <= units else { return false }
            units -= cost
            return true
        }
    }

    func giveBack(_ cost: Double) {
        units.withLock { $0 += cost }
    }
}
