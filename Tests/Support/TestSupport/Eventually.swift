package import Testing

/// Waits until a condition holds, and fails the test if it doesn't within `limit`: machines can be busy.
///
/// - Returns: Whether it held.
@discardableResult
package func eventually(
    within limit: Duration = .seconds(30), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) async rethrows -> Bool {
    let end = ContinuousClock.now.advanced(by: limit)
    var wait = Duration.microseconds(50)
    while try await !condition() {
        guard ContinuousClock.now < end else {
            Issue.record(comment ?? "it did not hold within \(limit)", sourceLocation: sourceLocation)
            return false
        }
        do {
            // Most conditions hold at once; the others need no busy loop.
            try await Task.sleep(for: wait)
        } catch {
            return try await condition()
        }
        wait = min(wait * 2, .milliseconds(5))
    }
    return true
}
