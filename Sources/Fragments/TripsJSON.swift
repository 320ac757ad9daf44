import Trips
import Weather

/// Writes trips as JSON. Every member is always there.
///
/// | member | value |
/// | --- | --- |
/// | `id` | as it stands in the trip's address |
/// | `city` | as it was typed, trimmed |
/// | `country` | the same, or null where none was named |
/// | `start` | the day of departure: `"2026-12-10"` |
/// | `nights` | 1…60 |
/// | `price` | US dollars, 0…20,000 in steps of 250 |
/// | `picture` | a picture's name, or null |
/// | `favourite` | true or false |
/// | `place` | where it goes: `name`, `country`, `latitude`, `longitude`, `timeZone`; null as long as that wasn't found |
/// | `version` | what a write must name, as If-Match does with quotes around it |
/// | `share` | `"/shared/KEY"`, or null where it isn't shared |
///
/// One trip alone bears `totalNights`, over all of its traveller's trips, and `next`: `id`, `city`, `country` and
/// `start` of the trip that starts soonest after it, or null. A shared trip bears neither these nor `id`, `version`
/// and `share`.
enum TripsJSON {
    static func write(_ list: TripList, to json: inout JSONWriter) {
        json.object { json in
            json.key("trips")
            json.array(list.trips) { write($1, to: &$0) }
            json.key("totalNights")
            json.value(list.totalNights)
        }
    }

    /// A trip alone, or among others.
    static func write(_ trip: Trip, in list: TripList? = nil, to json: inout JSONWriter) {
        json.object { json in
            json.key("id")
            json.value(trip.id.description)
            write(trip.plan, trip.place, to: &json)
            json.key("version")
            json.value(trip.version.description)
            json.key("share")
            if let share = trip.share { write(share, to: &json) } else { json.null() }
            guard let list else { return }
            json.key("totalNights")
            json.value(list.totalNights)
            json.key("next")
            guard let next = list.next(after: trip.id) else { return json.null() }
            json.object { json in
                write(nameOf: next, to: &json)
                json.key("start")
                json.value(next.plan.start)
            }
        }
    }

    static func write(_ trip: SharedTrip, to json: inout JSONWriter) {
        json.object { write(trip.plan, trip.place, to: &$0) }
    }

    static func write(_ share: ShareID, to json: inout JSONWriter) {
        json.string { pen in
            pen.words("/shared/")
            pen.out.append(url: share.text)
        }
    }

    /// `id`, `city` and `country`.
    static func write(nameOf trip: Trip, to json: inout JSONWriter) {
        json.key("id")
        json.value(trip.id.description)
        json.key("city")
        json.value(trip.plan.city)
        json.key("country")
        json.value(trip.plan.country)
    }

    private static func write(_ plan: TripPlan, _ place: Place?, to json: inout JSONWriter) {
        json.key("city")
        json.value(plan.city)
        json.key("country")
        json.value(plan.country)
        json.key("start")
        json.value(plan.start)
        json.key("nights")
        json.value(plan.nights)
        json.key("price")
        json.value(plan.price)
        json.key("picture")
        json.value(plan.picture?.description)
        json.key("favourite")
        json.value(plan.isFavourite)
        json.key("place")
        guard let place else { return json.null() }
        json.object { json in
            json.key("name")
            json.value(place.name)
            json.key("country")
            json.value(place.country)
            json.key("latitude")
            json.value(degrees: place.coordinate.latitude)
            json.key("longitude")
            json.value(degrees: place.coordinate.longitude)
            json.key("timeZone")
            json.value(place.timeZone)
        }
    }
}
