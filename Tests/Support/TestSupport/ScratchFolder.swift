import Foundation
import Glibc

/// A folder of the test's own, removed with it.
package final class ScratchFolder: Sendable {
    package let path: String

    /// - Throws: `POSIXError` if it can't be made.
    package init() throws {
        var template = Array("/tmp/trip-weather-test-XXXXXX".utf8CString)
        let isMade = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } != nil }
        guard isMade else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("the scratch folder \(path) stays: \(error)")
        }
    }

    /// The path of a file in it.
    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
