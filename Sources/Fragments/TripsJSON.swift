import Trips
import Weather

/// Writes trips as JSON. Every member is always there; `deploy/API.md` has a table of them.
///
/// One trip alone bears `totalNights`, over all of its traveller's trips, and `next`: `id`, `city`, `country` and
/// `start` of the trip that starts soonest after it, or null. A shared trip bears neither these nor `id`, `version`
/// and `share`.
enum TripsJSON {
    static func write(_ list: TripList, to json: inout JSONWriter) {
        json.object { json in
            json.array("trips", list.trips) { write($1, to: &$0) }
            json.member("totalNights", list.totalNights)
        }
    }

    /// A trip alone, or among others.
    static func write(_ trip: Trip, in list: TripList? = nil, to json: inout JSONWriter) {
        json.object { json in
            json.member("id", trip.id.description)
            write(trip.plan, trip.place, to: &json)
            json.member("version", trip.version.description)
            write(trip.share, to: &json)
            guard let list else { return }
            json.member("totalNights", list.totalNights)
            json.member("next", list.next(after: trip.id)) { json, next in
                json.object { json in
                    write(nameOf: next, to: &json)
                    json.member("start", next.plan.start)
                }
            }
        }
    }

    static func write(_ trip: SharedTrip, to json: inout JSONWriter) {
        json.object { write(trip.plan, trip.place, to: &$0) }
    }

    /// `share`.
    static func write(_ share: ShareID?, to json: inout JSONWriter) {
        json.member("share", share) { json, share in
            json.string { out in
                out.write("/shared/")
                out.buffer.append(url: share.text)
            }
        }
    }

    /// `id`, `city` and `country`.
    static func write(nameOf trip: Trip, to json: inout JSONWriter) {
        json.member("id", trip.id.description)
        json.member("city", trip.plan.city)
        json.member("country", trip.plan.country)
    }

    private static func write(_ plan: TripPlan, _ place: Place?, to json: inout JSONWriter) {
        json.member("city", plan.city)
        json.member("country", plan.country)
        json.member("start", plan.start)
        json.member("nights", plan.nights)
        json.member("price", plan.price)
        json.member("picture", plan.picture?.description)
        json.member("favourite", plan.isFavourite)
        json.member("place", place) { json, place in
            json.object { json in
                json.member("placeId", place.identifier)
                json.member("name", place.name)
                json.member("country", place.country)
                json.member("latitude", place.coordinate.latitude)
                json.member("longitude", place.coordinate.longitude)
                json.member("timeZone", place.timeZone)
            }
        }
    }
}
