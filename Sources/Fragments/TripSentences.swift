import Trips
import Weather

/// What trips have to say, for any pen.
extension Sentences {
    /// "6 December – 10 December 2026", each a moment; the first year where it is another than the second.
    func dates(_ span: TripSpan, with pen: inout some Pen) {
        pen.moment(.day(span.start)) { date(span.start, weekday: false, today: span.end, with: &$0) }
        pen.words(" – ")
        pen.moment(.day(span.end)) { date(span.end, weekday: false, with: &$0) }
    }

    /// "Sunday 6 December 2026": with the year whatever it is.
    func date(_ date: CalendarDate, weekday: Bool, with pen: inout some Pen) {
        self.date(date, weekday: weekday, today: date, with: &pen)
        pen.words(" ")
        pen.out.append(date.year)
    }

    /// "$1,250".
    func dollars(_ amount: Int, with pen: inout some Pen) {
        pen.text(words.dollars(amount))
    }

    /// "umbrella, warm jacket" in its sentence; nothing where there is nothing to pack.
    func packing(for items: [PackingItem], with pen: inout some Pen) {
        pen.phrase(words.toPack) { pen in
            for (index, item) in items.enumerated() {
                if index > 0 { pen.words(", ") }
                pen.words(words.words(of: item))
            }
        }
    }
}

/// What a boarding pass shows of a trip, whoever reads it.
struct TripView {
    let plan: TripPlan
    let place: Place?

    init(_ trip: Trip) {
        plan = trip.plan
        place = trip.place
    }

    init(_ trip: SharedTrip) {
        plan = trip.plan
        place = trip.place
    }

    /// As it was typed; where it wasn't, that of the place that was found.
    var country: String? { plan.country ?? place?.country }
    var timeZone: String? { place?.timeZone }
}
