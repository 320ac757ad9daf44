import CTestSupport
import Glibc
import Testing

@testable import TripWeather

@Suite struct LogTests {
    /// The room of the lines is used again, whoever writes meanwhile.
    @Test(.enabled(if: ctestsupport_allocations() >= 0)) func writingWhatWaitsAllocatesNothing() {
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(null) }
        let log = Log(descriptor: null)
        var count = 0
        for round in 0..<110 {
            log.write("listening", [("addresses", String(repeating: "x", count: 200))])
            let before = ctestsupport_allocations()
            log.flush()
            if round >= 10 { count += ctestsupport_allocations() - before }
        }
        #expect(count == 0)
    }

    @Test func whatAFullPipeDoesNotTakeComesLaterAndInOrder() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let log = Log(descriptor: ends[1])
        for number in 0..<2_000 {
            log.write("line", [("number", "\(number)"), ("padding", String(repeating: "x", count: 40))])
            if number % 100 == 0 { log.flush() }
        }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        var lines = 0
        while lines < 2_000 {
            log.flush()
            let length = read(ends[0], &piece, piece.count)
            guard length > 0 else { break }
            text += piece[..<length]
            lines += piece[..<length].count { $0 == UInt8(ascii: "\n") }
        }
        for end in ends { close(end) }
        let numbers = String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.split(separator: "\"number\":\"").last?.split(separator: "\"").first.flatMap { Int($0) }
        }
        #expect(numbers == Array(0..<2_000))
        #expect(log.dropped == 0)
    }
}
