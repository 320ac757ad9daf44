internal import CLinux
internal import Weather

/// Seconds since 1970, UTC.
package func unixTimeNow() -> Double {
    Double(clinux_unix_nanoseconds()) / 1e9
}

/// "2026-12-10T14:05:09.123Z" (RFC 3339).
package func utcTime(_ unixTime: Double) -> String {
    let milliseconds = Int((unixTime * 1_000).rounded(.down))
    let seconds = milliseconds / 1_000
    let time = LocalTime(unixTime: seconds, utcOffset: 0)
    return "\(time.date)T\(time.clock):\(twoDigits(seconds % 60)).\(threeDigits(milliseconds % 1_000))Z"
}

private func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
}

private func threeDigits(_ number: Int) -> String {
    number < 10 ? "00\(number)" : number < 100 ? "0\(number)" : "\(number)"
}
