/// Reads a fragment the way a strict browser would, and refuses what only a lenient one understands: text that was
/// not escaped can't pass it as text.
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

    private var rest: Substring
    private var open: [String] = []

    init(_ fragment: String) throws {
        rest = fragment[...]
        while let next = rest.first {
            switch next {
            case "<": try readTag()
            case ">": throw Fault(description: "a bare > before \(rest.prefix(40))")
            default: text += try readText(until: { $0 == "<" || $0 == ">" })
            }
        }
        guard open.isEmpty else { throw Fault(description: "left open: \(open)") }
    }

    /// The text without the line breaks between elements.
    var lines: [String] {
        text.split(separator: "\n").map(String.init)
    }

    func first(_ className: String) -> Element? {
        elements.first { $0.attributes["class"] == className }
    }

    private mutating func readTag() throws {
        rest.removeFirst()
        let isEnd = rest.first == "/"
        if isEnd { rest.removeFirst() }
        let name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) })
        guard !name.isEmpty else { throw Fault(description: "no tag: <\(rest.prefix(40))") }
        rest.removeFirst(name.count)
        if isEnd {
            guard open.popLast() == name, rest.first == ">" else {
                throw Fault(description: "</\(name)> ends nothing")
            }
            rest.removeFirst()
            return
        }
        var attributes: [String: String] = [:]
        while rest.first == " " {
            rest.removeFirst()
            let name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0 == "-") })
            rest.removeFirst(name.count)
            guard !name.isEmpty, rest.hasPrefix("=\"") else {
                throw Fault(description: "no attribute: \(rest.prefix(40))")
            }
            rest.removeFirst(2)
            let value = try readText(until: { $0 == "\"" || $0 == "<" || $0 == ">" })
            guard rest.first == "\"", attributes.updateValue(value, forKey: name) == nil else {
                throw Fault(description: "attribute \(name) before \(rest.prefix(40))")
            }
            rest.removeFirst()
        }
        guard rest.first == ">" else { throw Fault(description: "tag \(name) before \(rest.prefix(40))") }
        rest.removeFirst()
        elements.append(Element(name: name, attributes: attributes))
        open.append(name)
    }

    private mutating func readText(until isEnd: (Unicode.Scalar) -> Bool) throws -> String {
        var text = ""
        while let scalar = rest.unicodeScalars.first, !isEnd(scalar) {
            rest = Substring(rest.unicodeScalars.dropFirst())
            guard scalar == "&" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            let references = ["amp;": "&", "lt;": "<", "gt;": ">", "quot;": "\"", "#39;": "'"]
            guard let reference = references.first(where: { rest.hasPrefix($0.key) }) else {
                throw Fault(description: "a bare & before \(rest.prefix(40))")
            }
            rest.removeFirst(reference.key.count)
            text += reference.value
        }
        return text
    }
}
