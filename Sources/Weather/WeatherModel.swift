internal import Synchronization

/// What a card shows of the weather at a coordinate, and the one request that belongs to it: a new coordinate, a
/// second tap and the card's going each cancel it.
///
/// All calls answer at once and may come from any thread; each change of what is shown is told by `states`.
package final class WeatherModel: Sendable {
    private struct Stage {
        var machine = LoadMachine<Coordinate, WeatherContext>()
        var task: Task<Void, Never>?
    }

    /// What is shown from now on, each state once; the oldest are dropped where nobody reads them. For one reader.
    package let states: AsyncStream<LoadState<WeatherContext>>

    private let stage = Mutex(Stage())
    private let client: any WeatherClient
    private let executor: (any TaskExecutor)?
    private let patience: Duration
    private let message: @Sendable (WeatherError) -> String
    private let publish: AsyncStream<LoadState<WeatherContext>>.Continuation

    /// - Parameters:
    ///   - client: Who is asked.
    ///   - executor: Where its questions run; nil for the default pool.
    ///   - patience: How long an answer may take.
    ///   - message: The sentence for a failure.
    package init(
        client: any WeatherClient, executor: (any TaskExecutor)? = nil, patience: Duration = .seconds(10),
        message: @escaping @Sendable (WeatherError) -> String
    ) {
        self.client = client
        self.executor = executor
        self.patience = patience
        self.message = message
        (states, publish) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    deinit {
        stage.withLock { $0.task?.cancel() }
        publish.finish()
    }

    package var state: LoadState<WeatherContext> { stage.withLock { $0.machine.state } }

    /// Asks about a coordinate, from nothing.
    package func load(_ coordinate: Coordinate) {
        start { $0.load(coordinate) }
    }

    /// Asks again, and keeps what is shown until the answer is there.
    package func refresh() {
        start { $0.refresh() }
    }

    /// Gives up what is being asked: what was shown before it is shown again.
    package func cancel() {
        let left: Task<Void, Never>? = stage.withLock { stage in
            guard case .loading = stage.machine.state else { return nil }
            stage.machine.cancel()
            publish.yield(stage.machine.state)
            return stage.task.take()
        }
        left?.cancel()
    }

    private func start(
        _ ask: (inout LoadMachine<Coordinate, WeatherContext>) -> LoadMachine<Coordinate, WeatherContext>
            .Question?
    ) {
        let left: Task<Void, Never>? = stage.withLock { stage in
            guard let question = ask(&stage.machine) else { return nil }
            let left = stage.task
            publish.yield(stage.machine.state)
            let deadline = ContinuousClock.now.advanced(by: patience)
            // The task doesn't keep the model: a card that has gone cancels it.
            stage.task = Task(executorPreference: executor) { [weak self, client] in
                let result: Result<WeatherContext, WeatherError>
                do throws(WeatherError) {
                    result = .success(
                        try await client.weather(for: question.subject, zone: nil, until: deadline))
                } catch {
                    result = .failure(error)
                }
                self?.finish(question.id, with: result)
            }
            return left
        }
        left?.cancel()
    }

    private func finish(_ id: Int, with result: Result<WeatherContext, WeatherError>) {
        let answer: LoadMachine<Coordinate, WeatherContext>.Answer =
            switch result {
            case .success(let context): .value(context)
            case .failure(.cancelled): .cancelled
            case .failure(let error): .failure(message: message(error))
            }
        stage.withLock { stage in
            guard stage.machine.finish(id, with: answer) else { return }
            stage.task = nil
            publish.yield(stage.machine.state)
        }
    }
}
