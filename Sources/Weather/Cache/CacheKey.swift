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
    /// The service's number of a place that is asked for by it; 0 if it is asked for by name.
    let id: Int
    let city: String
    let country: String
    let language: String

    init(_ query: PlaceQuery) {
        id = 0
        city = query.city.foldedForSearch
        country = query.country?.foldedForSearch ?? ""
        // What another reader's language finds, or doesn't, is an answer of its own.
        language = query.readerLanguage.map { "\(query.language),\($0)" } ?? query.language
    }

    init(id: Int, language: String) {
        self.id = id
        city = ""
        country = ""
        self.language = language.foldedForSearch
    }

    var spread: UInt { UInt(bitPattern: hashValue) }

    var bytes: Int { city.utf8.count + country.utf8.count + language.utf8.count }

    /// The tab can't be part of a part.
    var name: String { id > 0 ? "place #\(id)\t\(language)" : "place \(city)\t\(country)\t\(language)" }
}

/// A question for suggestions, normalised.
struct SuggestionKey: CacheKey {
    let beginning: String
    let language: String
    let limit: Int

    init(beginning: String, language: String, limit: Int) {
        self.beginning = beginning.foldedForSearch
        self.language = language.foldedForSearch
        self.limit = limit
    }

    var spread: UInt { UInt(bitPattern: hashValue) }

    var bytes: Int { beginning.utf8.count + language.utf8.count }

    var name: String { "suggestions \(beginning)\t\(language)\t\(limit)" }
}

extension String {
    /// Trimmed, with single spaces.
    package var withSingleSpaces: String {
        // Nearly every name is so already, and Unicode's white space is slow to look up.
        var isPlain = true
        var previous = UInt8(ascii: " ")
        for byte in utf8 {
            if byte >= 0x80 || byte < 0x20 || (byte == UInt8(ascii: " ") && previous == byte) {
                isPlain = false
                break
            }
            previous = byte
        }
        if isPlain, previous != UInt8(ascii: " ") { return self }
        return split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// With single spaces and without the difference of capitals, whatever the length of their small letters:
    /// "STRASSE" and "Straße" are one.
    var foldedForSearch: String {
        let text = withSingleSpaces
        var (isASCII, hasCapitals) = (true, false)
        for byte in text.utf8 {
            if byte >= 0x80 { isASCII = false }
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) { hasCapitals = true }
        }
        if isASCII { return hasCapitals ? text.lowercased() : text }
        var folded = ""
        for scalar in text.unicodeScalars {
            // A dotless i is a letter of its own, which upper case would turn into an I.
            if scalar == "\u{131}" {
                folded.unicodeScalars.append(scalar)
                continue
            }
            for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                folded += upper.properties.lowercaseMapping
            }
        }
        return folded
    }
}
