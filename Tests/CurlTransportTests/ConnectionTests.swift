import Foundation
import TestSupport
import Testing
import Transport

@testable import CurlTransport

extension NetworkTests {
    @Suite struct ConnectionTests {
        @Test func connectionsAreKept() async throws {
            let server = RawServer { _ in [answer("200 OK", "x")] }
            defer { server.stop() }
            let bench = try Bench()
            for _ in 0..<10 { #expect(await bench.get(server.url()).text == "x") }
            #expect(server.seen.connections == 1)
        }

        @Test func noMoreThanAllowedAreKeptIdle() async throws {
            let server = RawServer { _ in [.gather(50), answer("200 OK", "x")] }
            defer { server.stop() }
            let bench = try Bench { $0.idleConnections = 4 }
            let tasks = (0..<50).map { _ in bench.start(server.url()) }
            for task in tasks { #expect(await task.value.text == "x") }
            #expect(server.seen.mostOpen == 50)
            // Those that end at the very same moment may all be kept.
            await eventually { server.seen.open <= 25 }
            #expect(server.seen.open >= 1)
        }

        @Test func aKeptConnectionThatTheServerClosedIsReplacedWithoutAWord() async throws {
            // The second request of a connection finds it closing.
            let server = RawServer { $0.number == 0 ? [answer("200 OK", "\($0.connection)")] : [.close] }
            defer { server.stop() }
            let bench = try Bench()
            #expect(await bench.get(server.url()).text == "0")
            #expect(await bench.get(server.url()).text == "1")
            #expect(server.seen.requests.count == 3)
        }

        @Test func aLossOnAKeptConnectionIsMarked() async throws {
            let server = RawServer {
                $0.number == 0
                    ? [answer("200 OK", "x")]
                    : [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nx"), .close]
            }
            defer { server.stop() }
            let bench = try Bench()
            _ = await bench.get(server.url())
            guard case .failed(let fault) = await bench.get(server.url()).error else {
                return #expect(Bool(false))
            }
            #expect(fault.phase == .receive)
        }

        @Test func theEnvironmentsProxiesAreIgnored() async throws {
            let proxy = RawServer { _ in [answer("502 Proxy", "")] }
            let server = RawServer { _ in [answer("200 OK", "direct")] }
            defer {
                proxy.stop()
                server.stop()
            }
            // Set for good: nothing in this process may heed them.
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
            }
            let bench = try Bench()
            #expect(await bench.get(server.url()).text == "direct")
            #expect(proxy.seen.connections == 0)
        }

        @Test func aConfiguredProxyIsUsed() async throws {
            let proxy = RawServer { [answer("200 OK", "by proxy: \($0.path)")] }
            defer { proxy.stop() }
            setenv("no_proxy", "*", 1)
            let url = proxy.url()
            let bench = try Bench {
                $0.proxy = url
                $0.allowPlainHTTP = true
            }
            #expect(await bench.get("http://weather.example/x").text == "by proxy: http://weather.example/x")
        }

        @Test func theUserAgentIsSent() async throws {
            let server = RawServer { _ in [answer("200 OK", "x")] }
            defer { server.stop() }
            let bench = try Bench { $0.userAgent = "trip-weather/9 (test)" }
            _ = await bench.get(server.url())
            #expect(
                server.seen.requests.first?.head.contains("\r\nUser-Agent: trip-weather/9 (test)\r\n") == true
            )
        }

        @Test func aCallerOnNoLoopIsServed() async throws {
            let server = RawServer { _ in [answer("200 OK", "x")] }
            defer { server.stop() }
            let bench = try Bench()
            let kept = try await bench.transport.get(
                HTTPRequest(url: server.url()), deadline: .now + .seconds(5))
            #expect(kept.body == Array("x".utf8))
        }

        @Test func aTransportWithoutLoopsIsRefused() {
            #expect(throws: CurlStartError.self) {
                try CurlTransport(loops: [], configuration: CurlConfiguration())
            }
        }
    }
}
