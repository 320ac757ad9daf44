internal import CLinux
internal import EventLoop
internal import Glibc
internal import Synchronization

/// An answer in a connection's output.
struct UnwrittenAnswer {
    /// How many bytes the kernel has taken of the connection's output in all when the answer is through.
    var end: Int
    var request: GatewayRequest
    var response: GatewayResponse
    var refusal: GatewayRefusal?
}

/// One connection of a web server, on one loop: it carries bytes between the socket and the machine, and does what
/// the machine says.
final class GatewayConnection: EventHandler {
    private enum Phase {
        /// Requests come and go.
        case open
        /// The last answer is in the queue.
        case flushing
        /// All is written, and the peer is waited for to close first: what it still sends is thrown away.
        case lingering(until: ContinuousClock.Instant, bytesLeft: Int)
        case closed
    }

    private let descriptor: Int32
    private let worker: GatewayWorker
    /// Where it stands in its worker's list.
    var index: Int
    /// It is over the limit of connections: it gets one refusal, and not for long.
    let isOverflow: Bool
    private let opened = ContinuousClock.now

    private var phase = Phase.open
    private var machine: ConnectionMachine
    private var registration: Registration?
    private var interest = Readiness.readable
    private var pending: [PendingRequest] = []
    /// How many requests it has in the whole process's number.
    private var inFlight = 0
    private var hasHeard = false
    /// When the process began to stop.
    private var drainStart: ContinuousClock.Instant?
    /// A record that isn't whole: which, and since when.
    private var halfRecord: (count: Int, since: ContinuousClock.Instant)?

    /// Output that the kernel didn't take yet.
    private var queue: ArraySlice<UInt8> = []
    private var unwritten: [UnwrittenAnswer] = []
    /// Bytes of output that the kernel has taken since the connection began.
    private var taken = 0
    private var lastProgress = ContinuousClock.now

    /// One for all of its limits. It may come too early, and is then set again.
    private var timer: LoopTimer?

    init(descriptor: Int32, worker: GatewayWorker, index: Int, isOverflow: Bool) {
        self.descriptor = descriptor
        self.worker = worker
        self.index = index
        self.isOverflow = isOverflow
        machine = ConnectionMachine(limits: worker.limits)
        if isOverflow {
            machine.refusal = .tooManyConnections
            machine.closesAfterAnswer = true
        }
    }

    func open() {
        do throws(SystemError) {
            registration = try worker.loop.register(descriptor, for: interest, handler: self)
            updateTimer()
        } catch {
            worker.shared.log("can't wait for a connection: \(error)")
            close()
        }
    }

    func ready(_ readiness: Readiness) {
        switch phase {
        case .closed:
            return
        case .lingering:
            discardInput()
        case .flushing:
            if !readiness.isDisjoint(with: [.hungUp, .failed]) { return close() }
            if readiness.contains(.writable) { flushQueue() }
            settle()
        case .open:
            if readiness.contains(.writable) { flushQueue() }
            if interest.contains(.readable) {
                readInput()
            } else if !readiness.isDisjoint(with: [.hungUp, .failed, .peerClosed]) {
                peerLeft()
            }
            settle()
        }
    }

    // MARK: Reading

    private func readInput() {
        // A short read has emptied the socket. After a few full ones the others get their turn.
        for _ in 0..<4 {
            guard case .open = phase, queue.count <= worker.limits.queuedBytes else { return }
            let count = recv(descriptor, worker.input.baseAddress, worker.input.count, 0)
            if count > 0 {
                hasHeard = true
                take(count)
                if count < worker.input.count { return }
            } else if count < 0, errno == EAGAIN {
                return
            } else if count == 0 || errno != EINTR {
                return peerLeft()
            }
        }
    }

    private func take(_ count: Int) {
        let now = ContinuousClock.now
        machine.roomForRequests =
            worker.limits.requestsInFlight - worker.shared.requestsInFlight.load(ordering: .relaxed)
        let input = UnsafeBufferPointer(rebasing: worker.input[..<count]).span
        withOutput { output in
            var position = 0
            while let action = machine.next(input, &position, now: now, output: &output) {
                perform(action, &output)
            }
        }
        if machine.isInsideRecord {
            if halfRecord?.count != machine.recordCount { halfRecord = (machine.recordCount, now) }
        } else {
            halfRecord = nil
        }
    }

    private func perform(_ action: ConnectionMachine.Action, _ output: inout [UInt8]) {
        switch action {
        case .handle(let id, let request):
            worker.count { $0.requests += 1 }
            switch worker.shared.handler.answer(request, on: worker.loop) {
            case .ready(let response):
                respond(id, request, response, &output)
            case .pending(let body):
                let request = PendingRequest(id: id, request: request, connection: self, worker: worker)
                pending.append(request)
                request.start(body)
            }
        case .cancel(let id):
            for request in pending where request.id == id { request.cancel() }
        case .refuse(let id, let request, let refusal):
            refuse(id, request, refusal, &output)
        case .dropped:
            worker.count { $0.dropped += 1 }
        case .malformed(let reason):
            reportMalformed(reason)
        }
    }

