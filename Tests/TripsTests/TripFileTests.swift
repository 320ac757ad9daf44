import Foundation
import Storage
import TestSupport
import Testing
import Trips
import Weather

/// What concerns the file.
@Suite struct TripFileTests {
    let folder: ScratchFolder
    let me = TravellerID.newVisitor()

    init() throws { folder = try ScratchFolder() }

    private func open(_ path: String) async throws -> TripStore {
        try await TripStore.open(path, rules(limit: .max), busyTimeout: .seconds(30))
    }

    private func add(_ city: String, to store: TripStore) async throws -> Trip {
        try await store.add(try plan(city), key: CreationKey(from: .system), for: me).trip
    }

    @Test func aReopenedFileHoldsAllThatItHeld() async throws {
        let path = folder("new/folder/trips.sqlite")
        let store = try await open(path)
        let trip = try await add("Bergen", to: store)
        let place = try #require(bergen)
        #expect(try await store.setPlace(place, of: trip.id, foundFor: trip.plan.placeQuery(), for: me))
        let link = try await store.share(.example(.seattle), for: me)
        let list = try await store.list(for: me)
        await store.close()
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let again = try await open(path)
        #expect(try await again.list(for: me) == list)
        #expect(list.trip(trip.id)?.place?.coordinate == place.coordinate)
        #expect(try await again.shared(link).plan.city == "Seattle")
        await again.close()
        let closed = await refusal { _ = try await again.list(for: me) }
        #expect(closed?.label == "unavailable")
    }

    @Test func anotherProgramsFileIsRefusedAndANewerOneToo() async throws {
        let path = folder("other")
        var options = DatabaseOptions(path: path, applicationID: 7, migrations: ["CREATE TABLE a (b)"])
        await (try Database.open(options)).close()
        await expectFailure(.foreign) { _ = try await open(path) }
        // The trips' own number, with a step more than is known.
        let newer = folder("newer")
        await (try open(newer)).close()
        options = DatabaseOptions(
            path: newer, applicationID: 0x5472_5774,
            migrations: Array(repeating: "CREATE TABLE later (x)", count: 3))
        await (try Database.open(options)).close()
        await expectFailure(.tooNew) { _ = try await open(newer) }
    }

    /// As when a process ends between making the file and the first step of its schema.
    @Test func aFileOfVersion0IsBroughtUpToDate() async throws {
        let path = folder("begun")
        let options = DatabaseOptions(path: path, applicationID: 0x5472_5774, migrations: [])
        await (try Database.open(options)).close()
        let store = try await open(path)
        _ = try await add("Bergen", to: store)
        #expect(try await store.list(for: me).trips.count == 4)
        await store.close()
    }

    @Test func aRowThatNoTripCanBeIsAnError() async throws {
        let path = folder("odd")
        let store = try await open(path)
        for city in ["Bergen", "Seattle", "Vancouver", "San Pedro de Atacama"] {
            let trip = try await add(city, to: store)
            let place = try #require(bergen)
            try await store.setPlace(place, of: trip.id, foundFor: trip.plan.placeQuery(), for: me)
        }
        let changes: [StaticString] = [
            "UPDATE trip SET id = 'x' WHERE city = 'Bergen'",
            "UPDATE trip SET start = 9223372036854775807 WHERE city = 'Seattle'",
            "UPDATE trip SET picture = '../x' WHERE city = 'Vancouver'",
            "UPDATE trip SET latitude = 91 WHERE city = 'San Pedro de Atacama'",
        ]
        let database = try await Database.open(
            DatabaseOptions(path: path, applicationID: 0x5472_5774, migrations: ["", ""]))
        for change in changes {
            try await database.write { connection throws(StorageError) in
                _ = try connection.run(change)
            }
            let failure = await refusal { _ = try await store.list(for: me) }
            #expect(failure?.label == "unexpected_value")
            try await database.write { connection throws(StorageError) in
                _ = try connection.run("DELETE FROM trip WHERE number = (SELECT min(number) FROM trip)")
            }
        }
        await database.close()
        await store.close()
    }

    @Test func twoStoresOnOneFileSeeEachOthersWrites() async throws {
        let path = folder("two")
        let first = try await open(path)
        let second = try await open(path)
        let trip = try await add("Bergen", to: first)
        #expect(try await second.trip(trip.id, for: me) == trip)
        let changed = try await second.change(
            trip.id, ifVersion: trip.version, to: try plan("Oslo"), for: me)
        let late = await refusal {
            try await first.delete(trip.id, ifVersion: trip.version, for: me)
        }
        #expect(late == .conflict(current: changed))
        // Both make a new traveller at once: that is one.
        for number in 0..<10 {
            let traveller = TravellerID.newVisitor()
            let city = try plan("City \(number)")
            async let one = first.add(city, key: CreationKey(from: .system), for: traveller)
            async let other = second.add(city, key: CreationKey(from: .system), for: traveller)
            _ = try await (one, other)
            #expect(try await first.list(for: traveller).trips.count == 5)
        }
        await first.close()
        await second.close()
    }

