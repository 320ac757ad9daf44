internal import Synchronization

/// A duration that a running program may change, read by whoever shares it.
package final class SharedDuration: Sendable {
    private let nanoseconds: Atomic<Int64>

    package init(_ value: Duration) {
        nanoseconds = Atomic(value.wholeNanoseconds)
    }

    package var value: Duration {
        get { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }
        set { nanoseconds.store(newValue.wholeNanoseconds, ordering: .relaxed) }
    }
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
