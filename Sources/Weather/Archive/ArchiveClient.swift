internal import Synchronization

/// Knows what the weather was, and what it usually is.
package protocol ArchiveClient: Sendable {
    /// What the days of a half of a month are usually like; those of which too little is known are left out.
    ///
    /// - Parameters:
    ///   - zone: As in `WeatherClient`.
    ///   - deadline: When the caller gives up.
    /// - Throws: `WeatherError`; never `.noSuchPlace`.
    func usualDays(
        of half: HalfMonth, lastYear: Int, at coordinate: Coordinate, zone: String?,
        until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [UsualDay]

    /// What the days of a half of a month were like in a year, as far as they are over and the archive has them.
    func observedDays(
        of half: HalfMonth, year: Int, at coordinate: Coordinate, zone: String?,
        until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [DayForecast]
}

extension OpenMeteoClient: ArchiveClient {
    package func usualDays(
        of half: HalfMonth, lastYear: Int, at coordinate: Coordinate, zone: String?,
        until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [UsualDay] {
        let period = ArchivePeriod.usual(half, lastYear: lastYear)
        let ranges = period.ranges(until: yesterday)
        let variables = OpenMeteoRequests.usualVariables
        var days: [CalendarDate: ArchiveDay] = [:]
        do throws(WeatherError) {
            days = try ArchiveDecoder.days(
                from: try await archive(ranges, variables, at: coordinate, zone: zone, until: deadline))
        } catch {
            guard case .refused(400, _) = error else { throw error }
            // A service that doesn't take lists is asked year by year.
            for range in ranges {
                let body = try await archive([range], variables, at: coordinate, zone: zone, until: deadline)
                days.merge(try ArchiveDecoder.days(from: body)) { _, new in new }
            }
        }
        return UsualDay.days(of: half, years: period.years, from: days)
    }

    package func observedDays(
        of half: HalfMonth, year: Int, at coordinate: Coordinate, zone: String?,
        until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [DayForecast] {
        let ranges = ArchivePeriod.observed(half, year: year, isSettled: false).ranges(until: yesterday)
        guard !ranges.isEmpty else { return [] }
        return try ArchiveDecoder.observed(
            from: try await archive(
                ranges, OpenMeteoRequests.observedVariables, at: coordinate, zone: zone, until: deadline))
    }

    /// The last day that is over everywhere but just behind the date line. The archive has it late anyway.
    private var yesterday: CalendarDate {
        CalendarDate(unixTime: unixTime(), utcOffset: 0).advanced(by: -1)
    }

    /// Asks once for each zone that the service may take, as for a forecast. A subscription without the archive isn't
    /// asked again for a day.
    private func archive(
        _ ranges: [ClosedRange<CalendarDate>], _ variables: [String], at coordinate: Coordinate,
        zone: String?, until deadline: ContinuousClock.Instant
    ) async throws(WeatherError) -> [UInt8] {
        if archiveRefusal.holds(at: unixTime()) { throw .notSubscribed }
        do throws(WeatherError) {
            return try await inZones(zone) { zone throws(WeatherError) in
                try await get(
                    requests.archive(ranges, variables, at: coordinate, zone: zone), until: deadline)
            }
        } catch {
            guard case .refused(403, _) = error else { throw error }
            archiveRefusal.note(at: unixTime())
            throw .notSubscribed
        }
    }
}

/// That a subscription doesn't include the archive, remembered for a day.
final class ArchiveRefusal: Sendable {
    private static let life = 86_400

    private let notedAt = Mutex<Int?>(nil)

    func note(at now: Int) { notedAt.withLock { $0 = now } }

    /// A clock that was set back ends it too.
    func holds(at now: Int) -> Bool {
        notedAt.withLock { $0.map { (0..<ArchiveRefusal.life).contains(now - $0) } ?? false }
    }
}
