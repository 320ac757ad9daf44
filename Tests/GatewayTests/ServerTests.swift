import Testing

@testable import Gateway

@Suite struct ServerTests {
    @Test func aRequestOverAUnixSocketIsAnswered() async throws {
        let handler = TestHandler("hello")
        try await withServer(handler) { server in
            let client = try server.connect()
            client.send(Wire.request())
            let answer = try await client.answer()
            #expect(answer.status == 200)
            #expect(answer["Content-Length"] == "5")
            #expect(answer.text == "hello")
            #expect(client.received.records.last?.type == 3)
            #expect(handler.outcomes == ["answered 200"])
        }
    }
}
