internal import CLinux
internal import Glibc
internal import Synchronization

/// One thread with epoll, timers and a wake-up queue, on which asynchronous code runs too.
///
/// A loop is a `SerialExecutor` and a `TaskExecutor`: a task started with
/// `Task(executorPreference: loop)` and an actor whose executor is the loop stay on its thread, so that an
/// `await` between them costs no switch. Everything that belongs to one connection lives on one loop.
///
/// What may be called from any thread: `execute(_:)`, `enqueue(_:)`, `stop()`, `join()`, `isCurrent`. All else
/// is for the loop's own thread, and traps elsewhere.
///
/// - Note: `@unchecked Sendable` is safe because what changes is touched on the loop's thread only, which
///   every entry point checks, but for `inbox` and `thread`, which are behind mutexes.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// What other threads left for the loop to pick up.
    private struct Inbox: ~Copyable {
        var jobs: [UnownedJob] = []
        var closures: [@Sendable () -> Void] = []
        /// The loop was told and has not looked yet: no second write to its eventfd is needed.
        var isSignalled = false
        var isStopping = false
    }

    private let inbox = Mutex(Inbox())
    private let wakeDescriptor: Int32
    private let thread = Mutex<pthread_t?>(nil)

    /// One place in the table of registrations. A place is used again, under the next generation.
    private struct Slot {
        var generation: UInt32 = 0
        var descriptor: Int32 = -1
        var handler: (any EventHandler)?
    }

    private static let wakeIdentifier = UInt64.max

    private let epoll: Int32
    private let events: UnsafeMutableBufferPointer<epoll_event>
    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    private var jobs: [UnownedJob] = []
    private var runningJobs: [UnownedJob] = []
    /// What was taken from the inbox, and empty between two turns.
    private var arrivedJobs: [UnownedJob] = []
    private var arrivedClosures: [@Sendable () -> Void] = []
    private var timers = TimerHeap()
    private var beforeWait: [() -> Void] = []

    /// A name for logs and the debugger, at most 15 bytes of which the kernel keeps.
    public let name: String

    /// Makes a loop that doesn't run yet: call `run()` on the thread that will be its own, or `start()`.
    ///
    /// - Throws: `SystemError` when the kernel gives no epoll or eventfd descriptor.
    public init(name: String) throws(SystemError) {
        self.name = name
        wakeDescriptor = try SystemError.check("eventfd", clinux_eventfd())
        epoll = try SystemError.check("epoll_create1", clinux_epoll_create())
        events = .allocate(capacity: 512)
        jobs.reserveCapacity(256)
        runningJobs.reserveCapacity(256)
        let result = clinux_epoll_ctl(
            epoll, EPOLL_CTL_ADD, wakeDescriptor, clinux_epollin, EventLoop.wakeIdentifier)
        try SystemError.check("epoll_ctl", result)
    }

    deinit {
        events.deallocate()
        close(epoll)
        close(wakeDescriptor)
    }

    // MARK: From any thread

    /// The loop that runs on the calling thread, if one does.
    public static var current: EventLoop? {
        guard let pointer = clinux_thread_pointer() else { return nil }
        return Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Whether the calling thread is this loop's.
    public var isCurrent: Bool {
        clinux_thread_pointer() == Unmanaged.passUnretained(self).toOpaque()
    }

    /// Runs `body` on the loop's thread, soon, in the order of the calls.
    ///
    /// After the loop has stopped nothing runs any more, and `body` is dropped.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        leave { $0.closures.append(body) }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
            return
        }
        leave { $0.jobs.append(job) }
    }

    public func checkIsolated() {
        precondition(isCurrent, "not on the thread of loop \(name)")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    /// Starts a thread for the loop.
    ///
    /// - Throws: `SystemError` when no thread can be made.
    public func start() throws(SystemError) {
        var identifier = pthread_t()
        let context = Unmanaged.passRetained(self)
        let result = pthread_create(
            &identifier, nil,
            { context in
                if let context {
                    Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
                }
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw SystemError(call: "pthread_create", number: result)
        }
        thread.withLock { $0 = identifier }
    }

    /// Lets `run()` return once the events at hand are dealt with.
    public func stop() {
        leave { $0.isStopping = true }
    }

    /// Waits for the thread of `start()` to end; `stop()` first.
    public func join() {
        let identifier = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let identifier { pthread_join(identifier, nil) }
    }

    private func leave(_ change: (inout Inbox) -> Void) {
        let mustWake = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isSignalled = true }
            return !inbox.isSignalled
        }
        guard mustWake else { return }
        var one: UInt64 = 1
        // EAGAIN means that the counter is full, so that the loop wakes anyway.
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: The loop

    /// Runs the loop on the calling thread until `stop()`.
    public func run() {
        precondition(EventLoop.current == nil, "this thread runs a loop already")
        clinux_name_thread(String(name.prefix(15)))
        clinux_set_thread_pointer(Unmanaged.passUnretained(self).toOpaque())
        defer { clinux_set_thread_pointer(nil) }
        var isStopping = false
        while !isStopping {
            for action in beforeWait { action() }
            let mayBlock = jobs.isEmpty
            if wait(mayBlock: mayBlock) {
                var counter: UInt64 = 0
                _ = read(wakeDescriptor, &counter, MemoryLayout<UInt64>.size)
            }
            isStopping = takeInbox()
            let now = ContinuousClock.now
            while let timer = timers.popFirst(due: now) { timer.fire() }
            runJobs()
        }
        runJobs()
    }

    /// Moves what others left to the loop's own queues, and runs the closures.
    private func takeInbox() -> Bool {
        // Swapped, since emptying an array that is held elsewhere allocates another one.
        let isStopping = inbox.withLock { inbox in
            swap(&inbox.jobs, &arrivedJobs)
            swap(&inbox.closures, &arrivedClosures)
            inbox.isSignalled = false
            return inbox.isStopping
        }
        jobs.append(contentsOf: arrivedJobs)
        arrivedJobs.removeAll(keepingCapacity: true)
        for closure in arrivedClosures { closure() }
        arrivedClosures.removeAll(keepingCapacity: true)
        return isStopping
    }

    /// Runs the jobs at hand and those that they add, up to a number that keeps descriptors waiting for long.
    private func runJobs() {
        var roundsLeft = 16
        while !jobs.isEmpty, roundsLeft > 0 {
            roundsLeft -= 1
            swap(&jobs, &runningJobs)
            for job in runningJobs {
                // Not as isolated to the loop: each `await` would then leave that isolation, which is a job of its
                // own that does nothing.
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
            runningJobs.removeAll(keepingCapacity: true)
        }
    }

    /// Waits for events and hands them out. Returns whether the wake-up descriptor was among them.
    private func wait(mayBlock: Bool) -> Bool {
        let timeout = mayBlock ? timers.millisecondsToNext(from: .now) : 0
        let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), timeout)
        // A negative count is EINTR: nothing happened.
        guard count > 0 else { return false }
        var wasWoken = false
        for index in 0..<Int(count) {
            let identifier = clinux_epoll_data(&events[index])
            if identifier == EventLoop.wakeIdentifier {
                wasWoken = true
                continue
            }
            let slot = Int(identifier & 0xffff_ffff)
            let generation = UInt32(identifier >> 32)
            // An earlier event of this batch may have ended the registration, and the descriptor may be another by now.
            guard slots[slot].generation == generation, let handler = slots[slot].handler else { continue }
            handler.ready(Readiness(rawValue: events[index].events))
        }
        return wasWoken
    }

    // MARK: Descriptors, on the loop's thread

    /// Calls `handler` whenever `descriptor` is ready for what `interest` names; errors and hang-ups always.
    ///
    /// The loop holds the handler until `deregister(_:)`. Readiness is level-triggered: it is told again as long
    /// as it lasts.
    ///
    /// - Throws: `SystemError` of epoll_ctl(2), for example when the descriptor is a plain file.
    public func register(
        _ descriptor: Int32, for interest: Readiness, handler: any EventHandler
    ) throws(SystemError) -> Registration {
        checkIsolated()
        let index: UInt32
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = UInt32(slots.count)
            slots.append(Slot())
        }
        slots[Int(index)].descriptor = descriptor
        slots[Int(index)].handler = handler
        let registration = Registration(slot: index, generation: slots[Int(index)].generation)
        let result = clinux_epoll_ctl(
            epoll, EPOLL_CTL_ADD, descriptor, interest.rawValue, registration.identifier)
        guard result == 0 else {
            let error = SystemError(call: "epoll_ctl")
            release(index)
            throw error
        }
        return registration
    }

    /// Changes what a registration waits for.
    ///
    /// - Throws: `SystemError` of epoll_ctl(2): ENOENT or EBADF when the descriptor has been closed.
    public func modify(_ registration: Registration, for interest: Readiness) throws(SystemError) {
        checkIsolated()
        guard isCurrent(registration) else { throw SystemError(call: "epoll_ctl", number: ENOENT) }
        let result = clinux_epoll_ctl(
            epoll, EPOLL_CTL_MOD, slots[Int(registration.slot)].descriptor, interest.rawValue,
            registration.identifier)
        try SystemError.check("epoll_ctl", result)
    }

    /// Ends a registration: call it before the descriptor is closed. Events of it that were already fetched are
    /// dropped. A second call does nothing.
    public func deregister(_ registration: Registration) {
        checkIsolated()
        guard isCurrent(registration) else { return }
        // Fails if the descriptor is closed already (libcurl's may be), and then there is nothing to undo.
        _ = clinux_epoll_ctl(epoll, EPOLL_CTL_DEL, slots[Int(registration.slot)].descriptor, 0, 0)
        release(registration.slot)
    }

    private func isCurrent(_ registration: Registration) -> Bool {
        slots[Int(registration.slot)].generation == registration.generation
    }

    private func release(_ index: UInt32) {
        slots[Int(index)].handler = nil
        slots[Int(index)].descriptor = -1
        slots[Int(index)].generation &+= 1
        freeSlots.append(index)
    }

    // MARK: Time, on the loop's thread

    /// Calls `action` once at `deadline`, never before it.
    @discardableResult
    public func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> LoopTimer {
        checkIsolated()
        let timer = LoopTimer(deadline: deadline, action: action)
        timers.insert(timer)
        return timer
    }

    /// Calls `action` once after `delay`, never before it.
    @discardableResult
    public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        schedule(at: ContinuousClock.now.advanced(by: delay), action)
    }

    /// Takes a timer back; one that has fired or was cancelled is left alone.
    public func cancel(_ timer: LoopTimer) {
        checkIsolated()
        timers.remove(timer)
    }

    /// Calls `action` each time before the loop waits: the place to flush what a batch of events has gathered.
    public func beforeEachWait(_ action: @escaping () -> Void) {
        checkIsolated()
        beforeWait.append(action)
    }
}
