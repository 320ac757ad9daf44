/// What an entry is kept under. It says itself in which shard it belongs.
protocol CacheKey: Hashable, Sendable {
    /// Any number, well spread in its low bits.
    var spread: UInt { get }
    /// Its size beside its own fields, in bytes.
    var bytes: Int { get }
    /// How it is named on disk.
    var name: String { get }
}

/// What weather is kept under: a coordinate to two decimals, and nothing else.
struct WeatherKey: CacheKey {
    /// Hundredths of degrees: north in the upper half, east in the lower.
    private let packed: UInt64

    /// `coordinate` has been rounded.
    init(_ coordinate: Coordinate) {
        let north = Int32((coordinate.latitude * 100).rounded())
        let east = Int32((coordinate.longitude * 100).rounded())
        packed = UInt64(UInt32(bitPattern: north)) << 32 | UInt64(UInt32(bitPattern: east))
    }

    var spread: UInt {
        // Fibonacci hashing: the upper bits of the product depend on all of the key's.
        UInt(truncatingIfNeeded: (packed &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }

    var bytes: Int { 0 }

    var name: String {
        let north = Int32(truncatingIfNeeded: packed >> 32)
        return "weather \(north),\(Int32(truncatingIfNeeded: packed))"
    }
}

/// A question for a place, normalised: "bergen", " Bergen " and "BERGEN" are one. Swift compares text by
/// canonical equivalence, so that composed and decomposed letters are one too.
struct PlaceKey: CacheKey {
    /// The service's number of a place that is asked for by it, or how many suggestions are asked for; else 0.
    let number: Int
    let city: String
    let country: String
    let language: String

    init(_ query: PlaceQuery) {
        number = 0
        city = query.city.foldedForSearch
        country = query.country?.foldedForSearch ?? ""
        language = PlaceKey.languages(of: query)
    }

    init(id: Int, language: String) {
        (number, city, country, self.language) = (id, "", "", language)
    }

    /// Suggestions, which have a cache of their own.
    init(beginning: PlaceQuery, limit: Int) {
        (number, city, country) = (limit, beginning.city.foldedForSearch, "")
        language = PlaceKey.languages(of: beginning)
    }

    /// What another reader's language finds, or doesn't, is an answer of its own.
    private static func languages(of query: PlaceQuery) -> String {
        query.readerLanguage.map { "\(query.language),\($0)" } ?? query.language
    }

    /// The city alone is spread enough.
    var spread: UInt { UInt(bitPattern: city.hashValue &+ number) }

    var bytes: Int { city.utf8.count + country.utf8.count + language.utf8.count }

    /// The tab can't be part of a part.
    var name: String {
        number > 0 ? "place #\(number)\t\(language)" : "place \(city)\t\(country)\t\(language)"
    }
}

extension String {
    /// Without the difference of capitals, whatever the length of their small letters: "STRASSE" and "Straße" are
    /// one.
    fileprivate var foldedForSearch: String {
        var (isASCII, hasCapitals) = (true, false)
        for byte in utf8 {
            if byte >= 0x80 { isASCII = false }
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) { hasCapitals = true }
        }
        if isASCII { return hasCapitals ? lowercased() : self }
        // A dotless i is a letter of its own, which upper case would turn into an I.
        return unicodeScalars.contains("\u{131}") ? lowercased() : uppercased().lowercased()
    }
}
