internal import CLinux
internal import Glibc
internal import Synchronization

/// A database file that may be lost at any time: a cache.
///
/// It opens at its first use. A file that is damaged or of a newer version is deleted and made again (one of another
/// program never is); a file that was deleted is made again. If the disk is full, read-only or locked, writes
/// rest for a while; if the file can't be opened at all, everything does. Each trouble is logged once when it
/// begins and once when it is over, and nothing of it reaches a reader: a read that fails answers nil.
package actor DisposableStore {
    /// What went wrong so far.
    package struct Counters: Sendable, Hashable {
        /// Files thrown away because they were damaged or of a newer version.
        package var discarded = 0
        /// Times that the file was found deleted or replaced by others.
        package var moved = 0
        /// Reads answered with nil because of a failure.
        package var failedReads = 0

        package init() {}
    }

    private enum State {
        case shut
        case open(Connection)
        case closed
    }

    private nonisolated let options: DatabaseOptions
    nonisolated let thread: StorageThread
    /// Called before the store closes: its queues write what they hold.
    private nonisolated let closers = Mutex<[@Sendable (ContinuousClock.Instant) -> Void]>([])
    private nonisolated let counts = Mutex(Counters())
    private let pause: Duration
    private let checkInterval: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let log: @Sendable (String) -> Void

    /// Any use of its connection off the storage thread traps.
    private nonisolated(unsafe) var state = State.shut
    /// Which file was opened last, also if it couldn't be.
    private var identity: FileIdentity?
    private var opensAgain: ContinuousClock.Instant?
    private var writesAgain: ContinuousClock.Instant?
    private var nextCheck: ContinuousClock.Instant?
    private var lastDiscard: ContinuousClock.Instant?
    /// What was logged and is not over.
    private var trouble: StorageError.Kind?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - options: `synchronous` is best `normal`, and `busyTimeout` short: opening the file keeps to it alone, not
    ///     to a caller's deadline.
    ///   - pause: how long writes rest after a failure, and how long nothing is opened after one.
    ///   - checkInterval: how often to look whether the file is still the one that is open.
    ///   - now: the clock for these two.
    ///   - log: gets one line for each trouble, on the storage thread.
    package init(
        _ options: DatabaseOptions, pause: Duration = .seconds(30), checkInterval: Duration = .seconds(1),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        log: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.pause = pause
        self.checkInterval = checkInterval
        self.now = now
        self.log = log
        thread = StorageThread(name: options.threadName, waitingLimit: options.waitingLimit)
    }

    deinit {
        if case .open(let connection) = state {
            nonisolated(unsafe) let last = connection
            thread.execute { last.close() }
        }
        thread.end(waits: false)
    }

    // MARK: Use

    /// Runs `body` on the storage thread, on one unchanging view of the file.
    ///
    /// - Parameter deadline: when to give up; see `Database.read`.
    /// - Returns: nil when the body returns nil and when anything fails.
    package nonisolated(nonsending) func read<T: Sendable>(
        by deadline: ContinuousClock.Instant? = nil,
        _ body: @Sendable (Connection) throws(StorageError) -> T?
    ) async -> T? {
        do throws(StorageError) {
            try thread.enter()
            defer { thread.leave() }
            try thread.start()
            return try await transact(isWrite: false, by: deadline, body)
        } catch {
            counts.withLock { $0.failedReads += 1 }
            return nil
        }
    }

    /// Runs `body` on the storage thread as the file's only writer, and returns once its changes are committed.
    ///
    /// - Throws: what the body throws, and why nothing was written; `unavailable` while writes rest.
    package nonisolated(nonsending) func write<T: Sendable>(
        by deadline: ContinuousClock.Instant? = nil,
        _ body: @Sendable (Connection) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try thread.enter()
        defer { thread.leave() }
        try thread.start()
        return try await transact(by: deadline, body)
    }

    /// Runs `body` on the storage thread without waiting for it; at once where that is the calling thread.
    package nonisolated func hand(_ body: @escaping @Sendable () -> Void) {
        if thread.isCurrent { body() } else { thread.execute(body) }
    }

    /// What went wrong so far.
    package nonisolated var counters: Counters { counts.withLock { $0 } }

    /// Writes what its queues hold, closes the file and ends the thread.
    ///
    /// - Parameter limit: how long locks are waited for; what is still queued then is dropped and counted.
    package nonisolated(nonsending) func close(within limit: Duration = .seconds(2)) async {
        let deadline = ContinuousClock.now.advanced(by: limit)
        thread.setClosingDeadline(deadline)
        await shut(by: deadline)
        thread.end()
    }

    // MARK: On the storage thread

    /// - Parameter isWrite: whether the file is written; it is read only otherwise.
    func transact<T: Sendable>(
        isWrite: Bool = true, by deadline: ContinuousClock.Instant?,
        _ body: @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        if isWrite, let writesAgain, now() < writesAgain {
            throw StorageError(.unavailable, "writes rest after a failure")
        }
        let connection = try connection()
        do throws(StorageError) {
            guard isWrite else { return try connection.read(by: deadline, body) }
            let result = try connection.write(by: deadline, body)
            noteSuccess()
            return result
        } catch {
            noteFailure(error, wasWriting: isWrite)
            throw error
        }
    }

    /// `transact` for code that is on the storage thread without being a task.
    nonisolated func transactHere<T: Sendable>(
        by deadline: ContinuousClock.Instant?, _ body: @Sendable (Connection) throws(StorageError) -> T
    ) -> Result<T, StorageError> {
        assumeIsolated { store in
            do throws(StorageError) {
                return .success(try store.transact(by: deadline, body))
            } catch {
                return .failure(error)
            }
        }
    }

    nonisolated func beforeClosing(_ action: @escaping @Sendable (ContinuousClock.Instant) -> Void) {
        closers.withLock { $0.append(action) }
    }

    private func shut(by deadline: ContinuousClock.Instant) {
        for action in closers.withLock({ $0 }) { action(deadline) }
        leaveFile()
        state = .closed
    }

    private func leaveFile() {
        if case .open(let connection) = state {
            connection.close()
            state = .shut
        }
    }

    /// The open file, opened now if it has to be.
    private func connection() throws(StorageError) -> Connection {
        let now = now()
        if case .open(let connection) = state {
            if let nextCheck, now < nextCheck { return connection }
            nextCheck = now.advanced(by: checkInterval)
            guard connection.hasMoved else { return connection }
            leaveFile()
            counts.withLock { $0.moved += 1 }
            log("\(options.path) was deleted or replaced: opening it again")
        }
        if case .closed = state { throw .closed }
        if let opensAgain, now < opensAgain {
            throw StorageError(.unavailable, "the file rests after a failure to open it")
        }
        do throws(StorageError) {
            let connection = try open()
            state = .open(connection)
            opensAgain = nil
            nextCheck = now.advanced(by: checkInterval)
            return connection
        } catch {
            opensAgain = now.advanced(by: pause)
            noteTrouble(error, "is not used for \(pause)")
            throw error
        }
    }

    private func open() throws(StorageError) -> Connection {
        do throws(StorageError) {
            return try openOrMake()
        } catch {
            guard error.isBeyondRepair else { throw error }
            try discard(because: error)
        }
        return try openOrMake()
    }

    private func openOrMake() throws(StorageError) -> Connection {
        identity = nil
        let file = try DatabaseFile(options.path)
        if options.createsFolder { try DatabaseFile.createFolder(file.folder) }
        if file.identity != nil {
            let lock = try lock(file, LOCK_SH)
            defer { if let lock { Glibc.close(lock) } }
            identity = file.identity
            if identity != nil { return try DatabaseSchema.open(file, options, on: thread) }
        }
        let lock = try lock(file, LOCK_EX)
        defer { if let lock { Glibc.close(lock) } }
        if file.identity == nil {
            // A log or shared memory left by the file before would be taken for the new one's.
            try file.remove()
            try file.createIfMissing(syncingFolder: false)
        }
        identity = file.identity
        return try DatabaseSchema.open(file, options, on: thread)
    }

    /// Locks the file beside the database by flock(2) until its descriptor is closed: no process deletes the database
    /// while another opens it, or opens it while its parts are being replaced.
    ///
    /// - Returns: Nil if there can be no such file: then nobody can delete the database either.
    private func lock(_ file: DatabaseFile, _ operation: Int32) throws(StorageError) -> Int32? {
        let path = file.path + "-lock"
        let descriptor = clinux_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            if operation == LOCK_SH { return nil }
            throw StorageError(call: "open", path: path, errno: errno)
        }
        let limit = ContinuousClock.now.advanced(by: options.busyTimeout)
        while flock(descriptor, operation | LOCK_NB) != 0 {
            guard ContinuousClock.now < min(limit, thread.closingDeadline ?? limit) else {
                Glibc.close(descriptor)
                throw StorageError(.busy, "others are opening \(file.path)")
            }
            usleep(2_000)
        }
        return descriptor
    }

    // MARK: Trouble

    /// Deletes a file that is beyond repair; the second time within a pause it is the disk that isn't to be trusted.
    private func discard(because error: StorageError) throws(StorageError) {
        let now = now()
        if let lastDiscard, now < lastDiscard.advanced(by: pause) { throw error }
        lastDiscard = now
        let file = try DatabaseFile(options.path)
        let lock = try lock(file, LOCK_EX)
        defer { if let lock { Glibc.close(lock) } }
        // The path may name another file by now.
        guard let identity, file.identity == identity else { return }
        try file.remove([""])
        try file.remove()
        counts.withLock { $0.discarded += 1 }
        log("\(options.path) was thrown away and is made again: \(error)")
    }

    private func noteFailure(_ error: StorageError, wasWriting: Bool) {
        switch error.kind {
        case .corrupt, .tooNew:
            // `isBeyondRepair`, as in `open()`.
            guard case .open = state else { return }
            leaveFile()
            do throws(StorageError) {
                try discard(because: error)
            } catch {
                opensAgain = now().advanced(by: pause)
                noteTrouble(error, "is not used for \(pause)")
            }
        case .busy, .full, .readOnly, .cannotOpen, .moved, .other:
            if wasWriting {
                writesAgain = now().advanced(by: pause)
                noteTrouble(error, "is not written for \(pause)")
            }
            // What the descriptors point to may be gone for good.
            if error.kind == .other || error.kind == .cannotOpen { leaveFile() }
        case .constraint, .misuse, .unexpectedValue, .foreign, .timedOut, .overloaded, .unavailable:
            break
        }
    }

    private func noteTrouble(_ error: StorageError, _ consequence: String) {
        guard trouble != error.kind else { return }
        trouble = error.kind
        log("\(options.path) \(consequence): \(error)")
    }

    private func noteSuccess() {
        writesAgain = nil
        guard trouble != nil else { return }
        trouble = nil
        log("\(options.path) is used again")
    }
}

extension StorageError {
    /// Whether a file that may be lost is best made again.
    fileprivate var isBeyondRepair: Bool { kind == .corrupt || kind == .tooNew }
}
