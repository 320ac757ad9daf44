import Foundation
import Storage
import Synchronization
import TestSupport
import Testing
import Transport
import Weather

@testable import TripWeather

@Suite struct DiskCacheTests {
    @Test func whatWasSavedIsThereAfterARestart() async throws {
        let bench = try DiskBench()
        let weather = keptWeather(60.39, 5.32)
        await bench.withCache { cache in
            await cache.saveAndWait(weather)
            await cache.saveAndWait(keptPlace, for: "bergen\t\ten")
        }
        await bench.withCache { cache in
            #expect(await cache.weather(at: coordinate(60.39, 5.32)) == weather)
            #expect(await cache.place(for: "bergen\t\ten") == keptPlace)
            #expect(await cache.weather(at: coordinate(60.4, 5.32)) == nil)
            #expect(await cache.place(for: "bergen\t\tde") == nil)
            #expect(cache.counters == SQLiteDiskCache.Counters(found: 2, missing: 2))
        }
        #expect(bench.logged("Saved Bergen to disk") == 1)
        #expect(bench.logged("Saved 60.39,5.32 to disk") == 1)
    }

    @Test func manyAreLookedUpInTheirOrder() async throws {
        let bench = try DiskBench()
        await bench.withCache { cache in
            let corners = [(90.0, 180.0), (-90.0, -179.99), (0.0, 0.0), (-0.01, 0.01), (0.01, -0.01)]
            let all = corners.map { keptWeather($0.0, $0.1, temperature: $0.0 + $0.1) }
            for weather in all { await cache.saveAndWait(weather) }
            let asked = [
                corners[3], (12.0, 12.0), corners[0], corners[4], corners[1], corners[2], corners[0],
            ]
            let found = await cache.weather(for: asked.map { "weather \(coordinate($0.0, $0.1))" }).map(
                \.entry)
            #expect(found == [all[3], nil, all[0], all[4], all[1], all[2], all[0]])
            #expect(await cache.weather(for: [String]()).isEmpty)
        }
    }

    @Test func newerWeatherTakesTheOldOnesPlace() async throws {
        let bench = try DiskBench()
        await bench.withCache { cache in
            await cache.saveAndWait(keptWeather(1, 2, temperature: 3))
            await cache.saveAndWait(keptWeather(1, 2, temperature: 4))
            #expect(await cache.weather(at: coordinate(1, 2)) == keptWeather(1, 2, temperature: 4))
        }
    }

    @Test func nothingIsWrittenBeforeItIsReleased() async throws {
        let bench = try DiskBench()
        let store = bench.store()
        let cache = bench.diskCache(store, holdsWrites: true)
        cache.save(keptWeather(1, 2), for: "weather 1.0,2.0")
        #expect(cache.writes.waiting == 1)
        #expect(await cache.weather(at: coordinate(1, 2)) == nil)
        cache.releaseWrites()
        #expect(await eventually { cache.writes.written == 1 })
        #expect(await cache.weather(at: coordinate(1, 2)) == keptWeather(1, 2))
        await cache.saveAndWait(keptWeather(3, 4))
        #expect(await cache.weather(at: coordinate(3, 4)) != nil)
        await store.close()
    }

    @Test func whatIsTooOldGoes() async throws {
        let bench = try DiskBench()
        var limits = DiskLimits()
        limits.trimEvery = 25
        limits.weatherTTL = .seconds(1_000)
        let store = bench.store()
        let cache = bench.diskCache(store, limits: limits)
        // The unix time is 1,800,000,000: the first five are too old for any use.
        for index in 0..<25 {
            let fetchedAt = index < 5 ? 1_799_998_990 : 1_799_999_100
            await cache.saveAndWait(keptWeather(Double(index), 50, fetchedAt: fetchedAt))
        }
        let all = (0..<25).map { "weather \(coordinate(Double($0), 50))" }
        await eventually {
            let found = await cache.weather(for: all)
            return (0..<25).filter { found[$0].entry != nil } == Array(5..<25)
        }
        await store.close()
    }

