internal import Synchronization

extension FlightTable {
    /// What the shelf has of one of many keys.
    enum Part: Sendable {
        case answer(Shelf.Value)
        /// Answer it, and ask behind.
        case answerAndAsk(Shelf.Value)
        case wait(staysBehind: Bool)
    }

    /// Waits for many keys at once. Flights that have to begin share one task.
    ///
    /// - Parameters:
    ///   - keys: Each once.
    ///   - look: What the shelf has of one, by its place in `keys`; called under the mutex.
    ///   - fly: What the flights' task does, for all tickets of one call.
    /// - Returns: An end for each key, in the same order.
    func waitForMany(
        _ keys: [Key], until deadline: ContinuousClock.Instant, inQuestion most: Int,
        look: (Int, inout State) -> Part,
        fly: @escaping @Sendable ([FlightTicket<Key>], ContinuousClock.Instant) async -> Void
    ) async -> [FlightEnd<Shelf.Value>] {
        guard !keys.isEmpty else { return [] }
        let first = newWaiters(keys.count)
        let gathering = FlightGathering<Shelf.Value>(count: keys.count)
        // What a part may do out of time is known once it was looked at, under the same mutex as its joining.
        let staysBehind = Mutex([Bool](repeating: false, count: keys.count))
        @Sendable func leaveAll(with end: FlightEnd<Shelf.Value>, holding: Bool) {
            let staysBehind = staysBehind.withLock { $0 }
            for (index, key) in keys.enumerated() {
                leave(
                    key, as: first + UInt64(index), with: end, holding: holding && staysBehind[index])
            }
        }
        let alarm = environment.scheduler.alarm(at: deadline) { leaveAll(with: .outOfTime, holding: true) }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            var tickets: [FlightTicket<Key>] = []
            var handle = FlightHandle()
            func launchTickets() {
                guard !tickets.isEmpty else { return }
                launch(tickets, handle) { [tickets] deadline in await fly(tickets, deadline) }
                tickets = []
                handle = FlightHandle()
            }
            for (index, key) in keys.enumerated() {
                let waiter = Waiter.part(gathering, index)
                var behind: FlightTicket<Key>?
                let admission = admit(
                    waiter, as: first + UInt64(index), to: key, until: deadline, sharing: handle
                ) { state in
                    switch look(index, &state) {
                    case .answer(let value): return value
                    case .answerAndAsk(let value):
                        behind = hold(key, sharing: handle, in: &state)?.0
                        return value
                    case .wait(let stays):
                        staysBehind.withLock { $0[index] = stays }
                        return nil
                    }
                }
                switch admission {
                case .ended(let end): waiter.end(end)
                case .waits: break
                case .begun(let ticket, _): tickets.append(ticket)
                }
                if let behind { tickets.append(behind) }
                if tickets.count >= max(1, most) { launchTickets() }
            }
            launchTickets()
            return await gathering.all()
        } onCancel: {
            leaveAll(with: .cancelled, holding: false)
        }
    }
}
