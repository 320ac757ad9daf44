package import Weather

/// What somebody said about one field of a trip, before it is checked.
package enum TripInput<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The field was not named.
    case absent
    /// It was named and is empty: JSON's null, or an empty field of a form.
    case cleared
    /// It holds what can't be read as a value of its kind: "twelve" for a number.
    case unreadable
    case value(Value)

    /// - Parameter value: nil if the field is empty.
    package init(_ value: Value?) {
        self = value.map { .value($0) } ?? .cleared
    }
}

/// A trip as somebody states it, field by field: a whole one, to be added or put in the place of another, or some
/// fields of it, to be changed in a trip that there is.
package struct TripDraft: Sendable, Hashable {
    package var city: TripInput<String> = .absent
    package var country: TripInput<String> = .absent
    package var start: TripInput<CalendarDate> = .absent
    package var nights: TripInput<Int> = .absent
    /// US dollars.
    package var price: TripInput<Int> = .absent
    package var picture: TripInput<String> = .absent
    package var isFavourite: TripInput<Bool> = .absent

    /// Nothing said about any field.
    package init() {}

    /// What says the whole of a plan, for a form to begin with.
    package init(_ plan: TripPlan) {
        city = .value(plan.city)
        country = TripInput(plan.country)
        start = .value(plan.start)
        nights = .value(plan.nights)
        price = .value(plan.price)
        picture = TripInput(plan.picture?.description)
        isFavourite = .value(plan.isFavourite)
    }

    /// The draft as a whole trip. City, start and nights must be there; without the others there is no country, no
    /// price and no picture, and it is no favourite.
    ///
    /// - Throws: every field at fault.
    package func plan() throws(TripFaults) -> TripPlan {
        try checked(over: nil)
    }

    /// The plan with the fields changed that this draft names, as a merge patch does (RFC 7396): a field that is
    /// absent stays, and one that is cleared goes, if a trip can be without it.
    ///
    /// - Throws: every field at fault.
    package func merged(into plan: TripPlan) throws(TripFaults) -> TripPlan {
        try checked(over: plan)
    }
}
