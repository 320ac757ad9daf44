import EventLoop
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite struct CGITests {
    enum Kind: CaseIterable {
        case pipe, socket, file
    }

    /// Descriptors for one run: the process's end, and the server's.
    struct Stream {
        var process: Int32
        var server: Int32

        init(_ kind: Kind, holding bytes: [UInt8]? = nil, folder: ScratchFolder) throws {
            var pair: [Int32] = [-1, -1]
            switch kind {
            case .pipe:
                try #require(Glibc.pipe(&pair) == 0)
                if bytes == nil { pair.swapAt(0, 1) }
            case .socket:
                try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
            case .file:
                let path = folder.path + "/" + UUID().uuidString
                #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes ?? [])))
                pair = [open(path, O_RDWR), open(path, O_RDONLY)]
            }
            process = pair[0]
            server = pair[1]
            if let bytes, kind != .file { _ = Glibc.write(server, bytes, bytes.count) }
        }

        func close() {
            Glibc.close(process)
            Glibc.close(server)
        }
    }

    private func withLoop(_ body: (EventLoop) async throws -> Void) async throws {
        let loop = try EventLoop(name: "cgi")
        try loop.start()
        do {
            try await body(loop)
        } catch {
            loop.stop()
            loop.join()
            throw error
        }
        loop.stop()
        loop.join()
    }

    /// Runs one request, reading the answer as it comes.
    private func run(
        _ environment: [(String, String)], body: [UInt8] = [], input: Kind = .pipe, output: Kind = .pipe,
        limits: GatewayLimits = GatewayLimits(), _ handler: TestHandler
    ) async throws -> [UInt8] {
        let folder = try ScratchFolder()
        let standardInput = try Stream(input, holding: body, folder: folder)
        let standardOutput = try Stream(output, folder: folder)
        defer { standardInput.close() }
        let collected = Mutex<[UInt8]>([])
        let server = standardOutput.server
        func readAll() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = Glibc.read(server, &buffer, buffer.count), count > 0 {
                collected.withLock { $0 += buffer[..<count] }
            }
        }
        let reader = output == .file ? nil : Thread { readAll() }
        try await withLoop { loop in
            let cgi = CGI(
                environment: Parameters(environment), loop: loop, limits: limits,
                input: standardInput.process, output: standardOutput.process, errorOutput: -1)
            _ = await cgi.answer(by: handler)
        }
        Glibc.close(standardOutput.process)
        if let reader { reader.join() } else { readAll() }
        Glibc.close(server)
        return collected.withLock { $0 }
    }

    @Test(arguments: Kind.allCases, Kind.allCases)
    func aRequestIsAnsweredWhateverTheDescriptorsAre(input: Kind, output: Kind) async throws {
        let handler = TestHandler { request, _ in .ready(plain("\(request.body)")) }
        let bytes = try await run(
            [("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", "3")], body: [1, 2, 3, 4], input: input,
            output: output, handler)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "Content-Type: text/plain\nContent-Length: 9\nStatus: 200 OK\n\n[1, 2, 3]")
        #expect(handler.outcomes == ["answered 200"])
    }

    @Test(arguments: Kind.allCases)
    func aLargeAnswerComesWhole(output: Kind) async throws {
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let handler = TestHandler { _, loop in
            .pending {
                try? await loop.sleep(for: .milliseconds(1))
                return GatewayResponse(status: 200, body: body)
            }
        }
        #expect(Answer(try await run([], output: output, handler)).body == body)
        #expect(handler.outcomes == ["answered 200"])
    }

    @Test func encodedFieldsEndTheirLinesAsTheOthersDo() async throws {
        let handler = TestHandler { _, _ in
            var response = plain("x")
            response.encodedFields = Array("X-A: 1\r\n".utf8)
            return .ready(response)
        }
        #expect(try await run([], handler).contains(0x0d) == false)
    }

    @Test func whatIsForTheLogGoesToStandardError() async throws {
        let handler = TestHandler { _, _ in
            var response = plain("x")
            response.standardError = Array("for the log".utf8)
            return .ready(response)
        }
        let folder = try ScratchFolder()
        let output = try Stream(.pipe, folder: folder)
        let log = try Stream(.pipe, folder: folder)
        try await withLoop { loop in
            let cgi = CGI(
                environment: Parameters(), loop: loop, input: -1, output: output.process,
                errorOutput: log.process)
            _ = await cgi.answer(by: handler)
        }
        close(log.process)
        var buffer = [UInt8](repeating: 0, count: 100)
        let count = read(log.server, &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "for the log")
        close(log.server)
        output.close()
    }

    @Test func theHeadOfARequestIsAnsweredWithoutBody() async throws {
        let answer = Answer(try await run([("REQUEST_METHOD", "HEAD")], TestHandler("hello")))
        #expect(answer["Content-Length"] == "5")
        #expect(answer.body.isEmpty)
    }

    @Test func theHeaderProxyDoesNotReachTheHandler() async throws {
        let handler = TestHandler { request, _ in .ready(plain(request.parameters["HTTP_PROXY"] ?? "none")) }
        let answer = Answer(try await run([("HTTP_PROXY", "http://evil"), ("HTTP_ACCEPT", "*/*")], handler))
        #expect(answer.text == "none")
    }

    @Test func withoutContentLengthNothingIsRead() async throws {
        let handler = TestHandler { request, _ in .ready(plain("\(request.body.count)")) }
        #expect(Answer(try await run([("CONTENT_LENGTH", "")], body: [1, 2], handler)).text == "0")
    }

    @Test(arguments: [("5", 413), ("x", 400), ("4", 200)])
    func aBodyIsHeldAgainstItsLimit(length: String, status: Int) async throws {
        var limits = GatewayLimits()
        limits.bodyBytes = 4
        let answer = Answer(
            try await run([("CONTENT_LENGTH", length)], body: [1, 2, 3, 4, 5], limits: limits, TestHandler()))
        #expect(answer.status == status)
    }

    @Test(arguments: [
        ("", "chunked", 200), ("-1", "gzip, Chunked", 200), ("-1", "", 411), ("", "", 200),
    ])
    func aBodyOfUnknownLengthIsReadOnlyIfItWasSentInChunks(
        length: String, coding: String, status: Int
    ) async throws {
        let handler = TestHandler { request, _ in .ready(plain("\(request.body.count)")) }
        let answer = Answer(
            try await run(
                [("CONTENT_LENGTH", length), ("HTTP_TRANSFER_ENCODING", coding)], body: [1, 2, 3],
                input: .file,
                handler))
        #expect(answer.status == status)
        if status == 200 { #expect(answer.text == (coding.isEmpty ? "0" : "3")) }
    }

    @Test func aBodyInChunksIsHeldAgainstItsLimit() async throws {
        var limits = GatewayLimits()
        limits.bodyBytes = 2
        let answer = Answer(
            try await run(
                [("HTTP_TRANSFER_ENCODING", "chunked")], body: [1, 2, 3], input: .file, limits: limits,
                TestHandler()))
        #expect(answer.status == 413)
    }

    /// fcgiwrap and others lose an answer if the body can't be written to its end.
    @Test(arguments: [("70000", 70_000), ("80000", 80_000), ("3000000", 1_048_576)])
    func whatIsLeftOfABodyIsReadAfterTheAnswer(length: String, count: Int) async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/body"
        let size = max(count, 90_000) + 10
        #expect(FileManager.default.createFile(atPath: path, contents: Data(count: size)))
        let input = open(path, O_RDONLY)
        defer { close(input) }
        let output = open(folder.path + "/out", O_RDWR | O_CREAT, 0o600)
        defer { close(output) }
        var limits = GatewayLimits()
        limits.bodyBytes = 10
        let handler = TestHandler()
        try await withLoop { loop in
            let cgi = CGI(
                environment: Parameters([("CONTENT_LENGTH", length)]), loop: loop, limits: limits,
                input: input,
                output: output)
            _ = await cgi.answer(by: handler)
        }
        #expect(handler.outcomes == ["refused 413 body too large"])
        // Never past CONTENT_LENGTH, and never past a bound.
        #expect(lseek(input, 0, SEEK_CUR) == count)
    }

    @Test func aBodyThatEndsEarlyIsAnswered400() async throws {
        // Of the three kinds a file ends by itself.
        let answer = Answer(
            try await run([("CONTENT_LENGTH", "9")], body: [1, 2], input: .file, TestHandler()))
        #expect(answer.status == 400)
    }

    @Test func aBodyThatDoesNotComeIsAnswered408() async throws {
        var limits = GatewayLimits()
        limits.arrivalTimeout = .milliseconds(200)
        let start = ContinuousClock.now
        let answer = Answer(
            try await run([("CONTENT_LENGTH", "9")], body: [1], limits: limits, TestHandler()))
        #expect(answer.status == 408)
        #expect(start.duration(to: .now) >= .milliseconds(200))
    }

    @Test func devNullIsReadAndWrittenDirectly() async throws {
        let descriptor = open("/dev/null", O_RDWR)
        defer { close(descriptor) }
        let handler = TestHandler()
        try await withLoop { loop in
            let cgi = CGI(
                environment: Parameters(), loop: loop, input: descriptor, output: descriptor
            )
            _ = await cgi.answer(by: handler)
        }
        #expect(handler.outcomes == ["answered 200"])
    }

    @Test(arguments: [Kind.pipe, Kind.socket])
    func aReaderThatGoesAwayCancelsTheTask(output: Kind) async throws {
        let sleepers = CancellationTests.Sleepers()
        let handler = sleepers.handler
        let folder = try ScratchFolder()
        let stream = try Stream(output, folder: folder)
        try await withLoop { loop in
            let cgi = CGI(
                environment: Parameters(), loop: loop, input: -1, output: stream.process)
            async let end = cgi.answer(by: handler)
            #expect(await sleepers.haveStarted())
            close(stream.server)
            _ = await end
            #expect(sleepers.cancelled.load(ordering: .relaxed) == 1)
            #expect(handler.outcomes == ["cancelled"])
        }
        close(stream.process)
    }

    @Test func cancelCancelsTheTaskAndWritesNothing() async throws {
        let sleepers = CancellationTests.Sleepers()
        let handler = sleepers.handler
        let folder = try ScratchFolder()
        let stream = try Stream(.pipe, folder: folder)
        try await withLoop { loop in
            let cgi = CGI(
                environment: Parameters(), loop: loop, input: -1, output: stream.process)
            async let end = cgi.answer(by: handler)
            #expect(await sleepers.haveStarted())
            cgi.cancel()
            cgi.cancel()
            _ = await end
            #expect(handler.outcomes == ["cancelled"])
        }
        close(stream.process)
        var byte: UInt8 = 0
        #expect(read(stream.server, &byte, 1) == 0)
        close(stream.server)
    }

    @Test func aPipeThatNobodyReadsEndsTheAnswerAfterTheWriteTimeout() async throws {
        var limits = GatewayLimits()
        limits.writeTimeout = .milliseconds(200)
        let handler = TestHandler { _, _ in
            .ready(GatewayResponse(status: 200, body: [UInt8](repeating: 1, count: 200_000)))
        }
        let folder = try ScratchFolder()
        let stream = try Stream(.pipe, folder: folder)
        try await withLoop { loop in
            let cgi = CGI(
                environment: Parameters(), loop: loop, limits: limits, input: -1,
                output: stream.process)
            let start = ContinuousClock.now
            _ = await cgi.answer(by: handler)
            #expect(start.duration(to: .now) >= .milliseconds(200))
            #expect(handler.outcomes == ["cut"])
        }
        stream.close()
    }
}
