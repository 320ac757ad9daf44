/// One FastCGI connection without its socket: bytes in; requests to handle, and bytes to send, out.
///
/// Feed it with `next(…)` until that is nil. Each request that it hands out must come back once, with `respond(…)`.
struct ConnectionMachine {
    enum Action {
        /// A request arrived whole: have it handled, and call `respond(…)`.
        case handle(id: UInt16, GatewayRequest)
        /// The server gave up a request that is being handled: cancel that, and call `respond(…)` when it is over.
        case cancel(id: UInt16)
        /// A request isn't for the handler: answer it in the handler's place, and call `respond(…)` at once.
        case refuse(id: UInt16, GatewayRequest, GatewayRefusal)
        /// The server gave up a request before it had arrived whole.
        case dropped
        /// Nothing can be read any more, for this reason: cancel what is being handled and close.
        case malformed(String)
    }

    /// What became of an answer.
    enum Delivery {
        case whole
        /// Its header block is larger than servers take, and a 500 was written in its place.
        case headTooLarge
        /// The server doesn't wait for it any more.
        case gone
    }

    private let limits: GatewayLimits
    private var parser = RecordParser()
    private var header = RecordHeader(type: 0, id: 0, contentLength: 0)
    /// The content so far of the BEGIN_REQUEST or GET_VALUES at hand.
    private var beginning: UInt64 = 0
    private var values: NameValueDecoder?
    private var requests = RequestTable()
    private var isMalformed = false
    /// The request that was ended while the server may still send the rest of it.
    private var openInput: UInt16?
    /// There were several of those at once: it isn't known any more when the last has come.
    private var leftInput = false

    /// How many more requests may be let in; who feeds the machine sets it from the whole process's number.
    var roomForRequests = Int.max
    /// Refuses every request that begins from now on.
    var refusal: GatewayRefusal?
    /// Closes the connection after the next answer, whatever that request asked for.
    var closesAfterAnswer = false
    /// A request that asked for it was answered: no other begins.
    private(set) var isClosing = false
    /// How many records have begun, so that one that stands still can be told.
    private(set) var recordCount = 0

    init(limits: GatewayLimits) {
        self.limits = limits
    }

    /// Requests begun and not ended.
    var activeCount: Int { requests.count }
    /// Whether the connection can be closed once the output is written.
    var isDone: Bool { isMalformed || isClosing && requests.count == 0 }
    /// Whether the bytes so far end inside a record.
    var isInsideRecord: Bool { parser.isInsideRecord }
    /// Whether the peer may be sending what nobody waits for: then closing at once would reset the connection.
    var expectsMoreInput: Bool {
        leftInput || openInput != nil || isMalformed || parser.isInsideRecord || requests.firstArriving != nil
    }
    /// When the first of the requests that haven't arrived whole began.
    var earliestArrival: ContinuousClock.Instant? { requests.firstArriving?.arrival }

    // MARK: Bytes in

    /// Reads `input` from `position` on until something is to be done; nil when all was read.
    mutating func next(
        _ input: Span<UInt8>, _ position: inout Int, now: ContinuousClock.Instant, output: inout [UInt8]
    ) -> Action? {
        guard !isMalformed else {
            position = input.count
            return nil
        }
        while let event = parser.next(input, &position) {
            let action: Action? =
                switch event {
                case .record(let header): beginRecord(header, now: now, output: &output)
                case .content(let range, let isLast):
                    takeContent(input.extracting(range), isLast: isLast, now: now, output: &output)
                case .wrongVersion(let version):
                    .malformed("record of FastCGI version \(version); only version 1 is known")
                }
            if case .malformed = action { isMalformed = true }
            if let action { return action }
        }
        return nil
    }

    private mutating func beginRecord(
        _ header: RecordHeader, now: ContinuousClock.Instant, output: inout [UInt8]
    ) -> Action? {
        recordCount &+= 1
        self.header = header
        guard header.id != 0 else {
            beginManagementRecord(&output)
            return nil
        }
        switch header.type {
        case RecordType.beginRequest:
            guard header.contentLength == 8 else {
                return .malformed("BEGIN_REQUEST of \(header.contentLength) bytes, not 8")
            }
            return nil
        case RecordType.abortRequest:
            return abort(&output)
        case RecordType.parameters:
            let limits = limits
            return requests.modify(header.id) {
                $0.beginParameters(contentLength: header.contentLength, limits)
            } ?? nil
        case RecordType.standardInput:
            if header.id == openInput, header.contentLength == 0, !requests.contains(header.id) {
                openInput = nil
            }
            return requests.modify(header.id) { $0.beginInput(contentLength: header.contentLength) } ?? nil
        default:
            // Of a type that isn't known, for another role (DATA), or one that only responders send.
            return nil
        }
    }

    private mutating func takeContent(
        _ content: Span<UInt8>, isLast: Bool, now: ContinuousClock.Instant, output: inout [UInt8]
    ) -> Action? {
        guard header.id != 0 else { return takeValues(content, isLast: isLast, output: &output) }
        switch header.type {
        case RecordType.beginRequest:
            for index in content.indices { beginning = beginning << 8 | UInt64(content[index]) }
            return isLast ? beginRequest(beginning, now: now, output: &output) : nil
        case RecordType.parameters:
            _ = requests.modify(header.id) { $0.takeParameters(content) }
            return nil
        case RecordType.standardInput:
            return requests.modify(header.id) { $0.takeInput(content) } ?? nil
        default:
            return nil
        }
    }

