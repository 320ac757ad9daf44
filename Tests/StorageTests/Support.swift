import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

let entries: StaticString = "CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT"

func entryOptions(_ path: String, busyTimeout: Duration = .seconds(20)) -> DatabaseOptions {
    var options = DatabaseOptions(path: path, applicationID: 7, migrations: [entries])
    options.busyTimeout = busyTimeout
    options.synchronous = .normal
    return options
}

@Sendable func insert(_ connection: Connection, _ name: String) throws(StorageError) {
    try connection.run("INSERT INTO entry (name) VALUES (?)", .text(name))
}

@Sendable func count(_ connection: Connection) throws(StorageError) -> Int {
    try connection.first("SELECT count(*) FROM entry") { row throws(StorageError) in
        try row.value(0, as: Int.self)
    } ?? -1
}

@Sendable func names(_ connection: Connection) throws(StorageError) -> [String] {
    try connection.rows("SELECT name FROM entry ORDER BY id") { row throws(StorageError) in try row.value(0) }
}

/// The kind of error that `body` throws, or nil.
func kind(_ body: () async throws -> Void) async -> StorageError.Kind? {
    do {
        try await body()
        return nil
    } catch let error as StorageError {
        return error.kind
    } catch {
        Issue.record("not a StorageError: \(error)")
        return nil
    }
}

/// How long `body` takes, and the kind of error that it throws, if any. It runs on a queue of its own: the pool that
/// the tests share may be busy for long.
func timed(
    _ body: @escaping @Sendable () async throws -> Void
) async -> (took: Duration, failure: StorageError.Kind?) {
    final class OwnQueue: TaskExecutor {
        let queue = DispatchQueue(label: "timed", qos: .userInteractive)
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
    let task = Task(executorPreference: OwnQueue()) {
        let start = ContinuousClock.now
        do {
            try await body()
        } catch {
            return (start.duration(to: .now), (error as? StorageError)?.kind)
        }
        return (start.duration(to: .now), nil)
    }
    return await task.value
}

/// Expects `body` to fail with `failure` never before `limit` and within a second after it. A busy machine may
/// hold it up, so that it has three tries for the second.
func expectLimit(
    _ limit: Duration, _ failure: StorageError.Kind?, _ body: @escaping @Sendable () async throws -> Void
) async {
    var took = Duration.zero
    for _ in 0..<3 {
        let result = await timed(body)
        #expect(result.failure == failure)
        #expect(result.took >= limit)
        took = result.took
        if took < limit + .seconds(1) { break }
    }
    #expect(took < limit + .seconds(1))
}

/// Lines gathered from any thread.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Values to take from any thread, the last first.
final class Stack<Value: Sendable>: Sendable {
    private let values: Mutex<[Value]>
    init(_ values: [Value]) { self.values = Mutex(values) }
    func pop() -> Value? { values.withLock { $0.popLast() } }
}

/// A clock that a test sets.
final class TestClock: Sendable {
    private let offset = Mutex(Duration.zero)
    private let start = ContinuousClock.now
    func now() -> ContinuousClock.Instant { start.advanced(by: offset.withLock { $0 }) }
    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
}

extension WriteQueue {
    func offer(_ name: String) -> Bool {
        offer(
            Write(bytes: name.utf8.count) { connection throws(StorageError) in try insert(connection, name) })
    }

    /// Waits until nothing that was offered is waiting any more.
    func isDone() async {
        await eventually { counters.waiting == 0 }
    }
}
