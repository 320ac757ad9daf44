/// One key of the configuration: its name, its default, what it takes and where its value goes.
///
/// - Note: The closures are made from literal key paths and capture nothing that changes.
struct ConfigurationKey: Sendable {
    /// For example "upstream.connectTimeout".
    let path: String
    /// The name that it had in an earlier version, which is read until 0.4.
    let formerPath: String?
    /// The key of a duration that its own must end inside of: a longer one could never act.
    let outerPath: String?
    /// What it takes, in words for an error: "a duration from 1ms to 1h, written like …".
    let takes: String
    /// Whether a running program can take a new value on SIGHUP.
    let isReloadable: Bool
    /// Whether the value is shown as "(set)" only.
    let isSecret: Bool
    let setDefault: @Sendable (inout Configuration) -> Void
    /// Reads a value of the file and puts it in place. False if it is of another kind, or out of range.
    let assign: @Sendable (JSONValue, inout Configuration) -> Bool
    /// Copies the value from one configuration to another.
    let copy: @Sendable (Configuration, inout Configuration) -> Void
    /// Writes the value as the file would have it.
    let show: @Sendable (Configuration) -> String
    /// The value, if it is a duration.
    let duration: @Sendable (Configuration) -> Duration?

    var environmentVariable: String { ConfigurationKey.environmentVariable(of: path) }

    /// "TRIP_WEATHER_UPSTREAM_CONNECT_TIMEOUT".
    static func environmentVariable(of path: String) -> String {
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
    typealias Member<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    /// A row of the table.
    ///
    /// - Parameter members: Where the value goes: usually one place.
    static func key<Value>(
        _ path: String, _ defaultValue: Value, _ kind: ConfigurationKind<Value>, _ members: Member<Value>...,
        within outer: String? = nil, reloadable: Bool = false, secret: Bool = false,
        formerly former: String? = nil
    ) -> ConfigurationKey {
        let put: @Sendable (Value, inout Configuration) -> Void = { value, configuration in
            for member in members { configuration[keyPath: member] = value }
        }
        let first = members[0]
        return ConfigurationKey(
            path: path, formerPath: former, outerPath: outer, takes: kind.takes, isReloadable: reloadable,
            isSecret: secret,
            setDefault: { put(defaultValue, &$0) },
            assign: { value, configuration in
                guard let value = kind.read(value) else { return false }
                put(value, &configuration)
                return true
            },
            copy: { put($0[keyPath: first], &$1) },
            show: { kind.show($0[keyPath: first]) },
            duration: { $0[keyPath: first] as? Duration })
    }
}

/// A kind of value: what it takes, how it is read and how it is written.
struct ConfigurationKind<Value: Sendable>: Sendable {
    let takes: String
    /// Nil for what isn't taken.
    let read: @Sendable (JSONValue) -> Value?
    let show: @Sendable (Value) -> String
}

extension ConfigurationKind<Duration> {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        Self(
            takes: "a duration from \(range.lowerBound.asSetting) to \(range.upperBound.asSetting), "
                + "written like \"800ms\", \"2.5s\", \"10m\"",
            read: { $0.asText.flatMap { Duration(setting: $0) }.flatMap { range.contains($0) ? $0 : nil } },
            show: { "\"\($0.asSetting)\"" })
    }
}

extension ConfigurationKind<Int> {
    static func count(_ range: ClosedRange<Int>, of unit: String = "") -> Self {
        Self(
            takes: "a whole number\(unit.isEmpty ? "" : " of \(unit)") from \(range.lowerBound) to "
                + "\(range.upperBound)",
            read: { $0.asWholeNumber.flatMap { range.contains($0) ? $0 : nil } },
            show: { "\($0)" })
    }
}

extension ConfigurationKind<Bool> {
    static let flag = Self(takes: "true or false", read: \.asFlag, show: { "\($0)" })
}

extension ConfigurationKind<String> {
    static func text(
        _ takes: String, if isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Self {
        Self(
            takes: takes,
            read: { $0.asText.flatMap { isValid($0) && !$0.utf8.contains(0) ? $0 : nil } },
            show: { "\"\($0)\"" })
    }

    static func path(of what: String) -> Self { text("the path of \(what), or nothing") }
}

extension ConfigurationKind where Value: CaseIterable & RawRepresentable<String> {
    static var choice: Self {
        Self(
            takes: Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or "),
            read: { $0.asText.flatMap { Value(rawValue: $0) } },
            show: { "\"\($0.rawValue)\"" })
    }
}

extension Duration {
    /// Reads "800ms", "2.5s", "10m", "2h" or "30d"; nil for anything else, and for a negative number.
    init?(setting text: String) {
        let units: KeyValuePairs = ["ms": 0.001, "s": 1.0, "m": 60, "h": 3_600, "d": 86_400]
        guard let (unit, seconds) = units.first(where: { text.hasSuffix($0.key) }) else { return nil }
        let digits = text.dropLast(unit.count)
        guard digits.first != ".", digits.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }),
            let number = Double(digits), number.isFinite, number * seconds < 1e9
        else { return nil }
        self = .milliseconds((number * seconds * 1_000).rounded())
    }

    /// "800ms", "2.5s", "1m": what `init(setting:)` reads.
    var asSetting: String {
        let milliseconds = wholeMilliseconds
        for (unit, size) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)]
        where milliseconds >= size && milliseconds % size == 0 {
            return "\(milliseconds / size)\(unit)"
        }
        return milliseconds >= 1_000 && milliseconds % 100 == 0
            ? "\(Double(milliseconds) / 1_000)s" : "\(milliseconds)ms"
    }

    /// In whole milliseconds, rounded down.
    var wholeMilliseconds: Int {
        Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }

    /// In seconds, as a floating-point number.
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
