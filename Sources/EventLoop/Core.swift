internal import CLinux
internal import Glibc

/// The part of an event loop that its own thread alone touches.
final class Core {
    static let wakeIdentifier = UInt64.max

    /// One place in the table of registrations. A place is used again, under the next generation.
    private struct Slot {
        var generation: UInt32 = 0
        var descriptor: Int32 = -1
        var handler: (any EventHandler)?
    }

    let epoll: Int32
    var jobs: [UnownedJob] = []
    var runningJobs: [UnownedJob] = []
    /// What was taken from the inbox, and empty between two turns.
    var arrivedJobs: [UnownedJob] = []
    var arrivedClosures: [@Sendable () -> Void] = []
    var timers = TimerHeap()
    var beforeWait: [() -> Void] = []
    private var slots: [Slot] = []
    private var freeSlots: [UInt32] = []
    private let events: UnsafeMutableBufferPointer<epoll_event>

    init() throws(SystemError) {
        epoll = try SystemError.check("epoll_create1", clinux_epoll_create())
        events = .allocate(capacity: 512)
        jobs.reserveCapacity(256)
        runningJobs.reserveCapacity(256)
    }

    deinit {
        events.deallocate()
        close(epoll)
    }

    func runBeforeWait() {
        for action in beforeWait { action() }
    }

    // MARK: Events

    /// Waits for events and hands them out. Returns whether the wake-up descriptor was among them.
    func wait(mayBlock: Bool) -> Bool {
        let timeout = mayBlock ? timers.millisecondsToNext(from: .now) : 0
        let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), timeout)
        // A negative count is EINTR: nothing happened.
        guard count > 0 else { return false }
        var wasWoken = false
        for index in 0..<Int(count) {
            let identifier = clinux_epoll_data(&events[index])
            if identifier == Core.wakeIdentifier {
                wasWoken = true
                continue
            }
            let slot = Int(identifier & 0xffff_ffff)
            let generation = UInt32(identifier >> 32)
            // An earlier event of this batch may have ended the registration, and the descriptor may be another by now.
            guard slots[slot].generation == generation, let handler = slots[slot].handler else { continue }
            handler.ready(Readiness(events: events[index].events))
        }
        return wasWoken
    }

    func register(
        _ descriptor: Int32, _ interest: Readiness, _ handler: any EventHandler
    ) throws(SystemError) -> Registration {
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
            epoll, EPOLL_CTL_ADD, descriptor, interest.epollEvents, registration.identifier)
        guard result == 0 else {
            let error = SystemError(call: "epoll_ctl")
            release(index)
            throw error
        }
        return registration
    }

    func modify(_ registration: Registration, _ interest: Readiness) throws(SystemError) {
        guard isCurrent(registration) else { throw SystemError(call: "epoll_ctl", number: ENOENT) }
        let result = clinux_epoll_ctl(
            epoll, EPOLL_CTL_MOD, slots[Int(registration.slot)].descriptor, interest.epollEvents,
            registration.identifier)
        try SystemError.check("epoll_ctl", result)
    }

    func deregister(_ registration: Registration) {
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

    // MARK: Timers

    func fireTimers() {
        let now = ContinuousClock.now
        while let timer = timers.popFirst(due: now) {
            timer.fire()
        }
    }
}
