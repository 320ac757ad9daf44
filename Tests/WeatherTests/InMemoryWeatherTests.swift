import Testing
import Weather

@Suite(.timeLimit(.minutes(1)))
struct InMemoryWeatherTests {
    private let deadline = ContinuousClock.now.advanced(by: .seconds(60))

    @Test func whatIsNotScriptedIsRefusedOrNowhere() async throws {
        let weather = InMemoryWeather()
        await #expect(throws: WeatherError.self) {
            try await weather.weather(for: try Fixture.coordinate(1, 2))
        }
        await #expect(throws: WeatherError.noSuchPlace("Hogsmeade")) {
            try await weather.place(for: PlaceQuery(city: "Hogsmeade"), until: deadline)
        }
        weather.setOtherwise(.success(Fixture.context(try Fixture.coordinate(0, 0))))
        #expect(
            try await weather.weather(for: try Fixture.coordinate(1, 2)).coordinate
                == Fixture.coordinate(1, 2))
        #expect(weather.counts == InMemoryWeather.Counts(forecasts: 2, searches: 1))
    }

    @Test func placesAreFoundByNameAndBeginning() async throws {
        let weather = InMemoryWeather()
        let bergen = Place(name: "Bergen", country: "Norway", coordinate: try Fixture.coordinate(60.39, 5.32))
        weather.set(.success(bergen), for: "Bergen")
        #expect(try await weather.place(for: PlaceQuery(city: "bergen"), until: deadline) == bergen)
        let found = try await weather.places(beginningWith: "BER", language: "en", limit: 5, until: deadline)
        #expect(found == [bergen])
    }

    @Test func manyPlacesAreAnsweredEachForItself() async throws {
        let weather = InMemoryWeather()
        let coordinates = [try Fixture.coordinate(1, 2), try Fixture.coordinate(3, 4)]
        weather.set(.success(Fixture.context(coordinates[0])), at: coordinates[0])
        let results = try await weather.weather(for: coordinates, until: deadline)
        #expect(results.map { (try? $0.get()) != nil } == [true, false])
        #expect(weather.counts.forecasts == 1)
    }

    @Test func heldAnswersWaitAndAreCounted() async throws {
        let weather = InMemoryWeather()
        let coordinate = try Fixture.coordinate(1, 2)
        weather.setOtherwise(.success(Fixture.context(coordinate)))
        weather.hold()
        async let first = weather.weather(for: coordinate)
        async let second = weather.weather(for: coordinate)
        while weather.counts.waiting < 2 { await Task.yield() }
        weather.release()
        #expect(try await [first, second].count == 2)
        #expect(weather.counts == InMemoryWeather.Counts(forecasts: 2))
    }

    @Test func aCancelledAskerIsLetGoAndCounted() async throws {
        let weather = InMemoryWeather()
        let coordinate = try Fixture.coordinate(1, 2)
        weather.setOtherwise(.success(Fixture.context(coordinate)))
        weather.hold()
        let task = Task { try await weather.weather(for: coordinate) }
        while weather.counts.waiting < 1 { await Task.yield() }
        task.cancel()
        await #expect(throws: WeatherError.cancelled) { try await task.value }
        #expect(weather.counts == InMemoryWeather.Counts(forecasts: 1, cancelled: 1))
    }
}
