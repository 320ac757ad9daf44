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
        case .city(let query):
            switch places.hit(query, payer: { context.budget }) {
            case .success(let place): location = .named(place)
            case .failure(let error):
                let retryAfter = places.retryAfter(for: query)
                return answer(error, context, form: question.form, retryAfter: retryAfter).response
            case nil: return nil
            }
        case .many: return nil
        }
        guard let cached = weather.hit(location.coordinate, payer: { context.budget }) else { return nil }
        return respond(cached, at: location, question, context, result: .hit, times: nil)
    }

    private func ask(_ question: WeatherQuestion, _ context: RequestContext) async -> GatewayResponse {
        let deadline = deadline(of: context)
        var times = Times()
        var coordinate: Coordinate?
        do throws(WeatherError) {
            let location: WeatherReport.Location
            var zone: String?
            switch question.subject {
            case .coordinate(let coordinate): location = .point(coordinate)
            case .place(let place): (location, zone) = (.named(place), place.timeZone)
            case .city(let query):
                let start = ContinuousClock.now
                defer { times.place = start.duration(to: .now) }
                let place = try await places.place(for: query, until: deadline)
                (location, zone) = (.named(place), place.timeZone)
            case .many: throw .cancelled
            }
            coordinate = location.coordinate
            let start = ContinuousClock.now
            defer { times.forecast = start.duration(to: .now) }
            let cached = try await weather.lookUp(
                location.coordinate, zone: zone, refresh: question.isRefresh, until: deadline)
            times.forecast = start.duration(to: .now)
            let result = question.isRefresh ? CacheResult.refresh : cached.wasAsked ? .miss : .hit
            return respond(cached, at: location, question, context, result: result, times: times)
        } catch {
            var answer = answer(
                error, context, form: question.form, retryAfter: retryAfter(question.subject, coordinate))
            answer.timing([("place", times.place), ("forecast", times.forecast)])
            return answer.response
        }
    }

    /// When asking again will help, if it doesn't at once.
    ///
    /// - Parameter coordinate: Where the weather was asked for; nil if no place was found.
    private func retryAfter(
        _ subject: WeatherQuestion.Subject, _ coordinate: Coordinate?
    ) -> Duration? {
        if let coordinate { return weather.retryAfter(at: coordinate) }
        guard case .city(let query) = subject else { return nil }
        return places.retryAfter(for: query)
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
        _ cached: CachedWeather, at location: WeatherReport.Location, _ question: WeatherQuestion,
        _ context: RequestContext, result: CacheResult, times: Times?
    ) -> GatewayResponse {
        let start = ContinuousClock.now
        let now = Int(unixTime())
        let presentation = context.presentation
        let isCacheable = cached.freshness == .fresh && !question.isRefresh && !context.isPersonal
        var key = RenderingKey(
            presentation: presentation, form: question.form, isNegotiated: context.isNegotiated,
            isSample: context.settings.isSample, isCacheable: isCacheable, isPersonal: context.isPersonal,
            date: CalendarDate(unixTime: now, utcOffset: cached.context.utcOffset ?? 0), span: question.span,
            coordinate: location.coordinate, freshness: cached.freshness, retryAfter: cached.retryAfter)
        if case .named(let place) = location { key.place = place }
        let rendering = cached.rendering(for: key, in: weather) {
            let state = state(of: cached, at: location, question.span, context, now: now)
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
        of cached: CachedWeather, at location: WeatherReport.Location, _ span: TripSpan?,
        _ context: RequestContext, now: Int
    ) -> WeatherState {
        var report = WeatherReport(
            location: location, context: cached.context,
            trip: span.map { TripForecast(of: $0, in: cached.context, atUnixTime: now) },
            updatedAt: cached.fetchedAt,
            now: now, isSample: context.settings.isSample)
        switch cached.freshness {
        case .fresh: return .loaded(report)
        case .revalidating:
            report.isRevalidating = true
            return .loaded(report)
        case .error(let error):
            return .failed(context.problem(error, retryAfter: cached.retryAfter), previous: report)
        }
    }

    /// The same of one of several, which fails alone.
    func state(
        of result: Result<CachedWeather, WeatherError>, at location: WeatherReport.Location,
        _ span: TripSpan?, _ context: RequestContext, now: Int
    ) -> WeatherState {
        switch result {
        case .success(let cached): state(of: cached, at: location, span, context, now: now)
        // More than one request may spend: it is to be asked for again.
        case .failure(.transport(.held(.request, _))): .loading()
        case .failure(let error):
            .failed(context.problem(error, retryAfter: weather.retryAfter(at: location.coordinate)))
        }
    }

    // MARK: Many places

    /// One card a place, in the order in which they were asked for; a place that fails, fails alone.
    private func ask(
        _ coordinates: [Coordinate], _ question: WeatherQuestion, _ context: RequestContext
    ) async -> GatewayResponse {
        let start = ContinuousClock.now
        let results = await weather.lookUp(coordinates, until: deadline(of: context))
        let forecastTime = start.duration(to: .now)
        let now = Int(unixTime())
        let cards = zip(coordinates, results).map { coordinate, result in
            (
                asked: coordinate,
                state: state(of: result, at: .point(coordinate), question.span, context, now: now)
            )
        }
        let isFresh = results.allSatisfy { result in
            if case .success(let cached) = result { cached.freshness == .fresh } else { false }
        }
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
