import Testing
import Transport

@testable import CurlTransport

extension NetworkTests {
    @Suite struct GetTests {
        @Test func anAnswerComesWithItsBody() async throws {
            let server = RawServer { _ in [answer("200 OK", "{\"a\":1}")] }
            defer { server.stop() }
            let bench = try Bench()
            let result = await bench.get(server.url("/v1?x=1"))
            #expect(result.text == "{\"a\":1}")
            #expect(server.seen.requests.map(\.line) == ["GET /v1?x=1 HTTP/1.1"])
        }

        @Test func anAnswerMayComeInPiecesOfAnySize() async throws {
            let body = String(repeating: "0123456789", count: 5_000)
            let server = RawServer { request in
                let size = max(1, Int(request.path.dropFirst()) ?? 1)
                let text = Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n\(body)".utf8)
                return stride(from: 0, to: text.count, by: size).map {
                    .sendBytes(Array(text[$0..<min($0 + size, text.count)]))
                }
            }
            defer { server.stop() }
            let bench = try Bench()
            for size in [1, 7, 16_384, 100_000] {
                #expect(await bench.get(server.url("/\(size)")).text == body)
            }
        }

        @Test func anAnswerThatEndsWithTheConnectionIsWhole() async throws {
            let server = RawServer { _ in [.send("HTTP/1.0 200 OK\r\n\r\nold"), .close] }
            defer { server.stop() }
            #expect(await (try Bench()).get(server.url()).text == "old")
        }

        @Test func manyAtOnceOnSeveralLoops() async throws {
            let server = RawServer { [answer("200 OK", $0.path)] }
            defer { server.stop() }
            let bench = try Bench(loops: 3)
            let tasks = (0..<300).map { bench.start(server.url("/\($0)"), loop: $0 % 3) }
            for (number, task) in tasks.enumerated() { #expect(await task.value.text == "/\(number)") }
        }
    }
}
