/// Answers of one shard that stay right for long: places, suggestions. An answer is kept for its life, a failure
/// for a short while beside it, and an answer past its life serves as long as the service fails.
struct AnswerShelf<Key: FlightKey, Answer: Sendable>: FlightShelf {
    typealias Outcome = AnswerOutcome<Answer>
    typealias Value = Result<Answer, WeatherError>

    struct Lives: Sendable {
        /// Seconds an answer lives at most, and the part of it that chance may take off, 0 … 1.
        let answer: Int
        let answerJitter: Double
        /// Seconds that it is remembered that there is nothing.
        let nothing: Int
        let failure: Duration
    }

    private struct Entry<Kept: Sendable>: Sendable {
        let kept: Kept
        let at: Int
        let life: Int

        /// A clock that was set back ends it too.
        func isAlive(at now: Int) -> Bool {
            now >= at - 60 && now - at < life
        }
    }

    private let lives: Lives
    private let environment: CacheEnvironment
    private let size: @Sendable (Key, Answer) -> Int
    private var answers: RecentTable<Key, Entry<Answer>>
    /// They stand apart, so that mistyped names push no place out.
    private var failures: RecentTable<Key, Entry<WeatherError>>

    init(
        lives: Lives, bounds: CacheBounds, environment: CacheEnvironment,
        size: @escaping @Sendable (Key, Answer) -> Int
    ) {
        self.lives = lives
        self.environment = environment
        self.size = size
        answers = RecentTable(count: bounds.entriesInShard, bytes: bounds.bytesInShard)
        failures = RecentTable(
            count: max(16, bounds.entriesInShard / 4), bytes: max(16 << 10, bounds.bytesInShard / 4))
    }

    static var outOfTime: Outcome { .failed(.outOfTime) }

    /// The answer, or the failure that is still remembered; nil where the service has to be asked.
    mutating func look(_ key: Key, at now: Int) -> Value? {
        if let slot = answers.use(key), let entry = answers[slot] {
            if entry.isAlive(at: now) { return .success(entry.kept) }
            // The service failed just now: the old answer serves on.
            if let failure = failure(key, at: now) {
                if case .noSuchPlace = failure { return .failure(failure) }
                return .success(entry.kept)
            }
            return nil
        }
        return failure(key, at: now).map { .failure($0) }
    }

    private mutating func failure(_ key: Key, at now: Int) -> WeatherError? {
        guard let slot = failures.use(key), let entry = failures[slot], entry.isAlive(at: now) else {
            return nil
        }
        return entry.kept
    }

    /// Nil where no failure is remembered.
    mutating func failureSecondsLeft(_ key: Key, at now: Int) -> Int? {
        guard let slot = failures.slot(of: key), let entry = failures[slot], entry.isAlive(at: now) else {
            return nil
        }
        return entry.at + entry.life - now
    }

    mutating func settle(
        _ outcome: Outcome, for key: Key, counting counters: inout CacheCounters
    ) -> Value {
        let now = environment.unixTime()
        switch outcome {
        case .answered(let answer):
            counters.successes += 1
            keep(answer, for: key, at: now)
            return .success(answer)
        case .archived(let answer, let at):
            counters.archiveHits += 1
            keep(answer, for: key, at: at)
            return .success(answer)
        case .failed(let error):
            if error != .cancelled { counters.failures += 1 }
            return settle(error, for: key, at: now)
        }
    }

    private mutating func settle(_ error: WeatherError, for key: Key, at now: Int) -> Value {
        let isAnswer = if case .noSuchPlace = error { true } else { false }
        let life =
            isAnswer
            ? lives.nothing
            : error.negativeSeconds(atMost: lives.failure, chance: environment.random())
        if life > 0 {
            failures.set(key, to: Entry(kept: error, at: now, life: life), bytes: 64 + 2 * key.bytes)
        }
        if !isAnswer, let slot = answers.use(key), let old = answers[slot] { return .success(old.kept) }
        return .failure(error)
    }

    /// Keeps what an archive had, however old, to fall back on.
    mutating func adopt(_ answer: Answer, for key: Key, at: Int) {
        if answers.slot(of: key) == nil { keep(answer, for: key, at: at) }
    }

    private mutating func keep(_ answer: Answer, for key: Key, at: Int) {
        let life = lives.answer - Int(Double(lives.answer) * lives.answerJitter * environment.random())
        answers.set(key, to: Entry(kept: answer, at: at, life: life), bytes: size(key, answer))
        failures.remove(key)
    }

    var entryCount: Int { answers.count + failures.count }
    var bytes: Int { answers.bytes + failures.bytes }
    var evictions: Int { answers.evictions }
}

/// What a flight brings.
enum AnswerOutcome<Answer: Sendable>: Sendable {
    case answered(Answer)
    /// The archive had it since this time (unix seconds).
    case archived(Answer, at: Int)
    case failed(WeatherError)
}
