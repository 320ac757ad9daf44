import Testing
import Transport

@testable import CurlTransport

@Suite struct AnswerReaderTests {
    private func reader() -> AnswerReader {
        var limits = CurlConfiguration()
        limits.answerBytes = 10
        limits.refusalBytes = 4
        limits.headerBytes = 100
        return AnswerReader(limits)
    }

    private func header(_ reader: inout AnswerReader, _ lines: String...) -> Bool {
        lines.allSatisfy { line in Array((line + "\r\n").utf8).withUnsafeBytes { reader.takeHeader($0) } }
    }

    private func body(_ reader: inout AnswerReader, _ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { reader.takeBody($0) }
    }

    @Test func fieldsAreReadWhateverTheirCaseAndSpaces() {
        var reader = reader()
        #expect(header(&reader, "HTTP/1.1 429 Slow", "retry-AFTER: \t7", ""))
        #expect(reader.status == 429)
        #expect(reader.retryAfter == "7")
        #expect(reader.isHeaderComplete)
    }

    @Test func interimAnswersDontCount() {
        var reader = reader()
        #expect(header(&reader, "HTTP/1.1 103 Early", "Retry-After: 1", ""))
        #expect(!reader.isHeaderComplete)
        #expect(header(&reader, "HTTP/1.1 200 OK", ""))
        #expect(reader.status == 200)
        #expect(reader.retryAfter == nil)
    }

    @Test func trailersAreNotFields() {
        var reader = reader()
        #expect(header(&reader, "HTTP/1.1 200 OK", "Retry-After: 1", ""))
        #expect(header(&reader, "Retry-After: 2", "HTTP/1.1 500 no"))
        #expect(reader.retryAfter == "1")
        #expect(reader.status == 200)
    }

    @Test func headersOverTheLimitEndIt() {
        var reader = reader()
        #expect(header(&reader, "HTTP/1.1 200 OK"))
        #expect(!header(&reader, "X: " + String(repeating: "x", count: 100)))
        #expect(reader.full == .tooLarge(limit: 100))
    }

    @Test func aBodyOfExactlyTheLimitIsTaken() {
        var reader = reader()
        _ = header(&reader, "HTTP/1.1 200 OK", "")
        #expect(body(&reader, "12345"))
        #expect(body(&reader, "67890"))
        #expect(body(&reader, ""))
        #expect(reader.body == Array("1234567890".utf8))
        #expect(reader.full == nil)
    }

    @Test func oneByteMoreEndsIt() {
        var reader = reader()
        _ = header(&reader, "HTTP/1.1 200 OK", "")
        #expect(!body(&reader, "12345678901"))
        #expect(reader.full == .tooLarge(limit: 10))
        #expect(reader.body.isEmpty)
    }

    @Test func aRefusalsBodyIsCut() {
        var reader = reader()
        _ = header(&reader, "HTTP/1.1 500 no", "")
        #expect(body(&reader, "12"))
        #expect(!body(&reader, "3456"))
        #expect(reader.full == .refusal)
        #expect(reader.body == Array("1234".utf8))
    }

    @Test(arguments: [
        "HTTP/1.1", "HTTP/1.1 ", "HTTP/2 2x", "HTTP/", "nonsense", ":", "\u{0}", "Content-Length: -5",
    ])
    func strangeLinesAreSurvived(line: String) {
        var reader = reader()
        #expect(header(&reader, line, "Content-Length: 99999999999999999999", ""))
        #expect(!reader.isHeaderComplete)
        #expect(body(&reader, "1"))
    }
}

@Suite struct SpeedMeterTests {
    private let start = ContinuousClock.now

    private func meter(bytesPerSecond: Int, time: Duration) -> SpeedMeter {
        var limits = CurlConfiguration()
        limits.lowSpeedBytes = bytesPerSecond
        limits.lowSpeedTime = time
        return SpeedMeter(limits, start: start)
    }

    /// How long a transfer that receives like this lasts, asked every 100 ms for a minute; nil if it isn't ended.
    private func end(of bytesAfter: (Double) -> Int) -> Double? {
        var meter = meter(bytesPerSecond: 100, time: .seconds(3))
        for tick in 1...600 {
            let now = start.advanced(by: .milliseconds(tick * 100))
            if meter.tick(bytes: bytesAfter(Double(tick) / 10), at: now) { return Double(tick) / 10 }
        }
        return nil
    }

    @Test func oneThatReceivesNothingIsEndedAfterTheTime() {
        #expect(end { _ in 0 } == 3)
    }

    @Test func oneJustFastEnoughIsNotEnded() {
        #expect(end { Int($0 * 101) } == nil)
    }

    @Test func oneThatComesInBurstsIsMeasuredByItsMean() {
        // 290 bytes each 2.9 s.
        #expect(end { (Int($0 / 2.9) + 1) * 300 } == nil)
        #expect(end { Int($0 / 2.9) * 30 } == 3)
    }

    @Test func aStallAfterABurstIsFoundAfterTheTime() throws {
        let end = try #require(end { $0 < 1 ? 5_000 : 9_000 })
        #expect(end >= 4 && end <= 4.2)
    }

