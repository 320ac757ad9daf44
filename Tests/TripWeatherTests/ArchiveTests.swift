import Foundation
import Storage
import TestSupport
import Testing
import Weather

@testable import TripWeather

@Suite struct ArchiveTests {
    @Test func whatWasSavedIsThereAfterARestart() async throws {
        let bench = try ArchiveBench()
        let weather = archivedWeather(60.39, 5.32)
        await bench.withArchive { archive in
            await archive.saveAndWait(weather)
            await archive.saveAndWait(archivedPlace, for: "bergen\t\ten")
        }
        await bench.withArchive { archive in
            #expect(await archive.weather(for: coordinate(60.39, 5.32)) == weather)
            #expect(await archive.place(for: "bergen\t\ten") == archivedPlace)
            #expect(await archive.weather(for: coordinate(60.4, 5.32)) == nil)
            #expect(await archive.place(for: "bergen\t\tde") == nil)
            #expect(archive.counters == DiskArchive.Counters(found: 2, missing: 2))
        }
        #expect(bench.logged("Saved Bergen to disk") == 1)
        #expect(bench.logged("Saved 60.39,5.32 to disk") == 1)
    }

    @Test func manyAreLookedUpInTheirOrder() async throws {
        let bench = try ArchiveBench()
        await bench.withArchive { archive in
            let corners = [(90.0, 180.0), (-90.0, -179.99), (0.0, 0.0), (-0.01, 0.01), (0.01, -0.01)]
            let all = corners.map { archivedWeather($0.0, $0.1, temperature: $0.0 + $0.1) }
            for weather in all { await archive.saveAndWait(weather) }
            let asked = [
                corners[3], (12.0, 12.0), corners[0], corners[4], corners[1], corners[2], corners[0],
            ]
            let found = await archive.weather(for: asked.map { coordinate($0.0, $0.1) })
            #expect(found == [all[3], nil, all[0], all[4], all[1], all[2], all[0]])
            #expect(await archive.weather(for: []).isEmpty)
        }
    }

    @Test func newerWeatherTakesTheOldOnesPlace() async throws {
        let bench = try ArchiveBench()
        await bench.withArchive { archive in
            await archive.saveAndWait(archivedWeather(1, 2, temperature: 3))
            await archive.saveAndWait(archivedWeather(1, 2, temperature: 4))
            #expect(await archive.weather(for: coordinate(1, 2)) == archivedWeather(1, 2, temperature: 4))
        }
    }

    @Test func nothingIsWrittenBeforeItIsLetGo() async throws {
        let bench = try ArchiveBench()
        let store = bench.store()
        let archive = bench.archive(store, holdsWrites: true)
        let barrier = Barrier()
        archive.save(archivedWeather(1, 2)) { barrier.open() }
        #expect(archive.writes.queued == 0)
        #expect(await archive.weather(for: coordinate(1, 2)) == nil)
        archive.letGo()
        #expect(await eventually { archive.writes.written == 1 })
        #expect(await archive.weather(for: coordinate(1, 2)) == archivedWeather(1, 2))
        await archive.saveAndWait(archivedWeather(3, 4))
        #expect(await archive.weather(for: coordinate(3, 4)) != nil)
        await store.close()
    }

    @Test func theOldestGoesWhereThereIsTooMuch() async throws {
        let bench = try ArchiveBench()
        var limits = ArchiveLimits()
        limits.rows = 10
        limits.trimEvery = 25
        limits.weatherLife = .seconds(1_000)
        let store = bench.store()
        let archive = bench.archive(store, limits: limits)
        // The unix time is 1,800,000,000: the first five are too old for any use.
        for index in 0..<5 {
            await archive.saveAndWait(
                archivedWeather(Double(index), 50, fetchedAt: 1_799_998_990 + index))
        }
        for index in 5..<25 {
            await archive.saveAndWait(
                archivedWeather(Double(index), 50, fetchedAt: 1_799_999_100 + index))
        }
        let all = (0..<25).map { coordinate(Double($0), 50) }
        #expect(
            await eventually {
                let found = await archive.weather(for: all)
                return (0..<25).filter { found[$0] != nil } == Array(15..<25)
            })
        await store.close()
    }

    @Test func aFileOverItsBytesLosesItsOldest() async throws {
        let bench = try ArchiveBench()
        var limits = ArchiveLimits()
        limits.bytes = 128 << 10
        limits.trimEvery = 50
        let store = bench.store(limits: limits)
        let archive = bench.archive(store, limits: limits)
        for index in 0..<2_000 {
            let latitude = Double(index % 90)
            let longitude = Double(index / 90)
            await archive.saveAndWait(archivedWeather(latitude, longitude, fetchedAt: 1_799_990_000 + index))
        }
        #expect(await archive.weather(for: coordinate(0, 0)) == nil)
        #expect(await archive.weather(for: coordinate(Double(1_999 % 90), Double(1_999 / 90))) != nil)
        #expect(archive.writes.failed == 0)
        await store.close()
        let size = try FileManager.default.attributesOfItem(atPath: bench.file)[.size] as? Int
        #expect(try #require(size) < 256 << 10)
    }
}

@Suite struct ArchiveSchemaTests {
    @Test func anOlderFileIsBroughtUpToDate() async throws {
        let bench = try ArchiveBench()
        var options = ArchiveSchema.options(
            folder: bench.cache, busyTimeout: .seconds(5), limits: ArchiveLimits())
        options.migrations = []
        await (try Database.open(options)).close()
        await bench.withArchive { archive in
            await archive.saveAndWait(archivedWeather(1, 2))
            #expect(await archive.weather(for: coordinate(1, 2)) == archivedWeather(1, 2))
        }
        #expect(bench.logged("thrown away") == 0)
    }

    @Test func aNewerFileIsThrownAway() async throws {
        let bench = try ArchiveBench()
        var options = ArchiveSchema.options(
            folder: bench.cache, busyTimeout: .seconds(5), limits: ArchiveLimits())
        options.migrations += [.sql("CREATE TABLE later (id INTEGER PRIMARY KEY)")]
        await (try Database.open(options)).close()
        let store = bench.store()
        let archive = bench.archive(store)
        await archive.saveAndWait(archivedWeather(1, 2))
        #expect(await archive.weather(for: coordinate(1, 2)) == archivedWeather(1, 2))
        #expect(store.counters.discarded == 1)
        #expect(bench.logged("thrown away") == 1)
        await store.close()
    }

    @Test func aFileOfAnotherProgramIsLeftAlone() async throws {
        let bench = try ArchiveBench()
        let options = DatabaseOptions(
            path: bench.file, applicationID: 7,
            migrations: [.sql("CREATE TABLE theirs (id INTEGER PRIMARY KEY)")])
        var theirs = options
        theirs.createsFolder = true
        await (try Database.open(theirs)).close()
        let store = bench.store()
        let archive = bench.archive(store)
        await archive.saveAndWait(archivedWeather(1, 2))
        #expect(await archive.weather(for: coordinate(1, 2)) == nil)
        #expect(archive.writes.failed == 1)
        #expect(bench.logged("is not used") == 1)
        await store.close()
        await (try Database.open(options)).close()
    }
}
