import Foundation
import Storage
import TestSupport
import Testing

@Suite struct WriteQueueTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// Holds the storage thread from `hold` to `open`.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let entered = Lines()

        func hold(_ database: Database) async -> Task<Void, any Error> {
            let task = Task {
                try await database.read { _ in
                    self.entered.add("in")
                    self.semaphore.wait()
                }
            }
            #expect(await eventually { !self.entered.all.isEmpty })
            return task
        }

        func open() { semaphore.signal() }
    }

    @Test func whatIsOfferedIsWrittenInOrderAndInBatches() async throws {
        let database = try await Database.open(entryOptions(folder("batches")))
        var limits = WriteQueueLimits()
        limits.batch = 100
        let queue = WriteQueue<String>(into: database, limits: limits, write: insert)
        for number in 0..<1000 { #expect(queue.offer("\(number)")) }
        try await queue.flush()
        #expect(try await database.read(names) == (0..<1000).map { "\($0)" })
        let counters = queue.counters
        #expect(counters.queued == 1000)
        #expect(counters.written == 1000)
        #expect(counters.dropped == 0)
        #expect(counters.failed == 0)
        #expect(counters.waiting == 0)
        #expect(counters.batches >= 10)
        #expect(counters.batches < 500)
        await database.close()
    }

    @Test func aFullQueueDropsAndCounts() async throws {
        let database = try await Database.open(entryOptions(folder("full")))
        var limits = WriteQueueLimits()
        limits.waiting = 10
        let queue = WriteQueue<String>(into: database, limits: limits, write: insert)
        let gate = Gate()
        let held = await gate.hold(database)
        let taken = (0..<25).count { queue.offer("\($0)") }
        #expect(taken == 10)
        #expect(queue.counters.dropped == 15)
        #expect(queue.counters.waiting == 10)
        gate.open()
        try await held.value
        try await queue.flush()
        #expect(try await database.read(names) == (0..<10).map { "\($0)" })
        #expect(queue.offer("later"))
        await database.close()
        #expect(queue.counters.written == 11)
    }

    @Test func bytesAreBoundedToo() async throws {
        let database = try await Database.open(entryOptions(folder("bytes")))
        var limits = WriteQueueLimits()
        limits.waitingBytes = 1000
        limits.batchBytes = 250
        let queue = WriteQueue<String>(into: database, limits: limits, size: { $0.utf8.count }, write: insert)
        let gate = Gate()
        let held = await gate.hold(database)
        let letters = "abcdefghijklmnopq".map { String(repeating: $0, count: 100) }
        #expect(letters.count { queue.offer($0) } == 10)
        #expect(!queue.offer(String(repeating: "x", count: 5000)))
        gate.open()
        try await held.value
        try await queue.flush()
        #expect(queue.counters.batches == 5)
        #expect(queue.counters.written == 10)
        #expect(queue.offer(String(repeating: "y", count: 1000)))
        await database.close()
        #expect(queue.counters.written == 11)
    }

    @Test func oneBadWriteFailsAlone() async throws {
        let database = try await Database.open(entryOptions(folder("bad")))
        let queue = WriteQueue<String>(into: database) { connection, name throws(StorageError) in
            try insert(connection, name + " first")
            try insert(connection, name)
        }
        let gate = Gate()
        let held = await gate.hold(database)
        for name in ["a", "b", "a", "c", "c first"] { #expect(queue.offer(name)) }
        gate.open()
        try await held.value
        let failure = await kind { try await queue.flush() }
        #expect(failure == .constraint)
        #expect(queue.counters.failed == 2)
        #expect(queue.counters.written == 3)
        #expect(queue.counters.batches == 1)
        #expect(try await database.read(names) == ["a first", "a", "b first", "b", "c first", "c"])
        // A failure is told to those who waited for it, not to the next.
        #expect(queue.offer("d"))
        try await queue.flush()
        await database.close()
    }

    @Test func eachWriteThatWasTakenIsToldItsEndOnce() async throws {
        let database = try await Database.open(entryOptions(folder("told")))
        let told = Lines()
        var limits = WriteQueueLimits()
        limits.waiting = 4
        let queue = WriteQueue<String>(into: database, limits: limits, write: insert) { name, failure in
            told.add("\(name) \(failure?.label ?? "written")")
        }
        let gate = Gate()
        let held = await gate.hold(database)
        #expect(["a", "b", "a", "c", "d"].map { queue.offer($0) } == [true, true, true, true, false])
        #expect(told.all.isEmpty)
        gate.open()
        try await held.value
        _ = await kind { try await queue.flush() }
        #expect(told.all == ["a written", "b written", "a constraint", "c written"])
        await database.close()
        #expect(told.all.count == 4)
    }

    @Test func manyThreadsOfferAtOnce() async throws {
        let database = try await Database.open(entryOptions(folder("threads")))
        let queue = WriteQueue<String>(into: database, write: insert)
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 { #expect(queue.offer("\(task) \(number)")) }
                    try await queue.flush()
                    let written = try await database.read { database throws(StorageError) in
                        try database.first(
                            "SELECT count(*) FROM entry WHERE name LIKE ?", .text("\(task) %")
                        ) { row throws(StorageError) in try row.value(0, as: Int.self) }
                    }
                    #expect(written == 100)
                }
            }
            try await group.waitForAll()
        }
        #expect(queue.counters.written == 800)
        await database.close()
    }

    @Test func closingWritesWhatIsQueuedAndRefusesMore() async throws {
        let path = folder("closing")
        let database = try await Database.open(entryOptions(path))
        let queue = WriteQueue<String>(into: database, write: insert)
        for number in 0..<1000 { #expect(queue.offer("\(number)")) }
        await database.close(within: .seconds(60))
        #expect(queue.counters.written == 1000)
        #expect(!queue.offer("late"))
        #expect(queue.counters.dropped == 1)
        try await queue.flush()
        let again = try await Database.open(entryOptions(path))
        #expect(try await again.read(count) == 1000)
        await again.close()
    }
}
