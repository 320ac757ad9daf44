/// Which state of a trip somebody has seen. Each write draws a new one at random, so that no two states of a trip
/// share one, even if a trip is forgotten and made again under the same well-known name.
package struct TripVersion: Sendable, Hashable, CustomStringConvertible {
    let bits: UInt64

    /// That of an example which nobody has changed yet, and of its copy until somebody does.
    static let example = TripVersion(bits: 0)

    init(bits: UInt64) {
        self.bits = bits
    }

    init(from random: TripRandom) {
        var bits = random.next()
        while bits == TripVersion.example.bits { bits = random.next() }
        self.bits = bits
    }

    /// Reads exactly what `description` writes.
    package init?(_ text: some StringProtocol) {
        guard let bits = UInt64(text, radix: 16), TripVersion(bits: bits).description == text else {
            return nil
        }
        self.bits = bits
    }

    /// Reads one entity tag.
    ///
    /// A weak tag is read as a strong one: a web server that compresses an answer weakens its tag, and the trip is
    /// the same all the same.
    package init?(entityTag: some StringProtocol) {
        let tag = entityTag.hasPrefix("W/") ? entityTag.dropFirst(2) : entityTag[...]
        guard tag.utf8.count == 18, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
        self.init(tag.dropFirst().dropLast())
    }

    /// 16 hexadecimal digits, as a form's hidden field bears it.
    package var description: String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The same as an entity tag, with its quotes (RFC 9110, section 8.8.3).
    package var entityTag: String { "\"\(description)\"" }
}
