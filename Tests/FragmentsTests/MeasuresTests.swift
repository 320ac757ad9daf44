import Testing
import Weather

@testable import Fragments

struct MeasuresTests {
    @Test(arguments: [
        (0.0, 0, "0"), (-0.4, 0, "0"), (-0.5, 0, "−1"), (0.5, 0, "1"), (-12.34, 1, "−12.3"),
        (99.95, 1, "100.0"),
        (-0.04, 1, "0.0"), (0.005, 2, "0.01"), (7, 2, "7.00"), (123_456, 0, "123456"), (-0.0, 1, "0.0"),
    ])
    func numbersAreRoundedOnceAndNeverMinusZero(value: Double, digits: Int, text: String) {
        #expect(Rounded(value, digits: digits).map { written($0) } == text)
    }

    @Test(arguments: [(18.4, 1, "18.4"), (18.0, 1, "18"), (0, 3, "0"), (100, 2, "100"), (-0.1, 3, "−0.1")])
    func trimmedNumbersHaveNoZerosAtTheirEnd(value: Double, digits: Int, text: String) {
        #expect(Rounded(value, digits: digits).map { written($0.trimmed) } == text)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e9, 1e9])
    func whatIsNoNumberOrTooLargeIsNone(value: Double) {
        #expect(Rounded(value, digits: 6) == nil)
        #expect(Rounded(nil, digits: 6) == nil)
    }

    @Test(arguments: [
        (Unit.celsius, -40.0, "−40°C"), (.fahrenheit, -40, "−40°F"), (.fahrenheit, 16.14, "61°F"),
        (.fahrenheit, -17.8, "0°F"), (.kilometresAnHour, 10.4, "10 km/h"), (.milesAnHour, 100, "62 mph"),
        (.millimetres, 0.04, "0 mm"), (.millimetres, 12.34, "12.3 mm"), (.inches, 25.4, "1.00 inch"),
        (.inches, 0.1, "0.00 inch"), (.inches, 4, "0.16 inch"), (.percent, 69.6, "70%"),
    ])
    func valuesForPeopleHaveTheirUnit(unit: Unit, metric: Double, text: String) {
        var out = PlainOutput(buffer: ByteWriter(reserving: 0))
        if let number = unit.forPeople(metric) {
            Sentences(Presentation()).number(number, unit, to: &out)
        }
        #expect(Examples.text(out.buffer.bytes) == text)
    }

    @Test func germanNumbersHaveACommaAndTheirSpaces() {
        var out = PlainOutput(buffer: ByteWriter(reserving: 0))
        for (unit, value) in [(Unit.celsius, -3.0), (.millimetres, 1.5), (.inches, 4), (.percent, 70)] {
            guard let number = unit.forPeople(value) else { continue }
            Sentences(Presentation(language: .german)).number(number, unit, to: &out)
            out.write("|")
        }
        #expect(Examples.text(out.buffer.bytes) == "−3\u{A0}°C|1,5 mm|0,16 Zoll|70\u{A0}%|")
    }

    @Test func integersAreWrittenWhole() {
        var out = ByteWriter(reserving: 0)
        for number in [0, 7, -12, .max, .min] {
            out.append(number)
            out.append(" ")
        }
        #expect(Examples.text(out.bytes) == "0 7 -12 9223372036854775807 -9223372036854775808 ")
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (1_780_612_500, "2026-06-04T22:35:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"), (-62_135_596_800, "0001-01-01T00:00:00Z"),
    ])
    func instantsAreInUTC(unixTime: Int, text: String) {
        var out = ByteWriter(reserving: 0)
        if let instant = Instant(unixTime: unixTime) { out.append(instant) }
        #expect(Examples.text(out.bytes) == text)
    }

    @Test(arguments: [Int.max, Int.min, 253_402_300_800])
    func anInstantOutsideTheCalendarIsNone(unixTime: Int) {
        #expect(Instant(unixTime: unixTime) == nil)
        var report = Examples.report
        report.updatedAt = unixTime
        #expect(Examples.render(.loaded(report), .json).contains("\"updatedAt\":null"))
        #expect(!Examples.render(.loaded(report), .text).contains("Updated"))
    }

    private func written(_ number: Rounded) -> String {
        var out = ByteWriter(reserving: 0)
        out.append(number, minus: "−", point: ".")
        return Examples.text(out.bytes)
    }
}
