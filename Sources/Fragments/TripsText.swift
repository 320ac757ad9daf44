import Trips
import Weather

/// Writes trips as lines of plain text, for a terminal.
struct TripsText {
    private let sentences: Sentences
    private var phrases: Phrases { sentences.phrases }

    init(_ presentation: Presentation) {
        sentences = Sentences(presentation)
    }

    /// A trip a line, then the sum of nights.
    func write(_ list: TripList, to out: inout PlainOutput) {
        for trip in list.trips {
            out.line { out in
                name(trip.plan.city, SharedTrip(trip).country, to: &out)
                out.write(": ")
                sentences.dates(trip.plan.span, to: &out)
                out.write(", ")
                out.text(phrases.nights(trip.plan.nights))
                out.write(", ")
                sentences.dollars(trip.plan.price, to: &out)
                if trip.plan.isFavourite {
                    out.write(", ")
                    out.write(phrases.favourite)
                }
            }
        }
        out.line { out in
            if list.trips.isEmpty {
                out.write(phrases.noTrips)
            } else {
                out.text(phrases.total(nights: list.totalNights))
            }
        }
    }

    func write(_ trip: SharedTrip, to out: inout PlainOutput) {
        out.line { name(trip.plan.city, trip.country, to: &$0) }
        line(phrases.departure, to: &out) { sentences.date(trip.plan.start, weekday: true, to: &$0) }
        line(phrases.returning, to: &out) { sentences.date(trip.plan.span.end, weekday: true, to: &$0) }
        line(phrases.nightsLabel, to: &out) { $0.buffer.append(trip.plan.nights) }
        line(phrases.price, to: &out) { sentences.dollars(trip.plan.price, to: &$0) }
        if trip.plan.isFavourite { out.line { $0.write(phrases.favourite) } }
    }

    /// What its traveller's others add to a trip.
    func write(whatFollows trip: Trip, in list: TripList, to out: inout PlainOutput) {
        line(phrases.totalNights, to: &out) { $0.text(list.totalNights.grouped(by: phrases.thousands)) }
        if let next = list.next(after: trip.id) {
            out.line { out in
                out.write(phrases.next)
                out.text(next.plan.city)
            }
        }
    }

    func write(_ ideas: [TripIdea], to out: inout PlainOutput) {
        for idea in ideas {
            out.line { out in
                name(idea.city, idea.country, to: &out)
                out.write(": ")
                out.text(phrases.nights(idea.suggestedNights))
            }
        }
    }

    func write(_ items: [StripItem], to out: inout PlainOutput) {
        let weather = WeatherText(sentences)
        for item in items {
            if item.state.report == nil {
                out.text(item.trip.plan.city)
                out.write(": ")
            }
            weather.writeLine(item.state, isAlone: false, to: &out)
        }
        let reports = items.compactMap(\.state.report)
        if reports.contains(where: \.isSample) { out.line { $0.write(phrases.sample) } }
        if !reports.isEmpty { weather.attribution(withPlaces: true, to: &out) }
    }

    private func name(_ city: String, _ country: String?, to out: inout PlainOutput) {
        out.text(city)
        if let country {
            out.write(", ")
            out.text(country)
        }
    }

    private func line(
        _ label: StaticString, to out: inout PlainOutput, _ body: (inout PlainOutput) -> Void
    ) {
        out.line { out in
            out.write(label)
            out.write(": ")
            body(&out)
        }
    }
}
