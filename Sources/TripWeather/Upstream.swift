internal import CurlTransport
internal import EventLoop
internal import Transport
internal import Weather

/// The way to Open-Meteo, put together from the configuration: caches in front of the client, limits in front of
/// libcurl, and beside them the disk that processes share.
struct Upstream: Sendable {
    let curl: CurlTransport
    let limited: LimitedTransport
    let weather: WeatherCache
    let places: PlaceCache
    let archive: ArchiveCache
    private let callDeadline: SharedDuration
    private let disk: SharedDisk?

    /// - Parameters:
    ///   - firstLoop: Also runs what no loop asks for.
    ///   - answersOne: Whether the process ends with its first answer.
    init(
        _ configuration: Configuration, firstLoop: EventLoop, otherLoops: [EventLoop] = [], answersOne: Bool,
        log: Log
    ) throws(CurlStartError) {
        let scheduler = LoopScheduler(defaultLoop: firstLoop)
        let curl = try CurlTransport(loops: [firstLoop] + otherLoops, configuration: configuration.curl) {
            request in
            // Each question that leaves, so that one can count them.
            guard log.requests == .all || log.requests == .auto else { return }
            log.write("asking", [("message", "Asking Open-Meteo about \(request.subject)")])
        }
        let disk = SharedDisk(configuration, answersOne: answersOne, scheduler: scheduler, log: log)
        callDeadline = SharedDuration(configuration.site.deadline)
        let environment = CacheEnvironment(
            scheduler: scheduler, unixTime: unixTimeNow, callDeadline: callDeadline)
        let limited = LimitedTransport(
            curl, policy: configuration.limits, store: disk?.limits,
            environment: environment, note: { log.write($0) })
        let client = OpenMeteoClient(configuration.openMeteo, transport: limited)
        var (weatherPolicy, placePolicy) = (configuration.weatherCache, configuration.placeCache)
        var archivePolicy = configuration.archiveCache
        // A process of one request ends with its answer.
        weatherPolicy.refreshesInBackground = !answersOne
        placePolicy.refreshesInBackground = !answersOne
        archivePolicy.refreshesInBackground = !answersOne
        self.curl = curl
        self.limited = limited
        self.disk = disk
        weather = WeatherCache(
            over: client, policy: weatherPolicy, environment: environment, disk: disk?.cache,
            attach: { Renderings() },
            // Near the end of the day's budget what there is must do for longer.
            freshnessFactor: { limited.isNearlySpent ? 2 : 1 })
        places = PlaceCache(
            over: client, policy: placePolicy, environment: environment, disk: disk?.cache)
        archive = ArchiveCache(
            over: client, policy: archivePolicy, environment: environment, disk: disk?.cache)
    }

    /// Takes what a running program can change.
    func apply(_ configuration: Configuration) {
        callDeadline.value = configuration.site.deadline
    }

    /// For a daemon, at its start: takes over what earlier processes have stored of the limits.
    func loadLimits(on loop: EventLoop) {
        Task(executorPreference: loop) { await limited.exchange() }
    }

    /// Ends all transfers, and brings to disk what waits for it; what takes longer than `limit` is left.
    func shutDown(within limit: Duration) async {
        curl.shutDown()
        await limited.finish()
        await disk?.finish(within: limit)
    }

    /// The numbers of upstream, for `/metrics`.
    func writeMetrics(to text: inout MetricsText) {
        let snapshot = limited.snapshot
        text.family("upstream_budget_remaining", "What may still be asked in a window, by its cost.")
        for (window, left) in snapshot.budgetLeft {
            text.sample("upstream_budget_remaining", ["window": "\(window)"], left)
        }
        text.single(
            "upstream_freshness_doubled", "1 past 80 % of the day's budget.", limited.isNearlySpent ? 1 : 0)
        text.counts(
            "upstream_breaker_state", "0 closed, 1 open, 2 probing.", by: "host",
            snapshot.breakers.map { ($0.host, $0.state) })
        let hosts = curl.counters()
        text.family("upstream_requests_total", "Transfers by host and how they ended.")
        for host in hosts {
            for (outcome, count) in host.finished.sorted(by: { $0.key < $1.key }) {
                text.sample("upstream_requests_total", ["host": host.host, "outcome": outcome], count)
            }
        }
        text.family("upstream_transfers", "Transfers by host: under way, or waiting for their turn.")
        for host in hosts {
            text.sample("upstream_transfers", ["host": host.host, "state": "under-way"], host.inFlight)
            text.sample("upstream_transfers", ["host": host.host, "state": "waiting"], host.queued)
        }
        text.single("upstream_retries_total", "Questions asked a second time.", snapshot.retries)
        disk?.writeMetrics(to: &text)
    }
}

extension Log {
    fileprivate func write(_ event: LimitedTransport.Event) {
        switch event {
        case .breakerOpened(let host, let seconds, let reason):
            let seconds = "\(Int(seconds.rounded(.up)))"
            warn("breaker-opened", [("host", host), ("seconds", seconds), ("reason", reason)])
        case .breakerClosed(let host): write("breaker-closed", [("host", host)])
        case .retrying(let host, let reason): write("retry", [("host", host), ("reason", reason)])
        case .budgetUsedUp(let window): warn("budget-used-up", [("window", "\(window)")])
        case .shareUsedUp(let window): warn("client-share-used-up", [("window", "\(window)")])
        case .budgetNearlySpent:
            let message = "past 80 % of the day's budget, weather is fresh for twice as long"
            warn("budget-nearly-spent", [("message", message)])
        }
    }

    private func warn(_ event: StaticString, _ fields: [(StaticString, String)]) {
        write(event, level: "warning", fields)
    }
}
