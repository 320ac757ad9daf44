/// A question for a place, normalised: "bergen", " Bergen " and "BERGEN" are one. Swift compares text by
/// canonical equivalence, so that composed and decomposed letters are one too.
struct PlaceKey: FlightKey {
    /// The service's number of a place that is asked for by it; 0 if it is asked for by name.
    let id: Int
    let city: String
    let country: String
    let language: String

    init(id: Int, language: String) {
        self.id = id
        city = ""
        country = ""
        self.language = language.foldedForSearch
    }

    init(_ query: PlaceQuery) {
        id = 0
        city = query.city.foldedForSearch
        country = query.country?.foldedForSearch ?? ""
        // What another reader's language finds, or doesn't, is an answer of its own.
        language = query.readerLanguage.map { "\(query.language),\($0)" } ?? query.language
    }

    var spread: UInt { UInt(bitPattern: hashValue) }

    var bytes: Int { city.utf8.count + country.utf8.count + language.utf8.count }

    /// The question as an archive knows it. The tab can't be part of a part.
    var text: String { id > 0 ? "#\(id)\t\(language)" : "\(city)\t\(country)\t\(language)" }
}

/// A question for suggestions, normalised.
struct SuggestionKey: FlightKey {
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

extension Place {
    /// What it costs in memory, as far as that can be told.
    var bytes: Int {
        let texts = [name, country ?? "", countryCode ?? "", region ?? "", timeZone ?? ""]
        return MemoryLayout<Place>.stride + texts.reduce(0) { $0 + $1.utf8.count }
    }
}
