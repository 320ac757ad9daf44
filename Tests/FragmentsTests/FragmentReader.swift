/// Reads a fragment the way a strict browser would, and refuses what only a lenient one understands: text that was
/// not escaped can't pass it as text. It goes by scalars, as browsers do: a combining mark doesn't hide a ">".
/// Within SVG, elements may close themselves, and names have capitals, as XML's.
struct FragmentReader {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    struct Element: Equatable {
        var name: String
        var attributes: [String: String]
    }

    /// The elements in the order in which they open.
    private(set) var elements: [Element] = []
    /// The text of all of them, with the references resolved.
    private(set) var text = ""

    private var rest: ArraySlice<Unicode.Scalar>
    private var open: [String] = []

    /// Elements without an end tag (HTML standard, section 13.1.2).
    private static let voids: Set<String> = ["img", "input", "link", "meta"]
    /// Attributes that are there or not, without a value.
    private static let flags: Set<String> = ["checked", "required"]

    init(_ fragment: String) throws {
        rest = Array(fragment.unicodeScalars)[...]
        while let next = rest.first {
            switch next {
            case "<": try readTag()
            case ">": throw fault("a bare >")
            default: text += try readText { $0 == "<" || $0 == ">" }
            }
        }
        guard open.isEmpty else { throw fault("left open: \(open)") }
    }

    /// The text without the line breaks between elements.
    var lines: [String] {
        text.split(separator: "\n").map(String.init)
    }

    func first(_ className: String) -> Element? {
        elements.first { $0.attributes["class"] == className }
    }

    func all(_ name: String) -> [Element] {
        elements.filter { $0.name == name }
    }

    func field(_ name: String) -> Element? {
        elements.first { $0.attributes["name"] == name }
    }

    private mutating func readTag() throws {
        rest.removeFirst()
        let isEnd = take("/")
        let name = readName()
        let isXML = name == "svg" || open.contains("svg")
        guard !name.isEmpty else { throw fault("no tag") }
        if isEnd {
            guard open.popLast() == name, take(">") else { throw fault("</\(name)> ends nothing") }
            return
        }
        var attributes: [String: String] = [:]
        while take(" ") {
            let attribute = readName(hasCapitals: isXML)
            if FragmentReader.flags.contains(attribute), rest.first != "=" {
                guard attributes.updateValue("", forKey: attribute) == nil else {
                    throw fault("attribute \(attribute)")
                }
                continue
            }
            guard !attribute.isEmpty, take("="), take("\"") else { throw fault("no attribute") }
            let value = try readText { $0 == "\"" || $0 == "<" || $0 == ">" }
            guard take("\""), attributes.updateValue(value, forKey: attribute) == nil else {
                throw fault("attribute \(attribute)")
            }
        }
        let isClosed = isXML && take("/")
        guard take(">") else { throw fault("tag \(name)") }
        elements.append(Element(name: name, attributes: attributes))
        if !isClosed, !FragmentReader.voids.contains(name) { open.append(name) }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func readName(hasCapitals: Bool = false) -> String {
        let name = rest.prefix {
            ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
                || hasCapitals && ("A"..."Z").contains($0)
        }
        rest = rest[name.endIndex...]
        return String(String.UnicodeScalarView(name))
    }

    private mutating func readText(until isEnd: (Unicode.Scalar) -> Bool) throws -> String {
        let references: [(String, Unicode.Scalar)] = [
            ("amp;", "&"), ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("#39;", "'"),
        ]
        var text = String.UnicodeScalarView()
        while let scalar = rest.first, !isEnd(scalar) {
            rest.removeFirst()
            guard scalar == "&" else {
                text.append(scalar)
                continue
            }
            guard let (name, meaning) = references.first(where: { rest.starts(with: $0.0.unicodeScalars) })
            else { throw fault("a bare &") }
            rest.removeFirst(name.unicodeScalars.count)
            text.append(meaning)
        }
        return String(text)
    }

    private func fault(_ what: String) -> Fault {
        Fault(
            description:
                "\(what) before \(String(String.UnicodeScalarView(rest.prefix(40))).debugDescription)")
    }
}
