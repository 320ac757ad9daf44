import Foundation
import TestSupport
import Testing
import Transport

@testable import CurlTransport

extension NetworkTests {
    /// Each way in which a server can fail gives its own error, and the next request works.
    @Suite struct FaultTests {
        /// Asks a server that does this, then the same server doing it right.
        private func fault(
            _ steps: [Step], _ configure: (inout CurlConfiguration) -> Void = { _ in }
        ) async throws -> TransportError? {
            let server = RawServer { $0.path == "/good" ? [answer("200 OK", "good")] : steps }
            defer { server.stop() }
            let bench = try Bench(configure)
            let result = await bench.get(server.url("/bad"))
            #expect(await bench.get(server.url("/good")).text == "good")
            return result.error
        }

        @Test func aRefusalComesWithStatusRetryAfterAndBody() async throws {
            let error = try await fault([
                answer(
                    "429 Too Many Requests", "{\"reason\":\"x\"}",
                    ["Retry-After: 30", "Content-Type: application/json"])
            ])
            #expect(
                error
                    == .status(
                        HTTPRefusal(
                            status: 429, retryAfter: .seconds(30), body: Array("{\"reason\":\"x\"}".utf8))))
        }

        @Test(arguments: [201, 204, 206, 304, 400, 404, 500, 503, 599]) func everyOtherStatusIsARefusal(
            status: Int
        ) async throws {
            let body = status == 204 || status == 304 ? "" : "no"
            #expect(
                try await fault([answer("\(status) X", body, [])])
                    == .status(HTTPRefusal(status: status, body: Array(body.utf8))))
        }

        @Test func aRedirectIsNotFollowed() async throws {
            let server = RawServer { _ in [answer("302 Found", "", ["Location: /elsewhere"])] }
            defer { server.stop() }
            let bench = try Bench()
            #expect(await bench.get(server.url("/")).error == .status(HTTPRefusal(status: 302)))
            #expect(server.seen.requests.count == 1)
        }

        @Test func aLongRefusalIsCutAndIsStillARefusal() async throws {
            let error = try await fault([answer("500 Oh", String(repeating: "x", count: 100_000), [])]) {
                $0.refusalBytes = 1_000
            }
            #expect(error == .status(HTTPRefusal(status: 500, body: Array(repeating: 0x78, count: 1_000))))
        }

        @Test func aRefusalCutShortIsStillARefusal() async throws {
            let error = try await fault([
                .send("HTTP/1.1 503 Busy\r\nRetry-After: 5\r\nContent-Length: 100\r\n\r\npart"), .close,
            ])
            #expect(
                error == .status(HTTPRefusal(status: 503, retryAfter: .seconds(5), body: Array("part".utf8))))
        }

        @Test func anAnswerCutShortFails() async throws {
            let error = try await fault([.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"), .close])
            #expect(
                error
                    == .failed(
                        TransferFault(
                            phase: .receive, code: 18,
                            message: "transfer closed with 96 bytes remaining to read")))
        }

        @Test func aChunkedAnswerCutShortFails() async throws {
            let error = try await fault([
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n"), .close,
            ])
            guard case .failed(let fault) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(fault.code == 18)
            #expect(fault.phase == .receive)
        }

        @Test func aConnectionClosedWithoutAWordFails() async throws {
            let error = try await fault([.close])
            #expect(
                error
                    == .failed(
                        TransferFault(
                            phase: .wait, code: 52, message: "Empty reply from server", isOfConnection: true))
            )
        }

        @Test func aResetFails() async throws {
            guard case .failed(let waiting) = try await fault([.reset]) else { return #expect(Bool(false)) }
            #expect(waiting.phase == .wait)
            #expect(waiting.code == 56)
            let steps: [Step] = [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), .wait(.milliseconds(50)), .reset,
            ]
            guard case .failed(let receiving) = try await fault(steps) else { return #expect(Bool(false)) }
            #expect(receiving.phase == .receive)
            #expect(receiving.code == 56)
        }

        @Test func whatIsNotHTTPFails() async throws {
            guard case .failed(let fault) = try await fault([.send("220 smtp ready\r\n"), .close]) else {
                return #expect(Bool(false))
            }
            #expect(fault.code == 1)
            #expect(fault.message.contains("HTTP/0.9"))
        }

        @Test func aRefusedConnectionFails() async throws {
            let (listener, port) = RawServer.listen(backlog: 1)
            close(listener)
            guard case .failed(let fault) = await (try Bench()).get("http://127.0.0.1:\(port)/").error else {
                return #expect(Bool(false))
            }
            #expect(fault.phase == .connect)
            #expect(fault.code == 7)
        }

        @Test func aServerWithoutTLSFails() async throws {
            let server = RawServer { _ in [answer("200 OK", "")] }
            defer { server.stop() }
            let (listener, port) = RawServer.listen(backlog: 8)
            let thread = Thread {
                let connection = accept(listener, nil, nil)
                _ = "HTTP/1.1 400 Bad\r\n\r\n".withCString { send(connection, $0, 20, 0) }
                close(connection)
            }
            thread.start()
            defer { close(listener) }
            guard case .failed(let fault) = await (try Bench()).get("https://127.0.0.1:\(port)/").error else {
                return #expect(Bool(false))
            }
            #expect(fault.phase == .tls)
            #expect(fault.code == 35)
        }

        @Test func forbiddenAddressesAreNotAsked() async throws {
            let result = await (try Bench()).get("http://weather.example/")
            guard case .forbidden(let reason) = result.error else { return #expect(Bool(false)) }
            #expect(reason.contains("weather.example"))
        }

        // MARK: Size

        @Test func anAnswerOverTheLimitIsCutOffWhileItArrives() async throws {
            let server = RawServer { request in
                request.path == "/good"
                    ? [answer("200 OK", "good")]
                    : [
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n"),
                        .flood(bytes: 104_857_600),
                    ]
            }
            defer { server.stop() }
            let bench = try Bench { $0.answerBytes = 100_000 }
            #expect(await bench.get(server.url()).error == .tooLarge(limit: 100_000))
            await eventually { server.seen.open == 0 }
            #expect(await bench.get(server.url("/good")).text == "good")
        }

        @Test func anAnswerOfExactlyTheLimitIsWhole() async throws {
            let body = String(repeating: "x", count: 50_000)
            let server = RawServer { _ in [answer("200 OK", body)] }
            defer { server.stop() }
            #expect(await (try Bench { $0.answerBytes = 50_000 }).get(server.url()).text == body)
            #expect(
                await (try Bench { $0.answerBytes = 49_999 }).get(server.url()).error
                    == .tooLarge(limit: 49_999))
        }

        @Test func compressedAnswersAreDecoded() async throws {
            let body = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA"))
            let server = RawServer { _ in
                [
                    .send(
                        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"),
                    .sendBytes(Array(body)),
                ]
            }
            defer { server.stop() }
            let bench = try Bench()
            #expect(await bench.get(server.url()).text == "{\"a\":1}")
            let head = try #require(server.seen.requests.first?.head)
            #expect(head.contains("Accept-Encoding: ") && head.contains("gzip") && head.contains("br"))
        }

        @Test func aCompressedBombIsCutOffByItsDecodedSize() async throws {
            // gzip's header, then pieces of 84 bytes that are 64 kB of zeroes each: 128 kB are 100 MB.
            let piece = try #require(
                Data(
                    base64Encoded:
                        "7MGBAAAAAIAgpf3pFqkKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAagAAAP//"))
            var bomb: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
            for _ in 0..<1_600 { bomb += piece }
            let error = try await fault([
                .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"),
                .sendBytes(bomb),
            ])
            #expect(error == .tooLarge(limit: 1_048_576))
        }

        @Test func brokenCompressionFails() async throws {
            let steps: [Step] = [
                .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!")
            ]
            guard case .failed(let fault) = try await fault(steps) else { return #expect(Bool(false)) }
            #expect(fault.code == 61 || fault.code == 23)
            #expect(fault.phase == .receive)
        }

        @Test func endlessHeadersAreCutOff() async throws {
            let error = try await fault([
                .send("HTTP/1.1 200 OK\r\n"),
                .drip("X-Filler: \(String(repeating: "x", count: 1_000))\r\n", every: .zero),
            ]) { $0.headerBytes = 10_000 }
            #expect(error == .tooLarge(limit: 10_000))
        }

        // MARK: Secrets

        @Test func theSecretIsSentAndAppearsInNoError() async throws {
            let server = RawServer { _ in [.close] }
            defer { server.stop() }
            let result = await (try Bench()).get(server.url("/x?a=1"), secret: "apikey=hush")
            #expect(server.seen.requests.first?.path == "/x?a=1&apikey=hush")
            #expect(!"\(String(describing: result.error))".contains("hush"))
        }
    }
}
