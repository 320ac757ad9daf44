import Weather

/// Bytes that grow. Everything is written straight into them: no field makes a string of its own.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(reserving capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    mutating func append(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(contentsOf other: [UInt8]) {
        bytes.append(contentsOf: other)
    }

    /// Writes `text` with some of its bytes replaced: `replacement` is asked at each byte, with what follows it,
    /// and answers with what to write in place of how many bytes, or nil to let the byte stand.
    mutating func append(
        _ text: String, replacing replacement: (UnsafeBufferPointer<UInt8>, Int) -> (StaticString, Int)?
    ) {
        var text = text
        text.withUTF8 { buffer in
            var start = 0
            var index = 0
            while index < buffer.count {
                if let (words, length) = replacement(buffer, index) {
                    bytes.append(contentsOf: buffer[start..<index])
                    append(words)
                    index += length
                    start = index
                } else {
                    index += 1
                }
            }
            bytes.append(contentsOf: buffer[start...])
        }
    }

    /// Writes decimal digits, with leading zeros up to `width`.
    mutating func append(digits value: UInt, width: Int = 1) {
        var divisor: UInt = 1
        var digits = 1
        while value / divisor >= 10 || digits < width {
            divisor *= 10
            digits += 1
        }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }

    mutating func append(_ value: Int) {
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digits: value.magnitude)
    }

    mutating func append(_ time: some TimeLabel) {
        time.write(to: &self)
    }

    /// Writes "15:30".
    mutating func append(clock minuteOfDay: Int) {
        append(digits: (minuteOfDay / 60).magnitude, width: 2)
        append(UInt8(ascii: ":"))
        append(digits: (minuteOfDay % 60).magnitude, width: 2)
    }
}

/// A date or time as programs read it.
protocol TimeLabel: JSONValue {
    func write(to bytes: inout ByteWriter)
}

extension TimeLabel {
    func write(to json: inout JSONWriter) { json.string { write(to: &$0.buffer) } }
}

extension CalendarDate: TimeLabel {
    /// Writes "2026-12-10".
    func write(to bytes: inout ByteWriter) {
        bytes.append(digits: year.magnitude, width: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(digits: month.magnitude, width: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(digits: day.magnitude, width: 2)
    }
}

extension LocalTime: TimeLabel {
    /// Writes "2026-12-10T15:30".
    func write(to bytes: inout ByteWriter) {
        bytes.append(date)
        bytes.append(UInt8(ascii: "T"))
        bytes.append(clock: minuteOfDay)
    }
}

/// A second of UTC in the years 1…9999.
struct Instant: TimeLabel {
    let date: CalendarDate
    /// 0…86,399.
    let secondOfDay: Int

    /// Nil outside those years.
    init?(unixTime: Int) {
        guard (-62_135_596_800...253_402_300_799).contains(unixTime) else { return nil }
        date = CalendarDate(unixTime: unixTime, utcOffset: 0)
        secondOfDay = unixTime - date.daysSinceEpoch * 86_400
    }

    /// Writes "2026-12-10T14:30:05Z" (RFC 3339).
    func write(to bytes: inout ByteWriter) {
        bytes.append(date)
        bytes.append(UInt8(ascii: "T"))
        bytes.append(clock: secondOfDay / 60)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(digits: (secondOfDay % 60).magnitude, width: 2)
        bytes.append(UInt8(ascii: "Z"))
    }
}
