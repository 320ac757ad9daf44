/// A day of the Gregorian calendar, in no zone: a label such as a trip's start or a forecast's day. It is never
/// turned into an instant.
package struct CalendarDate: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Days since 1970-01-01; negative before.
    package let daysSinceEpoch: Int

    package init(daysSinceEpoch: Int) {
        self.daysSinceEpoch = daysSinceEpoch
    }

    /// Nil where the calendar has no such day. Years 1…9999.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= CalendarDate.days(inMonth: month, year: year)
        else { return nil }
        daysSinceEpoch = CalendarDate.days(year: year, month: month, day: day)
    }

    /// Reads exactly "2026-12-10".
    package init?(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8)[...])
    }

    /// The same from bytes, without a string between.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        let first = bytes.startIndex
        guard bytes.count == 10, bytes[first + 4] == UInt8(ascii: "-"), bytes[first + 7] == UInt8(ascii: "-"),
            let year = number(bytes[first..<first + 4]), let month = number(bytes[first + 5..<first + 7]),
            let day = number(bytes[first + 8..<first + 10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The date that a clock shows which is `utcOffset` seconds ahead of UTC at `unixTime` seconds.
    package init(unixTime: Int, utcOffset: Int) {
        daysSinceEpoch = Int((Double(unixTime + utcOffset) / 86_400).rounded(.down))
    }

    package var year: Int { components.year }
    /// 1…12.
    package var month: Int { components.month }
    /// 1…31.
    package var day: Int { components.day }

    /// 0 for Monday … 6 for Sunday.
    package var weekday: Int {
        // 1970-01-01 was a Thursday.
        let remainder = (daysSinceEpoch + 3) % 7
        return remainder < 0 ? remainder + 7 : remainder
    }

    package func advanced(by days: Int) -> CalendarDate {
        CalendarDate(daysSinceEpoch: daysSinceEpoch + days)
    }

    /// How many days later `other` is.
    package func days(until other: CalendarDate) -> Int {
        other.daysSinceEpoch - daysSinceEpoch
    }

    package static func < (first: CalendarDate, second: CalendarDate) -> Bool {
        first.daysSinceEpoch < second.daysSinceEpoch
    }

    /// "2026-12-10".
    package var description: String {
        let (year, month, day) = components
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    // The two conversions count from 1 March of the year 0, so that the leap day is a year's last, in eras of
    // 400 years of 146,097 days.

    private var components: (year: Int, month: Int, day: Int) {
        let days = daysSinceEpoch + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func days(inMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

}

/// A clock's reading at a place, to the minute, in no zone: "2026-09-17T15:30" as Open-Meteo writes it.
package struct LocalTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let date: CalendarDate
    /// Minutes since midnight, 0…1439.
    package let minuteOfDay: Int

    /// Nil for a minute outside 0…1439.
    package init?(date: CalendarDate, minuteOfDay: Int) {
        guard (0..<1_440).contains(minuteOfDay) else { return nil }
        self.date = date
        self.minuteOfDay = minuteOfDay
    }

    /// Reads "2026-09-17T15:30"; seconds after it are dropped.
    package init?(_ text: some StringProtocol) {
        self.init(utf8: Array(text.utf8)[...])
    }

    /// The same from bytes, without a string between.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        let first = bytes.startIndex
        guard bytes.count == 16 || (bytes.count == 19 && bytes[first + 16] == UInt8(ascii: ":")),
            let date = CalendarDate(utf8: bytes[first..<first + 10]),
            bytes[first + 10] == UInt8(ascii: "T"), bytes[first + 13] == UInt8(ascii: ":"),
            let hour = number(bytes[first + 11..<first + 13]), hour < 24,
            let minute = number(bytes[first + 14..<first + 16]), minute < 60,
            let second = number(bytes.dropFirst(17)), second < 60
        else { return nil }
        self.init(date: date, minuteOfDay: hour * 60 + minute)
    }

    /// How many minutes later `other` is.
    package func minutes(until other: LocalTime) -> Int {
        date.days(until: other.date) * 1_440 + other.minuteOfDay - minuteOfDay
    }

    /// What a clock shows which is `utcOffset` seconds ahead of UTC at `unixTime` seconds.
    package init(unixTime: Int, utcOffset: Int) {
        date = CalendarDate(unixTime: unixTime, utcOffset: utcOffset)
        minuteOfDay = (unixTime + utcOffset - date.daysSinceEpoch * 86_400) / 60
    }

    /// "15:30".
    package var clock: String { "\(padded(minuteOfDay / 60, 2)):\(padded(minuteOfDay % 60, 2))" }

    package static func < (first: LocalTime, second: LocalTime) -> Bool {
        (first.date, first.minuteOfDay) < (second.date, second.minuteOfDay)
    }

    /// "2026-09-17T15:30".
    package var description: String { "\(date)T\(clock)" }
}

private func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for byte in digits {
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value &* 10 &+ Int(digit)
    }
    return value
}

private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
