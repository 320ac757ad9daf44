internal import Fragments
internal import Gateway
internal import Transport
internal import Weather

/// The weather: at once where it is known, else after the question for the place and the one for its weather.
extension Site {
    /// How long the parts of an answer took.
    private struct Times {
        var place: Duration?
        var forecast: Duration?
    }

    func answer(_ question: WeatherQuestion, _ context: RequestContext) -> GatewayAnswer {
        if case .many(let coordinates) = question.subject {
            // A picture is of one place.
            guard context.presentation.representation != .svg else {
                return context.refuse(in: context.presentation.language, because: .notAcceptable)
            }
            return .pending { await self.ask(coordinates, question, context) }
        }
        if !question.isRefresh, let response = known(question, context) { return .ready(response) }
        return .pending { await self.ask(question, context) }
    }

    /// What needs no question, and so no task.
    private func known(_ question: WeatherQuestion, _ context: RequestContext) -> GatewayResponse? {
        let location: WeatherReport.Location
        switch question.subject {
        case .coordinate(let coordinate): location = .point(coordinate)
        case .place(let place): location = .named(place)
        case .city, .id:
            switch knownPlace(question, context) {
            case .success(let place): location = .named(place)
            case .failure(let error):
                let retryAfter = retryAfter(question, nil, context)
                return answer(error, context, form: question.form, retryAfter: retryAfter).response
            case nil: return nil
            }
        case .many: return nil
        }
        guard let cached = weather.hit(location.coordinate, payer: { context.budget }) else { return nil }
        var archive = TripArchive()
        if let span = question.span {
            let days = TripDaysQuestion(span, cached.context, at: location)
            guard let known = knownArchive(days, context) else { return nil }
            archive = known
        }
        return respond(cached, archive, at: location, question, context, result: .hit, times: nil)
    }

    private func knownPlace(
        _ question: WeatherQuestion, _ context: RequestContext
    ) -> Result<Place, WeatherError>? {
        switch question.subject {
        case .city(let query): places.hit(query, payer: { context.budget })
        case .id(let id):
            places.hit(
                id: id, language: context.presentation.language.rawValue, payer: { context.budget })
        case .coordinate, .place, .many: nil
        }
    }

