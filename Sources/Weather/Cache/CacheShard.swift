/// How old what is answered is, and why.
package enum Freshness: Sendable, Hashable {
    /// As new as the service has it.
    case fresh
    /// Past its freshness, with a refresh on its way where there are any behind answers.
    case revalidating
    /// The last refresh failed with this; the value is the one before. Indirect, so that a fresh answer is small.
    indirect case error(WeatherError)
}

/// An entry as a shard hands it out.
struct CacheAnswer<Value: Sendable>: Sendable {
    var value: Value
    /// Seconds since 1970.
    var fetchedAt: Int
    /// Seconds since then, 0 or more.
    var age: Int
    var freshness: Freshness
    /// After a failure: seconds for which it is remembered, so that upstream isn't asked. Nil if it would be.
    var retryAfter: Int?
    /// Whether upstream was asked for it.
    var wasAsked = false
}

/// One call to upstream, as its task knows it.
struct CacheCall<Key: CacheKey>: Sendable {
    let key: Key
    let number: UInt64
    let task: CallTask
    /// When what is kept was fetched (unix seconds); nil if nothing is.
    let knownAt: Int?
    /// When somebody asked past fresh weather (unix seconds); nil for any other call.
    let forcedAt: Int?
    /// Nothing on disk that was fetched before this (unix seconds) will do.
    let notBefore: Int
}

/// One part of a cache: its entries, the failures of keys without one, and the calls under way, all of which one
/// mutex guards, so that nothing is asked between a call's completion and the keeping of its answer.
///
/// Time and chance are told to it: it only decides.
struct CacheShard<Key: CacheKey, Value: Sendable>: Sendable {
    typealias Answer = CacheAnswer<Value>
    typealias Result = Swift.Result<Answer, WeatherError>
    typealias Call = CacheCall<Key>

    /// Who is told what came of a wait.
    struct Waiter: Sendable {
        let group: WaiterGroup<Result>
        let index: Int
        /// Asks past fresh entries, and is told if that came to nothing.
        let isRefresh: Bool

        func end(_ result: Result) { group.deliver(result, at: index) }
    }

    /// What there is under a key.
    enum Look: Sendable {
        /// Answer this; nothing is to be asked.
        case answer(Answer)
        /// Answer this, and refresh behind.
        case answerAndRefresh(Answer)
        /// Wait for a call, with this to fall back on.
        case wait(Answer)
        /// Upstream failed just now, and there is nothing else.
        case failed(WeatherError)
        case missing
    }

    /// What becomes of somebody who asks.
    enum Joining: Sendable {
        case answered(Result)
        /// Waits for a call, which is to be started if it is given. With `hasOld` there is something to fall back
        /// on.
        case waits(Call?, hasOld: Bool)
        /// Answered at once, and this call is to be started behind.
        case refreshes(Answer, Call)
    }

    /// What a call brings.
    enum Outcome: Sendable {
        case fetched(Value)
        case failed(WeatherError)
    }

    /// What is to be done once a call is complete.
    struct Completion: Sendable {
        let call: Call
        let waiters: [Waiter]
        let result: Result
        /// The failure, if it is to be remembered.
        var failure: Failure?
        /// A call to start behind.
        var refresh: Call?
    }

    struct Failure: Sendable {
        let error: WeatherError
        let at: Int
        let seconds: Int

        /// A clock that was set back ends it too.
        func isRemembered(at now: Int) -> Bool {
            now >= at && now - at < seconds
        }

        func secondsLeft(at now: Int) -> Int? {
            isRemembered(at: now) ? at + seconds - now : nil
        }
    }

    private struct Entry: Sendable {
        var value: Value
        var fetchedAt: Int
        var freshUntil: Int
        /// The last refresh failed, and none has succeeded since.
        var failure: Failure?
        /// When somebody last asked past a fresh entry.
        var forcedAt: Int?
    }

    private let ttl: EntryTTL
    private var entries: LRUTable<Key, Entry>
    /// They stand apart, so that neither an outage nor mistyped names push an entry out.
    private var failures: LRUTable<Key, Failure>
    private var calls: [Key: SingleflightState<Waiter, Call>] = [:]
    private var lastCall: UInt64 = 0
    private var counters = CacheCounters()

    init(ttl: EntryTTL, bounds: CacheBounds) {
        self.ttl = ttl
        entries = LRUTable(count: bounds.entriesInShard, bytes: bounds.bytesInShard)
        failures = LRUTable(count: max(64, bounds.entriesInShard / 4), bytes: 64 << 10)
    }

    // MARK: Looking

