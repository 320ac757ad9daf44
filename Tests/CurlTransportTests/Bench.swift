import CLinux
import CurlTransport
import EventLoop
import Glibc
import Testing
import Transport

/// All tests that use sockets, one after the other: they measure time, and some use hundreds of threads.
@Suite(.serialized) enum NetworkTests {}

/// A transport on running loops.
final class Bench: Sendable {
    let loops: [EventLoop]
    let transport: CurlTransport

    init(loops count: Int = 1, _ configure: (inout CurlConfiguration) -> Void = { _ in }) throws {
        _ = Bench.ignoresBrokenPipes
        var configuration = CurlConfiguration()
        configuration.transfersAtOnce = 1_000
        // So long that a test which isn't about them never meets them, be the machine as busy as it may.
        configuration.connectTimeout = .seconds(60)
        configuration.firstByteTimeout = .seconds(60)
        configuration.lowSpeedTime = .seconds(60)
        configuration.transferTimeout = .seconds(60)
        configure(&configuration)
        loops = try (0..<count).map { try EventLoop(name: "curl-\($0)") }
        for loop in loops { try loop.start() }
        transport = try CurlTransport(loops: loops, configuration: configuration)
    }

    deinit {
        transport.shutDown()
        for loop in loops { loop.stop() }
        for loop in loops { loop.join() }
    }

    private static let ignoresBrokenPipes = signal(SIGPIPE, SIG_IGN)

    /// Starts a task on a loop that asks once.
    func start(
        _ url: String, secret: String? = nil, deadline: Duration = .seconds(60), loop: Int = 0
    ) -> Task<Result<HTTPAnswer, TransportError>, Never> {
        let end = ContinuousClock.now.advanced(by: deadline)
        let transport = transport
        return Task(executorPreference: loops[loop]) {
            do throws(TransportError) {
                return .success(
                    try await transport.get(HTTPRequest(url: url, secretQuery: secret), deadline: end))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Asks once, and measures how long it took, on the loop's own thread: tests are many, and loops few.
    func time(
        _ url: String, deadline: Duration = .seconds(60)
    ) async -> (Result<HTTPAnswer, TransportError>, Duration) {
        let transport = transport
        return await Task(executorPreference: loops[0]) {
            let start = ContinuousClock.now
            do throws(TransportError) {
                let answer = try await transport.get(
                    HTTPRequest(url: url), deadline: start.advanced(by: deadline))
                return (.success(answer), start.duration(to: .now))
            } catch {
                return (.failure(error), start.duration(to: .now))
            }
        }.value
    }

    /// Asks once and waits for the answer.
    func get(
        _ url: String, secret: String? = nil, deadline: Duration = .seconds(60), loop: Int = 0
    ) async -> Result<HTTPAnswer, TransportError> {
        await start(url, secret: secret, deadline: deadline, loop: loop).value
    }
}

extension Result where Success == HTTPAnswer, Failure == TransportError {
    var error: TransportError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }

    var text: String? {
        guard case .success(let answer) = self else { return nil }
        return String(decoding: answer.body, as: UTF8.self)
    }
}
