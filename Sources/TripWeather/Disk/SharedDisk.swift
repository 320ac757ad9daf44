internal import CurlTransport
internal import EventLoop
internal import Storage
internal import Weather

/// What this process shares with others, and with itself after a restart, through the folder `cache.folder`.
struct SharedDisk: Sendable {
    /// What kind of process it is.
    enum Sharer: Sendable {
        /// Answers many, and waits for the disk only shortly.
        case daemon
        /// Answers one, knows nothing by itself, and asks the more of the disk.
        case commonGateway
    }

    let cache: SQLiteDiskCache
    private let store: DisposableStore
    private let folder: String
    private let sharer: Sharer
    private let transfersAtOnce: Int
    private let timeLimit: TimeLimit
    private let log: Log

    /// Nil where no folder is configured.
    init?(_ configuration: Configuration, _ sharer: Sharer, home: EventLoop, log: Log) {
        let folder = configuration.cacheFolder
        guard !folder.isEmpty else { return nil }
        var limits = DiskLimits()
        limits.weatherTTL = configuration.weatherCache.staleIfError
        limits.placeTTL = configuration.placeCache.ttl
        let isDaemon = sharer == .daemon
        let timeLimit = TimeLimit(
            scheduler: LoopScheduler(home: home),
            limit: min(isDaemon ? .milliseconds(500) : .seconds(2), configuration.site.deadline))
        let store = DisposableStore(
            DiskSchema.options(folder: folder, busyTimeout: timeLimit.limit, limits: limits)
        ) { message in
            log.write("cache-disk", level: "warning", [("message", message)])
            log.flush()
        }
        cache = SQLiteDiskCache(
            store, limits: limits, timeLimit: timeLimit, holdsWrites: !isDaemon,
            unixTime: { Int(unixTimeNow()) }, log: log)
        self.store = store
        self.folder = folder
        self.sharer = sharer
        transfersAtOnce = configuration.curl.transfersAtOnce
        self.timeLimit = timeLimit
        self.log = log
    }

    /// The limits of upstream, which hold over all processes.
    func limits(_ policy: UpstreamLimits.Policy) -> SharedLimits {
        SharedLimits(
            store, budget: policy.budget, transfersAtOnce: transfersAtOnce,
            sharesTransfers: sharer == .commonGateway, timeLimit: timeLimit)
    }

    /// Writes what waits, and closes the file; what takes longer is left.
    func finish(within limit: Duration) async {
        cache.releaseWrites()
        _ = await TimeLimit(scheduler: timeLimit.scheduler, limit: limit + .milliseconds(200)).wait {
            [store] in
            await store.close(within: limit)
        }
    }

    /// The numbers of the disk, for `/metrics`.
    func writeMetrics(to text: inout MetricsText) {
        text.write(reads: cache.counters, writes: cache.writes, file: store.counters)
    }
}
