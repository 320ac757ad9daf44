/// One request of a connection, as far as it has come.
struct RequestIntake {
    typealias Action = ConnectionMachine.Action

    enum Phase {
        /// The variables arrive. With a refusal they are read to their end, and then it is answered.
        case parameters(NameValueDecoder, GatewayRefusal?)
        /// The body arrives.
        case body(BodyCollector)
        /// The handler has it. Its input is open if the stream's end, or more, may still come.
        case handled(isHead: Bool, isInputOpen: Bool)
        /// The server gave it up while the handler had it, and is told when the handler is done.
        case aborting
        /// Its contents are out to be changed. No request is found like this.
        case modifying
    }

    let id: UInt16
    let keepsConnection: Bool
    let arrival: ContinuousClock.Instant
    var phase: Phase

    /// Whether its records haven't all come.
    var isArriving: Bool {
        switch phase {
        case .parameters, .body: true
        case .handled, .aborting, .modifying: false
        }
    }

    // MARK: Records. Each answers what follows from it, if anything does.

    mutating func beginParameters(contentLength: UInt16, _ limits: GatewayLimits) -> Action? {
        switch phase {
        case .parameters(let decoder, let refusal):
            return contentLength == 0 ? endParameters(decoder, refusal, limits) : nil
        case .body, .handled:
            return contentLength == 0 ? nil : malformed("PARAMS after their end")
        case .aborting, .modifying:
            // After an abort the server may not have known yet.
            return nil
        }
    }

    mutating func takeParameters(_ content: Span<UInt8>) {
        guard case .parameters(var decoder, let refusal) = phase, refusal != .parametersTooLarge else {
            return
        }
        // Lets go of the phase's own hold on the bytes, so that they grow in place.
        phase = .modifying
        do throws(NameValueDecoder.Failure) {
            try decoder.append(content)
            phase = .parameters(decoder, refusal)
        } catch {
            phase = .parameters(decoder, refusal ?? .parametersTooLarge)
        }
    }

    private mutating func endParameters(
        _ decoder: NameValueDecoder, _ refusal: GatewayRefusal?, _ limits: GatewayLimits
    ) -> Action? {
        if let refusal { return refuse(refusal, decoder.parameters) }
        do throws(NameValueDecoder.Failure) {
            let parameters = try decoder.finish()
            do throws(GatewayRefusal) {
                let collector = try BodyCollector(
                    parameters: parameters, expected: BodyCollector.contentLength(in: parameters),
                    limit: limits.bodyBytes)
                // Some servers send no STDIN at all for an empty body.
                if collector.expected == 0 { return try handle(collector, isInputOpen: true) }
                phase = .body(collector)
                return nil
            } catch {
                return refuse(error, parameters)
            }
        } catch {
            return refuse(.parametersUnreadable, decoder.parameters)
        }
    }

    mutating func beginInput(contentLength: UInt16) -> Action? {
        switch phase {
        case .parameters: return malformed("STDIN before the end of PARAMS")
        case .handled(let isHead, let isInputOpen):
            guard contentLength == 0 else { return isInputOpen ? nil : malformed("STDIN after its end") }
            phase = .handled(isHead: isHead, isInputOpen: false)
            return nil
        case .aborting, .modifying: return nil
        case .body(let collector):
            guard contentLength == 0 else { return nil }
            do throws(GatewayRefusal) {
                return try handle(collector, isInputOpen: false)
            } catch {
                return refuse(error, collector.parameters)
            }
        }
    }

    mutating func takeInput(_ content: Span<UInt8>) -> Action? {
        guard case .body(var collector) = phase else { return nil }
        phase = .modifying
        do throws(GatewayRefusal) {
            try collector.append(content)
            phase = .body(collector)
            return nil
        } catch {
            return refuse(error, collector.parameters)
        }
    }

    /// Time is up.
    mutating func expire() -> Action? {
        switch phase {
        case .parameters(let decoder, _): refuse(.tooSlow, decoder.parameters)
        case .body(let collector): refuse(.tooSlow, collector.parameters)
        case .handled, .aborting, .modifying: nil
        }
    }

    private mutating func handle(
        _ collector: BodyCollector, isInputOpen: Bool
    ) throws(GatewayRefusal) -> Action {
        let request = GatewayRequest(
            parameters: collector.parameters, body: try collector.finish(), arrival: arrival)
        phase = .handled(isHead: request.isHead, isInputOpen: isInputOpen)
        return .handle(id: id, request)
    }

    private mutating func refuse(_ refusal: GatewayRefusal, _ parameters: Parameters) -> Action {
        let request = GatewayRequest(parameters: parameters, arrival: arrival)
        phase = .handled(isHead: request.isHead, isInputOpen: refusal != .bodyTooShort)
        return .refuse(id: id, request, refusal)
    }

    private func malformed(_ reason: StaticString) -> Action {
        .malformed("\(reason) for request \(id)")
    }
}

/// Collects a body and holds it against its CONTENT_LENGTH.
struct BodyCollector {
    let parameters: Parameters
    private var bytes: [UInt8] = []
    /// Nil if the server didn't know it: then the body goes to the stream's end.
    let expected: Int?
    private let limit: Int

    init(parameters: Parameters, expected: Int?, limit: Int) throws(GatewayRefusal) {
        self.parameters = parameters
        self.limit = limit
        self.expected = expected
        guard let expected else { return }
        guard expected <= limit else { throw .bodyTooLarge }
        bytes.reserveCapacity(expected)
    }

    mutating func append(_ input: Span<UInt8>) throws(GatewayRefusal) {
        if let expected {
            guard input.count <= expected - bytes.count else { throw .bodyTooLong }
        } else {
            guard input.count <= limit - bytes.count else { throw .bodyTooLarge }
        }
        input.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    func finish() throws(GatewayRefusal) -> [UInt8] {
        if let expected, bytes.count < expected { throw .bodyTooShort }
        return bytes
    }

    /// CONTENT_LENGTH in bytes; nil if it is absent, empty (RFC 3875, section 4.1.2) or -1, as Caddy sends it for a
    /// chunked body. One beyond 2³¹ may come out smaller than it is, though not below that.
    static func contentLength(in parameters: Parameters) throws(GatewayRefusal) -> Int? {
        guard let text = parameters.bytes("CONTENT_LENGTH"), !text.isEmpty, !text.elementsEqual("-1".utf8)
        else { return nil }
        var length = 0
        for byte in text {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { throw .contentLengthUnreadable }
            if length <= Int(Int32.max) { length = length * 10 + Int(byte - UInt8(ascii: "0")) }
        }
        return length
    }
}
