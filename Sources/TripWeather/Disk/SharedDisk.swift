internal import CurlTransport
internal import Storage
internal import Weather

/// What this process shares with others, and with itself after a restart, through the folder `cache.folder`.
struct SharedDisk: Sendable {
    let cache: SQLiteDiskCache
    /// The limits of upstream, which hold over all processes.
    let limits: SharedLimits
    private let store: DisposableStore
    private let scheduler: any CacheScheduler

    /// Nil where no folder is configured.
    ///
    /// - Parameter answersOne: For a process of one request: it knows nothing by itself, waits longer for the disk than
    ///   one that answers many, and writes behind its answer.
    init?(_ configuration: Configuration, answersOne: Bool, scheduler: any CacheScheduler, log: Log) {
        guard !configuration.cacheFolder.isEmpty else { return nil }
        var limits = DiskLimits()
        limits.weatherTTL = configuration.weatherCache.staleIfError
        limits.placeTTL = configuration.placeCache.ttl
        let waitLimit = min(answersOne ? .seconds(2) : .milliseconds(500), configuration.site.deadline)
        store = DisposableStore(
            DiskSchema.options(folder: configuration.cacheFolder, busyTimeout: waitLimit, limits: limits)
        ) { message in
            log.write("cache-disk", level: "warning", [("message", message)])
            log.flush()
        }
        cache = SQLiteDiskCache(
            store, limits: limits, scheduler: scheduler, waitLimit: waitLimit, holdsWrites: answersOne,
            unixTime: { Int(unixTimeNow()) }, log: log)
        self.limits = SharedLimits(
            store, budget: configuration.limits.budget,
            transfersAtOnce: answersOne ? configuration.curl.transfersAtOnce : nil, waitLimit: waitLimit)
        self.scheduler = scheduler
    }

    /// Writes what waits, and closes the file; what takes longer is left.
    func finish(within limit: Duration) async {
        cache.releaseWrites()
        _ = await scheduler.answer(until: .now.advanced(by: limit + .milliseconds(200))) { [store] in
            await store.close(within: limit)
        }
    }

    /// The numbers of the disk, for `/metrics`.
    func writeMetrics(to text: inout MetricsText) {
        text.write(reads: cache.counters, writes: cache.writes, file: store.counters)
    }
}
