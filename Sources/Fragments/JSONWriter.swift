import Weather

/// Writes one JSON document, compact, its members in the order of the calls.
struct JSONWriter {
    private var pen: JSONPen
    /// Whether a comma must come before the next member or element.
    private var followsValue = false

    init(_ out: ByteWriter) {
        pen = JSONPen(out: out)
    }

    /// The document, with a line break at its end for those who read it in a terminal.
    mutating func finish() -> [UInt8] {
        pen.out.append(UInt8(ascii: "\n"))
        return pen.out.bytes
    }

    mutating func key(_ name: StaticString) {
        separate()
        pen.out.append(UInt8(ascii: "\""))
        pen.out.append(name)
        pen.out.append("\":")
        followsValue = false
    }

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        separate()
        pen.out.append(UInt8(ascii: "{"))
        followsValue = false
        body(&self)
        pen.out.append(UInt8(ascii: "}"))
        followsValue = true
    }

    mutating func array<Element>(_ elements: [Element], _ body: (inout JSONWriter, Element) -> Void) {
        separate()
        pen.out.append(UInt8(ascii: "["))
        followsValue = false
        for element in elements { body(&self, element) }
        pen.out.append(UInt8(ascii: "]"))
        followsValue = true
    }

    mutating func null() {
        raw { $0.append("null") }
    }

    mutating func value(_ text: String?) {
        guard let text else { return null() }
        string { $0.text(text) }
    }

    mutating func value(_ words: StaticString) {
        string { $0.words(words) }
    }

    mutating func value(_ flag: Bool?) {
        guard let flag else { return null() }
        raw { $0.append(flag ? "true" : "false") }
    }

    mutating func value(_ number: Int?) {
        guard let number else { return null() }
        raw { $0.append(number) }
    }

    mutating func value(_ number: Rounded?) {
        guard let number else { return null() }
        raw { $0.append(number, minus: "-", point: ".") }
    }

    /// Degrees, to six decimals: a tenth of a metre.
    mutating func value(degrees: Double) {
        value(Rounded(degrees, digits: 6)?.trimmed)
    }

    mutating func value(_ date: CalendarDate) {
        string { $0.out.append(date) }
    }

    mutating func value(_ time: LocalTime?) {
        guard let time else { return null() }
        string { $0.out.append(time) }
    }

    mutating func value(unixTime: Int) {
        guard let instant = Instant(unixTime: unixTime) else { return null() }
        string { $0.out.append(instant: instant) }
    }

    /// A string that a pen writes.
    mutating func string(_ body: (inout JSONPen) -> Void) {
        separate()
        pen.out.append(UInt8(ascii: "\""))
        body(&pen)
        pen.out.append(UInt8(ascii: "\""))
        followsValue = true
    }

    private mutating func raw(_ body: (inout ByteWriter) -> Void) {
        separate()
        body(&pen.out)
        followsValue = true
    }

    private mutating func separate() {
        if followsValue { pen.out.append(UInt8(ascii: ",")) }
    }
}
