/// Carries a value that belongs to one loop through code that may run anywhere.
///
/// - Note: `@unchecked Sendable` is safe because the value can be reached on the loop's thread only: elsewhere
///   reading it traps. The last release may happen on any thread, so the value's deinit must not need the loop.
public struct LoopBound<Value>: @unchecked Sendable {
    /// The loop that the value belongs to.
    public let loop: EventLoop
    private let held: Value

    /// Binds a value to the loop whose thread this is.
    public init(_ value: Value, to loop: EventLoop) {
        loop.checkIsolated()
        self.loop = loop
        held = value
    }

    /// The value; on the loop's thread only.
    public var value: Value {
        loop.checkIsolated()
        return held
    }
}