    mutating func look(_ key: Key, at now: Int) -> Look {
        guard let slot = entries.use(key), let entry = entries[slot] else {
            return lookWithoutEntry(key, at: now)
        }
        let age = max(0, now - entry.fetchedAt)
        // A clock that was set back makes nothing fresh for longer.
        let isFromFuture = entry.fetchedAt > now + 60
        var answer = Answer(
            value: entry.value, fetchedAt: entry.fetchedAt, age: age, freshness: .fresh)
        if now < entry.freshUntil, !isFromFuture { return .answer(answer) }
        guard age < ttl.staleIfError else { return lookWithoutEntry(key, at: now) }
        let factor = min(max(1, ttl.freshnessFactor()), 24)
        let freshUntil = entry.fetchedAt + Int(Double(entry.freshUntil - entry.fetchedAt) * factor)
        if let failure = entry.failure {
            answer.freshness = .error(failure.error)
            answer.retryAfter = failure.secondsLeft(at: now)
            if answer.retryAfter != nil { return .answer(answer) }
        } else if now < freshUntil, !isFromFuture {
            return .answer(answer)
        } else {
            answer.freshness = .revalidating
        }
        guard now < freshUntil + ttl.staleWhileRevalidate else { return .wait(answer) }
        return ttl.refreshesInBackground ? .answerAndRefresh(answer) : .answer(answer)
    }

    private mutating func lookWithoutEntry(_ key: Key, at now: Int) -> Look {
        guard let slot = failures.use(key), let failure = failures[slot], failure.isRemembered(at: now)
        else { return .missing }
        return .failed(failure.error)
    }

    /// What there is, however old, as long as it may be shown.
    private mutating func old(_ key: Key, at now: Int) -> Answer? {
        switch look(key, at: now) {
        case .answer(let answer), .answerAndRefresh(let answer), .wait(let answer): answer
        case .failed, .missing: nil
        }
    }

    /// Seconds for which a failure of this key is still remembered; nil if none is.
    func failureSecondsLeft(_ key: Key, at now: Int) -> Int? {
        if let slot = entries.slot(of: key), let failure = entries[slot]?.failure {
            return failure.secondsLeft(at: now)
        }
        return failures.slot(of: key).flatMap { failures[$0]?.secondsLeft(at: now) }
    }

    private func fetchedAt(_ key: Key) -> Int? {
        entries.slot(of: key).flatMap { entries[$0]?.fetchedAt }
    }

    // MARK: Asking

    /// What can be answered at once, and the call to start behind it; nil if somebody has to wait. A failure that
    /// is remembered is an answer only to those who want it so.
    mutating func hit(_ key: Key, at now: Int, task: CallTask?, failures wantsFailures: Bool) -> (
        result: Result, refresh: Call?
    )? {
        switch look(key, at: now) {
        case .answer(let answer):
            count(answer)
            return (.success(answer), nil)
        case .answerAndRefresh(let answer):
            count(answer)
            return (.success(answer), startBehind(key, knownAt: answer.fetchedAt, task: task))
        case .failed(let error) where wantsFailures:
            counters.negativeHits += 1
            return (.failure(error), nil)
        case .wait, .failed, .missing: return nil
        }
    }

    /// Somebody asks, and waits if there is no answer.
    ///
    /// - Parameters:
    ///   - isLate: The asker has no time left: it joins nothing.
    ///   - task: The task of the call, should one have to be started.
    mutating func join(
        _ key: Key, _ waiter: Waiter, as number: UInt64, isLate: Bool, task: CallTask, at now: Int
    ) -> Joining {
        let forcedAt = waiter.isRefresh && mayForce(key, at: now) ? now : nil
        var old: Answer?
        switch look(key, at: now) {
        case .answer(let answer):
            old = answer
            if forcedAt == nil {
                count(answer)
                return .answered(.success(answer))
            }
        case .answerAndRefresh(let answer):
            old = answer
            if forcedAt == nil {
                count(answer)
                return startBehind(key, knownAt: answer.fetchedAt, task: task).map { .refreshes(answer, $0) }
                    ?? .answered(.success(answer))
            }
        case .wait(let answer): old = answer
        case .failed(let error):
            counters.negativeHits += 1
            return .answered(.failure(error))
        case .missing: break
        }
        if isLate {
            if let old { count(old) }
            return .answered(old.map { .success($0) } ?? .failure(.outOfTime))
        }
        if forcedAt != nil, let slot = entries.slot(of: key) { entries[slot]?.forcedAt = now }
        let hasOld = old != nil && !waiter.isRefresh
        if calls[key] != nil {
            calls[key]?.join(waiter, as: number)
            counters.joined += 1
            return .waits(nil, hasOld: hasOld)
        }
        counters.misses += 1
        let call = newCall(key, knownAt: fetchedAt(key), forcedAt: forcedAt, task: task, at: now)
        calls[key, default: .idle].start(number: call.number, call, waiters: [number: waiter])
        return .waits(call, hasOld: hasOld)
    }

