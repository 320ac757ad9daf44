/// Writes an answer as the records that carry it: STDOUT with the header block and the body, STDERR if there is
/// something for it, the empty STDOUT, END_REQUEST, and nothing after.
enum ResponseEncoder {
    /// The content of a full record: the most that a multiple of eight leaves below 65,535.
    static let recordBytes = 65_528

    /// Adds the whole answer to `output`.
    ///
    /// - Parameters:
    ///   - isHead: Leaves the body out and keeps its length.
    /// - Returns: False if the header block was too large for servers to take, and a 500 was written instead.
    static func append(
        _ response: GatewayResponse, id: UInt16, isHead: Bool, to output: inout [UInt8]
    ) -> Bool {
        let headEstimate = ResponseHead.byteEstimate(response)
        output.reserveCapacity(
            output.count + headEstimate + response.body.count + response.standardError.count
                + (response.body.count / recordBytes + 8) * 16)
        let start = output.count
        // The first record's header stands before what it counts, and is filled in afterwards.
        output.append(RecordHeader(type: RecordType.standardOutput, id: id, contentLength: 0))
        ResponseHead.append(response, lineEnd: "\r\n", to: &output)
        let headCount = output.count - start - RecordHeader.byteCount
        guard headCount <= ResponseHead.byteLimit else {
            output.removeLast(output.count - start)
            _ = append(headTooLarge, id: id, isHead: isHead, to: &output)
            return false
        }
        let sendsBody = !isHead && ResponseHead.hasBody(ResponseHead.statusToSend(response.status))
        let first = sendsBody ? min(response.body.count, recordBytes - headCount) : 0
        output.append(contentsOf: response.body[..<first])
        let contentLength = headCount + first
        output.append(contentsOf: repeatElement(0, count: padding(for: contentLength)))
        output[start + 4] = UInt8(truncatingIfNeeded: contentLength >> 8)
        output[start + 5] = UInt8(truncatingIfNeeded: contentLength)
        output[start + 6] = UInt8(padding(for: contentLength))
        if sendsBody, first < response.body.count {
            appendStream(RecordType.standardOutput, response.body[first...], id: id, to: &output)
        }
        if !response.standardError.isEmpty {
            appendStream(RecordType.standardError, response.standardError[...], id: id, to: &output)
            output.append(RecordHeader(type: RecordType.standardError, id: id, contentLength: 0))
        }
        output.append(RecordHeader(type: RecordType.standardOutput, id: id, contentLength: 0))
        output.appendEndRequest(id: id, status: .requestComplete)
        return true
    }

    /// Adds records that carry `content`, without the empty one that ends a stream.
    private static func appendStream(
        _ type: UInt8, _ content: ArraySlice<UInt8>, id: UInt16, to output: inout [UInt8]
    ) {
        var rest = content
        while !rest.isEmpty {
            let piece = rest.prefix(recordBytes)
            rest = rest.dropFirst(piece.count)
            let padding = padding(for: piece.count)
            output.append(
                RecordHeader(
                    type: type, id: id, contentLength: UInt16(piece.count), paddingLength: UInt8(padding)))
            output.append(contentsOf: piece)
            for _ in 0..<padding { output.append(0) }
        }
    }

    private static func padding(for count: Int) -> Int {
        -count & 7
    }

    static let headTooLarge = GatewayResponse(
        status: 500,
        fields: [
            GatewayResponse.Field("Content-Type", "text/plain; charset=utf-8"),
            GatewayResponse.Field("Cache-Control", "no-store"),
        ],
        body: Array("The answer's header fields are too large.\n".utf8))
}
