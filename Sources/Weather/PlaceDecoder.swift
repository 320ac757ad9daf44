/// A place as the service's search found it, with what choosing among several needs.
package struct FoundPlace: Sendable, Hashable {
    package var place: Place
    /// Inhabitants; 0 where nothing is known.
    package var population: Int

    package init(place: Place, population: Int = 0) {
        self.place = place
        self.population = population
    }
}

/// Reads the bodies that `/v1/search` and `/v1/get` answer with under status 200.
package enum PlaceDecoder {
    /// The places found, in the service's order; none if the key `results` is missing, which is how the service
    /// says so.
    ///
    /// The service leaves out every field whose value is 0 or empty: a missing latitude is the equator, but one
    /// that is null isn't. A result without a name, or off the Earth, is passed over.
    ///
    /// - Throws: `.unreadable`, saying what is wrong.
    package static func places(from body: [UInt8]) throws(WeatherError) -> [FoundPlace] {
        var places: [FoundPlace] = []
        var results = 0
        try read(body) { (reader, key) throws(JSONFault) in
            guard "results" ~= key, reader.next() == UInt8(ascii: "[") else {
                if "results" ~= key, reader.next() != UInt8(ascii: "n") { results += 1 }
                return try reader.skip()
            }
            try reader.array { (reader) throws(JSONFault) in
                results += 1
                guard reader.next() == UInt8(ascii: "{") else { return try reader.skip() }
                var fields = PlaceFields()
                try reader.object { (reader, key) throws(JSONFault) in try fields.read(key, from: &reader) }
                if let place = fields.place { places.append(place) }
            }
        }
        guard places.count > 0 || results == 0 else {
            throw .unreadable(path: "results: no place among \(results)")
        }
        return places
    }

    /// The one place that an answer by its id holds.
    package static func place(from body: [UInt8]) throws(WeatherError) -> Place {
        var fields = PlaceFields()
        try read(body) { (reader, key) throws(JSONFault) in try fields.read(key, from: &reader) }
        guard let found = fields.place else { throw .unreadable(path: "no place") }
        return found.place
    }

    /// Reads one object, and throws what the service says in place of an answer.
    private static func read(
        _ body: [UInt8], member: (inout JSONReader, JSONReader.Key) throws(JSONFault) -> Void
    ) throws(WeatherError) {
        var reader = JSONReader(body)
        do throws(JSONFault) {
            guard reader.next() != nil else { throw JSONFault(problem: "an empty body") }
            var isError = false
            var reason: String?
            try reader.object { (reader, key) throws(JSONFault) in
                switch key {
                case "error": isError = try reader.boolean() ?? false
                case "reason": reason = try reader.string()
                default: try member(&reader, key)
                }
            }
            try reader.end()
            if isError { throw JSONFault(problem: "an error: \(CleanText.line(reason ?? "", limit: 200))") }
        } catch {
            throw .unreadable(path: error.description)
        }
    }
}

/// A place's members, as far as they were read.
private struct PlaceFields {
    private var identifier: Int?
    private var name: String?
    private var latitude: Double? = 0
    private var longitude: Double? = 0
    private var country: String?
    private var countryCode: String?
    private var region: String?
    private var district: String?
    private var timeZone: String?
    private var population: Int?

    mutating func read(_ key: JSONReader.Key, from reader: inout JSONReader) throws(JSONFault) {
        switch key {
        case "id": identifier = try reader.integer()
        case "name": name = try reader.label()
        case "latitude": latitude = try reader.number()
        case "longitude": longitude = try reader.number()
        case "country": country = try reader.label()
        case "country_code": countryCode = try reader.label()
        case "admin1": region = try reader.label()
        case "admin2": district = try reader.label()
        case "timezone": timeZone = try reader.label()
        case "population": population = try reader.integer()
        default: try reader.skip()
        }
    }

    var place: FoundPlace? {
        guard let name, let latitude, let longitude,
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return FoundPlace(
            place: Place(
                identifier: identifier, name: name, country: country, countryCode: countryCode?.uppercased(),
                region: region, district: district, coordinate: coordinate, timeZone: timeZone),
            population: max(population ?? 0, 0))
    }
}

extension JSONReader {
    /// A string fit to be shown; nil for anything else, and if it is empty.
    fileprivate mutating func label() throws(JSONFault) -> String? {
        guard let text = try string() else { return nil }
        let line = CleanText.line(text, limit: PlaceText.lengthLimit)
        return line.isEmpty ? nil : line
    }
}
