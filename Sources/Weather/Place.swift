/// A place that was found.
package struct Place: Sendable, Hashable, Codable {
    /// The service's number for it, if it came from a search.
    package var identifier: Int?
    package var name: String
    /// Nil for territories that GeoNames counts to no state: Hong Kong, Macau, Antarctica.
    package var country: String?
    /// ISO 3166-1 alpha-2, upper case.
    package var countryCode: String?
    /// The first administrative level: a state, region or county.
    package var region: String?
    /// The second: a county or district. A list of places has it only for those that it tells apart.
    package var district: String?
    package var coordinate: Coordinate
    /// The IANA zone.
    package var timeZone: String?

    package init(
        identifier: Int? = nil, name: String, country: String? = nil, countryCode: String? = nil,
        region: String? = nil, district: String? = nil, coordinate: Coordinate, timeZone: String? = nil
    ) {
        (self.identifier, self.name, self.country) = (identifier, name, country)
        (self.countryCode, self.region, self.district) = (countryCode, region, district)
        (self.coordinate, self.timeZone) = (coordinate, timeZone)
    }

    /// "Vancouver, Canada", or the name alone if there is no country.
    package var title: String {
        if let country { "\(name), \(country)" } else { name }
    }
}

/// What is looked up: a city as people write it, and its country if they name one.
///
/// The texts are normalised here and nowhere else, so that two spellings of one question are equal but for upper and
/// lower case.
package struct PlaceQuery: Sendable, Hashable {
    /// Trimmed, with single spaces, and with the apostrophes and hyphens of a keyboard.
    package let city: String
    package let country: String?
    /// A language of the service, lower case: which names come back.
    package let language: String
    /// The reader's own language, if it isn't that: a name that `language` doesn't know may be one of it.
    package let readerLanguage: String?

    package init(
        city: String, country: String? = nil, language: String = "en", readerLanguage: String? = nil
    ) {
        self.city = PlaceText.searchable(city)
        let country = country.map(PlaceText.searchable)
        self.country = country?.isEmpty == true ? nil : country
        let language = PlaceQuery.code(language)
        self.language = language
        let own = readerLanguage.map(PlaceQuery.code)
        self.readerLanguage = own == language ? nil : own
    }

    /// A lower-case code of two or three letters, "en" for anything else: "de-AT" is "de".
    private static func code(_ tag: String) -> String {
        if isCode(tag) { return tag }
        let code = tag.prefix { $0 != "-" && $0 != "_" }.lowercased()
        return isCode(code) ? code : "en"
    }

    private static func isCode(_ text: String) -> Bool {
        (2...3).contains(text.utf8.count) && text.utf8.allSatisfy { (97...122).contains($0) }
    }
}
