import Weather

/// Writes one JSON document, compact, its members in the order of the calls.
struct JSONWriter {
    private var output: JSONStringOutput
    /// Whether a comma must come before the next member or element.
    private var followsValue = false

    init(_ buffer: ByteWriter) {
        output = JSONStringOutput(buffer: buffer)
    }

    /// The document, with a line break at its end for those who read it in a terminal.
    mutating func finish() -> [UInt8] {
        output.write("\n")
        return output.buffer.bytes
    }

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        raw { $0.append(UInt8(ascii: "{")) }
        followsValue = false
        body(&self)
        output.write("}")
        followsValue = true
    }

    mutating func array<Element>(_ elements: [Element], _ body: (inout JSONWriter, Element) -> Void) {
        raw { $0.append(UInt8(ascii: "[")) }
        followsValue = false
        for element in elements { body(&self, element) }
        output.write("]")
        followsValue = true
    }

    /// A string in parts.
    mutating func string(_ body: (inout JSONStringOutput) -> Void) {
        raw { $0.append(UInt8(ascii: "\"")) }
        body(&output)
        output.write(#"""#)
    }

    mutating func null() {
        raw { $0.append("null") }
    }

    mutating func value(_ value: (some JSONValue)?) {
        if let value { value.write(to: &self) } else { null() }
    }

    // MARK: Members

    mutating func key(_ name: StaticString) {
        raw { $0.append(UInt8(ascii: "\"")) }
        output.write(name)
        output.write(#"":"#)
        followsValue = false
    }

    /// A member whose value may be missing: null then.
    mutating func member(_ name: StaticString, _ value: (some JSONValue)?) {
        key(name)
        self.value(value)
    }

    /// A member that `body` writes, or null if there is nothing to write.
    mutating func member<Value>(
        _ name: StaticString, _ value: Value?, _ body: (inout JSONWriter, Value) -> Void
    ) {
        key(name)
        if let value { body(&self, value) } else { null() }
    }

    mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    mutating func array<Element>(
        _ name: StaticString, _ elements: [Element], _ body: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        array(elements, body)
    }

    mutating func string(_ name: StaticString, _ body: (inout JSONStringOutput) -> Void) {
        key(name)
        string(body)
    }

    /// Writes a value's bytes as they are.
    fileprivate mutating func raw(_ body: (inout ByteWriter) -> Void) {
        if followsValue { output.write(",") }
        body(&output.buffer)
        followsValue = true
    }
}

/// What can stand in JSON by itself.
protocol JSONValue {
    func write(to json: inout JSONWriter)
}

extension String: JSONValue {
    func write(to json: inout JSONWriter) { json.string { $0.text(self) } }
}

extension StaticString: JSONValue {
    func write(to json: inout JSONWriter) { json.string { $0.write(self) } }
}

extension Bool: JSONValue {
    func write(to json: inout JSONWriter) { json.raw { $0.append(self ? "true" : "false") } }
}

extension Int: JSONValue {
    func write(to json: inout JSONWriter) { json.raw { $0.append(self) } }
}

extension Rounded: JSONValue {
    func write(to json: inout JSONWriter) { json.raw { $0.append(self, minus: "-", point: ".") } }
}

extension Double: JSONValue {
    /// Degrees of a coordinate, to six decimals: a tenth of a metre.
    func write(to json: inout JSONWriter) { json.value(Rounded(self, digits: 6)?.trimmed) }
}
