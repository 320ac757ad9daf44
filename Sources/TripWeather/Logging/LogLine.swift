/// One line of the log: a JSON object, written field by field into bytes.
package struct LogLine {
    private(set) package var bytes: [UInt8] = []

    package init(level: StaticString, event: StaticString, unixTime: Double) {
        bytes.reserveCapacity(256)
        bytes.append(UInt8(ascii: "{"))
        field("time", text: utcTime(unixTime))
        field("level", text: "\(level)")
        field("event", text: "\(event)")
    }

    package mutating func field(_ key: StaticString, text: String) {
        name(key)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { append(escaped: byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func field(_ key: StaticString, number: Int) {
        name(key)
        bytes.append(contentsOf: String(number).utf8)
    }

    /// In milliseconds, to a tenth.
    package mutating func field(_ key: StaticString, duration: Duration) {
        name(key)
        let tenths = Int((duration.inSeconds * 10_000).rounded())
        bytes.append(contentsOf: "\(tenths / 10).\(tenths % 10)".utf8)
    }

    /// Ends the line.
    package consuming func finished() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private mutating func name(_ key: StaticString) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0..<0x20, 0x7f:
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(hexadecimal(byte >> 4))
            bytes.append(hexadecimal(byte & 15))
        default: bytes.append(byte)
        }
    }
}

private func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
}
