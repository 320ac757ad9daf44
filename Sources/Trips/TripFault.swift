package import Weather

/// One field at fault, and why.
package enum TripFault: Error, Sendable, Hashable {
    case city(Text)
    case country(Text)
    case start(Date)
    case nights(Number)
    case price(Number)
    /// No name of a picture.
    case picture
    /// Neither true nor false.
    case favourite
    case place(Place)

    package enum Text: Sendable, Hashable {
        case missing
        case unreadable
        /// In characters.
        case tooLong(limit: Int)
    }

    package enum Place: Sendable, Hashable {
        /// Neither a number nor a latitude and longitude.
        case unreadable
        /// The service has no place of this number.
        case unknown
        /// The number and the coordinates are of different places.
        case farApart(kilometres: Int)
    }

    package enum Date: Sendable, Hashable {
        case missing
        /// Not of the form 2026-12-10, or no day of the calendar.
        case unreadable
        case outOfRange(ClosedRange<CalendarDate>)
    }

    package enum Number: Sendable, Hashable {
        case missing
        /// No whole number.
        case unreadable
        case outOfRange(ClosedRange<Int>)
        /// Between two steps.
        case notAStep(of: Int)
    }

    /// The field's name in JSON and in forms.
    package var field: String {
        switch self {
        case .city: "city"
        case .country: "country"
        case .start: "start"
        case .nights: "nights"
        case .price: "price"
        case .picture: "picture"
        case .favourite: "favourite"
        case .place: "place"
        }
    }
}

/// All that is wrong with a draft, in the order of the form.
package struct TripFaults: Error, Sendable, Hashable {
    /// Never empty.
    package let all: [TripFault]
}
