import TestSupport

@testable import Gateway

/// Feeds a machine, answers its requests at once unless told not to, and writes down what happened.
struct MachineDriver {
    var machine: ConnectionMachine
    /// What the machine asked for, in words.
    private(set) var log: [String] = []
    private(set) var handled: [(id: UInt16, request: GatewayRequest)] = []
    private(set) var output: [UInt8] = []
    /// Answers a request at once where it returns one.
    var answers: (GatewayRequest) -> GatewayResponse?
    var now = ContinuousClock.now

    init(
        limits: GatewayLimits = GatewayLimits(),
        answers: @escaping (GatewayRequest) -> GatewayResponse? = { _ in plain("ok") }
    ) {
        machine = ConnectionMachine(limits: limits)
        self.answers = answers
    }

    mutating func feed(_ bytes: [UInt8]) {
        var position = 0
        while let action = machine.next(bytes.span, &position, now: now, output: &output) {
            perform(action)
        }
    }

    /// Feeds pieces of the lengths that `cut` gives.
    mutating func feed(_ bytes: [UInt8], cut: () -> Int) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, cut()))
            rest = rest.dropFirst(piece.count)
            feed(Array(piece))
        }
    }

    mutating func expire() {
        while let action = machine.expire(now: now) { perform(action) }
    }

    @discardableResult
    mutating func respond(_ id: UInt16, _ response: GatewayResponse = plain("late")) -> Bool {
        switch machine.respond(to: id, with: response, output: &output) {
        case .whole, .headTooLarge: true
        case .gone: false
        }
    }

    private mutating func perform(_ action: ConnectionMachine.Action) {
        switch action {
        case .handle(let id, let request):
            let variables = request.parameters.all.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            log.append(
                "handle \(id) \(variables.hashValue) body \(request.body.count) \(request.body.hashValue)")
            handled.append((id, request))
            if let response = answers(request) { respond(id, response) }
        case .cancel(let id): log.append("cancel \(id)")
        case .refuse(let id, _, let refusal):
            log.append("refused \(refusal.status) \(refusal.rawValue)")
            respond(id, refused(refusal))
        case .dropped: log.append("dropped")
        case .malformed(let malformation): log.append("malformed: \(malformation)")
        }
    }

    var records: ReadRecords { ReadRecords(output) }
    /// Record types in the order they were sent.
    var sent: [UInt8] { records.records.map(\.type) }
}

/// Numbers that are the same in every run (SeededGenerator64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }
}