    // MARK: Management (section 4)

    private mutating func beginManagementRecord(_ output: inout [UInt8]) {
        values = nil
        if header.type != RecordType.getValues {
            output.appendUnknownType(header.type)
        } else if header.contentLength == 0 {
            output.appendValues(Parameters(), limits)
        } else {
            values = NameValueDecoder(limit: Int(header.contentLength))
        }
    }

    private mutating func takeValues(
        _ content: Span<UInt8>, isLast: Bool, output: inout [UInt8]
    ) -> Action? {
        do throws(NameValueDecoder.Failure) {
            try values?.append(content)
            if isLast, let asked = try values?.finish() { output.appendValues(asked, limits) }
            return nil
        } catch {
            return .malformed("GET_VALUES whose names can't be read")
        }
    }

    // MARK: Requests (sections 5 and 6)

    private mutating func beginRequest(
        _ bits: UInt64, now: ContinuousClock.Instant, output: inout [UInt8]
    ) -> Action? {
        let id = header.id
        guard !requests.contains(id) else {
            return .malformed("second BEGIN_REQUEST for request \(id) while it is active")
        }
        guard !isClosing else { return nil }
        let role = UInt16(truncatingIfNeeded: bits >> 48)
        let flags = UInt8(truncatingIfNeeded: bits >> 40)
        let keepsConnection = flags & RecordHeader.keepConnectionFlag != 0
        guard role == RecordHeader.responderRole else {
            output.appendEndRequest(id: id, status: .unknownRole)
            leaveInput(of: id)
            ended(keepsConnection: keepsConnection)
            return nil
        }
        var request = RequestIntake(
            id: id, keepsConnection: keepsConnection, arrival: now, phase: .modifying)
        guard requests.count < limits.requestsPerConnection else {
            // Answered at once, so that nothing of it needs to be remembered.
            request.phase = .handled(isHead: false, isInputOpen: true)
            requests.insert(request)
            return .refuse(
                id: id, GatewayRequest(parameters: Parameters(), arrival: now), .tooManyOnConnection)
        }
        var refusal = refusal
        if refusal == nil {
            if roomForRequests > 0 { roomForRequests -= 1 } else { refusal = .tooManyRequests }
        }
        request.phase = .parameters(NameValueDecoder(limit: limits.parameterBytes), refusal)
        requests.insert(request)
        return nil
    }

    private mutating func abort(_ output: inout [UInt8]) -> Action? {
        guard let request = requests.remove(header.id) else { return nil }
        if request.isArriving {
            output.appendEndRequest(id: request.id, status: .requestComplete)
            leaveInput(of: request.id)
            ended(keepsConnection: request.keepsConnection)
            return .dropped
        }
        var aborted = request
        aborted.phase = .aborting
        requests.insert(aborted)
        if case .handled = request.phase { return .cancel(id: request.id) }
        return nil
    }

    // MARK: Answers

    /// Adds the answer of a request that was handed out to the output.
    ///
    /// After an abort only the end is told.
    mutating func respond(
        to id: UInt16, with response: GatewayResponse, output: inout [UInt8]
    ) -> Delivery {
        guard let request = requests.remove(id) else { return .gone }
        defer { ended(keepsConnection: request.keepsConnection) }
        guard case .handled(let isHead, let isInputOpen) = request.phase else {
            output.appendEndRequest(id: id, status: .requestComplete)
            return .gone
        }
        if isInputOpen { leaveInput(of: id) }
        return ResponseEncoder.append(response, id: id, isHead: isHead, to: &output) ? .whole : .headTooLarge
    }

    /// Refuses the next request that should have arrived whole by `now`; nil when there is none.
    mutating func expire(now: ContinuousClock.Instant) -> Action? {
        guard let first = requests.firstArriving, first.arrival.advanced(by: limits.arrivalTimeout) <= now
        else { return nil }
        return requests.modify(first.id) { $0.expire() } ?? nil
    }

    private mutating func leaveInput(of id: UInt16) {
        if openInput == nil { openInput = id } else { leftInput = true }
    }

    private mutating func ended(keepsConnection: Bool) {
        if !keepsConnection || closesAfterAnswer { isClosing = true }
    }
}

extension [UInt8] {
    /// Adds a GET_VALUES_RESULT with those of the names asked for that are known (section 4.1).
    fileprivate mutating func appendValues(_ asked: Parameters, _ limits: GatewayLimits) {
        var content: [UInt8] = []
        let known: [(StaticString, Int)] = [
            ("FCGI_MAX_CONNS", limits.connections), ("FCGI_MAX_REQS", limits.requestsInFlight),
            ("FCGI_MPXS_CONNS", limits.requestsPerConnection > 1 ? 1 : 0),
        ]
        for (name, value) in known where asked.bytes(name) != nil {
            content.appendShortPair(name: "\(name)", value: String(value))
        }
        append(
            RecordHeader(
                type: RecordType.getValuesResult, id: 0, contentLength: UInt16(content.count)))
        append(contentsOf: content)
    }
}
