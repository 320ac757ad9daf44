import Foundation
import Storage
import TestSupport
import Testing

@Suite struct ProcessTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test(arguments: [1, 150, 600])
    func aKilledProcessLosesNothingItAcknowledged(_ lines: Int) async throws {
        let path = folder("killed")
        let child = try ChildProcess("storage-writer", "write", path, "100000")
        var told: [String] = []
        while told.count < lines, let line = await child.line() { told.append(line) }
        await child.kill()
        while let line = await child.line() { told.append(line) }
        #expect(told.count >= lines)
        #expect(told.count < 100_000)
        let database = try await Database.open(entryOptions(path))
        try await database.check()
        let kept = try await database.read(names)
        #expect(kept.starts(with: told))
        // At most the one that was committed and not yet told.
        #expect(kept.count <= told.count + 1)
        await database.close()
    }

    @Test func twoProcessesWriteOneFile() async throws {
        let path = folder("two")
        let children = [
            try ChildProcess("storage-writer", "write", path, "200"),
            try ChildProcess("storage-writer", "write", path, "200"),
        ]
        let database = try await Database.open(entryOptions(path))
        for number in 0..<100 {
            try await database.write { database throws(StorageError) in try insert(database, "own \(number)")
            }
        }
        for child in children {
            var told = 0
            while await child.line() != nil { told += 1 }
            #expect(told == 200)
            #expect(await child.wait() == 0)
        }
        #expect(try await database.read(count) == 500)
        try await database.check()
        await database.close()
    }

    @Test(arguments: ["open", "cache"])
    func twentyProcessesMakeOneFileTogether(_ mode: String) async throws {
        let path = folder("together")
        let children = try (0..<20).map { _ in try ChildProcess("storage-writer", mode, path) }
        for child in children {
            #expect(await child.line() == "written")
            #expect(await child.wait() == 0)
        }
        let database = try await Database.open(entryOptions(path))
        #expect(try await database.read(count) == 20)
        await database.close()
    }

    @Test func aLockHeldTooLongIsReportedAfterTheBusyTimeOut() async throws {
        let path = folder("held")
        let database = try await Database.open(entryOptions(path, busyTimeout: .milliseconds(200)))
        let child = try ChildProcess("storage-writer", "hold", path)
        try #require(await child.line() == "held")
        await expectLimit(.milliseconds(200), .busy) {
            try await database.write { database throws(StorageError) in try insert(database, "a") }
        }
        // A nearer deadline ends the wait before that.
        await expectLimit(.milliseconds(50), .timedOut) {
            try await database.write(by: .now.advanced(by: .milliseconds(50))) { _ in }
        }
        // Readers don't wait for the writer.
        #expect(try await database.read(count) == 0)
        try child.endInput()
        #expect(await child.wait() == 0)
        try await database.write { database throws(StorageError) in try insert(database, "a") }
        await database.close()
    }

    @Test func closingDoesNotWaitForALockLongerThanItMay() async throws {
        let path = folder("closing")
        let child = try ChildProcess("storage-writer", "hold", path)
        try #require(await child.line() == "held")
        var queues: [WriteQueue] = []
        var stores: [DisposableStore] = []
        for _ in 0..<3 {
            let store = DisposableStore(entryOptions(path, busyTimeout: .seconds(30))) { _ in }
            #expect(await store.read(count) == 0)
            let queue = WriteQueue(into: store)
            #expect(queue.offer("a"))
            #expect(queue.offer("b"))
            stores.append(store)
            queues.append(queue)
        }
        let waiting = Stack(stores)
        await expectLimit(.milliseconds(200), nil) {
            let store = try #require(waiting.pop())
            await store.close(within: .milliseconds(200))
        }
        while let store = waiting.pop() { await store.close(within: .zero) }
        for queue in queues {
            let counters = queue.counters
            #expect(counters.written == 0)
            #expect(counters.failed + counters.dropped == 2)
            #expect(counters.waiting == 0)
        }
        await child.kill()
    }
}
