/// Whose trips. The two kinds are apart: no name of a user is ever a visitor.
package enum TravellerID: Sendable, Hashable, CustomStringConvertible {
    /// Somebody whom the web server has authenticated, by name.
    case remoteUser(String)
    /// Somebody known by nothing but a random key that their browser keeps. Who has the key is that traveller.
    case visitor(RandomKey)

    /// The longest name of a user, in bytes.
    package static let nameLimit = 256

    /// Nil for an empty name, one over the limit, or one with control characters.
    package init?(remoteUser name: String) {
        let hasControls = name.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !name.isEmpty, name.utf8.count <= TravellerID.nameLimit, !hasControls else { return nil }
        self = .remoteUser(name)
    }

    /// Reads a visitor's key as a cookie holds it, exactly as `RandomKey.text` writes it.
    package init?(visitor text: some StringProtocol) {
        guard let key = RandomKey(text) else { return nil }
        self = .visitor(key)
    }

    /// Somebody new. Nothing is kept of them before their first write.
    package static func newVisitor(from random: TripRandom = .system) -> TravellerID {
        .visitor(RandomKey(from: random))
    }

    /// What a store keeps a traveller under. Keys are equal if their bytes are.
    var key: String {
        switch self {
        case .remoteUser(let name): "user:\(name)"
        case .visitor(let key): "visitor:\(key.text)"
        }
    }

    /// Reads what `key` writes for a visitor.
    init?(visitorKey key: String) {
        guard key.hasPrefix("visitor:") else { return nil }
        self.init(visitor: key.dropFirst(8))
    }

    /// Says which kind and no more: the rest is a secret, or somebody's name.
    package var description: String {
        switch self {
        case .remoteUser: "a user"
        case .visitor: "a visitor"
        }
    }
}
