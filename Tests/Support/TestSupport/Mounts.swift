import Foundation
import Glibc

/// Mounts for tests of full and read-only disks. They need root: give such tests
/// `.enabled(if: Mounts.arePermitted)`, so that a run without it says that they were skipped.
package enum Mounts {
    package static let arePermitted: Bool = {
        do {
            let folder = try ScratchFolder()
            guard mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0 else { return false }
            return umount2(folder.path, Int32(MNT_DETACH)) == 0
        } catch {
            return false
        }
    }()

    /// Mounts a tmpfs of `size` ("1m") in a folder while `body` runs.
    package static func tmpfs(
        _ size: String, in folder: ScratchFolder, _ body: (String) async throws -> Void
    ) async throws {
        let path = folder("tmpfs")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(size)") == 0 else { throw lastError() }
        defer { umount2(path, Int32(MNT_DETACH)) }
        try await body(path)
    }

    /// Makes a folder read-only, even for root, while `body` runs.
    package static func readOnly(_ path: String, _ body: () async throws -> Void) async throws {
        guard mount(path, path, nil, UInt(MS_BIND), nil) == 0 else { throw lastError() }
        defer { umount2(path, Int32(MNT_DETACH)) }
        guard mount(nil, path, nil, UInt(MS_BIND | MS_REMOUNT | MS_RDONLY), nil) == 0 else {
            throw lastError()
        }
        try await body()
    }

    private static func lastError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM) }
}
