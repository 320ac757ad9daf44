// A libFuzzer target for the FastCGI protocol; `run` beside it builds it with the gateway's protocol sources.
//
// The first byte of an input says how the rest is cut; the rest is what a web server sends. The stream is fed whole and
// in cuts, and both must say the same. Besides the process must not trap, and what it sends must be whole records.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 1 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let stream = bytes[1...]
    let whole = Run(stream, piece: stream.count)
    let cut = Run(stream, piece: Int(bytes[0] & 31) + 1)
    check(whole.log == cut.log, "cuts change what is read")
    check(whole.output == cut.output, "cuts change what is sent")
    check(whole.isDone == cut.isDone, "cuts change whether the connection closes")
    check(isWholeRecords(whole.output), "the output isn't made of whole records")
    // With answers that come later no trap may happen either.
    _ = Run(stream, piece: 7, answersAtOnce: false)
    return 0
}

/// One machine fed with one stream.
private struct Run {
    private(set) var log: [String] = []
    private(set) var output: [UInt8] = []
    let isDone: Bool

    init(_ stream: ArraySlice<UInt8>, piece: Int, answersAtOnce: Bool = true) {
        var limits = GatewayLimits()
        limits.parameterBytes = 600
        limits.bodyBytes = 300
        limits.requestsPerConnection = 3
        var machine = ConnectionMachine(limits: limits)
        var waiting: [UInt16] = []
        let now = ContinuousClock.now
        var rest = stream
        while !rest.isEmpty {
            let input = Array(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            var position = 0
            while let action = machine.next(input.span, &position, now: now, output: &output) {
                switch action {
                case .handle(let id, let request):
                    log.append("handle \(id) \(request.parameters.all) \(request.body)")
                    if answersAtOnce {
                        let response = Run.response(to: request)
                        check(machine.respond(to: id, with: response, output: &output) == .whole, "no answer")
                    } else {
                        waiting.append(id)
                    }
                case .cancel(let id): log.append("cancel \(id)")
                case .refuse(let id, _, let refusal):
                    log.append("refused \(refusal)")
                    let delivery = machine.respond(
                        to: id, with: GatewayResponse(status: refusal.status), output: &output)
                    check(delivery == .whole, "no refusal")
                case .dropped: log.append("dropped")
                case .malformed(let malformation): log.append("malformed \(malformation)")
                }
                check(machine.activeCount <= limits.requestsPerConnection, "more requests than the limit")
            }
            check(position == input.count, "bytes were left")
            if waiting.count > 1 {
                _ = machine.respond(to: waiting.removeFirst(), with: Run.late, output: &output)
            }
        }
        isDone = machine.isDone
        while machine.expire(now: now.advanced(by: .seconds(60))) != nil {}
        check(machine.earliestArrival == nil, "a request outlived its time")
    }

    private static let late = GatewayResponse(status: 200, body: [1])

    /// Of many sizes, some over one record.
    private static func response(to request: GatewayRequest) -> GatewayResponse {
        GatewayResponse(
            status: 200,
            fields: request.parameters.all.prefix(3).map {
                .init(String($0.name.prefix(200)), String($0.value.prefix(200)))
            },
            body: [UInt8](repeating: 1, count: Int(request.body.first ?? 0) * 700))
    }
}

private func isWholeRecords(_ bytes: [UInt8]) -> Bool {
    var position = 0
    while position < bytes.count {
        guard bytes.count - position >= 8, bytes[position] == 1 else { return false }
        position += 8 + (Int(bytes[position + 4]) << 8) + Int(bytes[position + 5]) + Int(bytes[position + 6])
    }
    return position == bytes.count
}

private func check(_ condition: Bool, _ message: String) {
    if !condition { fatalError(message) }
}
