internal import Weather

/// The caches' numbers as metrics.
enum CacheMetrics {
    static func write(weather: CacheCounters, places: CacheCounters, to text: inout MetricsText) {
        let caches = [("weather", weather), ("places", places)]
        text.family("cache_requests_total", .counter, "Questions to a cache by how they were answered.")
        for (name, counters) in caches {
            for (result, count) in [
                ("hit", counters.hits), ("stale", counters.stale), ("miss", counters.misses),
                ("shared", counters.joined), ("negative", counters.negativeHits),
                ("disk", counters.diskHits),
            ] {
                text.sample("cache_requests_total", [("cache", name), ("result", result)], count)
            }
        }
        text.family("cache_calls_total", .counter, "Calls to upstream by how they ended.")
        for (name, counters) in caches {
            for (outcome, count) in [
                ("success", counters.successes), ("failure", counters.failures),
                ("cancelled", counters.cancelled),
            ] {
                text.sample("cache_calls_total", [("cache", name), ("outcome", outcome)], count)
            }
        }
        gauge("cache_entries", "Entries in memory.", \.entries, caches, to: &text)
        gauge("cache_bytes", "Bytes in memory, as counted.", \.bytes, caches, to: &text)
        gauge("cache_calls", "Calls under way.", \.calls, caches, to: &text)
        gauge("cache_waiters", "Who waits for calls.", \.waiters, caches, to: &text)
        text.family("cache_evictions_total", .counter, "Entries that made room for others.")
        for (name, counters) in caches {
            text.sample("cache_evictions_total", [("cache", name)], counters.evictions)
        }
    }

    private static func gauge(
        _ name: String, _ help: String, _ value: KeyPath<CacheCounters, Int>,
        _ caches: [(String, CacheCounters)],
        to text: inout MetricsText
    ) {
        text.family(name, .gauge, help)
        for (cache, counters) in caches {
            text.sample(name, [("cache", cache)], counters[keyPath: value])
        }
    }
}