    /// Whether a key may be asked past its fresh entry: at most once in a while, and not while a failure is
    /// remembered.
    private func mayForce(_ key: Key, at now: Int) -> Bool {
        guard let slot = entries.slot(of: key), let entry = entries[slot] else { return true }
        if let failure = entry.failure, failure.isRemembered(at: now) { return false }
        guard let forcedAt = entry.forcedAt, now >= forcedAt else { return true }
        return now - forcedAt >= ttl.refreshAtMostEvery
    }

    /// A call that nobody waits for but the cache. Nil if one is under way, which the cache then waits for.
    private mutating func startBehind(_ key: Key, knownAt: Int, task: CallTask?) -> Call? {
        if calls[key] != nil {
            calls[key]?.goOn()
            return nil
        }
        counters.refreshes += 1
        let call = newCall(key, knownAt: knownAt, forcedAt: nil, task: task ?? CallTask(), at: 0)
        calls[key, default: .idle].start(number: call.number, call)
        return call
    }

    private mutating func newCall(
        _ key: Key, knownAt: Int?, forcedAt: Int?, task: CallTask, at now: Int
    ) -> Call {
        lastCall += 1
        task.addCall()
        // What another process has just fetched will do for a key that isn't kept here.
        let notBefore = forcedAt.map { knownAt == nil ? $0 - ttl.refreshAtMostEvery + 1 : $0 }
        return Call(
            key: key, number: lastCall, task: task, knownAt: knownAt, forcedAt: forcedAt,
            notBefore: notBefore ?? .min)
    }

    /// A waiter leaves. Nil if it has had its answer, or hasn't come yet; else what to tell it, and its call if
    /// that is to be cancelled.
    ///
    /// Whoever is out of time gets what is kept, if anything is, and leaves the cache in its place, so that the
    /// next reader has something newer.
    mutating func leave(_ key: Key, _ number: UInt64, isCancelled: Bool, at now: Int, chance: Double) -> (
        waiter: Waiter, result: Result, abandoned: Call?, failure: Failure?
    )? {
        guard calls[key] != nil else { return nil }
        let old = isCancelled ? nil : old(key, at: now)
        let mayGoOn = old != nil && ttl.refreshesInBackground
        let leaving = calls[key]?.leave(number) { mayGoOn && !$0.isRefresh }
        switch leaving {
        case nil, .unknown: return nil
        case .left(let waiter):
            return (waiter, outOfTime(old, waiter, isCancelled: isCancelled), nil, nil)
        case .abandoned(let waiter, let call):
            calls[key] = nil
            counters.cancelled += 1
            var result = outOfTime(old, waiter, isCancelled: isCancelled)
            var failure: Failure?
            if !isCancelled, !ttl.refreshesInBackground, old != nil {
                // Nobody goes on asking: the next ones shall not wait in vain as well.
                (result, failure) = note(.outOfTime, for: key, at: now, chance: chance)
            }
            return (waiter, result, call, failure)
        }
    }

    private mutating func outOfTime(_ old: Answer?, _ waiter: Waiter, isCancelled: Bool) -> Result {
        guard !isCancelled else { return .failure(.cancelled) }
        guard var old else { return .failure(.outOfTime) }
        count(old)
        if waiter.isRefresh { old.freshness = .error(.outOfTime) }
        return .success(old)
    }

    // MARK: Completing

    /// Ends a call, and keeps what it brought. Nil if it was abandoned before: then nothing of it is kept.
    mutating func complete(
        _ call: Call, with outcome: Outcome, bytes: Int, at now: Int, chance: Double
    ) -> Completion? {
        guard let completed = calls[call.key]?.complete(call.number) else { return nil }
        calls[call.key] = nil
        switch outcome {
        case .fetched(let value):
            counters.successes += 1
            keep(
                value, for: call.key, fetchedAt: now, bytes: bytes, forcedAt: call.forcedAt, chance: chance)
            let answer = Answer(value: value, fetchedAt: now, age: 0, freshness: .fresh, wasAsked: true)
            return Completion(call: call, waiters: completed.waiters, result: .success(answer))
        case .failed(let error):
            if error != .cancelled { counters.failures += 1 }
            let (result, failure) = note(error, for: call.key, at: now, chance: chance)
            return Completion(
                call: call, waiters: completed.waiters, result: result, failure: failure)
        }
    }

