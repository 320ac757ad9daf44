import CurlTransport
import EventLoop
import Testing
import Transport

@Suite struct GetTests {
    @Test func anAnswerComesWithItsTypeAndBody() async throws {
        let server = RawServer { _ in [answer("200 OK", "{\"a\":1}")] }
        defer { server.stop() }
        let bench = try Bench()
        let result = await bench.get(server.url("/v1?x=1"))
        #expect(result.text == "{\"a\":1}")
        #expect(try result.get().contentType == "application/json")
        #expect(server.seen.requests.map(\.line) == ["GET /v1?x=1 HTTP/1.1"])
    }

    @Test func cancellingClosesTheSocket() async throws {
        let server = RawServer { _ in [.hang] }
        defer { server.stop() }
        let bench = try Bench()
        let task = bench.start(server.url())
        await eventually { server.seen.requests.count == 1 }
        task.cancel()
        #expect(await task.value == .failure(.cancelled))
        await eventually(within: .seconds(1)) { server.seen.open == 0 }
    }
}
