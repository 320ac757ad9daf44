/// How old what is answered is, and why.
package enum Freshness: Sendable, Hashable {
    /// As new as the service has it.
    case fresh
    /// Past its freshness, with a refresh on its way where there are any behind answers.
    case revalidating
    /// The last refresh failed with this; the value is the one before. Indirect, so that a fresh answer is small.
    indirect case error(WeatherError)
}

/// A value as the cache answers it.
package struct CacheAnswer<Value: Sendable>: Sendable {
    var value: Value
    /// When it was fetched, in seconds since 1970.
    package var fetchedAt: Int
    /// Seconds since then, 0 or more: what the field Age says.
    package var age: Int
    package var freshness: Freshness
    /// After a failed refresh: seconds for which it is remembered, so that upstream isn't asked. Nil if it would be.
    var failureSecondsLeft: Int?
    /// Whether upstream was asked for it just now.
    package var wasAsked = false

    /// After a failed refresh: how long until asking again will help. Nil if it does at once.
    package var retryAfter: Duration? { failureSecondsLeft.map { .seconds($0) } }
}

/// One part of a cache: its entries, the failures of keys without one, and the calls under way, all of which one
/// mutex guards, so that nothing is asked between a call's completion and the keeping of its answer.
///
/// Time and chance are told to it: it only decides. A waiter is handed out exactly once: when it leaves or when its
/// call completes, whichever comes first.
struct CacheShard<Source: CacheSource>: Sendable {
    typealias Key = Source.Key
    typealias Value = Source.Value
    typealias Answer = CacheAnswer<Value>
    typealias Result = Swift.Result<Answer, WeatherError>

    /// One call to upstream, as its task knows it.
    struct Call: Sendable {
        let key: Key
        /// What upstream is asked.
        let question: Source.Question
        let number: UInt64
        let task: CallTask
        /// When what is kept was fetched (unix seconds); nil if nothing is.
        let knownAt: Int?
        /// When somebody asked past fresh weather (unix seconds); nil for any other call.
        let forcedAt: Int?
        /// Nothing on disk that was fetched before this (unix seconds) will do.
        let notBefore: Int
    }

    /// Who is told what came of a wait.
    struct Waiter: Sendable {
        let group: WaiterGroup<Result>
        let index: Int
        /// Asks past fresh entries, and is told if that came to nothing.
        let isRefresh: Bool

        func end(_ result: Result) { group.deliver(result, at: index) }
    }

    /// A call under way, and for whom.
    private struct CallUnderWay: Sendable {
        let call: Call
        var waiters: [UInt64: Waiter]
        /// The cache itself wants the answer: nobody's leaving ends the call.
        var goesOn: Bool
    }

    /// What there is under a key, and what is to be done about it.
    private struct Look {
        enum Need { case nothing, refresh, call }

        /// A value, or the failure that upstream met just now if there is none.
        var result: Result?
        /// To refresh behind the answer, or to wait for a call with the value to fall back on.
        var need: Need

        /// What there is, however old, as long as it may be shown.
        var answer: Answer? {
            if case .success(let answer)? = result { answer } else { nil }
        }
    }

    /// What becomes of somebody who asks: answered, or waiting for a call.
    struct Joining: Sendable {
        var result: Result?
        /// To be started, for the asker or behind the answer.
        var call: Call?
        /// Whether who waits has something to fall back on.
        var hasOld = false
    }

    /// What is to be done once a call is complete.
    struct Completion: Sendable {
        let call: Call
        let waiters: [Waiter]
        let result: Result
        /// The failure, if it is to be remembered.
        var failure: CacheFailure?
        /// A call to start behind.
        var refresh: Call?
    }

    private struct Entry: Sendable {
        var value: Value
        var fetchedAt: Int
        var freshUntil: Int
        /// The last refresh failed, and none has succeeded since.
        var failure: CacheFailure?
        /// When somebody last asked past a fresh entry.
        var forcedAt: Int?
    }

    private let ttl: EntryTTL
    private var entries: LRUTable<Key, Entry>
    /// They stand apart, so that neither an outage nor mistyped names push an entry out.
    private var failures: LRUTable<Key, CacheFailure>
    private var calls: [Key: CallUnderWay] = [:]
    private var lastCall: UInt64 = 0
    private var counters = CacheCounters()

    init(ttl: EntryTTL, bounds: CacheBounds) {
        self.ttl = ttl
        entries = LRUTable(count: bounds.entriesInShard, bytes: bounds.bytesInShard)
        failures = LRUTable(count: max(64, bounds.entriesInShard / 4), bytes: 64 << 10)
    }

