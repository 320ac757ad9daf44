/// The first fifteen days of a calendar month, or the rest of it: what the archive is asked about at once, so that
/// all trips to a place share the answers.
package struct HalfMonth: Sendable, Hashable {
    /// 1…12.
    package let month: Int
    /// Whether it begins on the 16th.
    package let isSecond: Bool

    package init(of date: CalendarDate) {
        month = date.month
        isSecond = date.day > 15
    }

    /// Nil for a month that isn't 1…12.
    package init?(month: Int, isSecond: Bool) {
        guard (1...12).contains(month) else { return nil }
        self.month = month
        self.isSecond = isSecond
    }

    /// Its days in a year, in order.
    package func days(in year: Int) -> [CalendarDate] {
        (isSecond ? 16...31 : 1...15).compactMap { CalendarDate(year: year, month: month, day: $0) }
    }
}

/// What the archive is asked about: a half of a month, in one year or in ten.
package enum ArchivePeriod: Sendable, Hashable {
    /// What its days are usually like: by the ten years that end with this one.
    case usual(HalfMonth, lastYear: Int)
    /// What its days in one year were like. Those of a week ago and before don't change any more.
    case observed(HalfMonth, year: Int, isSettled: Bool)

    /// Years that the usual weather is made of. Each is a unit of the service's limits.
    package static let yearsOfUsual = 10
    /// Days to either side of a date that count as the same.
    static let daysBeside = 3
    /// After how many days what was observed is final.
    static let daysUntilSettled = 7
    /// The archive's first day.
    package static let firstDay = CalendarDate(daysSinceEpoch: -10_958)

    /// The usual weather of a date.
    package static func usual(_ date: CalendarDate, today: CalendarDate) -> ArchivePeriod {
        // The archive is a few days late: a year is whole from 10 January on.
        let lastYear = today.month == 1 && today.day < 10 ? today.year - 2 : today.year - 1
        return .usual(HalfMonth(of: date), lastYear: lastYear)
    }

    /// The observed weather of a date before `today`; nil if the archive can't have it.
    package static func observed(_ date: CalendarDate, today: CalendarDate) -> ArchivePeriod? {
        guard date >= firstDay, date < today else { return nil }
        let half = HalfMonth(of: date)
        let last = half.days(in: date.year).last ?? date
        return .observed(
            half, year: date.year, isSettled: last.days(until: today) > ArchivePeriod.daysUntilSettled)
    }

    /// The years that it is about, in order.
    var years: ClosedRange<Int> {
        switch self {
        case .usual(_, let lastYear): lastYear - ArchivePeriod.yearsOfUsual + 1...lastYear
        case .observed(_, let year, _): year...year
        }
    }

    /// The days to ask for, a range a year: nothing after `yesterday`, which is the last that can have been observed.
    func ranges(until yesterday: CalendarDate) -> [ClosedRange<CalendarDate>] {
        switch self {
        case .usual(let half, _):
            years.compactMap { year in
                let days = half.days(in: year)
                guard let first = days.first, let last = days.last else { return nil }
                return first.advanced(
                    by: -ArchivePeriod.daysBeside)...last.advanced(
                        by: ArchivePeriod.daysBeside)
            }
        case .observed(let half, let year, _):
            half.days(in: year).first.flatMap { first in
                let last = min(half.days(in: year).last ?? first, yesterday)
                let start = max(first, ArchivePeriod.firstDay)
                return start <= last ? [start...last] : nil
            } ?? []
        }
    }
}
