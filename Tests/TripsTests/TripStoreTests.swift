import Testing
import Trips
import Weather

/// What every store does.
@Suite struct TripStoreTests {
    @Test func tripsAreListedInOrderOfStart() async throws {
        let world = try await TripWorld()
        for trip in try await world.store.list(for: world.me).trips {
            try await world.store.delete(trip.id, ifVersion: trip.version, for: world.me)
        }
        #expect(try await world.cities().isEmpty)
        for (city, start) in [("Oslo", 9), ("Bergen", 5), ("Turku", 9), ("Lima", -400), ("Rome", 5)] {
            _ = try await world.add(city, start: start, nights: 2)
        }
        let list = try await world.store.list(for: world.me)
        #expect(list.trips.map(\.plan.city) == ["Lima", "Bergen", "Rome", "Oslo", "Turku"])
        #expect(list.totalNights == 10)
        var chain: [String] = []
        var next = list.trips.first
        while let trip = next, chain.count < 9 {
            chain.append(trip.plan.city)
            next = try await world.store.list(for: world.me).next(after: trip.id)
        }
        #expect(chain == list.trips.map(\.plan.city))
        #expect(try await world.store.list(for: world.me).next(after: TripID.example(.seattle)) == nil)
        await world.close()
    }

    @Test func aTripComesBackAsItWasAdded() async throws {
        let world = try await TripWorld()
        var draft = draft("San José", "Costa Rica", start: -3, nights: 60)
        draft.price = .value(20_000)
        draft.picture = .value("fjord-2")
        draft.isFavourite = .value(true)
        let plan = try draft.plan()
        let added = try await world.store.add(plan, key: CreationKey(from: .system), for: world.me)
        #expect(added.isNew)
        #expect(added.trip.plan == plan)
        #expect(added.trip.place == nil)
        #expect(added.trip.share == nil)
        #expect(try await world.store.trip(added.trip.id, for: world.me) == added.trip)
        #expect(try await world.store.list(for: world.me).trip(added.trip.id) == added.trip)
        await world.close()
    }

