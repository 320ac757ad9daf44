internal import FoundationEssentials
package import Transport

/// Asks Open-Meteo: places by name, and the weather at coordinates.
package struct OpenMeteoClient: WeatherClient, Sendable {
    let requests: OpenMeteoRequests
    let spoilers = Spoilers()
    let archiveRefusal = ArchiveRefusal()
    let unixTime: @Sendable () -> Int
    private let transport: any Transport
    /// The customer's key, as it is written and as an address has it, to be masked in what the service says.
    private let secrets: [[UInt8]]
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - transport: What fetches.
    ///   - unixTime: The time in seconds, by which a rate limit's window ends.
    ///   - now: The clock that deadlines are on.
    package init(
        _ configuration: OpenMeteoConfiguration, transport: any Transport,
        unixTime: @escaping @Sendable () -> Int = { Int(Date().timeIntervalSince1970) },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        requests = OpenMeteoRequests(configuration)
        let key = configuration.apiKey
        secrets = key.isEmpty ? [] : [Array(key.utf8), Array(PercentEncoding.value(key).utf8)]
        self.transport = transport
        self.unixTime = unixTime
        self.now = now
    }

    /// The weather at a coordinate.
    ///
    /// The service finds the zone itself, but refuses to for some real places. Then it is asked once more with the
    /// zone that the place is known to have, and at last for days of UTC: weather without a zone is better than none.
    package func weather(
        for coordinate: Coordinate, zone: String?, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> WeatherContext {
        try await inZones(zone) { zone throws(WeatherError) in
            let body = try await get(requests.forecast(for: [coordinate], zone: zone), until: deadline)
            return try ForecastDecoder.context(
                from: body, for: coordinate, hasZone: zone != .none, atUnixTime: unixTime())
        }
    }

    /// Asks with one zone after the other, until one isn't refused.
    ///
    /// - Parameter known: The zone that the place is known to have.
    func inZones<Answer>(
        _ known: String?, ask: (OpenMeteoRequests.Zone) async throws(WeatherError) -> Answer
    ) async throws(WeatherError) -> Answer {
        var zones: [OpenMeteoRequests.Zone] = [.auto]
        if let known, !known.isEmpty { zones.append(.named(known)) }
        for zone in zones {
            do throws(WeatherError) {
                return try await ask(zone)
            } catch {
                guard error.isInvalidZone else { throw error }
            }
        }
        return try await ask(.none)
    }

    /// Fetches one answer's body, every failure made a `WeatherError`.
    func get(
        _ request: HTTPRequest, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [UInt8] {
        if Task.isCancelled { throw .cancelled }
        guard now() < deadline else { throw .outOfTime }
        do throws(TransportError) {
            return masked(try await transport.get(request, deadline: deadline).body)
        } catch {
            switch error {
            case .status(var refusal):
                refusal.body = masked(refusal.body)
                throw WeatherError(refusal: refusal, unixTime: unixTime())
            case .cancelled: throw .cancelled
            // A transport's clock may tick in milliseconds, so that its end comes a little early.
            case .timedOut where now().advanced(by: .milliseconds(5)) >= deadline: throw .outOfTime
            default: throw .transport(error)
            }
        }
    }

    /// What the service says, without the key, which it may echo.
    private func masked(_ body: [UInt8]) -> [UInt8] {
        var body = body
        for secret in secrets {
            var from = 0
            while let start = body[from...].firstRange(of: secret)?.lowerBound {
                body.replaceSubrange(start..<start + secret.count, with: "***".utf8)
                from = start + 3
            }
        }
        return body
    }
}

extension WeatherError {
    /// The service could not find the zone, or doesn't know the one that was named: "Invalid timezone".
    fileprivate var isInvalidZone: Bool {
        guard case .refused(400, let reason?) = self else { return false }
        let words = reason.lowercased()
        return words.contains("invalid timezone") || words.contains("timezone is required")
    }
}
