import Foundation
import Storage
import TestSupport
import Testing
import Transport
import Weather

@testable import TripWeather

@Suite struct ArchiveFaultTests {
    /// Saves anew until another connection finds it.
    private func becomesUsable(_ archive: DiskArchive, _ bench: ArchiveBench) async -> Bool {
        await eventually {
            await archive.saveAndWait(archivedWeather(7, 8))
            return await bench.withArchive { await $0.weather(for: coordinate(7, 8)) != nil }
        }
    }

    @Test(arguments: [true, false]) func aFileOverwrittenWhileRunningIsMadeAnew(withItsLog: Bool) async throws
    {
        let bench = try ArchiveBench()
        let store = bench.store()
        let archive = bench.archive(store)
        for index in 0..<200 { await archive.saveAndWait(archivedWeather(Double(index % 90), 9)) }
        for name in withItsLog ? [bench.file, "\(bench.file)-wal"] : [bench.file] {
            let handle = try #require(FileHandle(forWritingAtPath: name))
            let length = try handle.seekToEnd()
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: max(Int(length), 65_536)))
            try handle.close()
        }
        for index in 0..<90 {
            // Nothing or the truth.
            let found = await archive.weather(for: coordinate(Double(index), 9))
            #expect(found == nil || found == archivedWeather(Double(index), 9))
        }
        #expect(await becomesUsable(archive, bench))
        await store.close()
    }

    @Test func aTruncatedFileIsMadeAnew() async throws {
        let bench = try ArchiveBench()
        await bench.withArchive { archive in
            for index in 0..<90 { await archive.saveAndWait(archivedWeather(Double(index), 9)) }
        }
        try #require(truncate(bench.file, 5_000) == 0)
        let store = bench.store()
        let archive = bench.archive(store)
        #expect(await archive.weather(for: coordinate(3, 9)) == nil)
        #expect(await becomesUsable(archive, bench))
        #expect(store.counters.discarded == 1)
        await store.close()
    }

    @Test func aFileDeletedWhileRunningIsMadeAnew() async throws {
        let bench = try ArchiveBench()
        let store = bench.store()
        let archive = bench.archive(store)
        await archive.saveAndWait(archivedWeather(1, 2))
        try FileManager.default.removeItem(atPath: bench.file)
        #expect(await becomesUsable(archive, bench))
        #expect(store.counters.moved == 1)
        await store.close()
    }

    @Test func aFolderDeletedWhileRunningIsMadeAnew() async throws {
        let bench = try ArchiveBench()
        let store = bench.store()
        let archive = bench.archive(store)
        await archive.saveAndWait(archivedWeather(1, 2))
        try FileManager.default.removeItem(atPath: bench.cache)
        #expect(await becomesUsable(archive, bench))
        await store.close()
    }

    @Test func damagedContentIsAMiss() async throws {
        let bench = try ArchiveBench()
        let store = bench.store()
        let archive = bench.archive(store)
        await archive.saveAndWait(archivedWeather(1, 2))
        try await store.write { connection throws(StorageError) -> Void in
            _ = try connection.run("UPDATE weather SET content = x'570102030405060708090a'")
        }
        #expect(await archive.weather(for: coordinate(1, 2)) == nil)
        #expect(archive.counters.unreadable == 1)
        await store.close()
    }

    @Test func aFolderThatCantBeMadeCostsTheDiskAlone() async throws {
        let bench = try ArchiveBench()
        let store = bench.store(folder: "/proc/none/here")
        let archive = bench.archive(store)
        await archive.saveAndWait(archivedWeather(1, 2))
        #expect(await archive.weather(for: coordinate(1, 2)) == nil)
        #expect(archive.writes.failed == 1)
        #expect(store.counters.failedReads == 1)
        #expect(bench.logged("is not used for") == 1)
        await store.close()
    }

    @Test func aFullDiskCostsWritesAlone() async throws {
        let bench = try ArchiveBench()
        let mounted = "\(bench.folder)/small"
        try FileManager.default.createDirectory(atPath: mounted, withIntermediateDirectories: true)
        guard mount("tmpfs", mounted, "tmpfs", 0, "size=400k") == 0 else {
            print("skipped: no mount of a tmpfs is permitted here")
            return
        }
        defer { umount2(mounted, Int32(MNT_DETACH)) }
        let store = bench.store(folder: "\(mounted)/cache")
        let archive = bench.archive(store)
        await archive.saveAndWait(archivedWeather(1, 2))
        for index in 0..<3_000 where archive.writes.failed == 0 {
            await archive.saveAndWait(archivedWeather(Double(index % 90), 20 + Double(index / 90)))
        }
        #expect(archive.writes.failed > 0)
        #expect(await archive.weather(for: coordinate(1, 2)) == archivedWeather(1, 2))
        #expect(bench.logged("is not written for") == 1)
        await store.close()
    }

    @Test func aLockedFileIsReadAndCostsWritesAlone() async throws {
        let bench = try ArchiveBench()
        let store = bench.store(busyTimeout: .milliseconds(50))
        let archive = bench.archive(store)
        await archive.saveAndWait(archivedWeather(1, 2))
        let other = bench.store()
        let barrier = Barrier()
        async let holding: Void = other.write { _ throws(StorageError) in barrier.hold() }
        #expect(await eventually { barrier.isEntered })
        await archive.saveAndWait(archivedWeather(3, 4))
        #expect(archive.writes.failed == 1)
        #expect(await archive.weather(for: coordinate(1, 2)) == archivedWeather(1, 2))
        #expect(await archive.weather(for: coordinate(3, 4)) == nil)
        #expect(bench.logged("busy") == 1)
        barrier.open()
        try await holding
        await other.close()
        await store.close()
    }

    @Test func aReaderWaitsForAStuckDiskNoLongerThanItsLimit() async throws {
        let bench = try ArchiveBench()
        let store = bench.store()
        let archive = bench.archive(store, patience: .milliseconds(100))
        let election = FileElection(
            store, folder: "\(bench.cache)/locks", patience: bench.patience(.milliseconds(100)),
            log: bench.log)
        let barrier = Barrier()
        store.hand { barrier.hold() }
        let (first, second) = await Task(executorPreference: bench.loop) {
            let begin = ContinuousClock.now
            #expect(await archive.weather(for: coordinate(1, 2)) == nil)
            let middle = ContinuousClock.now
            #expect(await election.lead("key") != nil)
            return (begin.duration(to: middle), middle.duration(to: .now))
        }.value
        barrier.open()
        #expect(first >= .milliseconds(100) && first < .milliseconds(1_100))
        #expect(second >= .milliseconds(100) && second < .milliseconds(1_100))
        #expect(archive.counters.late == 1)
        #expect(bench.logged("each process asks upstream for itself") == 1)
        await store.close()
    }

    @Test func whatFindsNoRoomInTheQueueIsDroppedAndCounted() async throws {
        let bench = try ArchiveBench()
        let store = bench.store()
        var queueLimits = WriteQueueLimits()
        queueLimits.waiting = 4
        let archive = bench.archive(store, queueLimits: queueLimits)
        let barrier = Barrier()
        // The thread starts with its first use.
        _ = await archive.weather(for: coordinate(1, 2))
        store.hand { barrier.hold() }
        #expect(await eventually { barrier.isEntered })
        let counter = CountingTransport()
        for index in 0..<10 {
            archive.save(archivedWeather(Double(index), 2)) {
                Task { _ = try? await counter.get(HTTPRequest(url: ""), deadline: .now) }
            }
        }
        #expect(archive.writes.dropped == 6)
        barrier.open()
        #expect(await eventually { counter.asked == 10 })
        #expect(archive.writes.written == 4)
        await store.close()
    }
}
