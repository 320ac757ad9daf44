internal import Fragments

/// A query string taken apart: names and values, percent-decoded, "+" as a space
/// (application/x-www-form-urlencoded, WHATWG URL standard, section 5.1).
struct Query: Sendable {
    private(set) var fields: [(name: String, value: String)] = []
    /// What is wrong with it, by parameter, in the order in which it was found: each fault once, and no more than can
    /// be listed and one.
    private(set) var faults: [(field: String, fault: Problem.Fault)] = []

    /// Reads everything, and keeps a fault for each part that can't be read.
    init(_ bytes: some Collection<UInt8>) {
        for part in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            let nameBytes = Query.decoded(part[..<(equals ?? part.endIndex)])
            let valueBytes = equals.map { Query.decoded(part[part.index(after: $0)...]) } ?? []
            let name = nameBytes.flatMap { String(validating: $0, as: UTF8.self) }
            guard let name, let nameBytes,
                Query.isPlain(nameBytes) || !name.unicodeScalars.contains(where: Query.isControl)
            else {
                let readable = String(decoding: part.prefix(40), as: UTF8.self)
                fault(readable, .unreadableName)
                continue
            }
            if let valueBytes, Query.isPlain(valueBytes) {
                fields.append((name, String(decoding: valueBytes, as: UTF8.self)))
                continue
            }
            guard let valueBytes, let value = String(validating: valueBytes, as: UTF8.self) else {
                fault(name, .notUTF8)
                continue
            }
            guard !value.unicodeScalars.contains(where: Query.isControl) else {
                fault(name, .controlCharacter)
                continue
            }
            fields.append((name, value))
        }
    }

    /// Notes a fault for every parameter that isn't among `known`, and for every one that comes twice.
    ///
    /// - Parameter repeated: Those that may.
    mutating func refuseAll(but known: [String], repeated: [String] = []) {
        // A few are compared sooner than hashed.
        let isLong = fields.count > 16
        var seen: Set<String> = []
        for (index, (name, _)) in fields.enumerated() {
            let isRepeated =
                isLong ? !seen.insert(name).inserted : fields[..<index].contains { $0.name == name }
            if !known.contains(name) {
                fault(name, .unknown)
            } else if isRepeated, !repeated.contains(name) {
                fault(name, .repeated)
            }
        }
    }

    mutating func fault(_ name: String, _ fault: Problem.Fault) {
        guard faults.count <= Problem.faultsAtMost, !faults.contains(where: { $0 == (name, fault) }) else {
            return
        }
        faults.append((name, fault))
    }

    /// Whether something is wrong with this parameter.
    func isFaulty(_ name: String) -> Bool {
        faults.contains { $0.field == name }
    }

    subscript(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// Nil where a "%" isn't followed by two hexadecimal digits.
    private static func decoded(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(Query.digit),
                    let low = iterator.next().flatMap(Query.digit)
                else { return nil }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether it is printable ASCII, as nearly everything is: that is text, and holds no control character.
    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { (0x20..<0x7f).contains($0) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }
}
