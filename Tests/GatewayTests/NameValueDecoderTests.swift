import Testing

@testable import Gateway

@Suite struct NameValueDecoderTests {
    private func decode(
        _ bytes: [UInt8], limit: Int = 1_000_000, cut: Int = .max
    ) throws(NameValueDecoder.Failure) -> [String] {
        var decoder = NameValueDecoder(limit: limit)
        var rest = bytes[...]
        while !rest.isEmpty {
            try decoder.append(Array(rest.prefix(cut)).span)
            rest = rest.dropFirst(cut)
        }
        return try decoder.finish().all.map { "\($0.name)=\($0.value)" }
    }

    @Test(
        arguments: [
            ([], []),
            ([0, 0], ["="]),
            ([1, 0, 65], ["A="]),
            ([1, 2, 65, 66, 67], ["A=BC"]),
            ([0, 1, 66], ["=B"]),
            // The four layouts: each length in one byte or four.
            ([0x80, 0, 0, 1, 1, 65, 66], ["A=B"]),
            ([1, 0x80, 0, 0, 1, 65, 66], ["A=B"]),
            ([0x80, 0, 0, 1, 0x80, 0, 0, 1, 65, 66], ["A=B"]),
            ([1, 1, 65, 66, 1, 0, 67], ["A=B", "C="]),
        ] as [([UInt8], [String])])
    func literalBytesAreDecodedInEveryCut(bytes: [UInt8], expected: [String]) throws {
        for cut in 1...max(1, bytes.count) { #expect(try decode(bytes, cut: cut) == expected) }
    }

    @Test(arguments: [0, 1, 127, 128, 16_383, 65_535, 65_536])
    func lengthsOfOneAndFourBytesAreRead(count: Int) throws {
        let long = String(repeating: "x", count: count)
        let bytes = Wire.pair("A", long) + Wire.pair(long, "B")
        for cut in [1_000, .max] { #expect(try decode(bytes, cut: cut) == ["A=\(long)", "\(long)=B"]) }
    }

    @Test(
        arguments: [
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
            [0xff, 0xff, 0xff, 0xff, 0],
            [0x7f, 0xff, 0xff, 0xff, 0xff],
            [0x80, 0, 0x10, 0, 0],
        ] as [[UInt8]])
    func lengthsThatCanNeverFitAreRefusedBeforeTheirBytesCome(bytes: [UInt8]) {
        for cut in 1...bytes.count {
            #expect(throws: NameValueDecoder.Failure.tooLarge) { try decode(bytes, limit: 1_024, cut: cut) }
        }
    }

    @Test func theLimitCountsTheWholeStream() throws {
        let bytes = Wire.pair("NAME", "value")
        #expect(try decode(bytes, limit: bytes.count) == ["NAME=value"])
        for cut in [1, .max] {
            #expect(throws: NameValueDecoder.Failure.tooLarge) {
                try decode(bytes, limit: bytes.count - 1, cut: cut)
            }
        }
    }

    @Test func aStreamThatStopsInsideAPairIsTruncated() {
        let bytes = Wire.pair("NAME", "value")
        for count in 1..<bytes.count {
            #expect(throws: NameValueDecoder.Failure.truncated) { try decode(Array(bytes.prefix(count))) }
        }
    }

    @Test func theHeaderProxyIsLeftOut() throws {
        let bytes = Wire.pairs([("HTTP_PROXY", "http://evil"), ("HTTP_PROXY_", "kept"), ("A", "B")])
        #expect(try decode(bytes) == ["HTTP_PROXY_=kept", "A=B"])
    }

    @Test func aNameThatComesTwiceHasItsLastValue() throws {
        var decoder = NameValueDecoder(limit: 100)
        try decoder.append(Wire.pairs([("A", "first"), ("A", "second")]).span)
        let parameters = try decoder.finish()
        #expect(parameters["A"] == "second")
        #expect(parameters.all.count == 2)
        #expect(parameters.all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } == 13)
        #expect(parameters["B"] == nil)
        #expect(parameters.holds("second", for: "A"))
        #expect(!parameters.holds("firs", for: "A"))
    }

    @Test func headerFieldsThatAreListsAreJoined() {
        let parameters = Parameters([
            ("HTTP_ACCEPT", "text/html"), ("HTTP_COOKIE", "a=1"), ("HTTP_HOST", "one"),
            ("REMOTE_USER", "eve"),
            ("HTTP_ACCEPT", ""), ("HTTP_IF_NONE_MATCH", "\"x\""), ("HTTP_ACCEPT", "text/plain;q=0.5"),
            ("HTTP_COOKIE", "b=2"), ("HTTP_IF_NONE_MATCH", "\"y\""), ("HTTP_HOST", "two"),
            ("REMOTE_USER", ""),
        ])
        #expect(parameters["HTTP_ACCEPT"] == "text/html, text/plain;q=0.5")
        #expect(parameters["HTTP_COOKIE"] == "a=1; b=2")
        #expect(parameters["HTTP_IF_NONE_MATCH"] == "\"x\", \"y\"")
        // Not lists: here the last one counts.
        #expect(parameters["HTTP_HOST"] == "two")
        #expect(parameters["REMOTE_USER"] == "")
    }
}
