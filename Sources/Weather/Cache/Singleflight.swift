internal import Synchronization

/// Where a cache's values come from: upstream, and a disk that other processes share.
protocol CacheSource: Sendable {
    associatedtype Key: CacheKey
    /// What upstream needs to know to answer for a key.
    associatedtype Question: Sendable
    associatedtype Value: Sendable

    /// Nil if there is none, or these values aren't kept on it.
    var disk: (any DiskCache)? { get }
    /// The most questions that upstream takes at once.
    var questionsAtOnce: Int { get }

    /// Asks upstream. A result for each question, in the same order.
    func ask(
        _ questions: [Question], until deadline: ContinuousClock.Instant
    ) async -> [Result<Value, WeatherError>]

    /// A new value, with what it takes over from the one before.
    func renewed(_ new: Value, after old: Value) -> Value

    /// What a value costs in memory.
    func bytes(of value: Value, for key: Key) -> Int

    /// What the disk has of each key, in the same order.
    func records(of keys: [Key]) async -> [DiskRecord<Value>]

    /// Queues a value for the disk.
    func save(_ entry: DiskEntry<Value>, for key: Key)
}

extension CacheSource {
    func renewed(_ new: Value, after old: Value) -> Value { new }

    var questionsAtOnce: Int { 1 }
}

/// A cache whose readers share calls to upstream, in shards with a mutex each, for all event loops.
///
/// A call has a task of its own under the configured time, never a waiter's. Joining, leaving and completing happen
/// under the shard's mutex; waiters are told, and tasks started and cancelled, after it is released. A call is
/// cancelled when its last waiter leaves, and out of the table before that, so that nobody joins one that has been.
final class Singleflight<Source: CacheSource>: Sendable {
    typealias Key = Source.Key
    typealias Question = Source.Question
    typealias Shard = CacheShard<Source>

    private final class Box: Sendable {
        let shard: Mutex<Shard>

        init(_ shard: Shard) {
            self.shard = Mutex(shard)
        }
    }

    private let source: Source
    private let ttl: EntryTTL
    private let environment: CacheEnvironment
    private let boxes: [Box]
    private let lastWaiter = Atomic<UInt64>(0)

    init(_ source: Source, ttl: EntryTTL, bounds: CacheBounds, environment: CacheEnvironment) {
        self.source = source
        self.ttl = ttl
        self.environment = environment
        boxes = (0..<bounds.effectiveShards).map { _ in Box(Shard(ttl: ttl, bounds: bounds)) }
    }

    /// Must not block, nor call the cache.
    private func withShard<R: Sendable>(of key: Key, _ body: (inout Shard) -> R) -> R {
        boxes[Int(key.spread % UInt(boxes.count))].shard.withLock { body(&$0) }
    }

    // MARK: Looking

    /// What can be answered at once, with a refresh behind if the entry is old. Nil if `results` must be asked.
    ///
    /// Needs no task, and takes one mutex for a moment.
    ///
    /// - Parameters:
    ///   - failures: Whether a failure that is remembered is an answer.
    ///   - payer: Whose share of the budget a refresh is taken from.
    ///   - question: What upstream is asked to refresh a value.
    func hit(
        _ key: Key, failures: Bool, payer: () -> RequestBudget?, question: (Source.Value) -> Question
    ) -> Shard.Result? {
        let now = environment.unixSeconds
        guard
            let (result, refresh) = withShard(
                of: key, { $0.hit(key, at: now, failures: failures, question: question) })
        else { return nil }
        if let refresh { RequestBudget.$current.withValue(payer()) { start([refresh], refresh.task) } }
        return result
    }

    /// How long a failure is still remembered: asking helps from then on. Nil if it does at once.
    func retryAfter(_ key: Key) -> Duration? {
        let now = environment.unixSeconds
        return withShard(of: key) { $0.failureSecondsLeft(key, at: now) }.map { .seconds($0) }
    }

    /// Counts an entry again whose value has grown, if it still holds that value.
    func resize(_ key: Key, of value: Source.Value, if isIt: (Source.Value) -> Bool) {
        let bytes = source.bytes(of: value, for: key)
        withShard(of: key) { $0.resize(key, to: bytes, if: isIt) }
    }

    var counters: CacheCounters {
        boxes.reduce(into: CacheCounters()) { total, box in total += box.shard.withLock { $0.total } }
    }

    /// Sees to it that upstream is asked for what isn't known, whoever waits. Returns whether a call was started.
    func prefetch(_ key: Key, _ question: Question) -> Bool {
        let now = environment.unixSeconds
        guard let call = withShard(of: key, { $0.prefetch(key, question, at: now) }) else { return false }
        start([call], call.task)
        return true
    }