    // MARK: Looking

    private mutating func look(_ key: Key, at now: Int) -> Look {
        guard let entry = entries.use(key) else { return lookWithoutEntry(key, at: now) }
        let age = max(0, now - entry.fetchedAt)
        // A clock that was set back makes nothing fresh for longer.
        let isFromFuture = entry.fetchedAt > now + 60
        var answer = Answer(
            value: entry.value, fetchedAt: entry.fetchedAt, age: age, freshness: .fresh)
        if now < entry.freshUntil, !isFromFuture { return Look(result: .success(answer), need: .nothing) }
        guard age < ttl.staleIfError else { return lookWithoutEntry(key, at: now) }
        let factor = min(max(1, ttl.freshnessFactor()), 24)
        let freshUntil = entry.fetchedAt + Int(Double(entry.freshUntil - entry.fetchedAt) * factor)
        if let failure = entry.failure {
            answer.freshness = .error(failure.error)
            answer.failureSecondsLeft = failure.secondsLeft(at: now)
            if answer.failureSecondsLeft != nil { return Look(result: .success(answer), need: .nothing) }
        } else if now < freshUntil, !isFromFuture {
            return Look(result: .success(answer), need: .nothing)
        } else {
            answer.freshness = .revalidating
        }
        let isUsable = now < freshUntil + ttl.staleWhileRevalidate
        return Look(
            result: .success(answer),
            need: !isUsable ? .call : ttl.refreshesInBackground ? .refresh : .nothing)
    }

    private mutating func lookWithoutEntry(_ key: Key, at now: Int) -> Look {
        guard let failure = failures.use(key), failure.secondsLeft(at: now) != nil else {
            return Look(result: nil, need: .call)
        }
        return Look(result: .failure(failure.error), need: .nothing)
    }

    /// Seconds for which a failure of this key is still remembered; nil if none is.
    func failureSecondsLeft(_ key: Key, at now: Int) -> Int? {
        (entries[key]?.failure ?? failures[key])?.secondsLeft(at: now)
    }

    // MARK: Asking

    /// What can be answered at once, and the call to start behind it; nil if somebody has to wait. A failure that
    /// is remembered is an answer only to those who want it so.
    mutating func hit(
        _ key: Key, at now: Int, failures wantsFailures: Bool, question: (Value) -> Source.Question
    ) -> (result: Result, refresh: Call?)? {
        let look = look(key, at: now)
        guard let result = look.result, look.need != .call else { return nil }
        if case .failure = result, !wantsFailures { return nil }
        count(result)
        guard look.need == .refresh, let answer = look.answer else { return (result, nil) }
        return (result, startBehind(key, question(answer.value), knownAt: answer.fetchedAt, task: nil))
    }

    /// Somebody asks, and waits if there is no answer.
    ///
    /// - Parameters:
    ///   - isLate: The asker has no time left: it joins nothing.
    ///   - task: The task of the call, should one have to be started.
    mutating func join(
        _ key: Key, _ question: Source.Question, _ waiter: Waiter, as number: UInt64, isLate: Bool,
        task: CallTask, at now: Int
    ) -> Joining {
        let forcedAt = waiter.isRefresh && mayForce(key, at: now) ? now : nil
        let look = look(key, at: now)
        let old = look.answer
        if let result = look.result, look.need != .call, old == nil || forcedAt == nil {
            count(result)
            guard look.need == .refresh, let old else { return Joining(result: result) }
            return Joining(
                result: result, call: startBehind(key, question, knownAt: old.fetchedAt, task: task))
        }
        if isLate {
            let result: Result = old.map { .success($0) } ?? .failure(.outOfTime)
            if old != nil { count(result) }
            return Joining(result: result)
        }
        if forcedAt != nil { entries[key]?.forcedAt = now }
        let hasOld = old != nil && !waiter.isRefresh
        if calls[key] != nil {
            calls[key]?.waiters[number] = waiter
            counters.joined += 1
            return Joining(hasOld: hasOld)
        }
        counters.misses += 1
        let call = newCall(
            key, question, knownAt: entries[key]?.fetchedAt, forcedAt: forcedAt, task: task)
        calls[key] = CallUnderWay(call: call, waiters: [number: waiter], goesOn: false)
        return Joining(call: call, hasOld: hasOld)
    }

    /// Whether a key may be asked past its fresh entry: at most once in a while, and not while a failure is
    /// remembered.
    private func mayForce(_ key: Key, at now: Int) -> Bool {
        guard let entry = entries[key] else { return true }
        if entry.failure?.secondsLeft(at: now) != nil { return false }
        guard let forcedAt = entry.forcedAt, now >= forcedAt else { return true }
        return now - forcedAt >= ttl.refreshAtMostEvery
    }

