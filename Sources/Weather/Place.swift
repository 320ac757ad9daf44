/// A place that was found.
package struct Place: Sendable, Hashable {
    /// The service's number for it, where it came from a search.
    package var identifier: Int?
    package var name: String
    /// Nil for territories that GeoNames counts to no state: Hong Kong, Macau, Antarctica.
    package var country: String?
    /// ISO 3166-1 alpha-2, upper case.
    package var countryCode: String?
    /// The first administrative level: a state, region or county.
    package var region: String?
    package var coordinate: Coordinate
    /// The IANA zone.
    package var timeZone: String?

    package init(
        identifier: Int? = nil, name: String, country: String? = nil, countryCode: String? = nil,
        region: String? = nil, coordinate: Coordinate, timeZone: String? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.country = country
        self.countryCode = countryCode
        self.region = region
        self.coordinate = coordinate
        self.timeZone = timeZone
    }

    /// "Vancouver, Canada", or the name alone where there is no country.
    package var title: String {
        if let country { "\(name), \(country)" } else { name }
    }
}

/// What is looked up: a city as people write it, and its country where they name one.
package struct PlaceQuery: Sendable, Hashable {
    /// As normalised text: trimmed, with single spaces.
    package var city: String
    package var country: String?
    /// A language of the service, lower case: which names come back.
    package var language: String

    package init(city: String, country: String? = nil, language: String = "en") {
        self.city = city
        self.country = country
        self.language = language
    }
}
