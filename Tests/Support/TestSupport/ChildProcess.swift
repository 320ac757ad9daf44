import Dispatch
import Foundation
import Glibc

/// One of the package's own executables as a child process; killed if it still runs when the test ends.
///
/// - Note: `@unchecked Sendable` is safe because `rest` is touched on `queue` only, and the process and pipes are
///   set up before the value is shared.
package final class ChildProcess: @unchecked Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    // The tests share few threads, so waiting happens on a queue of its own.
    private let queue = DispatchQueue(label: "child-process")
    private var rest: [UInt8] = []

    /// - Parameter name: The product's name; it stands beside the tests' executable.
    package init(_ name: String, _ arguments: String...) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(name)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    /// The next line of its standard output, or nil at the end.
    package func line() async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.nextLine()) }
        }
    }

    private func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeSubrange(...end)
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    /// Closes its standard input.
    package func endInput() throws { try input.fileHandleForWriting.close() }

    /// Kills it and waits for its end.
    package func kill() async {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        _ = await wait()
    }

    /// Waits for its end; returns its exit code.
    package func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            queue.async {
                self.process.waitUntilExit()
                continuation.resume(returning: self.process.terminationStatus)
            }
        }
    }
}
