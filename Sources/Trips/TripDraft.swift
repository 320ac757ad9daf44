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

/// The place that somebody means, where the name alone may lead elsewhere.
package struct MeantPlace: Sendable, Hashable {
    /// The service's number for it.
    package var id: Int?
    package var coordinate: Coordinate?

    /// Nil if neither is given.
    package init?(id: Int?, coordinate: Coordinate?) {
        guard id != nil || coordinate != nil else { return nil }
        (self.id, self.coordinate) = (id, coordinate)
    }

    /// Whether it is this place, as far as it says.
    package func isSame(as place: Place) -> Bool {
        if let id, let own = place.identifier { return id == own }
        return coordinate?.rounded == place.coordinate.rounded
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
    /// No part of the plan: it says where the city is.
    package var place: TripInput<MeantPlace> = .absent

    /// Nothing said about any field.
    package init() {}

    /// The plan that the draft states: a whole trip, or the fields changed that it names, as a merge patch does (RFC
    /// 7396). A field that is absent stays, and one that is cleared goes, if a trip can be without it.
    ///
    /// - Parameter plan: where absent fields come from. Without one, city, start and nights must be there; without the
    ///   others there is no country, no price and no picture, and it is no favourite.
    /// - Throws: every field at fault.
    package func plan(over plan: TripPlan? = nil) throws(TripFaults) -> TripPlan {
        var faults: [TripFault] = []
        /// What a field comes to; nil, with its fault noted, if that is nothing.
        ///
        /// - Parameters:
        ///   - absent: its value if it isn't named; nil if it must be.
        ///   - cleared: its value if it is empty; nil if it must not be.
        func value<Input, Value>(
            _ input: TripInput<Input>, absent: Value?, cleared: Value? = nil, missing: TripFault? = nil,
            unreadable: TripFault, _ check: (Input) throws(TripFault) -> Value
        ) -> Value? {
            do throws(TripFault) {
                switch input {
                case .absent: if let absent { return absent }
                case .cleared: if let cleared { return cleared }
                case .unreadable: throw unreadable
                case .value(let input): return try check(input)
                }
                if let missing { throw missing }
            } catch {
                faults.append(error)
            }
            return nil
        }
        let city = value(
            city, absent: plan?.city, missing: .city(.missing), unreadable: .city(.unreadable)
        ) { text throws(TripFault) in
            guard let city = try TripDraft.line(text, tooLong: .city(.tooLong(limit: TripPlan.nameLimit)))
            else { throw .city(.missing) }
            return city
        }
        let country = value(
            country, absent: .some(plan?.country), cleared: .some(nil), unreadable: .country(.unreadable)
        ) { text throws(TripFault) in
            try TripDraft.line(text, tooLong: .country(.tooLong(limit: TripPlan.nameLimit)))
        }
        let start = value(
            start, absent: plan?.start, missing: .start(.missing), unreadable: .start(.unreadable)
        ) { date throws(TripFault) in
            guard TripPlan.startRange.contains(date) else { throw .start(.outOfRange(TripPlan.startRange)) }
            return date
        }
        let nights = value(
            nights, absent: plan?.nights, missing: .nights(.missing), unreadable: .nights(.unreadable)
        ) { nights throws(TripFault) in
            guard TripSpan.nightsRange.contains(nights) else {
                throw .nights(.outOfRange(TripSpan.nightsRange))
            }
            return nights
        }
        // A price of nothing is stated as 0; an empty field is a slip.
        let price = value(
            price, absent: plan?.price ?? 0, missing: .price(.missing), unreadable: .price(.unreadable)
        ) { price throws(TripFault) in
            guard TripPlan.priceRange.contains(price) else { throw .price(.outOfRange(TripPlan.priceRange)) }
            guard price.isMultiple(of: TripPlan.priceStep) else {
                throw .price(.notAStep(of: TripPlan.priceStep))
            }
            return price
        }
        let picture = value(
            picture, absent: .some(plan?.picture), cleared: .some(nil), unreadable: .picture
        ) { text throws(TripFault) in
            guard let picture = PictureName(text) else { throw .picture }
            return picture
        }
        let isFavourite = value(
            isFavourite, absent: plan?.isFavourite ?? false, cleared: false, unreadable: .favourite
        ) { $0 }
        guard let city, let country, let start, let nights, let price, let picture, let isFavourite,
            let span = TripSpan(start: start, nights: nights)
        else { throw TripFaults(all: faults) }
        return TripPlan(
            city: city, country: country, span: span, price: price, picture: picture, isFavourite: isFavourite
        )
    }

    /// One line of text, or nil if there is none.
    private static func line(_ text: String, tooLong: TripFault) throws(TripFault) -> String? {
        // Before the text is looked at more closely: no name that fits has more bytes.
        guard text.utf8.count <= TripPlan.nameLimit * 16 else { throw tooLong }
        let line = PlaceText.normalised(text)
        guard line.count <= TripPlan.nameLimit else { throw tooLong }
        return line.isEmpty ? nil : line
    }
}
