/// One FastCGI connection without its socket: bytes in; requests to handle, and bytes to send, out.
///
/// Feed it with `next(…)` until that is nil. Each request that it hands out must come back once, with `respond(…)`.
struct ConnectionMachine {
    enum Action {
        /// A request arrived whole: have it handled, and call `respond(…)`.
        case handle(id: UInt16, GatewayRequest)
        /// The server gave up a request that is being handled: cancel that, and call `respond(…)` when it is over.
        case cancel(id: UInt16)
        /// A request was answered in the handler's place; the answer is in the output.
        case refused(GatewayRequest, Refusal)
        /// The server gave up a request before it had arrived whole.
        case dropped
        /// Nothing can be read any more: cancel what is being handled and close.
        case malformed(Malformation)
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
    /// A request was ended while the server may still send the rest of it.
    private var leftInput = false

    /// How many more requests may be let in; who feeds the machine sets it from the whole process's number.
    var roomForRequests = Int.max
    /// Refuses every request that begins from now on.
    var refusal: Refusal?
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
    var expectsMoreInput: Bool { leftInput || isMalformed || parser.isInsideRecord || requests.hasArriving }
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
                action = fail(.version(version))
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
            guard header.contentLength == 8 else { return fail(.beginLength(header.contentLength)) }
            target = .begin(bits: 0)
        case RecordType.abortRequest:
            return abort(&output)
        case RecordType.parameters:
            return beginParameters(now: now, output: &output)
        case RecordType.standardInput:
            return beginInput(&output)
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
            takeParameters(content)
            return nil
        case .input:
            return takeInput(content, &output)
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
                return fail(.values)
            }
        }
    }

    private mutating func fail(_ malformation: Malformation) -> Action {
        isMalformed = true
        target = .nobody
        return .malformed(malformation)
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
        guard !requests.contains(id) else { return fail(.beginWhileActive(id)) }
        guard !isClosing else { return nil }
        let role = UInt16(truncatingIfNeeded: bits >> 48)
        let flags = UInt8(truncatingIfNeeded: bits >> 40)
        let keepsConnection = flags & RecordHeader.keepConnectionFlag != 0
        guard role == RecordHeader.responderRole else {
            output.appendEndRequest(id: id, status: .unknownRole)
            leftInput = true
            ended(keepsConnection: keepsConnection)
            return nil
        }
        var request = RequestIntake(
            id: id, keepsConnection: keepsConnection, arrival: now,
            phase: .parameters(NameValueDecoder(limit: limits.parameterBytes), refusal))
        guard requests.count < limits.requestsPerConnection else {
            // Answered at once, so that nothing of it needs to be remembered.
            return refuse(request, .tooManyOnConnection, Parameters(), &output)
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

    private mutating func beginParameters(
        now: ContinuousClock.Instant, output: inout [UInt8]
    ) -> Action? {
        guard var request = requests.remove(header.id) else { return nil }
        guard case .parameters(let decoder, let refusal) = request.phase else {
            requests.insert(request)
            // After an abort the server may not have known yet.
            if case .aborting = request.phase { return nil }
            return header.contentLength == 0 ? nil : fail(.parametersAfterEnd(header.id))
        }
        guard header.contentLength == 0 else {
            target = .parameters
            requests.insert(request)
            return nil
        }
        if let refusal { return refuse(request, refusal, decoder.parameters, &output) }
        do throws(NameValueDecoder.Failure) {
            let parameters = try decoder.finish()
            do throws(Refusal) {
                request.phase = .body(try BodyCollector(parameters: parameters, limit: limits.bodyBytes))
                requests.insert(request)
                return nil
            } catch {
                return refuse(request, error, parameters, &output)
            }
        } catch {
            return refuse(request, .parametersUnreadable, decoder.parameters, &output)
        }
    }

    private mutating func takeParameters(_ content: Span<UInt8>) {
        guard var request = requests.remove(header.id) else { return }
        if case .parameters(var decoder, let refusal) = request.phase, refusal != .parametersTooLarge {
            // Lets go of the intake's own hold on the bytes, so that they grow in place.
            request.phase = .aborting
            do throws(NameValueDecoder.Failure) {
                try decoder.append(content)
                request.phase = .parameters(decoder, refusal)
            } catch {
                request.phase = .parameters(decoder, refusal ?? .parametersTooLarge)
            }
        }
        requests.insert(request)
    }

    private mutating func beginInput(_ output: inout [UInt8]) -> Action? {
        guard var request = requests.remove(header.id) else { return nil }
        switch request.phase {
        case .parameters:
            requests.insert(request)
            return fail(.inputBeforeParameters(header.id))
        case .handled:
            requests.insert(request)
            return header.contentLength == 0 ? nil : fail(.inputAfterEnd(header.id))
        case .aborting:
            requests.insert(request)
            return nil
        case .body(let collector):
            guard header.contentLength == 0 else {
                target = .input
                requests.insert(request)
                return nil
            }
            do throws(Refusal) {
                let whole = GatewayRequest(
                    parameters: collector.parameters, body: try collector.finish(), arrival: request.arrival)
                request.phase = .handled(isHead: whole.isHead)
                requests.insert(request)
                return .handle(id: header.id, whole)
            } catch {
                return refuse(request, error, collector.parameters, &output)
            }
        }
    }

    private mutating func takeInput(_ content: Span<UInt8>, _ output: inout [UInt8]) -> Action? {
        guard var request = requests.remove(header.id) else { return nil }
        guard case .body(var collector) = request.phase else {
            requests.insert(request)
            return nil
        }
        request.phase = .aborting
        do throws(Refusal) {
            try collector.append(content)
            request.phase = .body(collector)
            requests.insert(request)
            return nil
        } catch {
            return refuse(request, error, collector.parameters, &output)
        }
    }

    private mutating func abort(_ output: inout [UInt8]) -> Action? {
        guard var request = requests.remove(header.id) else { return nil }
        switch request.phase {
        case .parameters, .body:
            output.appendEndRequest(id: request.id, status: .requestComplete)
            leftInput = true
            ended(keepsConnection: request.keepsConnection)
            return .dropped
        case .handled:
            request.phase = .aborting
            requests.insert(request)
            return .cancel(id: request.id)
        case .aborting:
            requests.insert(request)
            return nil
        }
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
        guard case .handled(let isHead) = request.phase else {
            output.appendEndRequest(id: id, status: .requestComplete)
            return .gone
        }
        return ResponseEncoder.append(response, id: id, isHead: isHead, to: &output) ? .whole : .headTooLarge
    }

    /// Refuses the next request that should have arrived whole by `now`; nil when there is none.
    mutating func expire(now: ContinuousClock.Instant, output: inout [UInt8]) -> Action? {
        guard let request = requests.removeArriving(before: now.advanced(by: .zero - limits.arrivalTimeout))
        else { return nil }
        let parameters: Parameters
        switch request.phase {
        case .parameters(let decoder, _): parameters = decoder.parameters
        case .body(let collector): parameters = collector.parameters
        case .handled, .aborting: parameters = Parameters()
        }
        return refuse(request, .tooSlow, parameters, &output)
    }

    private mutating func refuse(
        _ intake: RequestIntake, _ refusal: Refusal, _ parameters: Parameters, _ output: inout [UInt8]
    ) -> Action {
        let request = GatewayRequest(parameters: parameters, arrival: intake.arrival)
        _ = ResponseEncoder.append(refusal.response, id: intake.id, isHead: request.isHead, to: &output)
        leftInput = true
        ended(keepsConnection: intake.keepsConnection)
        return .refused(request, refusal)
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
