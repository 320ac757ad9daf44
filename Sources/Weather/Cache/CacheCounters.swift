/// What a cache has counted since it was made, and what it holds now.
package struct CacheCounters: Sendable, Hashable {
    /// Answers from fresh entries.
    package var hits = 0
    /// Answers from entries past their freshness: while a refresh runs, or after one failed.
    package var stale = 0
    /// Questions that started a call and waited for it.
    package var misses = 0
    /// Questions that joined a call under way.
    package var joined = 0
    /// Calls that were started behind an answer.
    package var refreshes = 0
    /// Questions answered with a failure that is still remembered.
    package var negativeHits = 0
    /// Answers from the disk that spared a question to upstream.
    package var diskHits = 0
    /// Calls that brought an answer.
    package var successes = 0
    /// Calls that failed.
    package var failures = 0
    /// Calls that were abandoned by their last waiter.
    package var cancelled = 0
    /// Entries that made room for others.
    package var evictions = 0

    /// Calls under way.
    package var calls = 0
    /// Who waits for them, the cache itself included.
    package var waiters = 0
    package var entries = 0
    package var bytes = 0

    package init() {}

    static func += (total: inout CacheCounters, part: CacheCounters) {
        for count in counts { total[keyPath: count] += part[keyPath: count] }
    }

    private static var counts: [WritableKeyPath<CacheCounters, Int>] {
        [
            \.hits, \.stale, \.misses, \.joined, \.refreshes, \.negativeHits, \.diskHits, \.successes,
            \.failures, \.cancelled, \.evictions, \.calls, \.waiters, \.entries, \.bytes,
        ]
    }
}
