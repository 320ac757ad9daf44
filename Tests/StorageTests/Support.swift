import Foundation
import Storage
import Synchronization
import Testing

/// A folder that goes with the test.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/trip-weather-storage-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
        try #require(made)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

let entries: StaticString = "CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT"

func entryOptions(_ path: String, busyTimeout: Duration = .seconds(20)) -> DatabaseOptions {
    var options = DatabaseOptions(path: path, applicationID: 7, migrations: [.sql(entries)])
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

/// Waits until something is so, for ten seconds at the most.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let limit = ContinuousClock.now.advanced(by: .seconds(10))
    while ContinuousClock.now < limit {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return try await condition()
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

/// A `storage-writer` process. What waits for it waits on a queue of its own, since the tests share few threads.
///
/// - Note: `@unchecked Sendable` is safe because `rest` is touched on `queue` only, and the process and pipes are
///   set up before the value is shared.
final class Child: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let queue = DispatchQueue(label: "child")
    private var rest: [UInt8] = []

    init(_ arguments: String...) throws {
        let binaries = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        process.executableURL = binaries.appendingPathComponent("storage-writer")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    }

    /// The next line, or nil at the end.
    func line() async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.nextLine()) }
        }
    }

    private func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: 10) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeSubrange(...end)
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    func endInput() { try? input.fileHandleForWriting.close() }

    /// Kills it and waits for its end.
    func kill() async {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        _ = await wait()
    }

    /// Waits for its end; returns its exit code.
    func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            queue.async {
                self.process.waitUntilExit()
                continuation.resume(returning: self.process.terminationStatus)
            }
        }
    }
}

/// The next line of each, in their order.
func lines(_ children: [Child]) async -> [String?] {
    var lines: [String?] = []
    for child in children { lines.append(await child.line()) }
    return lines
}

/// Mounts a tmpfs for the time of `body`. Says so and does nothing where that isn't permitted.
func withTmpfs(_ size: String, _ folder: TestFolder, _ body: (String) async throws -> Void) async throws {
    let path = folder("tmpfs")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else {
        print("skipped: no mount of a tmpfs is permitted here")
        return
    }
    defer { umount2(path, Int32(MNT_DETACH)) }
    try await body(path)
}

/// Makes a folder read-only even for root, by a bind mount, for the time of `body`. Says so and does nothing where
/// that isn't permitted.
func withReadOnly(_ path: String, _ body: () async throws -> Void) async throws {
    let bind = UInt(MS_BIND)
    let readOnly = UInt(MS_BIND | MS_REMOUNT | MS_RDONLY)
    guard mount(path, path, nil, bind, nil) == 0 else {
        print("skipped: no bind mount is permitted here")
        return
    }
    defer { umount2(path, Int32(MNT_DETACH)) }
    guard mount(nil, path, nil, readOnly, nil) == 0 else {
        print("skipped: no read-only mount is permitted here")
        return
    }
    try await body()
}
