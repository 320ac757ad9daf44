import Foundation
import Storage
import TestSupport
import Testing

@Suite struct DisposableStoreTests {
    let folder: ScratchFolder
    let clock = TestClock()
    let lines = Lines()

    init() throws { folder = try ScratchFolder() }

    private func store(_ path: String, busyTimeout: Duration = .seconds(20)) -> DisposableStore {
        DisposableStore(entryOptions(path, busyTimeout: busyTimeout), now: clock.now, log: lines.add)
    }

    private func makeFile(_ path: String) async throws {
        let database = try await Database.open(entryOptions(path))
        try await database.write { database throws(StorageError) in
            for number in 0..<500 { try insert(database, "\(number) " + String(repeating: "x", count: 500)) }
        }
        await database.close()
    }

    private func write(_ name: String, _ store: DisposableStore) async -> StorageError.Kind? {
        await kind { try await store.write { database throws(StorageError) in try insert(database, name) } }
    }

    @Test func itKeepsWhatIsSound() async throws {
        let path = folder("sound")
        try await makeFile(path)
        let store = store(path)
        #expect(await store.read(count) == 500)
        await store.close()
        #expect(lines.all == [])
        #expect(store.counters == DisposableStore.Counters())
        #expect(await store.read(count) == nil)
        #expect(await write("a", store) == .unavailable)
    }

    @Test(arguments: Damage.allCases)
    func aDamagedFileIsMadeAnew(_ damage: Damage) async throws {
        let path = folder("damaged")
        try await makeFile(path)
        try damage.apply(to: path)
        let store = store(path)
        // It may take one read that meets the damage.
        _ = await store.read(names)
        #expect(await write("new", store) == nil)
        #expect(await store.read(names) == ["new"])
        #expect(store.counters.discarded == 1)
        #expect(lines.all.count == 1)
        await store.close()
    }

    @Test func aFileDamagedWhileInUseIsMadeAnew() async throws {
        let path = folder("in-use")
        try await makeFile(path)
        let store = store(path)
        #expect(await store.read(count) == 500)
        try Damage.noise.apply(to: path)
        let other = try await Database.open(entryOptions(folder("other")))
        await other.close()
        // What SQLite has in memory may still be answered; nothing wrong may.
        let known = Set((0..<500).map { "\($0) " + String(repeating: "x", count: 500) } + ["new"])
        let isRenewed = await eventually {
            let seen = await store.read(names)
            #expect(known.isSuperset(of: seen ?? []))
            _ = await write("new", store)
            clock.advance(by: .seconds(60))
            return await store.read(names) == ["new"]
        }
        #expect(isRenewed)
        #expect(store.counters.discarded == 1)
        await store.close()
    }

    @Test func aNewerFileIsMadeAnewButNotAForeignOne() async throws {
        let path = folder("newer")
        var newer = entryOptions(path)
        newer.migrations.append("CREATE TABLE later (x TEXT)")
        await (try Database.open(newer)).close()
        let first = store(path)
        #expect(await first.read(count) == 0)
        #expect(first.counters.discarded == 1)
        await first.close()

        let foreign = folder("foreign")
        await (try Database.open(DatabaseOptions(path: foreign, applicationID: 8, migrations: []))).close()
        let before = FileManager.default.contents(atPath: foreign)
        let second = store(foreign)
        #expect(await second.read(count) == nil)
        #expect(await write("a", second) == .unavailable)
        #expect(second.counters.discarded == 0)
        await second.close()
        #expect(FileManager.default.contents(atPath: foreign) == before)
    }

    @Test func aDeletedFileIsNoticedAndMadeAnew() async throws {
        let path = folder("deleted")
        let store = store(path)
        #expect(await write("a", store) == nil)
        try FileManager.default.removeItem(atPath: path)
        clock.advance(by: .seconds(2))
        #expect(await store.read(count) == 0)
        #expect(await write("b", store) == nil)
        #expect(store.counters.moved == 1)
        // With everything around it.
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        clock.advance(by: .seconds(2))
        #expect(await write("c", store) == nil)
        #expect(store.counters.moved == 2)
        let other = try await Database.open(entryOptions(path))
        #expect(try await other.read(names) == ["c"])
        await other.close()
        await store.close()
    }

    @Test func aDeletedFolderIsMadeAnewWhereThatIsAsked() async throws {
        var options = entryOptions(folder("cache/db"))
        options.createsFolder = true
        let store = DisposableStore(options, now: clock.now, log: lines.add)
        #expect(await write("a", store) == nil)
        try FileManager.default.removeItem(atPath: folder("cache"))
        // Until the next look at the file this goes to the one that was deleted, and is lost with it.
        #expect(await write("b", store) == nil)
        clock.advance(by: .seconds(2))
        #expect(await write("c", store) == nil)
        #expect(await store.read(names) == ["c"])
        #expect(FileManager.default.fileExists(atPath: options.path))
        await store.close()
    }

