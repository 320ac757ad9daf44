/// Which trip. Knowing it opens nothing: each question names the traveller too.
package enum TripID: Sendable, Hashable, CustomStringConvertible {
    /// A trip that is kept.
    case kept(RandomKey)
    /// An example under its well-known name. Once the examples are a traveller's own, the name leads to the copy,
    /// which has an id of its own.
    case example(ExampleTrip)

    /// Reads exactly what `description` writes.
    package init?(_ text: some StringProtocol) {
        if let example = ExampleTrip(rawValue: String(text)) {
            self = .example(example)
        } else if let key = RandomKey(text) {
            self = .kept(key)
        } else {
            return nil
        }
    }

    /// As it stands in an address: 26 letters and digits, or "example-seattle".
    package var description: String {
        switch self {
        case .kept(let key): key.text
        case .example(let example): example.rawValue
        }
    }
}

/// Under which address a trip may be read by whoever knows it, until that is revoked. It has nothing to do with the
/// trip's id.
package typealias ShareID = RandomKey

/// What a form that adds a trip bears, so that sending it twice adds one trip.
///
/// It is drawn by the server, or by a script in the browser, which may take a UUID. It is looked up only among the
/// traveller's own trips, and is forgotten with the trip that it added.
package struct CreationKey: Sendable, Hashable, CustomStringConvertible {
    /// How many characters a key may have.
    package static let lengthRange = 16...64

    package let text: String

    package init(from random: TripRandom) {
        text = RandomKey(from: random).text
    }

    /// Nil for anything but 16 to 64 ASCII letters, digits, "-" and "_".
    package init?(_ text: some StringProtocol) {
        let isKey = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_" }
        guard isKey, CreationKey.lengthRange.contains(text.utf8.count) else { return nil }
        self.text = String(text)
    }

    package var description: String { text }
}
