import Storage
import Testing
import Trips
import Weather

/// Who is known to the store, and for how long.
@Suite struct TravellerKeyTests {
    @Test func aKeyThatWasNeverGivenOutIsNobodys() async throws {
        let world = try await TripWorld()
        _ = try await world.add("Bergen")
        #expect(try await world.store.known([world.other]) == nil)
        #expect(try await world.store.known([]) == nil)
        // Of several, the first that is somebody's.
        let known = try #require(try await world.store.known([world.other, world.me]))
        #expect(known.id == world.me && known.seen == today)
        try await world.store.forget(world.me)
        #expect(try await world.store.known([world.me]) == nil)
        await world.close()
    }

    @Test func aKeyIsExchangedAndTheOldOneDiesWithTheFirstUseOfTheNew() async throws {
        let world = try await TripWorld()
        let trip = try await world.add("Bergen")
        let new = try await world.store.see(world.me, withNewKey: true)
        #expect(new != world.me)
        // The answer got lost, or another request was on its way: the old key is good, and gets the same again.
        #expect(try await world.store.known([world.me])?.id == world.me)
        #expect(try await world.store.see(world.me, withNewKey: true) == new)
        #expect(try await world.store.known([new])?.id == new)
        #expect(try await world.store.known([world.me]) == nil)
        #expect(try await world.store.trip(trip.id, for: new) == trip)
        #expect(await refusal { _ = try await world.store.trip(trip.id, for: world.me) } == .gone)
        await world.close()
    }

    @Test func whoIsntSeenGoesAndWhoIsStays() async throws {
        let world = try await TripWorld()
        let trip = try await world.add("Bergen")
        let link = try await world.store.share(trip.id, for: world.me)
        _ = try await world.add("Oslo", for: world.other)
        world.pass(days: 399)
        #expect(try await world.store.see(world.other) == world.other)
        world.pass(days: 2)
        // Any first write of somebody new clears up.
        _ = try await world.add("Rome", for: .newVisitor())
        #expect(try await world.store.known([world.me]) == nil)
        #expect(await refusal { _ = try await world.store.shared(link) } == .gone)
        #expect(try await world.store.known([world.other])?.seen == today.advanced(by: 399))
        #expect(try await world.cities(for: world.other).contains("Oslo"))
        await world.close()
    }

    @Test func aSweepIsBounded() async throws {
        let world = try await TripWorld()
        for _ in 0..<50 { _ = try await world.add("Bergen", for: .newVisitor()) }
        world.pass(days: 401)
        _ = try await world.add("Oslo")
        #expect(try await world.rows() == 31)
        _ = try await world.store.see(world.me)
        #expect(try await world.rows() == 11)
        await world.close()
    }

    /// As on a machine that starts in 1970 and learns the time later.
    @Test func whoComesWhileTheClockIsBehindIsNotSweptOnceItIsRight() async throws {
        let world = try await TripWorld()
        _ = try await world.add("Bergen", for: world.other)
        world.pass(days: -20_000)
        _ = try await world.add("Oslo")
        world.pass(days: 20_000)
        _ = try await world.store.see(world.other)
        #expect(try await world.store.known([world.me])?.seen == today)
        await world.close()
    }
}
