/// The header block of an answer (RFC 3875, section 6.3).
enum ResponseHead {
    /// What a header block may take: nginx reads it into a buffer of one page, the record's own header with it.
    static let byteLimit = 4_096 - RecordHeader.byteCount

    /// Whether an answer with this status has a body at all (RFC 9110, section 6.4.1).
    static func hasBody(_ status: Int) -> Bool {
        status != 204 && status != 304
    }

    /// Adds the header block of `response`, with the empty line that ends it.
    ///
    /// Lines end with CR LF, as FastCGI servers send them on, or with LF, as RFC 3875, section 7.2, asks of a CGI script
    /// on Unix.
    ///
    /// Status comes last: HAProxy 2.6 makes a 302 of every status that stands before a Location. A 304 has no
    /// Content-Type, since it has no content (RFC 9110, section 15.4.5).
    static func append(_ response: GatewayResponse, lineEnd: String, to output: inout [UInt8]) {
        let status = statusToSend(response.status)
        let isNotModified = status == 304
        for field in response.fields where isAllowed(field) {
            if isNotModified, isSame("content-type", field.name) { continue }
            output.append(contentsOf: field.name.utf8)
            output.append(contentsOf: ": ".utf8)
            output.append(contentsOf: field.value.utf8)
            output.append(contentsOf: lineEnd.utf8)
        }
        let encoded = isNotModified ? withoutContentType(response.encodedFields) : response.encodedFields
        if lineEnd == "\n" {
            output.append(contentsOf: encoded.lazy.filter { $0 != 0x0d })
        } else {
            output.append(contentsOf: encoded)
        }
        if hasBody(status) {
            output.append(contentsOf: "Content-Length: ".utf8)
            output.appendDecimal(response.body.count)
            output.append(contentsOf: lineEnd.utf8)
        }
        output.append(contentsOf: "Status: ".utf8)
        output.appendDecimal(status)
        output.append(UInt8(ascii: " "))
        output.append(contentsOf: reason(of: status).utf8)
        output.append(contentsOf: lineEnd.utf8)
        output.append(contentsOf: lineEnd.utf8)
    }

    private static func withoutContentType(_ lines: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        for line in lines.split(separator: 0x0a) {
            let name = String(decoding: line.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
            if !isSame("content-type", name) { kept += line + [0x0a] }
        }
        return kept
    }

    /// How many bytes the header block takes at the most.
    static func byteEstimate(_ response: GatewayResponse) -> Int {
        var count = 100 + response.encodedFields.count
        for field in response.fields { count += field.name.utf8.count + field.value.utf8.count + 4 }
        return count
    }

    /// A status that servers would refuse becomes 500.
    static func statusToSend(_ status: Int) -> Int {
        (200...599).contains(status) ? status : 500
    }

    private static func isAllowed(_ field: GatewayResponse.Field) -> Bool {
        guard !field.name.isEmpty, field.name.utf8.allSatisfy(isToken),
            !field.value.utf8.contains(where: { $0 == 0x0d || $0 == 0x0a || $0 == 0 })
        else { return false }
        return !serverFields.contains { isSame($0, field.name) }
    }

    /// A byte of a token (RFC 9110, section 5.6.2).
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: "-0123456789!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }

    /// Written from the answer itself, or the web server's business (RFC 3875, section 6.3.4).
    private static let serverFields: [StaticString] = [
        "status", "content-length", "connection", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    /// Compares without regard to the case of ASCII letters; `lowercase` is a token in lower case.
    private static func isSame(_ lowercase: StaticString, _ name: String) -> Bool {
        let wanted = UnsafeBufferPointer(start: lowercase.utf8Start, count: lowercase.utf8CodeUnitCount)
        return name.utf8.count == wanted.count
            && name.utf8.elementsEqual(wanted) { byte, wanted in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    ? byte | 0x20 == wanted : byte == wanted
            }
    }

    private static func reason(of status: Int) -> String {
        status == 200 ? "OK" : reasons[status] ?? "Status"
    }

    /// The phrases of RFC 9110, section 15, and RFC 6585.
    private static let reasons = [
        201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        303: "See Other", 304: "Not Modified", 400: "Bad Request", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 422: "Unprocessable Content", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    ]
}

extension [UInt8] {
    /// Adds a number that isn't negative, without making a string of it.
    package mutating func appendDecimal(_ number: Int) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
