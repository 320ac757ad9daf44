package import Weather

/// What somebody plans, checked: `TripDraft` makes it, and nothing else does.
package struct TripPlan: Sendable, Hashable {
    /// US dollars.
    package static let priceRange = 0...20_000
    /// US dollars between one price and the next.
    package static let priceStep = 250
    /// How many characters a city or a country may have.
    package static let nameLimit = PlaceText.lengthLimit
    /// On which days a trip may start: from 1900-01-01 to 2199-12-31.
    package static let startRange =
        CalendarDate(daysSinceEpoch: -25_567)...CalendarDate(daysSinceEpoch: 84_005)

    /// Trimmed, of one line, not empty.
    package let city: String
    /// The same, or nil if none is named.
    package let country: String?
    /// The days, in the city's own zone.
    package let span: TripSpan
    /// US dollars, in steps of 250.
    package let price: Int
    /// The name of one of the page's pictures, or nil for none.
    package let picture: PictureName?
    package let isFavourite: Bool

    package var start: CalendarDate { span.start }
    package var nights: Int { span.nights }

    /// The question that finds where it goes.
    package func placeQuery(language: String = "en", readerLanguage: String? = nil) -> PlaceQuery {
        PlaceQuery(city: city, country: country, language: language, readerLanguage: readerLanguage)
    }

    /// Whether an answer to this question is where it goes, in whatever language it was asked.
    package func isAsked(by query: PlaceQuery) -> Bool {
        let own = placeQuery()
        return own.city == query.city && own.country == query.country
    }
}

/// The name of a picture: no path, no address, nothing but a name. Whether there is such a picture is the page's
/// business.
package struct PictureName: Sendable, Hashable, CustomStringConvertible {
    package static let lengthRange = 1...40

    private let text: String

    /// Nil for anything but 1 to 40 ASCII lower-case letters, digits and "-", of which "-" isn't the first.
    package init?(_ text: some StringProtocol) {
        let isName = text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber) || $0 == "-" }
        guard isName, PictureName.lengthRange.contains(text.utf8.count), !text.hasPrefix("-") else {
            return nil
        }
        self.text = String(text)
    }

    package var description: String { text }
}