    @Test func twoProcessesWriteOneFile() async throws {
        let path = folder("processes")
        guard case .visitor(let key) = me else { return }
        let writers = [
            try ChildProcess("trips-writer", path, key.text, "100"),
            try ChildProcess("trips-writer", path, key.text, "100"),
        ]
        let store = try await open(path)
        var told: Set<String> = []
        for number in 0..<50 { told.insert("\(try await add("Own \(number)", to: store).id)") }
        for writer in writers {
            while let line = await writer.line() { told.insert(line) }
            #expect(await writer.wait() == 0)
        }
        #expect(told.count == 250)
        let kept = try await store.list(for: me).trips.map { "\($0.id)" }
        #expect(kept.count == 253)
        #expect(told.isSubset(of: kept))
        await store.close()
    }

    @Test(arguments: [1, 1_000])
    func aKilledProcessLosesNothingItAcknowledged(_ lines: Int) async throws {
        let path = folder("killed")
        guard case .visitor(let key) = me else { return }
        let writer = try ChildProcess("trips-writer", path, key.text, "1000000")
        var told: [String] = []
        while told.count < lines, let line = await writer.line() { told.append(line) }
        await writer.kill()
        while let line = await writer.line() { told.append(line) }
        #expect(told.count >= lines)
        #expect(told.allSatisfy { TripID($0) != nil })
        let store = try await open(path)
        let kept = try await store.list(for: me).trips.map { "\($0.id)" }
        #expect(Set(told).isSubset(of: kept))
        // The examples, and at most the one that was committed and not yet told.
        #expect(kept.count - 3 - told.count <= 1)
        _ = try await add("Bergen", to: store)
        await store.close()
    }

    @Test func aFullDiskSaysSoAndLosesNothing() async throws {
        let path = folder("tmpfs")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 else {
            print("skipped: no mount of a tmpfs is permitted here")
            return
        }
        defer { umount2(path, Int32(MNT_DETACH)) }
        let store = try await open(path + "/trips.sqlite")
        let failure = try await fill(store)
        #expect(failure == "full")
        let list = try await store.list(for: me)
        await store.close()
        let again = try await open(path + "/trips.sqlite")
        #expect(try await again.list(for: me) == list)
        await again.close()
    }

    @Test func aFileHasItsOwnLimit() async throws {
        let store = try await TripStore.open(
            folder("limited"), rules(limit: .max), busyTimeout: .seconds(30), maximumFileBytes: 200_000)
        #expect(try await fill(store) == "full")
        // Who makes room can go on.
        try await store.forget(me)
        _ = try await add("Bergen", to: store)
        await store.close()
    }

    /// Adds trips until the store says why not, and expects those that were acknowledged to be there.
    private func fill(_ store: TripStore) async throws -> String? {
        let long = try plan(String(repeating: "ø", count: 200), String(repeating: "å", count: 200))
        var added: [TripID] = []
        var failure: TripStoreError?
        while failure == nil, added.count < 2_000 {
            failure = await refusal {
                added.append(
                    try await store.add(long, key: CreationKey(from: .system), for: me).trip.id)
            }
        }
        #expect(added.count > 10)
        let kept = try await store.list(for: me).trips.map(\.id)
        #expect(kept.count == added.count + 3)
        #expect(Set(added).isSubset(of: kept))
        return failure?.label
    }

    @Test func aCallWaitsForTheFileNoLongerThanItMay() async throws {
        let path = folder("held")
        let store = try await TripStore.open(path, rules(), busyTimeout: .milliseconds(200))
        let holder = try await Database.open(
            DatabaseOptions(path: path, applicationID: 0x5472_5774, migrations: ["", ""]))
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let done = DispatchSemaphore(value: 0)
        let holding = Task {
            try await holder.write { _ in
                starting.finish()
                // On the holder's own storage thread.
                _ = done.wait(timeout: .now() + 20)
            }
        }
        for await _ in started {}
        let start = ContinuousClock.now
        let failure = await refusal { _ = try await add("Bergen", to: store) }
        #expect(start.duration(to: .now) >= .milliseconds(200))
        #expect(failure?.label == "busy" || failure?.label == "timed_out")
        // Readers don't wait for the writer.
        #expect(try await store.list(for: me).trips.count == 3)
        done.signal()
        try await holding.value
        _ = try await add("Bergen", to: store)
        await holder.close()
        await store.close()
    }

    private func expectFailure(_ kind: StorageError.Kind, _ body: () async throws -> Void) async {
        do {
            try await body()
            Issue.record("opened")
        } catch {
            #expect((error as? StorageError)?.kind == kind)
        }
    }
}
