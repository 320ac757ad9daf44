internal import CLinux
internal import Glibc
internal import Synchronization

/// A lock that all processes of a machine see, held until it is released, forgotten, or its process dies.
///
/// It is flock(2) on a file of its own, never on a database file. The call costs a few system calls and never
/// blocks, so an event loop may make it; folder and file should be on a local disk.
package final class FileLock: Sendable {
    enum Sharing {
        /// With other shared holders.
        case shared
        case exclusive
    }

    private let path: String
    private let removesFile: Bool
    private let descriptor: Mutex<Int32?>

    private init(path: String, descriptor: Int32, removesFile: Bool) {
        self.path = path
        self.removesFile = removesFile
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        release()
    }

    /// Gives the lock up, and removes its file. A second call does nothing.
    package func release() {
        let held = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let held else { return }
        // While we hold it, nobody else of ours removes it. Failing leaves an empty file for the next holder.
        if removesFile, FileLock.isStill(path, held) { unlink(path) }
        close(held)
    }

    /// Takes the lock named by a key, if nobody holds it.
    ///
    /// - Parameters:
    ///   - key: any text. The file's name is its hash: two keys of one hash take turns, no more.
    ///   - folder: made where it is missing.
    /// - Returns: nil when another holds it, in this process or elsewhere.
    /// - Throws: `StorageError` when the file can't be made.
    package static func tryLock(_ key: String, in folder: String) throws(StorageError) -> FileLock? {
        try take(fileName(of: key, in: folder), .exclusive, removesFile: true)
    }

    /// Takes the lock named by a key once it is free, asking again and again: at first after 2 ms, later each 50 ms.
    ///
    /// - Parameter sleep: how to wait on the caller's executor; what it throws (a cancellation) is passed on.
    /// - Returns: nil when another still holds it at the deadline.
    /// - Throws: `StorageError` when the file can't be made, and what `sleep` throws.
    package static nonisolated(nonsending) func lock(
        _ key: String, in folder: String, until deadline: ContinuousClock.Instant,
        now: () -> ContinuousClock.Instant = { .now },
        sleep: nonisolated(nonsending) (Duration) async throws -> Void
    ) async throws -> FileLock? {
        let path = fileName(of: key, in: folder)
        var pause = Duration.milliseconds(2)
        while true {
            if let lock = try take(path, .exclusive, removesFile: true) { return lock }
            let left = now().duration(to: deadline)
            guard left > .zero else { return nil }
            try await sleep(min(pause, left))
            pause = min(pause * 3 / 2, .milliseconds(50))
        }
    }

    /// Removes the files of locks that nobody holds: processes that were killed have left them.
    ///
    /// - Parameter most: How many files are looked at.
    package static func removeLeftovers(in folder: String, atMost most: Int = 10_000) {
        guard let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < most, let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
                    String(cString: $0)
                }
            }
            if name.hasSuffix(".lock") { names.append(name) }
        }
        for name in names {
            do throws(StorageError) {
                // Releasing removes it.
                try take("\(folder)/\(name)", .exclusive, removesFile: true, createsFolder: false)?.release()
            } catch {
                // What can't be opened stays: it is in nobody's way.
                continue
            }
        }
    }

    /// The file of a key: by FNV-1a, which is the same in each process.
    static func fileName(of key: String, in folder: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in key.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return "\(folder)/\(String(repeating: "0", count: 16 - digits.count))\(digits).lock"
    }

    /// Tries once to lock a file, made where it is missing.
    static func take(
        _ path: String, _ sharing: Sharing, removesFile: Bool, createsFolder: Bool = true
    ) throws(StorageError) -> FileLock? {
        // A holder removes its file: what was opened before and locked after is nobody's lock, so once more.
        for _ in 0..<16 {
            let descriptor = try open(path, createsFolder: createsFolder)
            guard flock(descriptor, (sharing == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
                let number = errno
                close(descriptor)
                if number == EINTR { continue }
                guard number == EWOULDBLOCK else {
                    throw StorageError(call: "flock", path: path, errno: number)
                }
                return nil
            }
            if isStill(path, descriptor) {
                return FileLock(path: path, descriptor: descriptor, removesFile: removesFile)
            }
            close(descriptor)
        }
        return nil
    }

    private static func open(_ path: String, createsFolder: Bool) throws(StorageError) -> Int32 {
        var mayCreateFolder = createsFolder
        while true {
            let descriptor = clinux_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if descriptor >= 0 { return descriptor }
            let number = errno
            if number == EINTR { continue }
            guard number == ENOENT, mayCreateFolder, let slash = path.lastIndex(of: "/") else {
                throw StorageError(call: "open", path: path, errno: number)
            }
            mayCreateFolder = false
            try DatabaseFile.createFolder(String(path[..<slash]))
        }
    }

    /// Whether the path still names the open file.
    private static func isStill(_ path: String, _ descriptor: Int32) -> Bool {
        var opened = stat()
        var named = stat()
        guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0 else { return false }
        return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }
}

/// Lets at most `count` holders in at once, over all processes that name the same folder and name.
package struct SlotLock: Sendable {
    private let paths: [String]

    /// - Parameter count: how many; at least one.
    package init(_ name: String, in folder: String, count: Int) {
        let base = FileLock.fileName(of: name, in: folder)
        paths = (0..<max(count, 1)).map { "\(base).\($0)" }
    }

    /// Takes a place, if one is free.
    ///
    /// - Parameter start: where to look first: any number, best another for each process and call, so that few tries
    ///   are needed.
    /// - Returns: nil when all are taken.
    /// - Throws: `StorageError` when a file can't be made.
    package func tryLock(startingAt start: Int = 0) throws(StorageError) -> FileLock? {
        let first = Int(start.magnitude % UInt(paths.count))
        for offset in paths.indices {
            let path = paths[(first + offset) % paths.count]
            if let lock = try FileLock.take(path, .exclusive, removesFile: false) { return lock }
        }
        return nil
    }
}
