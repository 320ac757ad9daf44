/// One key of the configuration: its path in the file, what it takes, and where its value lives.
///
/// - Note: The closures are made from literal key paths and capture nothing else.
package struct ConfigurationKey: Sendable {
    /// For example "upstream.connectTimeout".
    package let path: String
    /// What it takes, in words for an error: "a duration such as \"800ms\", 1ms to 1h".
    package let takes: String
    /// Whether a running program can take a new value on SIGHUP.
    package let isReloadable: Bool
    /// Whether the value is shown as "(set)" only.
    package let isSecret: Bool
    /// Reads a value of the file and puts it in place. False where it is of another kind, or out of range.
    let assign: @Sendable (ConfigurationValue, inout Configuration) -> Bool
    /// Writes the value as the file would have it.
    let show: @Sendable (Configuration) -> String

    /// "TRIP_WEATHER_UPSTREAM_CONNECT_TIMEOUT".
    package var environmentVariable: String {
        var name = "TRIP_WEATHER_"
        var wasLower = false
        for character in path {
            if character == "." {
                name.append("_")
                wasLower = false
                continue
            }
            if character.isUppercase && wasLower { name.append("_") }
            wasLower = character.isLowercase || character.isNumber
            name.append(contentsOf: character.uppercased())
        }
        return name
    }
}

extension ConfigurationKey {
    typealias Path<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    static func duration(
        _ path: String, _ member: Path<Duration>, _ range: ClosedRange<Duration>, reloadable: Bool = false
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            takes: "a duration from \(range.lowerBound.asSetting) to \(range.upperBound.asSetting), "
                + "written like \"800ms\", \"2.5s\", \"10m\"",
            isReloadable: reloadable, isSecret: false,
            assign: { value, configuration in
                guard case .text(let text) = value, let duration = Duration(setting: text),
                    range.contains(duration)
                else { return false }
                configuration[keyPath: member] = duration
                return true
            },
            show: { "\"\($0[keyPath: member].asSetting)\"" })
    }

    static func count(
        _ path: String, _ member: Path<Int>, _ range: ClosedRange<Int>, unit: String = "",
        reloadable: Bool = false
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            takes: "a whole number\(unit.isEmpty ? "" : " of \(unit)") from \(range.lowerBound) to "
                + "\(range.upperBound)",
            isReloadable: reloadable, isSecret: false,
            assign: { value, configuration in
                guard case .number(let number) = value, let count = Int(exactly: number),
                    range.contains(count)
                else { return false }
                configuration[keyPath: member] = count
                return true
            },
            show: { "\($0[keyPath: member])" })
    }

    static func flag(_ path: String, _ member: Path<Bool>, reloadable: Bool = false) -> ConfigurationKey {
        ConfigurationKey(
            path: path, takes: "true or false", isReloadable: reloadable, isSecret: false,
            assign: { value, configuration in
                guard case .flag(let flag) = value else { return false }
                configuration[keyPath: member] = flag
                return true
            },
            show: { "\($0[keyPath: member])" })
    }

    static func text(
        _ path: String, _ member: Path<String>, takes: String, secret: Bool = false, reloadable: Bool = false,
        where isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path, takes: takes, isReloadable: reloadable, isSecret: secret,
            assign: { value, configuration in
                guard case .text(let text) = value, isValid(text), !text.utf8.contains(0) else {
                    return false
                }
                configuration[keyPath: member] = text
                return true
            },
            show: { "\"\($0[keyPath: member])\"" })
    }

    static func choice(
        _ path: String, _ member: Path<String>, _ choices: [String], reloadable: Bool = false
    ) -> ConfigurationKey {
        text(
            path, member, takes: choices.map { "\"\($0)\"" }.joined(separator: " or "), reloadable: reloadable
        ) {
            choices.contains($0)
        }
    }

    static func list(_ path: String, _ member: Path<[String]>, takes: String) -> ConfigurationKey {
        ConfigurationKey(
            path: path, takes: takes, isReloadable: false, isSecret: false,
            assign: { value, configuration in
                guard case .list(let elements) = value else { return false }
                var texts: [String] = []
                for element in elements {
                    guard case .text(let text) = element, !text.isEmpty else { return false }
                    texts.append(text)
                }
                configuration[keyPath: member] = texts
                return true
            },
            show: { "[\($0[keyPath: member].map { "\"\($0)\"" }.joined(separator: ", "))]" })
    }
}

extension Duration {
    /// Reads "800ms", "2.5s", "10m", "2h" or "30d"; nil for anything else, and for a negative number.
    package init?(setting text: String) {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)]
        for (unit, seconds) in units where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.count)
            guard let first = digits.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
                digits.utf8.allSatisfy({
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
                }),
                let number = Double(digits), number.isFinite, number * seconds < 1e9
            else { return nil }
            self = .milliseconds((number * seconds * 1_000).rounded())
            return
        }
        return nil
    }

    /// "800ms", "2.5s", "1m": what `init(setting:)` reads.
    package var asSetting: String {
        let milliseconds = wholeMilliseconds
        for (unit, size) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)]
        where milliseconds >= size && milliseconds % size == 0 {
            return "\(milliseconds / size)\(unit)"
        }
        return milliseconds >= 1_000 && milliseconds % 100 == 0
            ? "\(Double(milliseconds) / 1_000)s" : "\(milliseconds)ms"
    }

    /// In whole milliseconds, rounded down.
    package var wholeMilliseconds: Int {
        Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }

    /// In seconds, as a floating-point number.
    package var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