    /// The call to start for a key of which nothing is known; nil if something is, or one is under way.
    mutating func prefetch(_ key: Key, _ question: Source.Question, at now: Int) -> Call? {
        guard look(key, at: now).result == nil else { return nil }
        return startBehind(key, question, knownAt: nil, task: nil)
    }

    /// A call that nobody waits for but the cache. Nil if one is under way, which the cache then waits for.
    private mutating func startBehind(
        _ key: Key, _ question: Source.Question, knownAt: Int?, task: CallTask?
    ) -> Call? {
        if calls[key] != nil {
            calls[key]?.goesOn = true
            return nil
        }
        counters.refreshes += 1
        let call = newCall(key, question, knownAt: knownAt, forcedAt: nil, task: task ?? CallTask())
        calls[key] = CallUnderWay(call: call, waiters: [:], goesOn: true)
        return call
    }

    private mutating func newCall(
        _ key: Key, _ question: Source.Question, knownAt: Int?, forcedAt: Int?, task: CallTask
    ) -> Call {
        lastCall += 1
        task.addCall()
        // What another process has just fetched will do for a key that isn't kept here.
        let notBefore = forcedAt.map { knownAt == nil ? $0 - ttl.refreshAtMostEvery + 1 : $0 }
        return Call(
            key: key, question: question, number: lastCall, task: task, knownAt: knownAt, forcedAt: forcedAt,
            notBefore: notBefore ?? .min)
    }

    /// A waiter leaves. Nil if it has had its answer, or hasn't come yet; else what to tell it, and its call if
    /// that is to be cancelled: nobody waits for it any more, and it is out of the table.
    ///
    /// Whoever is out of time gets what is kept, if anything is, and leaves the cache in its place, so that the
    /// next reader has something newer.
    mutating func leave(_ key: Key, _ number: UInt64, isCancelled: Bool, at now: Int, chance: Double) -> (
        waiter: Waiter, result: Result, abandoned: Call?, failure: CacheFailure?
    )? {
        guard let waiter = calls[key]?.waiters.removeValue(forKey: number) else { return nil }
        let old = isCancelled ? nil : look(key, at: now).answer
        if old != nil, ttl.refreshesInBackground, !waiter.isRefresh { calls[key]?.goesOn = true }
        var abandoned: Call?
        if let left = calls[key], left.waiters.isEmpty, !left.goesOn {
            abandoned = left.call
            calls[key] = nil
            counters.cancelled += 1
        }
        guard var old else {
            return (waiter, .failure(isCancelled ? .cancelled : .outOfTime), abandoned, nil)
        }
        count(.success(old))
        if waiter.isRefresh { old.freshness = .error(.outOfTime) }
        guard abandoned != nil, !ttl.refreshesInBackground else {
            return (waiter, .success(old), abandoned, nil)
        }
        // Nobody goes on asking: the next ones shall not wait in vain as well.
        let (noted, failure) = note(.outOfTime, for: key, at: now, chance: chance)
        return (waiter, noted, abandoned, failure)
    }

    // MARK: Completing

    /// Takes a call out of the table, and returns who waited for it. Nil if it was abandoned before.
    private mutating func end(_ call: Call) -> [Waiter]? {
        guard let ended = calls[call.key], ended.call.number == call.number else { return nil }
        calls[call.key] = nil
        return Array(ended.waiters.values)
    }

    /// Ends a call, and keeps what it brought. Nil if it was abandoned before: then nothing of it is kept.
    mutating func complete(
        _ call: Call, with outcome: Swift.Result<Value, WeatherError>, bytes: Int, at now: Int, chance: Double
    ) -> Completion? {
        guard let waiters = end(call) else { return nil }
        switch outcome {
        case .success(let value):
            counters.successes += 1
            keep(
                value, for: call.key, fetchedAt: now, bytes: bytes, forcedAt: call.forcedAt, chance: chance)
            let answer = Answer(value: value, fetchedAt: now, age: 0, freshness: .fresh, wasAsked: true)
            return Completion(call: call, waiters: waiters, result: .success(answer))
        case .failure(let error):
            if error != .cancelled { counters.failures += 1 }
            let (result, failure) = note(error, for: call.key, at: now, chance: chance)
            return Completion(call: call, waiters: waiters, result: result, failure: failure)
        }
    }