    @Test func aFileOverItsBytesLosesItsOldest() async throws {
        let bench = try DiskBench()
        var limits = DiskLimits()
        limits.bytes = 128 << 10
        limits.trimEvery = 50
        let store = bench.store(limits: limits)
        let cache = bench.diskCache(store, limits: limits)
        for index in 0..<2_000 {
            let latitude = Double(index % 90)
            let longitude = Double(index / 90)
            await cache.saveAndWait(keptWeather(latitude, longitude, fetchedAt: 1_799_990_000 + index))
        }
        #expect(await cache.weather(at: coordinate(0, 0)) == nil)
        #expect(await cache.weather(at: coordinate(Double(1_999 % 90), Double(1_999 / 90))) != nil)
        #expect(cache.writes.failed == 0)
        await store.close()
        let size = try FileManager.default.attributesOfItem(atPath: bench.file)[.size] as? Int
        #expect(try #require(size) < 256 << 10)
    }
}

@Suite struct DiskRecordTests {
    @Test func allOfAnAnswerComesBack() async throws {
        let bench = try DiskBench()
        let date = CalendarDate(daysSinceEpoch: 20_833)
        let noon = try #require(LocalTime(date: date, minuteOfDay: 720))
        let evening = try #require(LocalTime(date: date, minuteOfDay: 1_200))
        let suns: [DayForecast.Sun?] = [
            .risesAndSets(rise: noon, set: evening), .neverRises, .neverSets, nil,
        ]
        var entry = keptWeather(60.39, 5.32)
        entry.value.current = CurrentWeather(
            time: noon, temperature: -1.5, apparentTemperature: -4, relativeHumidity: 80, precipitation: 0.1,
            windSpeed: 12, sky: Sky(code: 71), isDay: false)
        entry.value.days = suns.enumerated().map { index, sun in
            DayForecast(
                date: date.advanced(by: index), sky: Sky(code: index), maximum: 3, minimum: nil,
                precipitation: 1, precipitationProbability: 40, sun: sun)
        }
        var bare = keptWeather(1, 2)
        bare.value.current = nil
        bare.value.days = []
        (bare.value.timeZone, bare.value.utcOffset) = (nil, nil)
        await bench.withCache { cache in
            await cache.saveAndWait(entry)
            await cache.saveAndWait(bare)
        }
        await bench.withCache { cache in
            #expect(await cache.weather(at: coordinate(60.39, 5.32)) == entry)
            #expect(await cache.weather(at: coordinate(1, 2)) == bare)
        }
    }

    @Test(arguments: [
        WeatherError.noSuchPlace("Bergn"),
        .noSuchPlace("Bergen", elsewhere: .init(place: keptPlace.value, wanted: "Germany")),
        .refused(status: 400, reason: "Invalid timezone"),
        .limited(reason: "Daily API request limit exceeded.", retryAfter: .seconds(9), window: .day),
        .unavailable(status: 502, retryAfter: nil), .unreadable(path: "daily.time"), .outOfTime,
        .transport(.timedOut(TransferFault(phase: .wait, code: 28, message: "slow"))),
        .transport(.failed(TransferFault(phase: .connect, code: 7, message: "refused"))),
        .transport(.tooLarge(limit: 7)), .transport(.forbidden(reason: "plain http")),
        .transport(.gateShut(retryAfter: .seconds(9))), .transport(.held(.breaker, retryAfter: .seconds(9))),
    ])
    func aFailureIsRememberedForItsTimeByOthers(error: WeatherError) async throws {
        let bench = try DiskBench()
        let clock = Mutex(1_800_000_000)
        await bench.withCache { cache in
            cache.save(CacheFailure(error, failedAt: 1_800_000_000, seconds: 15), for: "place bergn")
            await cache.settled()
        }
        let store = bench.store()
        let cache = bench.diskCache(store) { clock.withLock { $0 } }
        let found = await cache.places(for: ["place bergn", "place oslo"]).map(\.failure?.error)
        #expect(found == [error, nil])
        for time in [1_800_000_015, 1_799_999_999] {
            clock.withLock { $0 = time }
            #expect(await cache.places(for: ["place bergn"]).first?.failure == nil)
        }
        await store.close()
    }
}