    private func reportMalformed(_ reason: String) {
        worker.count { $0.malformedConnections += 1 }
        worker.shared.log("closed a FastCGI connection: \(reason)")
    }

    /// The peer has closed the connection or at least its half, which means the same: nobody waits any more.
    private func peerLeft() {
        guard case .open = phase else { return }
        if machine.activeCount == 0, !queue.isEmpty {
            // The answers are complete. If the peer can still read, it gets them.
            endRequests()
            phase = .flushing
        } else {
            close()
        }
    }

    // MARK: Answering

    /// Takes the answer of a task.
    func complete(_ request: PendingRequest, _ response: GatewayResponse) {
        pending.removeAll { $0 === request }
        withOutput { output in
            if request.isStopped {
                refuse(request.id, request.request, .stopping, &output)
            } else {
                respond(request.id, request.request, response, &output)
            }
        }
        settle()
    }

    private func refuse(
        _ id: UInt16, _ request: GatewayRequest, _ refusal: GatewayRefusal, _ output: inout [UInt8]
    ) {
        let response = worker.shared.handler.answer(
            refused: request, because: refusal, limits: worker.limits)
        respond(id, request, response, refusal: refusal, &output)
    }

    private func respond(
        _ id: UInt16, _ request: GatewayRequest, _ response: GatewayResponse, refusal: GatewayRefusal? = nil,
        _ output: inout [UInt8]
    ) {
        let sent: GatewayResponse
        switch machine.respond(to: id, with: response, output: &output) {
        case .whole:
            sent = response
        case .headTooLarge:
            worker.shared.log(
                "an answer's header fields took more than 4 kB; 500 was sent in its place")
            sent = ResponseEncoder.headTooLarge
        case .gone:
            worker.finish(request, .cancelled)
            return
        }
        let end = taken + queue.count + output.count
        worker.unwritten.append(
            UnwrittenAnswer(end: end, request: request, response: sent, refusal: refusal))
    }

    // MARK: Writing

    /// Sends what `body` adds to the output.
    private func withOutput(_ body: (inout [UInt8]) -> Void) {
        var output = worker.takeOutput()
        body(&output)
        send(output)
        worker.giveBack(output)
    }

    /// Sends a pass's output, or queues it behind what waits already.
    private func send(_ output: [UInt8]) {
        guard !output.isEmpty else { return }
        var count = 0
        if queue.isEmpty {
            guard let written = output.withUnsafeBytes(write) else {
                unwritten.append(contentsOf: worker.unwritten)
                worker.unwritten.removeAll(keepingCapacity: true)
                return close()
            }
            count = written
        }
        taken += count
        if count < output.count {
            if queue.isEmpty { lastProgress = .now }
            queue.append(contentsOf: output[count...])
        }
        if unwritten.isEmpty, queue.isEmpty {
            // The usual case, in which the connection keeps nothing.
            for answer in worker.unwritten { worker.finish(answer, isWhole: true) }
        } else {
            unwritten.append(contentsOf: worker.unwritten)
            reportWritten()
        }
        worker.unwritten.removeAll(keepingCapacity: true)
    }

    private func flushQueue() {
        guard !queue.isEmpty else { return }
        guard let count = queue.withUnsafeBytes(write) else { return close() }
        guard count > 0 else { return }
        lastProgress = .now
        taken += count
        queue = count == queue.count ? [] : queue.dropFirst(count)
        reportWritten()
    }

