internal import Glibc

/// Opens and throws away a file that several processes may be opening and throwing away at the same time.
///
/// A lock file beside it (`-lock`) keeps the two apart: nobody throws it away while it is being opened, or opens it
/// while its parts are being replaced.
struct DisposableFile {
    struct OpenFailure: Error {
        let reason: StorageError
        /// The file that could not be opened.
        var identity: FileIdentity?
    }

    private let file: DatabaseFile
    private let options: DatabaseOptions
    private let thread: StorageThread

    init(_ options: DatabaseOptions, on thread: StorageThread) throws(StorageError) {
        file = try DatabaseFile(options.path)
        self.options = options
        self.thread = thread
    }

    /// Opens the file, made anew where it is missing.
    func open() throws(OpenFailure) -> (Connection, FileIdentity?) {
        var identity: FileIdentity?
        do throws(StorageError) {
            if options.createsFolder { try DatabaseFile.createFolder(file.folder) }
            var lock: FileLock?
            defer { lock?.release() }
            if file.identity != nil { lock = try sharedLock() }
            if file.identity == nil {
                lock?.release()
                lock = try takeLock(.exclusive)
                if file.identity == nil {
                    // A log or shared memory left by the file before would be taken for the new one's.
                    try file.removeCompanions()
                    try file.createIfMissing(syncingFolder: false)
                }
            }
            identity = file.identity
            return (try DatabaseSchema.open(file, options, on: thread), identity)
        } catch {
            throw OpenFailure(reason: error, identity: identity)
        }
    }

    /// Deletes the file and what belongs to it. Returns false where the path names another file by now.
    func discard(_ identity: FileIdentity?) throws(StorageError) -> Bool {
        let lock = try takeLock(.exclusive)
        defer { lock.release() }
        guard let identity, file.identity == identity else { return false }
        try file.removeAll()
        return true
    }

    /// Nil where no lock file can be made: nobody can throw the file away there either.
    private func sharedLock() throws(StorageError) -> FileLock? {
        do throws(StorageError) {
            return try takeLock(.shared)
        } catch {
            guard error.kind != .busy else { throw error }
            return nil
        }
    }

    private func takeLock(_ sharing: FileLock.Sharing) throws(StorageError) -> FileLock {
        let limit = ContinuousClock.now.advanced(by: options.busyTimeout)
        while true {
            let lock = try FileLock.take(
                file.path + "-lock", sharing, removesFile: false, createsFolder: false)
            if let lock { return lock }
            guard ContinuousClock.now < min(limit, thread.closingDeadline ?? limit) else {
                throw StorageError(.busy, "others are opening \(file.path)")
            }
            usleep(2_000)
        }
    }
}

extension StorageError {
    /// Whether a file that may be lost is best made anew.
    var isBeyondRepair: Bool { kind == .corrupt || kind == .tooNew }
}
