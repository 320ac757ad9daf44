import Foundation
import Storage
import TestSupport
import Testing

@Suite struct WriteQueueTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func store(_ path: String) -> DisposableStore {
        DisposableStore(entryOptions(path)) { Issue.record("\($0)") }
    }

    /// Holds the storage thread from `hold` to `open`.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let entered = Lines()

        func hold(_ store: DisposableStore) async {
            store.hand {
                self.entered.add("in")
                self.semaphore.wait()
            }
            #expect(await eventually { !self.entered.all.isEmpty })
        }

        func open() { semaphore.signal() }
    }

    @Test func whatIsOfferedIsWrittenInOrderAndInBatches() async throws {
        let store = store(folder("batches"))
        var limits = WriteQueue.Limits()
        limits.batch = 100
        let queue = WriteQueue(into: store, limits: limits)
        for number in 0..<1000 { #expect(queue.offer("\(number)")) }
        await queue.isDone()
        #expect(await store.read(names) == (0..<1000).map { "\($0)" })
        let counters = queue.counters
        #expect(counters.written == 1000)
        #expect(counters.dropped == 0)
        #expect(counters.failed == 0)
        #expect(counters.waiting == 0)
        #expect(counters.batches >= 10)
        #expect(counters.batches < 500)
        await store.close()
    }

    @Test func aFullQueueDropsAndCounts() async throws {
        let store = store(folder("full"))
        var limits = WriteQueue.Limits()
        limits.waiting = 10
        let queue = WriteQueue(into: store, limits: limits)
        let gate = Gate()
        #expect(await store.read(count) == 0)
        await gate.hold(store)
        let taken = (0..<25).count { queue.offer("\($0)") }
        #expect(taken == 10)
        #expect(queue.counters.dropped == 15)
        #expect(queue.counters.waiting == 10)
        gate.open()
        await queue.isDone()
        #expect(await store.read(names) == (0..<10).map { "\($0)" })
        #expect(queue.offer("later"))
        await store.close()
        #expect(queue.counters.written == 11)
    }

    @Test func bytesAreBoundedToo() async throws {
        let store = store(folder("bytes"))
        var limits = WriteQueue.Limits()
        limits.waitingBytes = 1000
        limits.batchBytes = 250
        let queue = WriteQueue(into: store, limits: limits)
        let gate = Gate()
        #expect(await store.read(count) == 0)
        await gate.hold(store)
        let letters = "abcdefghijklmnopq".map { String(repeating: $0, count: 100) }
        #expect(letters.count { queue.offer($0) } == 10)
        #expect(!queue.offer(String(repeating: "x", count: 5000)))
        gate.open()
        await queue.isDone()
        #expect(queue.counters.batches == 5)
        #expect(queue.counters.written == 10)
        #expect(queue.offer(String(repeating: "y", count: 1000)))
        await store.close()
        #expect(queue.counters.written == 11)
    }

    @Test func oneBadWriteFailsAlone() async throws {
        let store = store(folder("bad"))
        let queue = WriteQueue(into: store)
        let gate = Gate()
        #expect(await store.read(count) == 0)
        await gate.hold(store)
        for name in ["a", "b", "a", "c", "c first"] {
            queue.offer(
                WriteQueue.Write { connection throws(StorageError) in
                    try insert(connection, name + " first")
                    try insert(connection, name)
                })
        }
        gate.open()
        await queue.isDone()
        #expect(queue.counters.failed == 2)
        #expect(queue.counters.written == 3)
        #expect(queue.counters.batches == 1)
        #expect(await store.read(names) == ["a first", "a", "b first", "b", "c first", "c"])
        await store.close()
    }

    @Test func eachWriteThatWasTakenIsToldItsEndOnce() async throws {
        let store = store(folder("told"))
        let told = Lines()
        var limits = WriteQueue.Limits()
        limits.waiting = 4
        let queue = WriteQueue(into: store, limits: limits)
        let gate = Gate()
        #expect(await store.read(count) == 0)
        await gate.hold(store)
        let taken = ["a", "b", "a", "c", "d"].map { name in
            var write = WriteQueue.Write { connection throws(StorageError) in try insert(connection, name) }
            write.settled = { told.add("\(name) \($0?.label ?? "written")") }
            return queue.offer(write)
        }
        #expect(taken == [true, true, true, true, false])
        #expect(told.all.isEmpty)
        gate.open()
        await queue.isDone()
        #expect(told.all == ["a written", "b written", "a constraint", "c written"])
        await store.close()
        #expect(told.all.count == 4)
    }

    @Test func manyThreadsOfferAtOnce() async throws {
        let store = store(folder("threads"))
        let queue = WriteQueue(into: store)
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 { #expect(queue.offer("\(task) \(number)")) }
                    await queue.isDone()
                    let written = await store.read { database throws(StorageError) in
                        try database.first(
                            "SELECT count(*) FROM entry WHERE name LIKE ?", .text("\(task) %")
                        ) { row throws(StorageError) in try row.value(0, as: Int.self) }
                    }
                    #expect(written == 100)
                }
            }
            await group.waitForAll()
        }
        #expect(queue.counters.written == 800)
        await store.close()
    }

    @Test func closingWritesWhatIsQueuedAndRefusesMore() async throws {
        let path = folder("closing")
        let store = store(path)
        let queue = WriteQueue(into: store)
        for number in 0..<1000 { #expect(queue.offer("\(number)")) }
        await store.close(within: .seconds(60))
        #expect(queue.counters.written == 1000)
        #expect(!queue.offer("late"))
        #expect(queue.counters.dropped == 1)
        let again = self.store(path)
        #expect(await again.read(count) == 1000)
        await again.close()
    }
}