    /// Takes over what the disk has of a key, from another process or from before a restart. If that is enough, it
    /// ends the call.
    ///
    /// - Parameter bytes: The size of the record's value.
    mutating func adopt(
        _ record: DiskRecord<Value>, for call: Call, bytes: Int, at now: Int, chance: Double
    ) -> Completion? {
        let key = call.key
        guard calls[key]?.call.number == call.number else { return nil }
        if let entry = record.entry, now - entry.fetchedAt < ttl.staleIfError,
            entry.fetchedAt > entries[key]?.fetchedAt ?? .min
        {
            keep(
                entry.value, for: key, fetchedAt: entry.fetchedAt, bytes: bytes, forcedAt: nil,
                chance: chance)
        }
        if var failure = record.failure, failure.failedAt >= entries[key]?.fetchedAt ?? .min {
            // Remembered no longer than this process would.
            failure.seconds = min(failure.seconds, ttl.seconds(of: failure.error, chance: 0))
            remember(failure, for: key, at: now)
        }
        let look = look(key, at: now)
        guard let result = look.result, look.need != .call else { return nil }
        if let answer = look.answer {
            // Readers of a cold key get what there is at once. One that is being refreshed has that already.
            let isEnough =
                look.need == .refresh
                ? call.knownAt == nil && call.forcedAt == nil
                : answer.failureSecondsLeft != nil
                    || answer.fetchedAt >= call.notBefore && answer.fetchedAt > call.knownAt ?? .min
            guard isEnough else { return nil }
        }
        guard let waiters = end(call) else { return nil }
        counters.diskHits += 1
        var completion = Completion(call: call, waiters: waiters, result: result)
        if look.need == .refresh, let answer = look.answer {
            completion.refresh = startBehind(key, call.question, knownAt: answer.fetchedAt, task: nil)
        }
        return completion
    }

    /// A failure is noted beside what is kept, never in its place, unless it is an answer itself: that there is no
    /// such place.
    private mutating func note(_ error: WeatherError, for key: Key, at now: Int, chance: Double) -> (
        Result, CacheFailure?
    ) {
        let failure = CacheFailure(error, failedAt: now, seconds: ttl.seconds(of: error, chance: chance))
        remember(failure, for: key, at: now)
        // Whoever failed may be asked again at once to refresh, but for what is remembered.
        entries[key]?.forcedAt = nil
        let lasting = failure.seconds > 0 ? failure : nil
        guard let entry = entries.use(key), now - entry.fetchedAt < ttl.staleIfError else {
            return (.failure(error), lasting)
        }
        let answer = Answer(
            value: entry.value, fetchedAt: entry.fetchedAt, age: max(0, now - entry.fetchedAt),
            freshness: .error(error), failureSecondsLeft: failure.secondsLeft(at: now), wasAsked: true)
        return (.success(answer), lasting)
    }

    private mutating func remember(_ failure: CacheFailure, for key: Key, at now: Int) {
        if case .noSuchPlace = failure.error { entries.remove(key) }
        if let fetchedAt = entries[key]?.fetchedAt {
            if failure.error != .cancelled { entries[key]?.failure = failure }
            if now - fetchedAt < ttl.staleIfError { return }
        }
        if failure.seconds > 0 { failures.set(key, to: failure, bytes: 64 + 2 * key.bytes) }
    }

    private mutating func keep(
        _ value: Value, for key: Key, fetchedAt: Int, bytes: Int, forcedAt: Int?, chance: Double
    ) {
        let entry = Entry(
            value: value, fetchedAt: fetchedAt, freshUntil: ttl.freshUntil(fetchedAt, chance),
            forcedAt: forcedAt ?? entries[key]?.forcedAt)
        entries.set(key, to: entry, bytes: bytes)
        failures.remove(key)
    }

    func value(_ key: Key) -> Value? { entries[key]?.value }

    /// Counts an entry again whose value has grown or shrunk, if it still holds that value.
    mutating func resize(_ key: Key, to bytes: Int, if isIt: (Value) -> Bool) {
        if let entry = entries[key], isIt(entry.value) { entries.resize(key, to: bytes) }
    }

    // MARK: Counting

    private mutating func count(_ result: Result) {
        switch result {
        case .success(let answer) where answer.freshness == .fresh: counters.hits += 1
        case .success: counters.stale += 1
        case .failure: counters.negativeHits += 1
        }
    }

    /// What was counted, and what is held now.
    var total: CacheCounters {
        var total = counters
        total.calls = calls.count
        total.waiters = calls.values.reduce(0) { $0 + $1.waiters.count + ($1.goesOn ? 1 : 0) }
        total.entries = entries.count
        total.bytes = entries.bytes + failures.bytes
        total.evictions = entries.evictions
        return total
    }
}
