/// One flight's way to an answer: the archive, the election, upstream, and back into the cache.
///
/// Several places may fly together; each lands alone.
struct WeatherFlight: Sendable {
    /// A place that is asked for.
    struct Leg: Sendable {
        let ticket: FlightTicket<WeatherKey>
        /// To two decimals.
        let coordinate: Coordinate
        let zone: String?
        /// When the weather that is kept was fetched; nil for a cold place.
        let knownAt: Int?
        /// Somebody asks past fresh weather: nothing older than this (unix seconds) will do.
        let notBefore: Int?
    }

    let client: any WeatherClient
    let manyClient: (any MultiWeatherClient)?
    let archive: (any CacheArchive)?
    let election: (any FlightElection)?
    let policy: CachePolicy
    let table: FlightTable<WeatherShelf>

    private var environment: CacheEnvironment { table.environment }

    func fly(_ legs: [Leg], until deadline: ContinuousClock.Instant) async {
        guard let archive else { return await ask(legs.map { ($0, nil) }, until: deadline) }
        guard let election else {
            return await askWhatIsNotArchived(legs, in: archive, until: deadline)
        }
        await askElected(legs, ElectedQuestion(archive: archive, election: election), until: deadline)
    }

    // MARK: The archive

    /// A cold place is looked up; what is kept in memory is as new as the archive.
    private func askWhatIsNotArchived(
        _ legs: [Leg], in archive: any CacheArchive, until deadline: ContinuousClock.Instant
    ) async {
        var open = legs.filter { $0.knownAt != nil }
        let cold = legs.filter { $0.knownAt == nil }
        if !cold.isEmpty {
            let found = await archive.weather(for: cold.map(\.coordinate))
            for (index, leg) in cold.enumerated() {
                guard index < found.count, let archived = found[index], land(leg, with: archived) else {
                    open.append(leg)
                    continue
                }
            }
        }
        await ask(open.map { ($0, nil) }, until: deadline)
    }

    /// Asks for the places that this process is elected for, and follows the others.
    private func askElected(
        _ legs: [Leg], _ question: ElectedQuestion, until deadline: ContinuousClock.Instant
    ) async {
        var open = legs
        while !open.isEmpty, !Task.isCancelled, environment.now() < deadline {
            var led: [(Leg, (any FlightLease)?)] = []
            var followed: [Leg] = []
            for leg in open {
                let turn = await question.turn(for: electionKey(for: leg.coordinate)) { archive in
                    await archive.weather(for: leg.coordinate).flatMap { land(leg, with: $0) ? $0 : nil }
                }
                switch turn {
                case .found: break
                case .ask(let lease): led.append((leg, lease))
                case .follow: followed.append(leg)
                }
            }
            await ask(led, until: deadline)
            open = followed
            if !open.isEmpty {
                let next = environment.now().advanced(by: policy.flight.followEvery)
                await environment.scheduler.pause(until: min(next, deadline))
            }
        }
        // What is still followed lands out of time, by whoever launched the flight.
    }

    /// Lands a place whose archived weather will do; keeps what is too old to fall back on.
    private func land(_ leg: Leg, with archived: ArchivedWeather) -> Bool {
        let now = environment.unixTime()
        guard archived.context.coordinate == leg.coordinate,
            now - archived.fetchedAt < policy.staleIfError.wholeSeconds,
            archived.fetchedAt > leg.knownAt ?? .min
        else { return false }
        let stored = store(archived.context, of: leg, fetchedAt: archived.fetchedAt)
        var (mayLand, mustRefresh) = (false, false)
        table.during(leg.ticket) { shelf in
            shelf.adopt(stored, under: leg.ticket.key)
            switch shelf.look(leg.ticket.key, at: now) {
            case .answer: mayLand = true
            // A cold place's readers get what there is at once. A place that is being refreshed has that already.
            case .answerAndRefresh:
                mayLand = leg.knownAt == nil
                mustRefresh = mayLand
            case .wait, .refused, .missing: break
            }
        }
        if let notBefore = leg.notBefore, archived.fetchedAt < notBefore { return false }
        guard mayLand, table.land(leg.ticket, with: .archived(stored)) else { return false }
        if mustRefresh {
            refreshBehind(leg.ticket.key, leg.coordinate, zone: leg.zone, knownAt: stored.fetchedAt)
        }
        return true
    }

    /// Begins a flight that the cache alone waits for, unless one is under way.
    private func refreshBehind(_ key: WeatherKey, _ coordinate: Coordinate, zone: String?, knownAt: Int) {
        let begun = table.withState(of: key) { table.hold(key, in: &$0) }
        if let (ticket, handle) = begun { refresh(ticket, handle, coordinate, zone: zone, knownAt: knownAt) }
    }

    /// Starts the flight that the cache has begun behind an answer.
    func refresh(
        _ ticket: FlightTicket<WeatherKey>, _ handle: FlightHandle, _ coordinate: Coordinate, zone: String?,
        knownAt: Int
    ) {
        let leg = Leg(ticket: ticket, coordinate: coordinate, zone: zone, knownAt: knownAt, notBefore: nil)
        table.launch([ticket], handle) { deadline in await fly([leg], until: deadline) }
    }

    // MARK: Upstream

    private func ask(
        _ legs: [(leg: Leg, lease: (any FlightLease)?)], until deadline: ContinuousClock.Instant
    ) async {
        guard let first = legs.first else { return }
        guard legs.count > 1 else {
            let result = await askOne(first.leg, until: deadline)
            return land(first.leg, first.lease, with: result)
        }
        guard let manyClient else {
            return await withTaskGroup { group in
                for (leg, lease) in legs {
                    group.addTask { land(leg, lease, with: await askOne(leg, until: deadline)) }
                }
            }
        }
        do throws(WeatherError) {
            let results = try await manyClient.weather(for: legs.map(\.leg.coordinate), until: deadline)
            for (index, (leg, lease)) in legs.enumerated() {
                let missing = WeatherError.unreadable(path: "[\(index)]: \(results.count) places answered")
                land(leg, lease, with: index < results.count ? results[index] : .failure(missing))
            }
        } catch {
            for (leg, lease) in legs { land(leg, lease, with: .failure(error)) }
        }
    }

    private func askOne(
        _ leg: Leg, until deadline: ContinuousClock.Instant
    ) async -> Result<WeatherContext, WeatherError> {
        do throws(WeatherError) {
            return .success(try await client.weather(for: leg.coordinate, zone: leg.zone, until: deadline))
        } catch {
            return .failure(error)
        }
    }

    private func land(
        _ leg: Leg, _ lease: (any FlightLease)?, with result: Result<WeatherContext, WeatherError>
    ) {
        switch result {
        case .success(let context):
            let fetchedAt = environment.unixTime()
            let hasLanded = table.land(
                leg.ticket, with: .fetched(store(context, of: leg, fetchedAt: fetchedAt)))
            if hasLanded, let archive {
                archive.save(ArchivedWeather(context: context, fetchedAt: fetchedAt)) { lease?.release() }
            } else {
                lease?.release()
            }
        case .failure(let error):
            table.land(leg.ticket, with: .failed(error))
            lease?.release()
        }
    }

    private func store(_ context: WeatherContext, of leg: Leg, fetchedAt: Int) -> StoredWeather {
        StoredWeather(context, key: leg.ticket.key, fetchedAt: fetchedAt, policy: policy)
    }
}
