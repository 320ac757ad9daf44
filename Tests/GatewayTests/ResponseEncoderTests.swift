import Testing

@testable import Gateway

@Suite struct ResponseEncoderTests {
    private func encode(_ response: GatewayResponse, isHead: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        #expect(ResponseEncoder.append(response, id: 1, isHead: isHead, to: &output))
        return output
    }

    @Test func anAnswerIsTheseBytes() {
        let response = GatewayResponse(status: 200, fields: [.init("A", "b")], body: [0x78])
        let head = "A: b\r\nContent-Length: 1\r\nStatus: 200 OK\r\n\r\nx"
        #expect(head.utf8.count == 44)
        let expected: [UInt8] =
            [1, 6, 0, 1, 0, 44, 4, 0] + Array(head.utf8) + [0, 0, 0, 0]
            + [1, 6, 0, 1, 0, 0, 0, 0]
            + [1, 3, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(encode(response) == expected)
    }

    @Test(arguments: [0, 1, 65_000, 65_527, 65_528, 65_529, 131_056, 200_000])
    func aBodyOfAnySizeComesWholeInFullRecords(count: Int) {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let output = encode(GatewayResponse(status: 200, body: body))
        let records = ReadRecords(output)
        #expect(records.isWhole)
        #expect(output.count % 8 == 0)
        #expect(records.answer().body == body)
        #expect(records.answer()["Content-Length"] == "\(count)")
        let contents = records.records.filter { $0.type == 6 }.map(\.content.count)
        #expect(contents.last == 0)
        #expect(contents.dropLast(2).allSatisfy { $0 == 65_528 })
        #expect(records.records.suffix(2).map(\.type) == [6, 3])
    }

    @Test func fieldsThatWouldBreakTheHeadAreLeftOut() {
        let response = GatewayResponse(
            status: 200,
            fields: [
                .init("A", "one\r\nEvil: yes"), .init("B", "a\nb"), .init("C", "nul\0"),
                .init("D\r\nEvil", "x"),
                .init("", "x"), .init("E F", "x"), .init("G:", "x"), .init("Good", "ä b"),
            ])
        #expect(
            ReadRecords(encode(response)).answer().fields.map(\.0) == ["Good", "Content-Length", "Status"])
    }

    @Test func fieldsOfTheServersOwnAreLeftOut() {
        let names = [
            "status", "Content-length", "CONNECTION", "Transfer-Encoding", "Keep-Alive", "Upgrade", "TE",
            "Trailer",
        ]
        let response = GatewayResponse(
            status: 200, fields: names.map { .init($0, "1") } + [.init("ETag", "1")])
        #expect(
            ReadRecords(encode(response)).answer().fields.map(\.0) == ["ETag", "Content-Length", "Status"])
    }

    @Test func fieldsThatComeTwiceAreTwoLines() {
        let response = GatewayResponse(
            status: 200, fields: [.init("Set-Cookie", "a"), .init("Set-Cookie", "b")])
        let fields = ReadRecords(encode(response)).answer().fields
        #expect(fields.filter { $0.0 == "Set-Cookie" }.map(\.1) == ["a", "b"])
    }

    @Test func encodedFieldsAreTakenAsTheyAre() {
        var response = GatewayResponse(status: 200, body: [1])
        response.encodedFields = Array("X-One: 1\r\nX-Two: 2\r\n".utf8)
        let answer = ReadRecords(encode(response)).answer()
        #expect(answer["X-One"] == "1")
        #expect(answer["X-Two"] == "2")
        #expect(answer.body == [1])
    }

    @Test(arguments: [204, 304])
    func answersWithoutBodyHaveNoLength(status: Int) {
        let answer = ReadRecords(encode(GatewayResponse(status: status, body: [1, 2]))).answer()
        #expect(answer.status == status)
        #expect(answer["Content-Length"] == nil)
        #expect(answer.body.isEmpty)
    }

    @Test func aNotModifiedAnswerHasNoContentType() {
        var response = GatewayResponse(
            status: 304, fields: [.init("content-type", "text/html"), .init("ETag", "a")])
        response.encodedFields = Array("Content-Type: text/html\r\nVary: Accept\r\nAge: 1\r\n".utf8)
        #expect(ReadRecords(encode(response)).answer().fields.map(\.0) == ["ETag", "Vary", "Age", "Status"])
    }

    @Test(arguments: [-1, 0, 100, 199, 600, 1_000_000])
    func aStatusThatServersRefuseBecomes500(status: Int) {
        #expect(
            ReadRecords(encode(GatewayResponse(status: status))).answer()["Status"]
                == "500 Internal Server Error")
    }

    @Test func aHeadOfMoreThanFourKilobytesBecomes500() {
        func response(_ count: Int) -> GatewayResponse {
            GatewayResponse(
                status: 200, fields: [.init("A", String(repeating: "x", count: count))], body: [1])
        }
        // "Status: 200 OK", "A: …", "Content-Length: 1" and the empty line take 42 bytes around the x.
        let whole = encode(response(4_088 - 42))
        #expect(ReadRecords(whole).answer().status == 200)
        var output: [UInt8] = [9]
        #expect(!ResponseEncoder.append(response(4_088 - 41), id: 1, isHead: false, to: &output))
        #expect(output.first == 9)
        #expect(ReadRecords(Array(output.dropFirst())).answer().status == 500)
    }

    @Test func standardErrorIsAStreamOfItsOwnBeforeTheEnd() {
        var response = GatewayResponse(status: 200, body: [1])
        response.standardError = [UInt8](repeating: 0x65, count: 70_000)
        let records = ReadRecords(encode(response))
        #expect(records.records.map(\.type) == [6, 7, 7, 7, 6, 3])
        #expect(records.stream(7) == response.standardError)
        #expect(records.records[3].content.isEmpty)
    }
}
