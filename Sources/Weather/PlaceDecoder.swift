/// A place as the service's search found it, with what choosing among several needs.
package struct FoundPlace: Sendable, Hashable {
    package var place: Place
    /// The second administrative level: a county or district.
    package var district: String?
    /// Inhabitants; 0 where nothing is known.
    package var population: Int

    package init(place: Place, district: String? = nil, population: Int = 0) {
        self.place = place
        self.district = district
        self.population = population
    }
}

/// Reads the bodies that `/v1/search` answers with under status 200.
package enum PlaceDecoder {
    /// The places found, in the service's order; none where the key `results` is missing, which is how the
    /// service says so.
    ///
    /// The service leaves out every field whose value is 0 or empty: a missing latitude is the equator. A result
    /// without a name, or off the Earth, is passed over.
    ///
    /// - Throws: `.unreadable`, naming the key or what is wrong.
    package static func places(from body: [UInt8]) throws(WeatherError) -> [FoundPlace] {
        var reader = JSONReader(body)
        do throws(JSONFault) {
            guard reader.next() != nil else { throw JSONFault(problem: "an empty body") }
            var places: [FoundPlace] = []
            var results = 0
            var isError = false
            var reason: String?
            try reader.object { (reader, key) throws(JSONFault) in
                if reader.matches(key, "results") {
                    if try reader.null() { return }
                    try reader.array { (reader) throws(JSONFault) in
                        results += 1
                        if let place = try FoundPlace(from: &reader) { places.append(place) }
                    }
                } else if reader.matches(key, "error") {
                    isError = try reader.boolean() ?? false
                } else if reader.matches(key, "reason") {
                    reason = try reader.string()
                } else {
                    try reader.skip()
                }
            }
            try reader.end()
            if isError { throw JSONFault(problem: "an error: \(CleanText.line(reason ?? "", limit: 200))") }
            guard places.count > 0 || results == 0 else { throw JSONFault(missing: "results[0].name") }
            return places
        } catch {
            throw .unreadable(path: error.description)
        }
    }
}

extension FoundPlace {
    fileprivate init?(from reader: inout JSONReader) throws(JSONFault) {
        var identifier: Int?
        var name: String?
        var latitude: Double?
        var longitude: Double?
        var country: String?
        var countryCode: String?
        var region: String?
        var district: String?
        var timeZone: String?
        var population: Int?
        try reader.object { (reader, key) throws(JSONFault) in
            if reader.matches(key, "id") {
                identifier = try reader.integer()
            } else if reader.matches(key, "name") {
                name = try reader.label()
            } else if reader.matches(key, "latitude") {
                latitude = try reader.number()
            } else if reader.matches(key, "longitude") {
                longitude = try reader.number()
            } else if reader.matches(key, "country") {
                country = try reader.label()
            } else if reader.matches(key, "country_code") {
                countryCode = try reader.label()
            } else if reader.matches(key, "admin1") {
                region = try reader.label()
            } else if reader.matches(key, "admin2") {
                district = try reader.label()
            } else if reader.matches(key, "timezone") {
                timeZone = try reader.label()
            } else if reader.matches(key, "population") {
                population = try reader.integer()
            } else {
                try reader.skip()
            }
        }
        guard let name, let coordinate = Coordinate(latitude: latitude ?? 0, longitude: longitude ?? 0)
        else { return nil }
        self.init(
            place: Place(
                identifier: identifier, name: name, country: country, countryCode: countryCode?.uppercased(),
                region: region, coordinate: coordinate, timeZone: timeZone),
            district: district, population: max(population ?? 0, 0))
    }
}

extension JSONReader {
    /// A string fit to be shown; nil where it is null or empty.
    fileprivate mutating func label() throws(JSONFault) -> String? {
        guard let text = try string() else { return nil }
        let line = CleanText.line(text, limit: PlaceText.lengthLimit)
        return line.isEmpty ? nil : line
    }
}