    /// Takes over what the disk has of a key, from another process or from before a restart. If that is enough, it
    /// ends the call.
    ///
    /// - Parameter bytes: The size of the record's value.
    mutating func adopt(
        _ record: DiskRecord<Value>, for call: Call, bytes: Int, task: CallTask, at now: Int, chance: Double
    ) -> Completion? {
        let key = call.key
        guard calls[key]?.isRunning(call.number) == true else { return nil }
        if let entry = record.entry, now - entry.fetchedAt < ttl.staleIfError,
            entry.fetchedAt > fetchedAt(key) ?? .min
        {
            keep(
                entry.value, for: key, fetchedAt: entry.fetchedAt, bytes: bytes, forcedAt: nil,
                chance: chance)
        }
        if let failure = record.failure, failure.failedAt >= fetchedAt(key) ?? .min {
            // Remembered no longer than this process would.
            let most = ttl.seconds(of: failure.error, chance: 0)
            let seconds = min(failure.seconds, most)
            remember(Failure(error: failure.error, at: failure.failedAt, seconds: seconds), for: key, at: now)
        }
        let result: Result
        var refresh = false
        switch look(key, at: now) {
        case .answer(let answer):
            let isNews = answer.fetchedAt >= call.notBefore && answer.fetchedAt > call.knownAt ?? .min
            guard isNews || answer.retryAfter != nil else { return nil }
            result = .success(answer)
        case .answerAndRefresh(let answer):
            // Readers of a cold key get what there is at once. One that is being refreshed has that already.
            guard call.knownAt == nil, call.forcedAt == nil else { return nil }
            result = .success(answer)
            refresh = true
        case .failed(let error): result = .failure(error)
        case .wait, .missing: return nil
        }
        guard let completed = calls[key]?.complete(call.number) else { return nil }
        calls[key] = nil
        counters.diskHits += 1
        var completion = Completion(call: call, waiters: completed.waiters, result: result)
        if refresh, case .success(let answer) = result {
            completion.refresh = startBehind(key, knownAt: answer.fetchedAt, task: task)
        }
        return completion
    }

    /// A failure is noted beside what is kept, never in its place, unless it is an answer itself: that there is no
    /// such place.
    private mutating func note(_ error: WeatherError, for key: Key, at now: Int, chance: Double) -> (
        Result, Failure?
    ) {
        let failure = Failure(error: error, at: now, seconds: ttl.seconds(of: error, chance: chance))
        remember(failure, for: key, at: now)
        // Whoever failed may be asked again at once to refresh, but for what is remembered.
        if let slot = entries.slot(of: key) { entries[slot]?.forcedAt = nil }
        let lasting = failure.seconds > 0 ? failure : nil
        guard let slot = entries.use(key), let entry = entries[slot],
            now - entry.fetchedAt < ttl.staleIfError
        else { return (.failure(error), lasting) }
        let answer = Answer(
            value: entry.value, fetchedAt: entry.fetchedAt, age: max(0, now - entry.fetchedAt),
            freshness: .error(error), retryAfter: failure.secondsLeft(at: now), wasAsked: true)
        return (.success(answer), lasting)
    }

    private mutating func remember(_ failure: Failure, for key: Key, at now: Int) {
        if case .noSuchPlace = failure.error { entries.remove(key) }
        if let slot = entries.slot(of: key), let entry = entries[slot] {
            if failure.error != .cancelled { entries[slot]?.failure = failure }
            if now - entry.fetchedAt < ttl.staleIfError { return }
        }
        if failure.seconds > 0 { failures.set(key, to: failure, bytes: 64 + 2 * key.bytes) }
    }

    private mutating func keep(
        _ value: Value, for key: Key, fetchedAt: Int, bytes: Int, forcedAt: Int?, chance: Double
    ) {
        let before = entries.slot(of: key).flatMap { entries[$0]?.forcedAt }
        entries.set(
            key,
            to: Entry(
                value: value, fetchedAt: fetchedAt, freshUntil: ttl.freshUntil(fetchedAt, chance),
                forcedAt: forcedAt ?? before), bytes: bytes)
        failures.remove(key)
    }

    /// Counts an entry again whose value has grown or shrunk, if it still holds that value.
    mutating func resize(_ key: Key, to bytes: Int, if isIt: (Value) -> Bool) {
        guard let slot = entries.slot(of: key), let entry = entries[slot], isIt(entry.value) else { return }
        entries.resize(slot, to: bytes)
    }

    // MARK: Counting

    private mutating func count(_ answer: Answer) {
        if answer.freshness == .fresh { counters.hits += 1 } else { counters.stale += 1 }
    }

    /// What was counted, and what is held now.
    var total: CacheCounters {
        var total = counters
        total.calls = calls.count
        total.waiters = calls.values.reduce(0) { $0 + $1.waiterCount }
        total.entries = entries.count
        total.bytes = entries.bytes + failures.bytes
        total.evictions = entries.evictions
        return total
    }
}