    // MARK: Waiting

    /// The answers for some keys, from the cache or from upstream.
    ///
    /// If all that have to be waited for have an old value to fall back on, they are waited for a moment only.
    /// Cancelling the task leaves the calls.
    ///
    /// - Parameters:
    ///   - questions: Each key once. Those that upstream must be asked for share its questions.
    ///   - refresh: Ask past fresh entries.
    ///   - deadline: The caller's own; a call has the configured time.
    func results(
        for questions: [(key: Key, question: Question)], refresh: Bool = false,
        until deadline: ContinuousClock.Instant
    ) async -> [Shard.Result] {
        let first = lastWaiter.add(UInt64(questions.count), ordering: .relaxed).oldValue + 1
        let group = WaiterGroup<Shard.Result>(count: questions.count)
        return await withTaskCancellationHandler {
            let hasOld = join(questions, first, group, refresh: refresh, until: deadline)
            guard !group.isComplete else { return await group.all() }
            let limit = hasOld ? min(deadline, environment.now().advanced(by: ttl.staleWait)) : deadline
            let timer = environment.scheduler.timer(at: limit) {
                self.leave(questions, first, isCancelled: false)
            }
            defer { timer.cancel() }
            return await group.all()
        } onCancel: {
            leave(questions, first, isCancelled: true)
        }
    }

    /// Returns whether all that wait have something to fall back on.
    private func join(
        _ questions: [(key: Key, question: Question)], _ first: UInt64, _ group: WaiterGroup<Shard.Result>,
        refresh: Bool, until deadline: ContinuousClock.Instant
    ) -> Bool {
        let now = environment.unixSeconds
        let isLate = environment.now() >= deadline
        var hasOld = true
        var task = CallTask()
        var calls: [Shard.Call] = []
        for (index, (key, question)) in questions.enumerated() {
            let waiter = Shard.Waiter(group: group, index: index, isRefresh: refresh)
            // The task's cancellation is looked at under the mutex: a leaving that came before found no waiter,
            // and one that comes after will find it.
            let joining = withShard(of: key) { shard in
                if Task.isCancelled { return Shard.Joining(result: .failure(.cancelled)) }
                return shard.join(
                    key, question, waiter, as: first + UInt64(index), isLate: isLate, task: task, at: now)
            }
            if let call = joining.call { calls.append(call) }
            if let result = joining.result { waiter.end(result) } else { hasOld = hasOld && joining.hasOld }
            if calls.count >= max(1, source.questionsAtOnce) {
                start(calls, task)
                calls = []
                task = CallTask()
            }
        }
        if !calls.isEmpty { start(calls, task) }
        return hasOld
    }

    private func leave(
        _ questions: [(key: Key, question: Question)], _ first: UInt64, isCancelled: Bool
    ) {
        let (now, chance) = (environment.unixSeconds, environment.random())
        for (index, (key, _)) in questions.enumerated() {
            let left = withShard(of: key) {
                $0.leave(key, first + UInt64(index), isCancelled: isCancelled, at: now, chance: chance)
            }
            guard let left else { continue }
            left.abandoned?.task.end(isAbandoned: true)
            if let failure = left.failure { source.disk?.save(failure, for: key.name) }
            left.waiter.end(left.result)
        }
    }

    // MARK: Calls

    /// Starts the task of calls. Those that it leaves open fail for want of time.
    private func start(_ calls: [Shard.Call], _ task: CallTask) {
        let deadline = environment.now().advanced(by: environment.callDeadline.value)
        let timer = environment.scheduler.timer(at: deadline.advanced(by: environment.grace)) {
            for call in calls { self.complete(call, with: .failure(.outOfTime)) }
            task.cancel()
        }
        task.attach(
            environment.scheduler.start { [self] in
                let open = await run(calls, until: deadline)
                timer.cancel()
                // Another process was asking for these, and remembers its own failure.
                for call in open { complete(call, with: .failure(.outOfTime), isShared: false) }
            })
    }

