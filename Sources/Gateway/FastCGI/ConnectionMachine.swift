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

    /// What the content of the record at hand is for.
    private enum Target {
        case nobody
        case begin(bits: UInt64)
        case parameters
        case input
        case values(NameValueDecoder)
    }

    private let limits: GatewayLimits
    private var parser = RecordParser()
    private var header = RecordHeader(type: 0, id: 0, contentLength: 0)
    private var target = Target.nobody
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
        leftInput || openInput != nil || isMalformed || parser.isInsideRecord || requests.hasArriving
    }
    /// When the first of the requests that haven't arrived whole began.
    var earliestArrival: ContinuousClock.Instant? { requests.earliestArrival }

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
            let action: Action?
            switch event {
            case .record(let header):
                recordCount &+= 1
                self.header = header
                action = beginRecord(now: now, output: &output)
            case .content(let range, let isLast):
                action = takeContent(input.extracting(range), isLast: isLast, now: now, output: &output)
            case .wrongVersion(let version):
                action = fail("record of FastCGI version \(version); only version 1 is known")
            }
            if let action { return action }
        }
        return nil
    }

    private mutating func beginRecord(now: ContinuousClock.Instant, output: inout [UInt8]) -> Action? {
        target = .nobody
        guard header.id != 0 else { return beginManagementRecord(&output) }
        switch header.type {
        case RecordType.beginRequest:
            guard header.contentLength == 8 else {
                return fail("BEGIN_REQUEST of \(header.contentLength) bytes, not 8")
            }
            target = .begin(bits: 0)
        case RecordType.abortRequest:
            return abort(&output)
        case RecordType.parameters:
            let limits = limits
            let length = header.contentLength
            return carryOut(
                requests.modify(header.id) { $0.beginParameters(contentLength: length, limits) },
                target: .parameters)
        case RecordType.standardInput:
            if header.id == openInput, header.contentLength == 0, !requests.contains(header.id) {
                openInput = nil
            }
            let length = header.contentLength
            return carryOut(
                requests.modify(header.id) { $0.beginInput(contentLength: length) }, target: .input)
        default:
            // Of a type that isn't known, for another role (DATA), or one that only responders send.
            break
        }
        return nil
    }

    private mutating func takeContent(
        _ content: Span<UInt8>, isLast: Bool, now: ContinuousClock.Instant, output: inout [UInt8]
    ) -> Action? {
        switch target {
        case .nobody:
            return nil
        case .begin(var bits):
            for index in content.indices { bits = bits << 8 | UInt64(content[index]) }
            target = .begin(bits: bits)
            return isLast ? beginRequest(bits, now: now, output: &output) : nil
        case .parameters:
            _ = requests.modify(header.id) { $0.takeParameters(content) }
            return nil
        case .input:
            return carryOut(requests.modify(header.id) { $0.takeInput(content) }, target: .input)
        case .values(var decoder):
            target = .nobody
            do throws(NameValueDecoder.Failure) {
                try decoder.append(content)
                if isLast {
                    output.appendValues(try decoder.finish(), limits)
                } else {
                    target = .values(decoder)
                }
                return nil
            } catch {
                return fail("GET_VALUES whose names can't be read")
            }
        }
    }

    /// Does what follows from a record for its request, if there is one.
    private mutating func carryOut(_ step: RequestIntake.Step?, target: Target) -> Action? {
        switch step {
        case nil, .wait: return nil
        case .takeContent:
            self.target = target
            return nil
        case .handle(let request): return .handle(id: header.id, request)
        case .refuse(let request, let refusal): return .refuse(id: header.id, request, refusal)
        case .fail(let reason): return fail("\(reason) for request \(header.id)")
        }
    }

    private mutating func fail(_ reason: String) -> Action {
        isMalformed = true
        target = .nobody
        return .malformed(reason)
    }

    // MARK: Management (section 4)

    private mutating func beginManagementRecord(_ output: inout [UInt8]) -> Action? {
        guard header.type == RecordType.getValues else {
            output.appendUnknownType(header.type)
            return nil
        }
        if header.contentLength == 0 {
            output.appendValues(Parameters(), limits)
        } else {
            target = .values(NameValueDecoder(limit: Int(header.contentLength)))
        }
        return nil
    }

    // MARK: Requests (sections 5 and 6)

    private mutating func beginRequest(
        _ bits: UInt64, now: ContinuousClock.Instant, output: inout [UInt8]
    ) -> Action? {
        let id = header.id
        guard !requests.contains(id) else {
            return fail("second BEGIN_REQUEST for request \(id) while it is active")
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
            id: id, keepsConnection: keepsConnection, arrival: now,
            phase: .parameters(NameValueDecoder(limit: limits.parameterBytes), refusal))
        guard requests.count < limits.requestsPerConnection else {
            // Answered at once, so that nothing of it needs to be remembered.
            request.phase = .handled(isHead: false, isInputOpen: true)
            requests.insert(request)
            return .refuse(
                id: id, GatewayRequest(parameters: Parameters(), arrival: now), .tooManyOnConnection)
        }
        if refusal == nil {
            if roomForRequests > 0 {
                roomForRequests -= 1
            } else {
                request.phase = .parameters(
                    NameValueDecoder(limit: limits.parameterBytes), .tooManyRequests)
            }
        }
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
        let limit = now.advanced(by: .zero - limits.arrivalTimeout)
        guard let id = requests.firstArriving(before: limit),
            case .refuse(let request, let refusal) = requests.modify(id, { $0.expire() })
        else { return nil }
        return .refuse(id: id, request, refusal)
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
        if asked.bytes("FCGI_MAX_CONNS") != nil {
            content.appendShortPair(name: "FCGI_MAX_CONNS", value: String(limits.connections))
        }
        if asked.bytes("FCGI_MAX_REQS") != nil {
            content.appendShortPair(name: "FCGI_MAX_REQS", value: String(limits.requestsInFlight))
        }
        if asked.bytes("FCGI_MPXS_CONNS") != nil {
            content.appendShortPair(
                name: "FCGI_MPXS_CONNS", value: limits.requestsPerConnection > 1 ? "1" : "0")
        }
        append(
            RecordHeader(
                type: RecordType.getValuesResult, id: 0, contentLength: UInt16(content.count)))
        append(contentsOf: content)
    }
}