    /// As `knownPlace`, from the service if it has to be.
    private func askedPlace(
        _ question: WeatherQuestion, _ context: RequestContext, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> Place {
        switch question.subject {
        case .city(let query): try await places.place(for: query, until: deadline)
        case .id(let id):
            try await places.place(
                id: id, language: context.presentation.language.rawValue, until: deadline)
        case .coordinate, .place, .many: throw .cancelled
        }
    }

    private func ask(_ question: WeatherQuestion, _ context: RequestContext) async -> GatewayResponse {
        let deadline = deadline(of: context)
        var times = Times()
        var found: WeatherReport.Location?
        do throws(WeatherError) {
            let location: WeatherReport.Location
            switch question.subject {
            case .coordinate(let coordinate): location = .point(coordinate)
            case .place(let place): location = .named(place)
            case .city, .id, .many:
                let start = ContinuousClock.now
                defer { times.place = start.duration(to: .now) }
                location = .named(try await askedPlace(question, context, until: deadline))
            }
            found = location
            if let span = question.span {
                prefetchArchive(TripDaysQuestion(span, nil, at: location), context)
            }
            let start = ContinuousClock.now
            defer { times.forecast = start.duration(to: .now) }
            let cached = try await weather.lookUp(
                location.coordinate, zone: location.timeZone, refresh: question.isRefresh, until: deadline)
            times.forecast = start.duration(to: .now)
            var archive = TripArchive()
            if let span = question.span {
                let days = TripDaysQuestion(span, cached.context, at: location)
                let known = await self.archive(for: [days], until: archiveLimit(context))
                if let first = known.first { archive = first }
            }
            let result = question.isRefresh ? CacheResult.refresh : cached.wasAsked ? .miss : .hit
            return respond(cached, archive, at: location, question, context, result: result, times: times)
        } catch {
            if let found, let span = question.span, error != .cancelled,
                let response = await answerWithoutForecast(
                    error, span, at: found, question, context)
            {
                return response
            }
            var answer = answer(
                error, context, form: question.form,
                retryAfter: retryAfter(question, found?.coordinate, context))
            answer.timing([("place", times.place), ("forecast", times.forecast)])
            return answer.response
        }
    }

    /// When asking again will help, if it doesn't at once.
    ///
    /// - Parameter coordinate: Where the weather was asked for; nil if no place was found.
    private func retryAfter(
        _ question: WeatherQuestion, _ coordinate: Coordinate?, _ context: RequestContext
    ) -> Duration? {
        if let coordinate { return weather.retryAfter(at: coordinate) }
        return switch question.subject {
        case .city(let query): places.retryAfter(for: query)
        case .id(let id): places.retryAfter(id: id, language: context.presentation.language.rawValue)
        case .coordinate, .place, .many: nil
        }
    }

    /// How the cache came by an answer's weather.
    fileprivate enum CacheResult {
        case hit, miss, refresh

        /// The field Cache-Status (RFC 9211, section 2), and the same for the log.
        func described(_ freshness: Freshness) -> (status: String, note: String) {
            switch (self, freshness) {
            case (_, .error(let error)):
                ("trip-weather; fwd=stale; detail=\(error.label)", "stale-error")
            case (.hit, .fresh): ("trip-weather; hit", "hit")
            case (.hit, .revalidating): ("trip-weather; hit; detail=revalidating", "stale")
            case (.miss, _): ("trip-weather; fwd=miss", "miss")
            case (.refresh, _): ("trip-weather; fwd=request", "refresh")
            }
        }
    }

    private func respond(
        _ cached: CachedWeather, _ archive: TripArchive, at location: WeatherReport.Location,
        _ question: WeatherQuestion, _ context: RequestContext, result: CacheResult, times: Times?
    ) -> GatewayResponse {
        let start = ContinuousClock.now
        let now = Int(unixTime())
        let presentation = context.presentation
        let isCacheable =
            cached.freshness == .fresh && !question.isRefresh && !context.isPersonal && archive.isComplete
        var key = RenderingKey(
            presentation: presentation, form: question.form, isNegotiated: context.isNegotiated,
            isSample: context.settings.isSample, isCacheable: isCacheable, isPersonal: context.isPersonal,
            date: CalendarDate(unixTime: now, utcOffset: cached.context.utcOffset ?? 0), span: question.span,
            coordinate: location.coordinate, freshness: cached.freshness, retryAfter: cached.retryAfter,
            archive: archive.fetchedAt)
        if case .named(let place) = location { key.place = place }
        // What is still to come is in no key.
        let rendering = cached.rendering(for: key, isKept: archive.isComplete, in: weather) {
            let trip = question.span.map {
                self.trip(TripDaysQuestion($0, cached.context, at: location), archive, at: now)
            }
            let state = state(of: cached, at: location, trip, context, now: now)
            let answer = Answer(
                Renderer.weather(state, form: question.form, as: presentation), as: presentation,
                isNegotiated: context.isNegotiated,
                caching: isCacheable ? .revalidated : context.caching)
            return Rendering(
                body: answer.response.body, entityTag: answer.entityTag, fields: answer.encodedFields)
        }
        var response = GatewayResponse(status: 200, body: rendering.body)
        response.encodedFields.reserveCapacity(rendering.fields.count + 160)
        response.encodedFields.append(contentsOf: rendering.fields)
        if isCacheable, let known = context.ifNoneMatch,
            EntityTag.matches(rendering.entityTag, ifNoneMatch: known)
        {
            response.status = 304
            response.body = []
        }
        let (cacheStatus, note) = result.described(cached.freshness)
        response.encodedFields.appendField("Age", cached.age)
        response.encodedFields.appendField("Cache-Status", cacheStatus)
        response.encodedFields.appendTiming([
            ("place", times?.place), ("forecast", times?.forecast), ("render", start.duration(to: .now)),
        ])
        if case .error(let error) = cached.freshness { response.notes.append(("error", error.label)) }
        response.notes.append(("cache", note))
        return response
    }

    private func state(
        of cached: CachedWeather, at location: WeatherReport.Location, _ trip: TripForecast?,
        _ context: RequestContext, now: Int
    ) -> WeatherState {
        var report = WeatherReport(
            location: location, context: cached.context, trip: trip, updatedAt: cached.fetchedAt, now: now,
            isSample: context.settings.isSample)
        switch cached.freshness {
        case .fresh: return .loaded(report)
        case .revalidating:
            report.isRevalidating = true
            return .loaded(report)
        case .error(let error):
            return .failed(context.problem(error, retryAfter: cached.retryAfter), previous: report)
        }
    }

    /// The states of several places, each of which fails alone.
    ///
    /// - Parameter places: Where, and the trip there if its days are wanted.
    func states(
        of results: [Result<CachedWeather, WeatherError>],
        at places: [(location: WeatherReport.Location, span: TripSpan?)], _ context: RequestContext
    ) async -> [WeatherState] {
        var questions: [TripDaysQuestion?] = []
        for (result, place) in zip(results, places) {
            guard let span = place.span, case .success(let cached) = result else {
                questions.append(nil)
                continue
            }
            questions.append(TripDaysQuestion(span, cached.context, at: place.location))
        }
        let archives = await archive(for: questions.compactMap(\.self), until: archiveLimit(context))
        let now = Int(unixTime())
        var next = archives.makeIterator()
        return zip(zip(results, places), questions).map { pair, question in
            let (result, place) = pair
            switch result {
            case .success(let cached):
                let trip = question.flatMap { question in
                    next.next().map { self.trip(question, $0, at: now) }
                }
                return state(of: cached, at: place.location, trip, context, now: now)
            // More than one request may spend: it is to be asked for again.
            case .failure(.transport(.held(.request, _))): return .loading()
            case .failure(let error):
                return .failed(
                    context.problem(error, retryAfter: weather.retryAfter(at: place.location.coordinate)))
            }
        }
    }

    /// What is known of a trip whose forecast failed: its other days stay. Nil if there are none.
    private func answerWithoutForecast(
        _ error: WeatherError, _ span: TripSpan, at location: WeatherReport.Location,
        _ question: WeatherQuestion, _ context: RequestContext
    ) async -> GatewayResponse? {
        let days = TripDaysQuestion(span, nil, at: location)
        let archives = await archive(for: [days], until: archiveLimit(context))
        let now = Int(unixTime())
        guard let first = archives.first, let updatedAt = first.fetchedAt.max() else { return nil }
        let nothing = WeatherContext(
            coordinate: location.coordinate.rounded, current: nil, days: [], timeZone: location.timeZone,
            utcOffset: nil)
        let report = WeatherReport(
            location: location, context: nothing, trip: trip(days, first, at: now), updatedAt: updatedAt,
            now: now, isSample: context.settings.isSample)
        let problem = context.problem(error, retryAfter: weather.retryAfter(at: location.coordinate))
        var answer = Answer(
            Renderer.weather(
                .failed(problem, previous: report), form: question.form, as: context.presentation),
            as: context.presentation, isNegotiated: context.isNegotiated, caching: context.caching)
        answer.note("error", error.label)
        return answer.response
    }

    // MARK: Many places

    /// One card a place, in the order in which they were asked for; a place that fails, fails alone.
    private func ask(
        _ coordinates: [Coordinate], _ question: WeatherQuestion, _ context: RequestContext
    ) async -> GatewayResponse {
        let start = ContinuousClock.now
        let results = await weather.lookUp(coordinates, until: deadline(of: context))
        let forecastTime = start.duration(to: .now)
        let states = await states(
            of: results, at: coordinates.map { (.point($0), question.span) }, context)
        let cards = zip(coordinates, states).map { (asked: Coordinate?($0), state: $1) }
        let isFresh =
            results.allSatisfy { result in
                if case .success(let cached) = result { cached.freshness == .fresh } else { false }
            } && states.allSatisfy { $0.report?.trip?.isLoading != true }
        let renderStart = ContinuousClock.now
        var answer = Answer(
            Renderer.weather(cards, as: context.presentation), as: context.presentation,
            isNegotiated: context.isNegotiated, caching: isFresh ? .revalidated : .forbidden)
        answer.answerNotModified(ifNoneMatch: context.ifNoneMatch)
        answer.timing([("forecast", forecastTime), ("render", renderStart.duration(to: .now))])
        return answer.response
    }
}

extension WeatherError {
    /// What the log says beside the label; never shown to a reader.
    var logDetail: String? {
        switch self {
        case .unreadable(let path): path
        case .refused(let status, let reason): "\(status) \(reason ?? "")"
        case .unavailable(let status, _): "\(status)"
        case .transport(.timedOut(let fault)), .transport(.failed(let fault)):
            "curl \(fault.code): \(fault.message)"
        case .transport(.forbidden(let reason)): reason
        default: nil
        }
    }
}
