import Foundation
import Storage
import TestSupport
import Testing
import Transport
import Weather

@testable import TripWeather

@Suite struct DiskFaultTests {
    /// Saves anew until another connection finds it.
    private func becomesUsable(_ cache: SQLiteDiskCache, _ bench: DiskBench) async -> Bool {
        await eventually {
            await cache.saveAndWait(keptWeather(7, 8))
            return await bench.withCache { await $0.weather(at: coordinate(7, 8)) != nil }
        }
    }

    @Test(arguments: [true, false]) func aFileOverwrittenWhileRunningIsMadeAnew(withItsLog: Bool) async throws
    {
        let bench = try DiskBench()
        let store = bench.store()
        let cache = bench.diskCache(store)
        for index in 0..<200 { await cache.saveAndWait(keptWeather(Double(index % 90), 9)) }
        for name in withItsLog ? [bench.file, "\(bench.file)-wal"] : [bench.file] {
            let handle = try #require(FileHandle(forWritingAtPath: name))
            let length = try handle.seekToEnd()
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: max(Int(length), 65_536)))
            try handle.close()
        }
        for index in 0..<90 {
            // Nothing or the truth.
            let found = await cache.weather(at: coordinate(Double(index), 9))
            #expect(found == nil || found == keptWeather(Double(index), 9))
        }
        #expect(await becomesUsable(cache, bench))
        await store.close()
    }

    @Test func aTruncatedFileIsMadeAnew() async throws {
        let bench = try DiskBench()
        await bench.withCache { cache in
            for index in 0..<90 { await cache.saveAndWait(keptWeather(Double(index), 9)) }
        }
        try #require(truncate(bench.file, 5_000) == 0)
        let store = bench.store()
        let cache = bench.diskCache(store)
        #expect(await cache.weather(at: coordinate(3, 9)) == nil)
        #expect(await becomesUsable(cache, bench))
        #expect(store.counters.discarded == 1)
        await store.close()
    }

    @Test func aFileDeletedWhileRunningIsMadeAnew() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let cache = bench.diskCache(store)
        await cache.saveAndWait(keptWeather(1, 2))
        try FileManager.default.removeItem(atPath: bench.file)
        #expect(await becomesUsable(cache, bench))
        #expect(store.counters.moved == 1)
        await store.close()
    }

    @Test func aFolderDeletedWhileRunningIsMadeAnew() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let cache = bench.diskCache(store)
        await cache.saveAndWait(keptWeather(1, 2))
        try FileManager.default.removeItem(atPath: bench.folderOfCache)
        #expect(await becomesUsable(cache, bench))
        await store.close()
    }

    @Test func aFolderThatCantBeMadeCostsTheDiskAlone() async throws {
        let bench = try DiskBench()
        let store = bench.store(folder: "/proc/none/here")
        let cache = bench.diskCache(store)
        await cache.saveAndWait(keptWeather(1, 2))
        #expect(await cache.weather(at: coordinate(1, 2)) == nil)
        #expect(cache.writes.failed == 1)
        #expect(store.counters.failedReads == 1)
        #expect(bench.logged("is not used for") == 1)
        await store.close()
    }

    @Test func aFullDiskCostsWritesAlone() async throws {
        let bench = try DiskBench()
        let mounted = "\(bench.folder)/small"
        try FileManager.default.createDirectory(atPath: mounted, withIntermediateDirectories: true)
        guard mount("tmpfs", mounted, "tmpfs", 0, "size=400k") == 0 else {
            print("skipped: no mount of a tmpfs is permitted here")
            return
        }
        defer { umount2(mounted, Int32(MNT_DETACH)) }
        let store = bench.store(folder: "\(mounted)/cache")
        let cache = bench.diskCache(store)
        await cache.saveAndWait(keptWeather(1, 2))
        for index in 0..<3_000 where cache.writes.failed == 0 {
            await cache.saveAndWait(keptWeather(Double(index % 90), 20 + Double(index / 90)))
        }
        #expect(cache.writes.failed > 0)
        #expect(await cache.weather(at: coordinate(1, 2)) == keptWeather(1, 2))
        #expect(bench.logged("is not written for") == 1)
        await store.close()
    }

    @Test func aLockedFileIsReadAndCostsWritesAlone() async throws {
        let bench = try DiskBench()
        let store = bench.store(busyTimeout: .milliseconds(50))
        let cache = bench.diskCache(store)
        await cache.saveAndWait(keptWeather(1, 2))
        let other = bench.store()
        let barrier = Barrier()
        async let holding: Void = other.write { _ throws(StorageError) in barrier.hold() }
        #expect(await eventually { barrier.isEntered })
        await cache.saveAndWait(keptWeather(3, 4))
        #expect(cache.writes.failed == 1)
        #expect(await cache.weather(at: coordinate(1, 2)) == keptWeather(1, 2))
        #expect(await cache.weather(at: coordinate(3, 4)) == nil)
        #expect(bench.logged("busy") == 1)
        barrier.open()
        try await holding
        await other.close()
        await store.close()
    }

    @Test func aReaderWaitsForAStuckDiskNoLongerThanItsLimit() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let cache = bench.diskCache(store, waitLimit: .milliseconds(100))
        let barrier = Barrier()
        store.hand { barrier.hold() }
        let (first, second) = await Task(executorPreference: bench.loop) {
            let begin = ContinuousClock.now
            #expect(await cache.weather(at: coordinate(1, 2)) == nil)
            let middle = ContinuousClock.now
            #expect(await cache.claim(["key"], for: .seconds(10)) == [true])
            return (begin.duration(to: middle), middle.duration(to: .now))
        }.value
        barrier.open()
        #expect(first >= .milliseconds(100) && first < .milliseconds(1_100))
        #expect(second >= .milliseconds(100) && second < .milliseconds(1_100))
        #expect(cache.counters.late == 1)
        await store.close()
    }

    @Test func whatFindsNoRoomInTheQueueIsDroppedAndCounted() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        var queueLimits = WriteQueue.Limits()
        queueLimits.waiting = 4
        let cache = bench.diskCache(store, queueLimits: queueLimits)
        let barrier = Barrier()
        // The thread starts with its first use.
        _ = await cache.weather(at: coordinate(1, 2))
        store.hand { barrier.hold() }
        #expect(await eventually { barrier.isEntered })
        for index in 0..<10 { cache.save(keptWeather(Double(index), 2), for: "weather \(index)") }
        #expect(cache.writes.dropped == 6)
        barrier.open()
        await cache.settled()
        #expect(cache.writes.written == 4)
        await store.close()
    }
}
