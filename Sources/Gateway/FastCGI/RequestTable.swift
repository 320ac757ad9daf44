/// The active requests of a connection by their id. Most connections have one at a time, which costs no hashing.
struct RequestTable {
    private var single: RequestIntake?
    private var others: [UInt16: RequestIntake] = [:]

    var count: Int { (single == nil ? 0 : 1) + others.count }

    func contains(_ id: UInt16) -> Bool {
        single?.id == id || !others.isEmpty && others[id] != nil
    }

    /// Changes a request in its place; nil if there is none.
    mutating func modify<Result>(_ id: UInt16, _ change: (inout RequestIntake) -> Result) -> Result? {
        if single?.id == id { return single?.apply(change) }
        return others.isEmpty ? nil : others[id]?.apply(change)
    }

    mutating func remove(_ id: UInt16) -> RequestIntake? {
        if let single, single.id == id {
            self.single = nil
            return single
        }
        return others.isEmpty ? nil : others.removeValue(forKey: id)
    }

    mutating func insert(_ request: RequestIntake) {
        if single == nil {
            single = request
        } else {
            others[request.id] = request
        }
    }

    /// The first that hasn't arrived whole; of several that began together the one with the lowest id.
    var firstArriving: (arrival: ContinuousClock.Instant, id: UInt16)? {
        var first = single.flatMap { $0.isArriving ? ($0.arrival, $0.id) : nil }
        for request in others.values where request.isArriving {
            if let known = first, known < (request.arrival, request.id) { continue }
            first = (request.arrival, request.id)
        }
        return first
    }
}

extension RequestIntake {
    fileprivate mutating func apply<Result>(_ change: (inout RequestIntake) -> Result) -> Result {
        change(&self)
    }
}
