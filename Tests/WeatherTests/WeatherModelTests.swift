import Testing
import Transport
import Weather

/// The screen's life against a client whose answers are held back: each await is on a state that must come.
@Suite(.timeLimit(.minutes(1)))
struct WeatherModelTests {
    private let client = InMemoryWeather()
    private let bergen: Coordinate
    private let seattle: Coordinate

    init() throws {
        bergen = try Fixture.coordinate(60.39, 5.32)
        seattle = try Fixture.coordinate(47.61, -122.33)
        client.set(.success(Fixture.context(bergen, temperature: 5)), at: bergen)
        client.set(.success(Fixture.context(seattle, temperature: 16)), at: seattle)
    }

    private func model(_ client: any WeatherClient) -> WeatherModel {
        WeatherModel(client: client) { $0.label }
    }

    /// Waits until something holds, which must come.
    private func poll(_ condition: @Sendable () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    private func next(
        _ count: Int, _ states: inout AsyncStream<LoadState<WeatherContext>>.Iterator
    ) async -> [LoadState<WeatherContext>] {
        var result: [LoadState<WeatherContext>] = []
        while result.count < count, let state = await states.next() { result.append(state) }
        return result
    }

    @Test func firstLoad() async {
        let model = model(client)
        var states = model.states.makeAsyncIterator()
        #expect(model.state == .idle)
        model.load(bergen)
        #expect(await next(2, &states) == [.loading(previous: nil), .loaded(Fixture.context(bergen))])
        #expect(client.counts.forecasts == 1)
    }

    @Test func refreshKeepsTheOldOnTheScreen() async {
        let model = model(client)
        var states = model.states.makeAsyncIterator()
        model.load(bergen)
        _ = await next(2, &states)
        client.set(.success(Fixture.context(bergen, temperature: 6)), at: bergen)
        model.refresh()
        #expect(
            await next(2, &states) == [
                .loading(previous: Fixture.context(bergen)), .loaded(Fixture.context(bergen, temperature: 6)),
            ])
    }

    @Test func transportFailureAndThenRetry() async {
        let model = model(client)
        var states = model.states.makeAsyncIterator()
        let fault = TransferFault(phase: .connect, code: 7, message: "refused")
        client.set(.failure(.transport(.failed(fault))), at: bergen)
        model.load(bergen)
        #expect(
            await next(2, &states)
                == [.loading(previous: nil), .failed(message: "failed-connect", previous: nil)])
        client.set(.success(Fixture.context(bergen)), at: bergen)
        model.refresh()
        #expect(await next(2, &states) == [.loading(previous: nil), .loaded(Fixture.context(bergen))])
    }

    @Test func decodingFailureKeepsTheOldOnTheScreen() async {
        let transport = ScriptedTransport(
            answers: .success(Fixture.bergen),
            .success("Unexpected error while streaming data: timeoutReached"))
        let model = model(OpenMeteoClient(OpenMeteoConfiguration(), transport: transport, unixTime: { 0 }))
        var states = model.states.makeAsyncIterator()
        model.load(bergen)
        let first = await next(2, &states)
        model.refresh()
        #expect(await next(2, &states).last == .failed(message: "unreadable", previous: first.last?.value))
        #expect(first.last?.value?.current?.temperature == 5.3)
    }

    @Test func cancelledBeforePublicationPublishesNothing() async {
        client.hold()
        let model = model(client)
        var states = model.states.makeAsyncIterator()
        model.load(bergen)
        await poll { client.counts.waiting == 1 }
        model.cancel()
        #expect(await next(2, &states) == [.loading(previous: nil), .idle])
        await poll { client.counts.cancelled == 1 }
        client.release()
        // The next load's states come right behind: nothing was published between.
        model.load(seattle)
        #expect(
            await next(2, &states)
                == [.loading(previous: nil), .loaded(Fixture.context(seattle, temperature: 16))])
    }

    @Test func afterACancelledRefreshTheLoadedStands() async {
        let model = model(client)
        var states = model.states.makeAsyncIterator()
        model.load(bergen)
        _ = await next(2, &states)
        client.hold()
        model.refresh()
        model.cancel()
        #expect(
            await next(2, &states)
                == [.loading(previous: Fixture.context(bergen)), .loaded(Fixture.context(bergen))])
    }

    @Test func aNewerCoordinateWinsOverAnOlderRequest() async {
        client.hold(at: bergen)
        let model = model(client)
        var states = model.states.makeAsyncIterator()
        model.load(bergen)
        await poll { client.counts.waiting == 1 }
        model.load(seattle)
        #expect(
            await next(3, &states) == [
                .loading(previous: nil), .loading(previous: nil),
                .loaded(Fixture.context(seattle, temperature: 16)),
            ])
        // The older request was cancelled; its late answer changes nothing.
        await poll { client.counts.cancelled == 1 }
        client.release(at: bergen)
        #expect(model.state == .loaded(Fixture.context(seattle, temperature: 16)))
    }

    @Test func aModelThatGoesCancelsItsRequest() async {
        client.hold()
        do {
            let model = model(client)
            model.load(bergen)
            await poll { client.counts.waiting == 1 }
            withExtendedLifetime(model) {}
        }
        await poll { client.counts.cancelled == 1 }
        #expect(client.counts.cancelled == 1)
    }
}
