internal import CLinux
internal import Glibc

/// Which file a path named at a moment: another file under the same name has another identity.
struct FileIdentity: Hashable {
    let device: UInt64
    let inode: UInt64
}

/// The files of a database by name. Nothing here opens an existing database file: closing a descriptor of it would
/// release every lock that SQLite holds on it in this process.
struct DatabaseFile: Sendable {
    /// Never takes part in SQLite's URI or ":memory:" rules: it has a slash.
    let path: String

    init(_ path: String) throws(StorageError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StorageError(.misuse, "not a path of a file")
        }
        self.path = path.hasPrefix("/") ? path : "./\(path)"
    }

    var folder: String { DatabaseFile.folder(of: path) }

    /// Nil where there is no such file.
    var identity: FileIdentity? {
        status(of: path).map { FileIdentity(device: UInt64($0.st_dev), inode: UInt64($0.st_ino)) }
    }

    private func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func folder(of path: String) -> String {
        let parent = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(parent)
    }

    /// Makes a folder, and those above it, with mode 0700.
    static func createFolder(_ folder: String) throws(StorageError) {
        var missing: [String] = []
        var path = folder
        while access(path, F_OK) != 0, path != "/", path != "." {
            missing.append(path)
            path = DatabaseFile.folder(of: path)
        }
        for path in missing.reversed() where mkdir(path, 0o700) != 0 && errno != EEXIST {
            throw StorageError(call: "mkdir", path: path, errno: errno)
        }
    }

    /// Makes an empty file with mode 0600 where there is none, since SQLite would make one that all may read.
    ///
    /// - Throws: `corrupt` where the file is gone but its log is not empty: SQLite would delete what that holds.
    func createIfMissing(syncingFolder: Bool) throws(StorageError) {
        let size = status(of: path)?.st_size
        if (size ?? 0) == 0, let log = status(of: path + "-wal"), log.st_size > 0 {
            throw StorageError(.corrupt, "\(path) is missing or empty but \(path)-wal is not")
        }
        guard size == nil else { return }
        // Only a file made here is opened here, so no lock of this process is on it.
        let made = clinux_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard made >= 0 else {
            let number = errno
            // Another process was quicker.
            if number == EEXIST { return }
            throw StorageError(call: "open", path: path, errno: number)
        }
        close(made)
        if syncingFolder { try syncFolder() }
    }

    private func syncFolder() throws(StorageError) {
        let descriptor = clinux_open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw StorageError(call: "open", path: folder, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StorageError(call: "fsync", path: folder, errno: errno) }
    }

    /// Deletes what stands beside the database, its log and what its users share, or the database itself (`[""]`).
    func remove(_ suffixes: [String] = ["-wal", "-shm", "-journal"]) throws(StorageError) {
        for path in suffixes.map({ path + $0 }) where unlink(path) != 0 && errno != ENOENT {
            throw StorageError(call: "unlink", path: path, errno: errno)
        }
    }
}
