/// 128 bits of the system's generator: what can't be guessed.
///
/// Its text is base 32 (RFC 4648, section 6) in lower case and without padding: 26 letters and digits that fit in an
/// address, a cookie or a file's name as they are.
package struct RandomKey: Sendable, Hashable, CustomStringConvertible {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    /// How long the text is.
    package static let length = 26

    private let bits: UInt128

    /// Draws a new one.
    package init(from random: TripRandom) {
        bits = UInt128(random.next()) << 64 | UInt128(random.next())
    }

    /// Reads exactly what `text` writes: each key has one spelling.
    package init?(_ text: some StringProtocol) {
        let digits = text.utf8.compactMap { RandomKey.alphabet.firstIndex(of: $0) }
        // 26 digits are 130 bits: the last two must be 0.
        guard text.utf8.count == RandomKey.length, digits.count == RandomKey.length,
            let last = digits.last, last & 3 == 0
        else { return nil }
        bits = digits.dropLast().reduce(0) { $0 << 5 | UInt128($1) } << 3 | UInt128(last >> 2)
    }

    package var text: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(RandomKey.length)
        for shift in stride(from: 123, through: 3, by: -5) {
            bytes.append(RandomKey.alphabet[Int(truncatingIfNeeded: bits >> UInt128(shift) & 31)])
        }
        bytes.append(RandomKey.alphabet[Int(truncatingIfNeeded: bits << 2 & 31)])
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Says nothing of the key, which must not get into a log.
    package var description: String { "a random key" }
}

/// Where random bits come from.
package struct TripRandom: Sendable {
    private let source: @Sendable () -> UInt64

    /// - Parameter source: 64 independent bits a call. Anything but the system's generator is for tests.
    package init(_ source: @escaping @Sendable () -> UInt64) {
        self.source = source
    }

    /// The system's generator, which is fit for secrets.
    package static let system = TripRandom {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    func next() -> UInt64 { source() }
}