    /// Brings calls to their end by the disk, by another process or by upstream. Returns those that are left open.
    private func run(_ calls: [Shard.Call], until deadline: ContinuousClock.Instant) async -> [Shard.Call] {
        guard let disk = source.disk else {
            await ask(calls, until: deadline)
            return []
        }
        var open = calls
        var claimed: Set<Key> = []
        while !open.isEmpty, !Task.isCancelled, environment.now() < deadline {
            open = await adoptRecords(of: open, claimed: &claimed)
            // What was claimed was looked for again since: whoever had the claim before has answered by then.
            let ready = open.filter { claimed.contains($0.key) }
            if !ready.isEmpty {
                await ask(ready, until: deadline)
                open.removeAll { claimed.contains($0.key) }
                claimed = []
                continue
            }
            guard !open.isEmpty else { break }
            let isOurs = await disk.claim(
                open.map(\.key.name), for: environment.now().duration(to: deadline))
            for (call, isOurs) in zip(open, isOurs) where isOurs { claimed.insert(call.key) }
            if claimed.isEmpty {
                let next = environment.now().advanced(by: environment.claimPoll)
                await environment.scheduler.pause(until: min(next, deadline))
            }
        }
        for key in claimed { disk.release(key.name) }
        return open
    }

    /// Completes the calls for which the disk has what is needed; returns the others.
    private func adoptRecords(of calls: [Shard.Call], claimed: inout Set<Key>) async -> [Shard.Call] {
        let records = await source.records(of: calls.map(\.key))
        var open: [Shard.Call] = []
        for (index, call) in calls.enumerated() {
            if let completion = index < records.count ? adopt(records[index], for: call) : nil {
                if claimed.remove(call.key) != nil { source.disk?.release(call.key.name) }
                finish(completion)
            } else {
                open.append(call)
            }
        }
        return open
    }

    private func adopt(_ record: DiskRecord<Source.Value>, for call: Shard.Call) -> Shard.Completion? {
        guard record.entry != nil || record.failure != nil else { return nil }
        let bytes = record.entry.map { source.bytes(of: $0.value, for: call.key) } ?? 0
        let (now, chance) = (environment.unixSeconds, environment.random())
        return withShard(of: call.key) {
            $0.adopt(record, for: call, bytes: bytes, at: now, chance: chance)
        }
    }

    private func ask(_ calls: [Shard.Call], until deadline: ContinuousClock.Instant) async {
        let results = await source.ask(calls.map(\.question), until: deadline)
        for (index, call) in calls.enumerated() {
            let missing = WeatherError.unreadable(path: "[\(index)]: \(results.count) answers")
            complete(call, with: index < results.count ? results[index] : .failure(missing))
        }
    }

    /// Ends a call: keeps what it brought, here and on disk, and tells its waiters. What comes after it was
    /// abandoned is dropped.
    private func complete(
        _ call: Shard.Call, with outcome: Result<Source.Value, WeatherError>, isShared: Bool = true
    ) {
        let key = call.key
        let outcome = outcome.map { new in
            withShard(of: key) { $0.value(key) }.map { source.renewed(new, after: $0) } ?? new
        }
        var bytes = 0
        if case .success(let value) = outcome { bytes = source.bytes(of: value, for: key) }
        let (now, chance) = (environment.unixSeconds, environment.random())
        let completion = withShard(of: key) {
            $0.complete(call, with: outcome, bytes: bytes, at: now, chance: chance)
        }
        if let completion { finish(completion) }
        guard let disk = source.disk, isShared else { return }
        // Each of these gives the claim back, too.
        if completion != nil, case .success(let value) = outcome {
            source.save(DiskEntry(value, fetchedAt: now), for: key)
        } else if let failure = completion?.failure {
            disk.save(failure, for: key.name)
        } else {
            disk.release(key.name)
        }
    }

    private func finish(_ completion: Shard.Completion) {
        completion.call.task.end(isAbandoned: false)
        for waiter in completion.waiters { waiter.end(completion.result) }
        if let refresh = completion.refresh { start([refresh], refresh.task) }
    }
}

/// The task that one or several calls share. It is cancelled when all of them are over and the last was abandoned,
/// even if that was before it started.
final class CallTask: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// Calls under way, and one for whoever is still adding calls and hasn't attached the task.
        var open = 1
        /// Whether the last one to end was abandoned: then nobody needs the task. One that was answered lets it
        /// finish its work.
        var isAbandoned = false
    }

    private let state = Mutex(State())

    func addCall() {
        state.withLock { $0.open += 1 }
    }

    /// All calls are added, and this task runs for them.
    func attach(_ task: Task<Void, Never>) {
        end(with: { $0.task = task })
    }

    /// A call has its answer, or was left by its last waiter.
    func end(isAbandoned: Bool) {
        end(with: { $0.isAbandoned = isAbandoned })
    }

    /// The task is out of time, whatever waits.
    func cancel() {
        state.withLock { $0.task }?.cancel()
    }

    private func end(with change: (inout sending State) -> Void) {
        let unwanted = state.withLock { state -> Task<Void, Never>? in
            change(&state)
            state.open -= 1
            return state.open == 0 && state.isAbandoned ? state.task : nil
        }
        unwanted?.cancel()
    }
}
