/// A place that was found.
public struct Place: Sendable, Hashable {
    /// The service's number for it, where it came from a search.
    public var identifier: Int?
    public var name: String
    /// Nil for territories that GeoNames counts to no state: Hong Kong, Macau, Antarctica.
    public var country: String?
    /// ISO 3166-1 alpha-2, upper case.
    public var countryCode: String?
    /// The first administrative level: a state, region or county.
    public var region: String?
    public var coordinate: Coordinate
    /// The IANA zone.
    public var timeZone: String?

    public init(
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
    public var title: String {
        if let country { "\(name), \(country)" } else { name }
    }
}

/// What is looked up: a city as people write it, and its country where they name one.
public struct PlaceQuery: Sendable, Hashable {
    /// As normalised text: trimmed, with single spaces.
    public var city: String
    public var country: String?
    /// A language of the service, lower case: which names come back.
    public var language: String

    public init(city: String, country: String? = nil, language: String = "en") {
        self.city = city
        self.country = country
        self.language = language
    }
}
