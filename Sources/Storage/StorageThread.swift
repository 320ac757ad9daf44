internal import CLinux
internal import Glibc
internal import Synchronization

/// The one thread that a database file belongs to, as an executor for the actor in front of it.
///
/// It starts with `start()` and ends with `end()`. What is enqueued after its end still runs, on a thread that
/// lives as long as that work: an awaiting task must hear that the store is closed, not hang.
///
/// - Note: `@unchecked Sendable` is safe because `semaphore` is only used with sem_wait(3) and sem_post(3), which
///   any thread may call; all else is behind a mutex or immutable.
final class StorageThread: SerialExecutor, @unchecked Sendable {
    private struct Inbox: ~Copyable {
        var work: [@Sendable () -> Void] = []
        /// A thread takes work from here.
        var isLive = false
        var isEnding = false
        /// The thread to be joined.
        var joinable: pthread_t?
    }

    private let name: String
    /// The most calls that may wait.
    private let waitingLimit: Int
    private let waiting = Atomic<Int>(0)
    private let inbox = Mutex(Inbox())
    /// pthread_self() of the live thread, 0 if there is none.
    private let identifier = Atomic<UInt>(0)
    private let closing = Mutex<ContinuousClock.Instant?>(nil)
    private let semaphore: UnsafeMutablePointer<sem_t>

    init(name: String, waitingLimit: Int) {
        self.name = name
        self.waitingLimit = waitingLimit
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Whether the calling thread is this one.
    var isCurrent: Bool { identifier.load(ordering: .acquiring) == UInt(pthread_self()) }

    /// The moment after which nothing shall wait for a lock any more, once the store is being closed.
    var closingDeadline: ContinuousClock.Instant? { closing.withLock { $0 } }

    func setClosingDeadline(_ deadline: ContinuousClock.Instant) {
        closing.withLock { $0 = min($0 ?? deadline, deadline) }
    }

    /// Counts a call that will wait for the thread; `leave()` when it is over.
    func enter() throws(StorageError) {
        guard waiting.add(1, ordering: .relaxed).newValue <= waitingLimit else {
            leave()
            throw StorageError(.overloaded, "\(waitingLimit) wait for the storage thread")
        }
    }

    func leave() {
        waiting.subtract(1, ordering: .relaxed)
    }

    // MARK: Executor

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        execute { [unowned self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Runs `body` on the thread, in the order of the calls.
    func execute(_ body: @escaping @Sendable () -> Void) {
        let isTaken = inbox.withLock { inbox in
            inbox.work.append(body)
            return inbox.isLive || launch(&inbox) == 0
        }
        // If no thread can be made, `start()` has failed before, or the store is closed: what is here needs no
        // SQLite, it only tells its callers so.
        if isTaken { sem_post(semaphore) } else { run() }
    }

    func checkIsolated() {
        precondition(isCurrent, "not on the storage thread \(name)")
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: Start and end

    /// Starts the thread, unless it runs or has been ended.
    ///
    /// - Throws: `StorageError` when no thread can be made.
    func start() throws(StorageError) {
        let result = inbox.withLock { $0.isLive || $0.isEnding ? 0 : launch(&$0) }
        guard result == 0 else {
            throw StorageError(.other, "pthread_create: \(String(cString: strerror(result)))")
        }
    }

    /// Lets the thread end once its work is done, and waits for that unless `waits` is false.
    func end(waits: Bool = true) {
        let joinable = inbox.withLock { inbox in
            inbox.isEnding = true
            defer { inbox.joinable = nil }
            return inbox.joinable
        }
        guard let joinable else { return }
        sem_post(semaphore)
        if waits, !isCurrent { pthread_join(joinable, nil) } else { pthread_detach(joinable) }
    }

    /// Makes a thread; returns pthread_create's result. Under the inbox's mutex.
    private func launch(_ inbox: inout Inbox) -> Int32 {
        var made = pthread_t()
        let context = Unmanaged.passRetained(self)
        // The signals are the program's: none may be delivered here.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        for synchronous in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] {
            sigdelset(&all, synchronous)
        }
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let result = pthread_create(
            &made, nil,
            { context in
                if let context {
                    let thread = Unmanaged<StorageThread>.fromOpaque(context).takeRetainedValue()
                    clinux_name_thread(String(thread.name.prefix(15)))
                    thread.run()
                }
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            return result
        }
        inbox.isLive = true
        if inbox.isEnding { pthread_detach(made) } else { inbox.joinable = made }
        return 0
    }

    private func run() {
        identifier.store(UInt(pthread_self()), ordering: .releasing)
        var work: [@Sendable () -> Void] = []
        while take(&work) {
            for body in work { body() }
            work.removeAll(keepingCapacity: true)
        }
    }

    /// Waits for work and swaps it out. Returns false when the thread shall end.
    private func take(_ work: inout [@Sendable () -> Void]) -> Bool {
        while true {
            let hasWork = inbox.withLock { inbox -> Bool? in
                if !inbox.work.isEmpty {
                    swap(&inbox.work, &work)
                    return true
                }
                guard inbox.isEnding || !inbox.isLive else { return nil }
                inbox.isLive = false
                identifier.store(0, ordering: .releasing)
                return false
            }
            if let hasWork { return hasWork }
            while sem_wait(semaphore) != 0 {}
        }
    }
}
