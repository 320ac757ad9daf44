internal import Fragments
internal import Gateway
internal import Transport
internal import Weather

/// What there is of the archive's days for one trip.
struct TripArchive: Sendable {
    /// By the periods that the trip needs.
    var lookups: [ArchivePeriod: TripForecast.Lookup] = [:]
    /// When each was fetched, in the order of the trip: another answer of the archive is another rendering.
    var fetchedAt: [Int] = []

    /// Whether all days are known, so that what is rendered may be kept.
    var isComplete: Bool { fetchedAt.count == lookups.count }
}

/// A trip whose days are wanted.
struct TripDaysQuestion: Sendable {
    var span: TripSpan
    /// Nil if there is no forecast.
    var context: WeatherContext?
    var coordinate: Coordinate
    /// As in `WeatherClient`.
    var zone: String?

    init(_ span: TripSpan, _ context: WeatherContext?, at location: WeatherReport.Location) {
        (self.span, self.context) = (span, context)
        (coordinate, zone) = (location.coordinate, location.timeZone ?? context?.timeZone)
    }
}

/// The days of a trip that no forecast has. They never hold up a forecast for long.
extension Site {
    /// The most questions to the archive that one answer starts.
    private static let archiveQuestionsAtMost = 6

    /// What is known without asking; nil if the archive would have to be asked.
    func knownArchive(_ question: TripDaysQuestion, _ context: RequestContext) -> TripArchive? {
        var known = TripArchive()
        for period in periods(of: question) {
            guard let answer = archive.hit(period, at: question.coordinate, payer: { context.budget })
            else { return nil }
            known.note(answer, of: period)
        }
        return known
    }

    /// Asks for what isn't known, and waits until a moment for it. What isn't there by then is loading, and so is what
    /// one answer may not ask for.
    func archive(
        for questions: [TripDaysQuestion], until limit: ContinuousClock.Instant
    ) async -> [TripArchive] {
        var started = 0
        let asked = questions.map { question in
            periods(of: question).map { period in
                let mayAsk = started < Site.archiveQuestionsAtMost
                let isKnown = archive.hit(period, at: question.coordinate) != nil
                if !isKnown, mayAsk, archive.prefetch(period, at: question.coordinate, zone: question.zone) {
                    started += 1
                }
                return (period: period, isAsked: isKnown || mayAsk)
            }
        }
        var archives: [TripArchive] = []
        for (question, periods) in zip(questions, asked) {
            var result = TripArchive()
            for (period, isAsked) in periods {
                guard isAsked else {
                    result.lookups[period] = .loading
                    continue
                }
                result.note(
                    await archive.days(
                        of: period, at: question.coordinate, zone: question.zone, until: limit),
                    of: period)
            }
            archives.append(result)
        }
        return archives
    }

    /// Until when an answer waits for the archive: for a moment if it can be asked for again, else for as long as it may
    /// take.
    func archiveLimit(_ context: RequestContext) -> ContinuousClock.Instant {
        let deadline = deadline(of: context)
        switch context.presentation.representation {
        case .text, .svg: return deadline
        case .json, .html: return min(deadline, .now.advanced(by: context.settings.archiveWait))
        }
    }

    /// What the archive has to be asked whatever the forecast says, so that both can be asked at once. What is left for
    /// this answer pays the forecast first.
    func prefetchArchive(_ question: TripDaysQuestion, _ context: RequestContext) {
        // A host that has both has one queue, in which the forecast comes first.
        guard context.settings.isArchiveApart else { return }
        let left = RequestBudget.current?.left ?? .infinity
        let perQuestion = Double(ArchivePeriod.yearsOfUsual)
        let affordable = Int(min(100, max(0, left - OpenMeteoRequests.weight(ofPlaces: 1)) / perQuestion))
        for period in periods(of: question).prefix(min(affordable, Site.archiveQuestionsAtMost)) {
            _ = archive.prefetch(period, at: question.coordinate, zone: question.zone)
        }
    }

    func trip(_ question: TripDaysQuestion, _ archive: TripArchive, at now: Int) -> TripForecast {
        TripForecast(of: question.span, in: question.context, atUnixTime: now) { period in
            archive.lookups[period] ?? .loading
        }
    }

    private func periods(of question: TripDaysQuestion) -> [ArchivePeriod] {
        TripCalendar(question.span, in: question.context, atUnixTime: Int(unixTime())).periods
    }
}

extension TripArchive {
    fileprivate mutating func note(_ answer: Result<ArchiveAnswer, WeatherError>, of period: ArchivePeriod) {
        switch answer {
        case .success(let answer):
            lookups[period] = .known(answer.days)
            fetchedAt.append(answer.fetchedAt)
        case .failure(.outOfTime), .failure(.cancelled), .failure(.transport(.held(.request, _))):
            lookups[period] = .loading
        case .failure(let error): lookups[period] = .failed(error)
        }
    }
}