    /// How many bytes the kernel took; nil if the peer takes none any more.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return count }
            if errno == EAGAIN { return 0 }
            if errno != EINTR { return nil }
        }
    }

    private func reportWritten() {
        let done = unwritten.prefix { $0.end <= taken }
        unwritten.removeFirst(done.count)
        for answer in done { worker.finish(answer, isWhole: true) }
    }

    // MARK: After each pass

    /// Puts what the machine's state means for the socket into effect.
    private func settle() {
        switch phase {
        case .closed, .lingering:
            return
        case .open:
            countInFlight()
            if machine.isDone {
                endRequests()
                phase = .flushing
            }
        case .flushing:
            break
        }
        if case .flushing = phase, queue.isEmpty { return finish() }
        updateInterest()
        updateTimer()
    }

    private func countInFlight() {
        let change = machine.activeCount - inFlight
        guard change != 0 else { return }
        inFlight += change
        worker.shared.requestsInFlight.add(change, ordering: .relaxed)
    }

    private func updateInterest() {
        var wanted: Readiness = []
        if !queue.isEmpty { wanted.insert(.writable) }
        if case .open = phase {
            wanted.insert(queue.count <= worker.limits.queuedBytes ? .readable : .peerClosed)
        }
        setInterest(wanted)
    }

    private func setInterest(_ wanted: Readiness) {
        guard wanted != interest, let registration else { return }
        interest = wanted
        do throws(SystemError) {
            try worker.loop.modify(registration, for: wanted)
        } catch {
            worker.shared.log("can't wait for a connection: \(error)")
            close()
        }
    }

    // MARK: Time

    private func updateTimer() {
        guard let deadline = nextDeadline() else { return }
        if let timer {
            if timer.deadline <= deadline { return }
            worker.loop.cancel(timer)
        }
        timer = worker.loop.schedule(at: deadline) { [unowned self] in
            timer = nil
            checkTime()
        }
    }

    private func nextDeadline() -> ContinuousClock.Instant? {
        earlier(earlier(closeDeadline, arrivalDeadline), recordDeadline)
    }

    /// When it is closed, whatever it holds.
    private var closeDeadline: ContinuousClock.Instant? {
        if case .lingering(let deadline, _) = phase { return deadline }
        let limits = worker.limits
        var first = isOverflow ? opened.advanced(by: limits.arrivalTimeout) : nil
        if !hasHeard { first = earlier(first, drainStart?.advanced(by: limits.silenceTimeout)) }
        if !queue.isEmpty { first = earlier(first, lastProgress.advanced(by: limits.writeTimeout)) }
        return first
    }

    /// When the first of the requests that haven't arrived whole is refused.
    private var arrivalDeadline: ContinuousClock.Instant? {
        guard case .open = phase else { return nil }
        return machine.earliestArrival?.advanced(by: worker.limits.arrivalTimeout)
    }

    private var recordDeadline: ContinuousClock.Instant? {
        guard case .open = phase else { return nil }
        return halfRecord?.since.advanced(by: worker.limits.arrivalTimeout)
    }

    private func earlier(
        _ first: ContinuousClock.Instant?, _ second: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    private func checkTime() {
        let now = ContinuousClock.now
        if let closeDeadline, closeDeadline <= now { return close() }
        if let arrivalDeadline, arrivalDeadline <= now {
            withOutput { output in
                while let action = machine.expire(now: now) { perform(action, &output) }
            }
        }
        if let recordDeadline, recordDeadline <= now {
            reportMalformed("a record that didn't arrive whole in time")
            return close()
        }
        if case .lingering = phase { return updateTimer() }
        settle()
    }

    /// Closes a connection that said nothing since it was opened, if that was at `limit` or before.
    func closeIfSilent(since limit: ContinuousClock.Instant) {
        if !hasHeard, opened <= limit { close() }
    }

    // MARK: Stopping

    /// Lets the requests at hand finish, and closes.
    func drain() {
        guard case .open = phase else { return }
        machine.closesAfterAnswer = true
        drainStart = .now
        // A request may wait unread that the server sent before it could know.
        readInput()
        guard case .open = phase else { return }
        // What a new connection was opened for may still be on its way.
        guard hasHeard else { return settle() }
        machine.refusal = .stopping
        if machine.activeCount == 0, queue.isEmpty, !machine.isInsideRecord { return close() }
        settle()
    }

    /// Time to finish is up: cancels the tasks, whose requests are then answered 503.
    func stop() {
        guard case .open = phase, !pending.isEmpty else { return close() }
        for request in pending { request.stop() }
    }

    // MARK: Closing

    /// Gives up what is being handled, and takes the connection's requests out of the whole process's number.
    private func endRequests() {
        worker.shared.requestsInFlight.subtract(inFlight - min(inFlight, pending.count), ordering: .relaxed)
        inFlight = 0
        let abandoned = pending
        pending = []
        for request in abandoned { request.abandon() }
    }

    /// All is written: closes, and lets the peer close first if it may still be sending, since the kernel answers
    /// unread bytes with a reset that can overtake the answer.
    private func finish() {
        guard machine.expectsMoreInput else { return close() }
        shutdown(descriptor, Int32(SHUT_WR))
        phase = .lingering(
            until: ContinuousClock.now.advanced(by: worker.limits.lingerTimeout),
            bytesLeft: worker.limits.lingerBytes)
        setInterest(.readable)
        updateTimer()
    }

    private func discardInput() {
        guard case .lingering(let deadline, var bytesLeft) = phase else { return }
        for _ in 0..<4 {
            let count = recv(descriptor, worker.input.baseAddress, worker.input.count, 0)
            if count > 0 {
                bytesLeft -= count
                guard bytesLeft > 0 else { return close() }
            } else if count < 0, errno == EAGAIN {
                break
            } else if count == 0 || errno != EINTR {
                return close()
            }
        }
        phase = .lingering(until: deadline, bytesLeft: bytesLeft)
    }

    /// Closes at once. A second call does nothing.
    func close() {
        if case .closed = phase { return }
        if case .open = phase {
            // Those that the machine has and no task: they hadn't arrived whole.
            let arriving = machine.activeCount - pending.count
            if arriving > 0 { worker.count { $0.dropped += arriving } }
            countInFlight()
            endRequests()
        }
        phase = .closed
        if let registration { worker.loop.deregister(registration) }
        registration = nil
        if let timer { worker.loop.cancel(timer) }
        timer = nil
        Glibc.close(descriptor)
        let cut = unwritten
        unwritten = []
        queue = []
        machine = ConnectionMachine(limits: worker.limits)
        for answer in cut { worker.finish(answer, isWhole: false) }
        worker.remove(self)
    }
}
