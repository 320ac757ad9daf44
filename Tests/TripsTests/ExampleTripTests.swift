import Testing
import Trips
import Weather

/// What somebody sees who has written nothing, in every store.
@Suite struct ExampleTripTests {
    private let names = ["Seattle", "Vancouver", "San Pedro de Atacama"]

    @Test func theExamplesLieAheadWithTheirPlaces() {
        let trips = ExampleTrip.list(today).trips
        #expect(trips.map(\.plan.city) == names)
        #expect(trips.map(\.plan.country) == ["United States", "Canada", "Chile"])
        for trip in trips {
            #expect(trip.plan.start > today)
            #expect(trip.place?.name == trip.plan.city)
            #expect(trip.place?.timeZone != nil)
            // What is an example must be a trip that could be written.
            #expect((try? TripDraft(trip.plan).plan()) == trip.plan)
        }
        #expect(Set(trips.map(\.id)).count == 3)
    }

    @Test func readingKeepsNothing() async throws {
        let world = try await TripWorld()
        let place = try #require(bergen)
        for _ in 0..<2 {
            #expect(try await world.store.list(for: world.me) == ExampleTrip.list(today))
            let seattle = try await world.store.trip(.example(.seattle), for: world.me)
            #expect(seattle.id == .example(.seattle))
            #expect(
                try await world.store.list(for: world.me).next(after: seattle.id)?.plan.city == "Vancouver")
            let query = seattle.plan.placeQuery()
            let isNoted = try await world.store.setPlace(
                place, of: seattle.id, foundFor: query, for: world.me)
            #expect(!isNoted)
            // Neither does what is refused, or changes nothing.
            let wrong = try #require(TripVersion("0000000000000001"))
            let conflict = await refusal {
                try await world.store.delete(seattle.id, ifVersion: wrong, for: world.me)
            }
            #expect(conflict == .conflict(current: seattle))
            try await world.store.unshare(seattle.id, for: world.me)
            try await world.store.forget(world.me)
        }
        await world.close()
    }

    @Test func aFirstTripIsTheOnlyRowThatIsWritten() async throws {
        let world = try await TripWorld()
        _ = try await world.add("Bergen", start: 10)
        #expect(try await world.cities() == ["Seattle", "Bergen", "Vancouver", "San Pedro de Atacama"])
        #expect(try await world.rows() == 1)
        let examples = ExampleTrip.list(today).trips
        let list = try await world.store.list(for: world.me)
        for example in examples { #expect(list.trip(example.id) == example) }
        // They lie ahead tomorrow too.
        world.pass(days: 30)
        let seattle = try await world.store.trip(.example(.seattle), for: world.me)
        #expect(seattle.plan.start == today.advanced(by: 36))
        await world.close()
    }

    @Test func anExampleThatIsChangedBecomesARowAndTheOthersDoNot() async throws {
        let world = try await TripWorld()
        let examples = ExampleTrip.list(today).trips
        let changed = try await world.store.change(
            examples[1].id, ifVersion: examples[1].version, to: try plan("Victoria", "Canada"), for: world.me)
        #expect(try await world.rows() == 1)
        #expect(try await world.store.list(for: world.me).trips == [examples[0], examples[2], changed])
        try await world.store.delete(examples[0].id, ifVersion: examples[0].version, for: world.me)
        #expect(try await world.rows() == 1)
        try await world.store.delete(changed.id, ifVersion: changed.version, for: world.me)
        #expect(try await world.store.list(for: world.me).trips == [examples[2]])
        // Others still see them all.
        #expect(try await world.store.list(for: world.other) == ExampleTrip.list(today))
        await world.close()
    }

    @Test func anExampleIsChangedUnderTheVersionThatWasSeen() async throws {
        let world = try await TripWorld()
        let seen = try await world.store.trip(.example(.vancouver), for: world.me)
        let changed = try await world.store.change(
            seen.id, ifVersion: seen.version, to: try plan("Victoria", "Canada"), for: world.me)
        #expect(changed.answers(to: seen.id))
        #expect(changed.place == nil)
        #expect(try await world.store.trip(seen.id, for: world.me) == changed)
        let again = await refusal {
            _ = try await world.store.change(
                seen.id, ifVersion: seen.version, to: seen.plan, for: world.me)
        }
        #expect(again == .conflict(current: changed))
        #expect(try await world.cities().sorted() == ["San Pedro de Atacama", "Seattle", "Victoria"])
        await world.close()
    }

    @Test func deletedExamplesStayAway() async throws {
        let world = try await TripWorld()
        for example in ExampleTrip.list(today).trips {
            try await world.store.delete(example.id, ifVersion: example.version, for: world.me)
            let again = await refusal { _ = try await world.store.trip(example.id, for: world.me) }
            #expect(again == .gone)
        }
        #expect(try await world.cities().isEmpty)
        await world.close()
    }

    @Test func aSharedExampleIsACopy() async throws {
        let world = try await TripWorld()
        let link = try await world.store.share(.example(.seattle), for: world.me)
        let copy = try await world.store.trip(.example(.seattle), for: world.me)
        #expect(copy.share == link)
        #expect(copy.id != .example(.seattle))
        #expect(try await world.store.shared(link).plan.city == "Seattle")
        await world.close()
    }
}