@Suite struct DiskClaimTests {
    @Test func oneOfManyGetsAClaimAndTheNextAfterIt() async throws {
        let bench = try DiskBench()
        let stores = (0..<10).map { _ in bench.store() }
        let caches = stores.map { bench.diskCache($0) }
        let claims = await withTaskGroup(of: (Int, Bool).self) { group in
            for (index, cache) in caches.enumerated() {
                group.addTask { (index, await cache.claim(["key"], for: .seconds(10)) == [true]) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let holders = claims.filter(\.1).map(\.0)
        #expect(holders.count == 1)
        let (holder, other) = (holders.first ?? 0, holders.first == 0 ? 1 : 0)
        #expect(await caches[other].claim(["key", "another"], for: .seconds(10)) == [false, true])
        // Nobody else's release counts.
        caches[other].release("key")
        await caches[other].settled()
        #expect(await caches[other].claim(["key"], for: .seconds(10)) == [false])
        caches[holder].save(keptPlace, for: "key")
        await caches[holder].settled()
        #expect(await caches[other].claim(["key"], for: .seconds(10)) == [true])
        for store in stores { await store.close() }
    }

    @Test func aClaimEndsByItselfAndWithAClockSetBack() async throws {
        let bench = try DiskBench()
        let clock = Mutex(1_800_000_000)
        let stores = [bench.store(), bench.store()]
        let caches = stores.map { bench.diskCache($0) { clock.withLock { $0 } } }
        #expect(await caches[0].claim(["key"], for: .seconds(10)) == [true])
        clock.withLock { $0 += 11 }
        #expect(await caches[1].claim(["key"], for: .seconds(10)) == [false])
        clock.withLock { $0 += 1 }
        #expect(await caches[1].claim(["key"], for: .seconds(10)) == [true])
        clock.withLock { $0 -= 3_600 }
        #expect(await caches[0].claim(["key"], for: .seconds(10)) == [true])
        for store in stores { await store.close() }
    }

    @Test func withoutAUsableFileEachAsksForItself() async throws {
        let bench = try DiskBench()
        let store = bench.store(folder: "/proc/none/here")
        let cache = bench.diskCache(store)
        for _ in 0..<2 { #expect(await cache.claim(["key"], for: .seconds(10)) == [true]) }
        #expect(bench.logged("is not used for") == 1)
        await store.close()
    }
}

@Suite struct DiskSchemaTests {
    @Test func aFileOfAnOlderVersionIsMadeAgain() async throws {
        let bench = try DiskBench()
        var options = DiskSchema.options(
            folder: bench.folderOfCache, busyTimeout: .seconds(5), limits: DiskLimits())
        options.migrations = [
            """
            CREATE TABLE weather (spot INTEGER PRIMARY KEY, saved INTEGER, content BLOB) STRICT;
            CREATE INDEX weather_by_age ON weather (saved);
            CREATE TABLE place (question TEXT PRIMARY KEY, saved INTEGER, content BLOB) STRICT;
            CREATE INDEX place_by_age ON place (saved);
            CREATE TABLE budget (length INTEGER, position INTEGER, spent REAL) STRICT;
            """
        ]
        await (try Database.open(options)).close()
        await bench.withCache { cache in
            await cache.saveAndWait(keptWeather(1, 2))
            #expect(await cache.weather(at: coordinate(1, 2)) == keptWeather(1, 2))
        }
        #expect(bench.logged("thrown away") == 0)
    }

    @Test func aNewerFileIsThrownAway() async throws {
        let bench = try DiskBench()
        var options = DiskSchema.options(
            folder: bench.folderOfCache, busyTimeout: .seconds(5), limits: DiskLimits())
        options.migrations += ["CREATE TABLE later (id INTEGER PRIMARY KEY)"]
        await (try Database.open(options)).close()
        let store = bench.store()
        let cache = bench.diskCache(store)
        await cache.saveAndWait(keptWeather(1, 2))
        #expect(await cache.weather(at: coordinate(1, 2)) == keptWeather(1, 2))
        #expect(store.counters.discarded == 1)
        #expect(bench.logged("thrown away") == 1)
        await store.close()
    }

    @Test func aFileOfAnotherProgramIsLeftAlone() async throws {
        let bench = try DiskBench()
        let options = DatabaseOptions(
            path: bench.file, applicationID: 7,
            migrations: ["CREATE TABLE theirs (id INTEGER PRIMARY KEY)"])
        var theirs = options
        theirs.createsFolder = true
        await (try Database.open(theirs)).close()
        let store = bench.store()
        let cache = bench.diskCache(store)
        await cache.saveAndWait(keptWeather(1, 2))
        #expect(await cache.weather(at: coordinate(1, 2)) == nil)
        #expect(cache.writes.failed == 1)
        #expect(bench.logged("is not used") == 1)
        await store.close()
        await (try Database.open(options)).close()
    }
}
