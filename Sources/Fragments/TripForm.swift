package import Trips
package import Weather

/// A form that adds or changes a trip: what stands in its fields, and what is wrong with it.
package struct TripForm: Sendable, Hashable {
    package enum Purpose: Sendable, Hashable {
        /// A new trip.
        ///
        /// - Parameter key: what a creation bears once, so that sending the form twice adds one trip.
        case add(key: String)
        /// A trip that there is.
        ///
        /// - Parameter version: the one that its traveller saw.
        case edit(id: TripID, version: String)
    }

    package var purpose: Purpose
    package var fields: TripFields
    /// The fields at fault: each is shown with its sentence.
    package var faults: [TripFault]
    /// What is wrong as a whole, as a sentence.
    package var message: String?

    package init(
        purpose: Purpose, fields: TripFields, faults: [TripFault] = [], message: String? = nil
    ) {
        self.purpose = purpose
        self.fields = fields
        self.faults = faults
        self.message = message
    }
}

/// What stands in a form's fields, as it was typed: it need not be right.
package struct TripFields: Sendable, Hashable {
    package var city = ""
    /// Empty for none.
    package var country = ""
    /// "2026-12-10".
    package var start = ""
    package var nights = ""
    /// US dollars.
    package var price = ""
    /// A picture's name; empty for none.
    package var picture = ""
    package var isFavourite = false
    /// Where the city is, if that was chosen: the service's number, and degrees; empty for none.
    package var placeID = ""
    package var latitude = ""
    package var longitude = ""

    /// Nothing typed yet.
    package init() {}

    /// - Parameter place: where it goes, if that is known.
    package init(_ plan: TripPlan, at place: Place? = nil) {
        placeID = place?.identifier.map { "\($0)" } ?? ""
        latitude = place.map { "\($0.coordinate.latitude)" } ?? ""
        longitude = place.map { "\($0.coordinate.longitude)" } ?? ""
        city = plan.city
        country = plan.country ?? ""
        start = plan.start.description
        nights = String(plan.nights)
        price = String(plan.price)
        picture = plan.picture?.description ?? ""
        isFavourite = plan.isFavourite
    }
}

/// A field of a trip, in the order of the form.
enum TripField: String, CaseIterable {
    case city, country, start, nights, price, picture, favourite

    func label(_ phrases: Phrases) -> StaticString {
        switch self {
        case .city: phrases.city
        case .country: phrases.country
        case .start: phrases.departure
        case .nights: phrases.nightsLabel
        case .price: phrases.price
        case .picture: phrases.picture
        case .favourite: phrases.favourite
        }
    }

    /// As a form sends it.
    func raw(_ fields: TripFields) -> String {
        switch self {
        case .city: fields.city
        case .country: fields.country
        case .start: fields.start
        case .nights: fields.nights
        case .price: fields.price
        case .picture: fields.picture
        case .favourite: fields.isFavourite ? "true" : "false"
        }
    }

    /// Whether both would be saved as the same.
    func isSame(_ first: TripFields, _ second: TripFields) -> Bool {
        let (first, second) = (raw(first), raw(second))
        switch self {
        case .city, .country: return PlaceText.normalised(first) == PlaceText.normalised(second)
        case .nights, .price:
            if let first = Int(first), let second = Int(second) { return first == second }
            return first == second
        case .start, .picture, .favourite: return first == second
        }
    }
}