    @Test func aStoreThatNobodyUsesMakesNoFileAndNoThread() async throws {
        let path = folder("unused")
        let store = store(path)
        await store.close()
        #expect(!FileManager.default.fileExists(atPath: path))
        // Its queue refuses.
        let queue = WriteQueue(into: store)
        #expect(queue.offer("late"))
        await queue.isDone()
        #expect(queue.counters.dropped + queue.counters.failed == 1)
    }

    @Test func twoStoresMeetAgainAfterTheFileWasDeleted() async throws {
        let path = folder("both")
        let first = store(path)
        let second = store(path)
        #expect(await write("a", first) == nil)
        #expect(await second.read(count) == 1)
        try FileManager.default.removeItem(atPath: path)
        clock.advance(by: .seconds(2))
        #expect(await write("b", first) == nil)
        // The second has not looked yet in this instant, and does so now.
        #expect(await second.read(names) == ["b"])
        #expect(await write("c", second) == nil)
        #expect(await first.read(names) == ["b", "c"])
        await first.close()
        #expect(await second.read(names) == ["b", "c"])
        await second.close()
    }

    @Test(.enabled(if: Mounts.arePermitted)) func aFullDiskRestsWritesAndNotReads() async throws {
        try await Mounts.tmpfs("1m", in: folder) { path in
            let store = store(path + "/db")
            var number = 0
            var failure: StorageError.Kind?
            while failure == nil, number < 1000 {
                failure = await write("\(number) " + String(repeating: "y", count: 3000), store)
                if failure == nil { number += 1 }
            }
            #expect(failure == .full)
            #expect(await store.read(count) == number)
            #expect(await write("small", store) == .unavailable)
            #expect(lines.all.count == 1)
            // Room is made, but the pause isn't over; then it is.
            #expect(mount(nil, path, nil, UInt(MS_REMOUNT), "size=8m") == 0)
            clock.advance(by: .seconds(29))
            #expect(await write("small", store) == .unavailable)
            clock.advance(by: .seconds(2))
            #expect(await write("small", store) == nil)
            #expect(await store.read(count) == number + 1)
            #expect(lines.all.count == 2)
            #expect(lines.all.last?.hasSuffix("is used again") == true)
            await store.close()
        }
    }

    @Test(.enabled(if: Mounts.arePermitted)) func aReadOnlyFolderCostsTheCacheAndNothingElse() async throws {
        let path = folder("db")
        try await makeFile(path)
        try await Mounts.readOnly(folder.path) {
            let store = store(path)
            let seen = await store.read(count)
            #expect(seen == nil || seen == 500)
            for _ in 0..<3 { #expect(await write("a", store) != nil) }
            #expect(lines.all.count == 1)
            await store.close()
            let missing = self.store(folder("missing"))
            #expect(await missing.read(count) == nil)
            #expect(lines.all.count == 2)
            await missing.close()
        }
    }

    @Test func aFolderThatIsMissingCostsTheCacheUntilItIsThere() async throws {
        let path = folder("later/db")
        let store = store(path)
        #expect(await store.read(count) == nil)
        #expect(await store.read(count) == nil)
        #expect(store.counters.failedReads == 2)
        #expect(lines.all.count == 1)
        try FileManager.default.createDirectory(atPath: folder("later"), withIntermediateDirectories: false)
        #expect(await store.read(count) == nil)
        clock.advance(by: .seconds(31))
        #expect(await store.read(count) == 0)
        #expect(await write("a", store) == nil)
        #expect(lines.all.count == 2)
        await store.close()
    }

    @Test func aLockedFileRestsWritesThroughTheQueueToo() async throws {
        let path = folder("locked")
        let store = store(path, busyTimeout: .milliseconds(100))
        #expect(await store.read(count) == 0)
        let child = try ChildProcess("storage-writer", "hold", path)
        try #require(await child.line() == "held")
        let queue = WriteQueue(into: store)
        #expect(queue.offer("a"))
        await queue.isDone()
        #expect(queue.counters.failed == 1)
        #expect(await store.read(count) == 0)
        try child.endInput()
        #expect(await child.wait() == 0)
        #expect(queue.offer("b"))
        await queue.isDone()
        #expect(queue.counters.failed == 2)
        clock.advance(by: .seconds(31))
        #expect(queue.offer("c"))
        await queue.isDone()
        #expect(await store.read(names) == ["c"])
        await store.close()
    }

    @Test func aCallersDeadlineDoesNotRestWrites() async throws {
        let path = folder("deadline")
        let store = store(path)
        #expect(await store.read(count) == 0)
        let child = try ChildProcess("storage-writer", "hold", path)
        try #require(await child.line() == "held")
        let late = await kind {
            try await store.write(by: .now.advanced(by: .milliseconds(50))) { database throws(StorageError) in
                try insert(database, "a")
            }
        }
        #expect(late == .timedOut)
        try child.endInput()
        #expect(await child.wait() == 0)
        #expect(await write("b", store) == nil)
        await store.close()
    }
}
