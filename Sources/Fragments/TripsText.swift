import Trips
import Weather

/// Writes trips as lines of plain text, for a terminal.
struct TripsText {
    private let sentences: Sentences
    private var words: any Words { sentences.words }

    init(_ sentences: Sentences) {
        self.sentences = sentences
    }

    /// A trip a line, then the sum of nights.
    func write(_ list: TripList, with pen: inout PlainPen) {
        for trip in list.trips {
            name(TripView(trip), with: &pen)
            pen.words(": ")
            sentences.dates(trip.plan.span, with: &pen)
            pen.words(", ")
            pen.text(words.nights(trip.plan.nights))
            pen.words(", ")
            sentences.dollars(trip.plan.price, with: &pen)
            if trip.plan.isFavourite {
                pen.words(", ")
                pen.words(words.favourite)
            }
            pen.words("\n")
        }
        if list.trips.isEmpty {
            pen.words(words.noTrips)
        } else {
            pen.text(words.total(nights: list.totalNights))
        }
        pen.words("\n")
    }

    func write(_ trip: TripView, with pen: inout PlainPen) {
        name(trip, with: &pen)
        pen.words("\n")
        line(words.departure, with: &pen) { sentences.date(trip.plan.start, weekday: true, with: &$0) }
        line(words.returning, with: &pen) { sentences.date(trip.plan.span.end, weekday: true, with: &$0) }
        line(words.nightsLabel, with: &pen) { $0.out.append(trip.plan.nights) }
        line(words.price, with: &pen) { sentences.dollars(trip.plan.price, with: &$0) }
        if trip.plan.isFavourite {
            pen.words(words.favourite)
            pen.words("\n")
        }
    }

    /// A trip among its traveller's others.
    func write(_ trip: Trip, in list: TripList, with pen: inout PlainPen) {
        write(TripView(trip), with: &pen)
        line(words.totalNights, with: &pen) { $0.text(list.totalNights.grouped(by: words.thousands)) }
        if let next = list.next(after: trip.id) {
            pen.words(words.next)
            pen.text(next.plan.city)
            pen.words("\n")
        }
    }

    func write(_ ideas: [TripIdea], with pen: inout PlainPen) {
        for idea in ideas {
            pen.text(idea.city)
            if let country = idea.country {
                pen.words(", ")
                pen.text(country)
            }
            pen.words(": ")
            pen.text(words.nights(idea.suggestedNights))
            pen.words("\n")
        }
    }

    func write(_ items: [StripItem], with pen: inout PlainPen) {
        let weather = WeatherText(sentences)
        for item in items {
            let card = Card(item.state)
            if card.report == nil {
                pen.text(item.trip.plan.city)
                pen.words(": ")
            }
            weather.writeLine(card, with: &pen)
        }
        if items.contains(where: { $0.state.value?.isSample ?? false }) {
            pen.words(words.sample)
            pen.words("\n")
        }
    }

    private func name(_ trip: TripView, with pen: inout PlainPen) {
        pen.text(trip.plan.city)
        if let country = trip.country {
            pen.words(", ")
            pen.text(country)
        }
    }

    private func line(
        _ label: StaticString, with pen: inout PlainPen, _ body: (inout PlainPen) -> Void
    ) {
        pen.words(label)
        pen.words(": ")
        body(&pen)
        pen.words("\n")
    }
}
