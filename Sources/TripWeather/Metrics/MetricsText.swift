/// Metrics as Prometheus reads them (text exposition format 0.0.4).
struct MetricsText {
    private(set) var bytes: [UInt8] = []

    enum Kind: String {
        case counter, gauge, histogram
    }

    /// Begins a family: its name without the program's prefix, ending in its unit.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        append("# HELP tripweather_\(name) \(help)\n# TYPE tripweather_\(name) \(kind.rawValue)\n")
    }

    /// A sample. Labels hold words of our own only: nothing that a reader typed.
    mutating func sample(_ name: String, _ labels: [(String, String)] = [], _ value: Double) {
        append("tripweather_\(name)")
        if !labels.isEmpty {
            append("{\(labels.map { "\($0)=\"\(MetricsText.escaped($1))\"" }.joined(separator: ","))}")
        }
        append(" \(MetricsText.number(value))\n")
    }

    mutating func sample(_ name: String, _ labels: [(String, String)] = [], _ value: Int) {
        sample(name, labels, Double(value))
    }

    /// A family of one sample without labels.
    mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        family(name, kind, help)
        sample(name, [], value)
    }

    private mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private static func number(_ value: Double) -> String {
        Int(exactly: value).map { String($0) } ?? "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