    @Test func samplesDontPileUp() {
        var meter = meter(bytesPerSecond: 1, time: .seconds(1))
        #expect(meter.nextTick == start.advanced(by: .milliseconds(100)))
        for tick in 1...10_000 {
            _ = meter.tick(bytes: tick * 1_000, at: start.advanced(by: .milliseconds(tick * 100)))
        }
        #expect(MemoryLayout.size(ofValue: meter) < 200)
        #expect(meter.nextTick == start.advanced(by: .milliseconds(1_000_100)))
    }
}

@Suite struct RetryAfterTests {
    @Test(arguments: [
        ("0", 0), ("120", 120), ("3601", 3_600), ("99999999999999999999999", 3_600),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
        ("Sun Nov  6 08:49:47 1994", 10), ("Sun, 06 Nov 1994 08:49:30 GMT", 0),
        ("Sun, 06 Nov 2033 08:49:37 GMT", 3_600),
    ]) func secondsAndDatesAreRead(field: String, seconds: Int) {
        // 08:49:37.
        #expect(RetryAfter.delay(field, now: 784_111_777) == .seconds(seconds))
    }

    @Test(arguments: ["", "soon", "-1x", "1.5"]) func othersAreNot(field: String) {
        #expect(RetryAfter.delay(field, now: 784_111_777) == nil)
    }
}

@Suite struct UpstreamAddressTests {
    private func address(_ url: String, secret: String? = nil, allow: Bool = false) throws -> UpstreamAddress
    {
        try UpstreamAddress(HTTPRequest(url: url, secretQuery: secret), allowPlainHTTP: allow)
    }

    @Test(arguments: [
        "http://127.0.0.1:80/", "http://127.9.9.9", "http://127.1/", "http://0x7f000001/", "http://[::1]:8/x",
        "http://LocalHost/",
    ]) func plainHTTPGoesToThisMachine(url: String) throws {
        let host = try address(url).host
        #expect(host.scheme == "http")
        #expect(host.needsNoLookup)
    }

    @Test(arguments: [
        "http://api.open-meteo.com/", "http://128.0.0.1/", "http://127.0.0.1.example/",
        "http://localhost.example/",
        "http://[::2]/", "http://[::ffff:127.0.0.1]/", "http://127.example/", "ftp://127.0.0.1/",
        "file:///etc/passwd", "gopher://127.0.0.1",
        "//127.0.0.1/", "127.0.0.1/", "", "https://", "https://user@a.example/",
        "https://user:word@a.example/",
        "https://a.example/\u{0}", "https://a b.example/", "https://a.example:99999/", "javascript:1",
    ]) func othersAreForbidden(url: String) {
        #expect { try address(url) } throws: { error in
            guard case .forbidden = error as? TransportError else { return false }
            return true
        }
    }

    @Test func plainHTTPToOthersCanBeAllowed() throws {
        #expect(try address("http://weather.example/", allow: true).host.port == 80)
        #expect(throws: TransportError.self) { try address("ftp://weather.example/", allow: true) }
    }

    @Test func hostsAreToldApartBySchemeNameAndPort() throws {
        let host = try address("https://API.example/a?b=c").host
        #expect(host.description == "https://api.example:443")
        #expect(try address("https://api.example:443/z").host == host)
        #expect(try address("https://api.example:444/").host != host)
        #expect(!host.needsNoLookup)
    }

    @Test func theSecretIsAppendedToTheQuery() throws {
        #expect(try address("https://a.example/x", secret: "k=1").url == "https://a.example/x?k=1")
        #expect(try address("https://a.example/x?y=2", secret: "k=1").url == "https://a.example/x?y=2&k=1")
        #expect(try address("https://a.example/x?y=2#z", secret: "k=1").url == "https://a.example/x?y=2&k=1")
        #expect(try address("https://a.example/x", secret: "").url == "https://a.example/x")
    }

    @Test func aForbiddenAddressIsNotRepeated() {
        #expect { try address("http://a.example:99999/", secret: "apikey=hush") } throws: { error in
            !"\(error)".contains("hush")
        }
    }
}

@Suite struct SmallTests {
    @Test func secretsAreStruckFromMessages() {
        let message = Secret.redact("apikey=hush&x=", from: "bad URL https://a/?apikey=hush or hush")
        #expect(!message.contains("hush"))
        #expect(message.contains("bad URL https://a/?"))
        #expect(Secret.redact(nil, from: "as it was") == "as it was")
    }

    @Test func durationsAreRoundedUpForLibcurl() {
        #expect(Duration.milliseconds(1_500).milliseconds == 1_500)
        #expect(Duration.microseconds(1_500_001).milliseconds == 1_501)
        #expect(Duration.zero.milliseconds == 1)
        #expect(Duration.seconds(-5).milliseconds == 1)
        #expect(Duration.milliseconds(1_001).seconds == 2)
        #expect(Duration.seconds(Int64.max / 4).milliseconds == 1_000_000_000)
    }

    @Test func anOldOrLesserLibcurlIsRefused() throws {
        try CurlLibrary.check(version: 0x07_57_00, name: "7.87.0", features: -1)
        #expect(throws: CurlStartError.self) {
            try CurlLibrary.check(version: 0x07_56_01, name: "7.86.1", features: -1)
        }
        #expect(throws: CurlStartError.self) {
            try CurlLibrary.check(version: 0x08_00_00, name: "8.0.0", features: 0)
        }
    }
}