    @Test func aDoubleTapAddsOneTrip() async throws {
        let world = try await TripWorld()
        let key = CreationKey(from: .system)
        let plan = try plan("Bergen")
        let additions = try await withThrowingTaskGroup(of: (trip: Trip, isNew: Bool).self) { group in
            for _ in 0..<8 {
                group.addTask { try await world.store.add(plan, key: key, for: world.me) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(additions.map(\.trip)).count == 1)
        #expect(additions.filter(\.isNew).count == 1)
        #expect(try await world.cities().filter { $0 == "Bergen" }.count == 1)
        // The same key of somebody else is another.
        let other = try await world.store.add(plan, key: key, for: world.other)
        #expect(other.isNew)
        await world.close()
    }

    @Test func twoTabsNeverOverwriteEachOtherUnseen() async throws {
        let world = try await TripWorld()
        let seen = try await world.add("Bergen")
        let first = try await world.store.change(
            seen.id, ifVersion: seen.version, to: try plan("Oslo"), for: world.me)
        #expect(first.id == seen.id)
        #expect(first.version != seen.version)
        let change = await refusal {
            _ = try await world.store.change(
                seen.id, ifVersion: seen.version, to: try plan("Rome"), for: world.me)
        }
        #expect(change == .conflict(current: first))
        let deletion = await refusal {
            try await world.store.delete(seen.id, ifVersion: seen.version, for: world.me)
        }
        #expect(deletion == .conflict(current: first))
        #expect(try await world.store.trip(seen.id, for: world.me) == first)
        try await world.store.delete(seen.id, ifVersion: first.version, for: world.me)
        #expect(await refusal { _ = try await world.store.trip(seen.id, for: world.me) } == .gone)
        let gone = await refusal {
            _ = try await world.store.change(
                seen.id, ifVersion: first.version, to: first.plan, for: world.me)
        }
        #expect(gone == .gone)
        await world.close()
    }

    @Test func ofManyWritesWithOneVersionOneWins() async throws {
        let world = try await TripWorld()
        let seen = try await world.add("Bergen")
        let plans = try (1...10).map { try plan("City \($0)") }
        let results = await withTaskGroup(of: TripStoreError?.self) { group in
            for plan in plans {
                group.addTask {
                    await refusal {
                        _ = try await world.store.change(
                            seen.id, ifVersion: seen.version, to: plan, for: world.me)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let now = try await world.store.trip(seen.id, for: world.me)
        #expect(results.filter { $0 == nil }.count == 1)
        #expect(results.filter { $0 == .conflict(current: now) }.count == 9)
        await world.close()
    }

    @Test func thereIsALimitOfTrips() async throws {
        let world = try await TripWorld(limit: 5)
        _ = try await world.add("One")
        let key = CreationKey(from: .system)
        _ = try await world.store.add(try plan("Two"), key: key, for: world.me)
        #expect(await refusal { _ = try await world.add("Three") } == .tooMany(limit: 5))
        // One that is there already is no new one.
        let again = try await world.store.add(try plan("Two"), key: key, for: world.me)
        #expect(!again.isNew)
        // Others aren't held up, and who deletes may add.
        _ = try await world.add("One", for: world.other)
        try await world.store.delete(again.trip.id, ifVersion: again.trip.version, for: world.me)
        _ = try await world.add("Three")
        #expect(try await world.cities().count == 5)
        await world.close()
    }

    /// Whatever became of the trip: who repeats a request wants to know what it did.
    @Test func aCreationKeyAnswersForADayWhatItAnsweredFirst() async throws {
        let world = try await TripWorld()
        let key = CreationKey(from: .system)
        let first = try await world.store.add(try plan("Bergen", "Norway"), key: key, for: world.me).trip
        let changed = try await world.store.change(
            first.id, ifVersion: first.version, to: try plan("Oslo"), for: world.me)
        let afterEdit = try await world.store.add(try plan("Bergen", "Norway"), key: key, for: world.me)
        #expect(afterEdit == (first, false))
        try await world.store.delete(first.id, ifVersion: changed.version, for: world.me)
        world.pass(days: 0, seconds: 86_000)
        let afterDeletion = try await world.store.add(try plan("Bergen", "Norway"), key: key, for: world.me)
        #expect(afterDeletion == (first, false))
        #expect(try await world.cities().count == 3)
        let other = await refusal {
            _ = try await world.store.add(try plan("Oslo"), key: key, for: world.me)
        }
        #expect(other == .alreadyAdded(first))
        // Then it is forgotten.
        world.pass(days: 0, seconds: 401)
        let later = try await world.store.add(try plan("Oslo"), key: key, for: world.me)
        #expect(later.isNew && later.trip.id != first.id)
        await world.close()
    }

    @Test func theExamplesCountToo() async throws {
        let world = try await TripWorld(limit: 3)
        #expect(await refusal { _ = try await world.add("One") } == .tooMany(limit: 3))
        #expect(try await world.store.list(for: world.me) == ExampleTrip.list(today))
        await world.close()
    }
}

/// Where a trip goes, in every store.
@Suite struct TripPlaceTests {
    /// What is kept of a place that has an id, with the names that were typed.
    private func kept(_ place: Place, as city: String) -> Place {
        var place = place
        (place.name, place.country, place.region) = (city, "Norway", nil)
        return place
    }

    @Test func namesInTheFindersLanguageAreNotKept() async throws {
        let world = try await TripWorld()
        var munich = try #require(bergen)
        (munich.name, munich.country, munich.region) = ("München", "Deutschland", "Bayern")
        let trip = try await world.add("Munich")
        let query = trip.plan.placeQuery(language: "de")
        try await world.store.setPlace(munich, of: trip.id, foundFor: query, for: world.me)
        let place = try #require(try await world.store.trip(trip.id, for: world.me).place)
        #expect(place.name == "Munich" && place.country == nil && place.region == nil)
        #expect(place.identifier == munich.identifier && place.coordinate == munich.coordinate)
        #expect(place.timeZone == munich.timeZone && place.countryCode == munich.countryCode)
        await world.close()
    }

    @Test func aPlaceIsKeptAndLeavesTheVersionAsItIs() async throws {
        let world = try await TripWorld()
        let place = try #require(bergen)
        let trip = try await world.add("Bergen", "Norway")
        let query = trip.plan.placeQuery(language: "de")
        #expect(try await world.store.setPlace(place, of: trip.id, foundFor: query, for: world.me))
        let found = try await world.store.trip(trip.id, for: world.me)
        // Its names are in the language of whoever found it: they aren't kept.
        #expect(found.place == kept(place, as: "Bergen"))
        #expect(found.version == trip.version)
        // A form that was open meanwhile can be sent.
        let changed = try await world.store.change(
            trip.id, ifVersion: trip.version, to: try plan("Bergen", "Norway", nights: 9), for: world.me)
        #expect(changed.place == kept(place, as: "Bergen"))
        await world.close()
    }

    @Test func withTheCityOrTheCountryThePlaceGoes() async throws {
        let world = try await TripWorld()
        let place = try #require(bergen)
        for changed in [try plan("Oslo", "Norway"), try plan("Bergen", "Germany"), try plan("Bergen")] {
            let trip = try await world.add("Bergen", "Norway")
            let query = trip.plan.placeQuery()
            try await world.store.setPlace(place, of: trip.id, foundFor: query, for: world.me)
            let now = try await world.store.change(
                trip.id, ifVersion: trip.version, to: changed, for: world.me)
            #expect(now.place == nil)
            // The answer to the older question comes too late.
            #expect(try await !world.store.setPlace(place, of: trip.id, foundFor: query, for: world.me))
            #expect(try await world.store.trip(trip.id, for: world.me) == now)
        }
        await world.close()
    }

    @Test func aPlaceWithoutDetailsIsKeptToo() async throws {
        let world = try await TripWorld()
        let equator = try #require(Coordinate(latitude: 0, longitude: -180))
        let place = Place(name: "Nowhere", coordinate: equator)
        let trip = try await world.add("Nowhere")
        try await world.store.setPlace(place, of: trip.id, foundFor: trip.plan.placeQuery(), for: world.me)
        #expect(try await world.store.trip(trip.id, for: world.me).place == place)
        await world.close()
    }

    @Test func thePlaceOfATripThatIsGoneIsRefused() async throws {
        let world = try await TripWorld()
        let place = try #require(bergen)
        let trip = try await world.add("Bergen")
        try await world.store.delete(trip.id, ifVersion: trip.version, for: world.me)
        let query = trip.plan.placeQuery()
        let late = await refusal {
            try await world.store.setPlace(place, of: trip.id, foundFor: query, for: world.me)
        }
        #expect(late == .gone)
        await world.close()
    }
}
