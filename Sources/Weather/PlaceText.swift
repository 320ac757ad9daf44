/// A place's name as it is asked for, compared and stripped.
package enum PlaceText {
    /// The longest name that is asked for, in characters: GeoNames has none that is longer.
    package static let lengthLimit = 200

    /// The text trimmed, with single spaces, without control characters, its accented letters composed as far as
    /// Latin, Greek, Cyrillic and kana go: the service trims nothing, and "Berlin " finds Berlin Heights only.
    package static func normalised(_ text: String) -> String {
        // Cut first, so that a huge text costs no more than a long name; a limit of scalars that no real name of
        // 200 characters reaches.
        if CleanText.isClean(text, limit: lengthLimit * 8) { return text }
        let line = CleanText.line(text, limit: lengthLimit * 8)
        return String(line.map { $0.unicodeScalars.count > 1 ? composed[$0] ?? $0 : $0 })
    }

    /// The same with the apostrophes and hyphens that a keyboard has: the service compares them exactly, and a
    /// telephone writes others.
    static func searchable(_ text: String) -> String {
        if CleanText.isClean(text, limit: lengthLimit * 8) { return text }
        let line = normalised(text)
        var plain = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            if apostrophes.contains(scalar) {
                plain.append("'")
            } else if (0x2010...0x2015).contains(scalar.value) || scalar == "\u{2212}" {
                plain.append("-")
            } else {
                plain.append(scalar)
            }
        }
        return String(plain)
    }

    /// Quotes, primes, an accent, and the letters that look like an apostrophe.
    private static let apostrophes: Set<Unicode.Scalar> = [
        "\u{2018}", "\u{2019}", "\u{201B}", "\u{2032}", "\u{B4}", "\u{2BB}", "\u{2BC}",
    ]

    /// What two spellings of a name have in common: lower case, no accents, single spaces for anything between
    /// words.
    static func folded(_ text: String) -> String {
        if let folded = foldedASCII(text) { return folded }
        var result = String.UnicodeScalarView()
        var isSpacePending = false
        for scalar in stripped(text).lowercased().unicodeScalars {
            if apostrophes.contains(scalar) { continue }
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                if isSpacePending, !result.isEmpty { result.append(" ") }
                isSpacePending = false
                result.append(scalar)
            } else if scalar != "." && scalar != "'" {
                isSpacePending = true
            }
        }
        return String(result)
    }

    /// The same for text of ASCII alone, without Unicode's tables; nil for other text.
    private static func foldedASCII(_ text: String) -> String? {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var isSpacePending = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                if isSpacePending, !result.isEmpty { result.append(UInt8(ascii: " ")) }
                isSpacePending = false
                // Sets the bit that tells small letters from capitals; digits have it.
                result.append(byte | 0x20)
            case UInt8(ascii: "."), UInt8(ascii: "'"): break
            case 0x80...: return nil
            default: isSpacePending = true
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text with Latin letters bare: "Tromsø" is "Tromso", "Łódź" "Lodz", "Gießen" "Giessen".
    static func stripped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else if scalar.properties.generalCategory == .nonspacingMark {
                // Combining accents; other scripts' vowel signs are part of the word.
                if !(0x300...0x36F).contains(scalar.value) { result.unicodeScalars.append(scalar) }
            } else if let special = specials[scalar] {
                result += special
            } else if let letter = bareLetter(scalar) {
                result += letter
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static let specials: [Unicode.Scalar: String] = [
        "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ð": "d",
        "Ð": "D",
        "ı": "i",
    ]

    /// U+00E0 to U+00FF without their accents; a space for what isn't an accented letter.
    private static let latin1Letters = Array("aaaaaa ceeeeiiii nooooo ouuuuy y")

    /// The letter that an accented Latin letter is named after: "LATIN SMALL LETTER O WITH STROKE" is an o.
    private static func bareLetter(_ scalar: Unicode.Scalar) -> String? {
        // The most common of them without a look-up of their names, which is slow.
        if (0xE0...0xFF).contains(scalar.value) {
            let letter = latin1Letters[Int(scalar.value) - 0xE0]
            return letter == " " ? nil : String(letter)
        }
        guard (0xC0...0x24F).contains(scalar.value) || (0x1E00...0x1EFF).contains(scalar.value),
            let words = scalar.properties.name?.split(separator: " "), words.count > 4, words[0] == "LATIN",
            words[2] == "LETTER", words[3].count == 1, words[4] == "WITH"
        else { return nil }
        return words[1] == "SMALL" ? words[3].lowercased() : String(words[3])
    }

    /// Composed letters by themselves: a character equals its decomposed spelling, so that looking one up finds
    /// the other.
    private static let composed: [Character: Character] = {
        var letters: [Character: Character] = [:]
        let ranges: [ClosedRange<UInt32>] = [
            0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF, 0x3040...0x30FF,
        ]
        for value in ranges.joined() {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned
            else { continue }
            letters[Character(scalar)] = Character(scalar)
        }
        return letters
    }()
}
