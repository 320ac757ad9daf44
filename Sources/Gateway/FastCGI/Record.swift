/// The record types (FastCGI 1.0, section 8).
enum RecordType {
    static let beginRequest: UInt8 = 1
    static let abortRequest: UInt8 = 2
    static let endRequest: UInt8 = 3
    static let parameters: UInt8 = 4
    static let standardInput: UInt8 = 5
    static let standardOutput: UInt8 = 6
    static let standardError: UInt8 = 7
    static let data: UInt8 = 8
    static let getValues: UInt8 = 9
    static let getValuesResult: UInt8 = 10
    static let unknownType: UInt8 = 11
}

/// What an END_REQUEST says of the protocol (FastCGI 1.0, section 5.5).
enum ProtocolStatus: UInt8 {
    case requestComplete = 0
    case unknownRole = 3
}

/// The eight bytes before each record's content (FastCGI 1.0, section 3.3).
struct RecordHeader: Hashable {
    static let version: UInt8 = 1
    static let byteCount = 8
    /// The one role that this gateway plays (section 5.1).
    static let responderRole: UInt16 = 1
    /// The bit of BEGIN_REQUEST's flags that leaves closing to the server (section 5.1).
    static let keepConnectionFlag: UInt8 = 1

    var type: UInt8
    /// 0 for management records.
    var id: UInt16
    var contentLength: UInt16
    var paddingLength: UInt8 = 0

    var bits: UInt64 {
        UInt64(RecordHeader.version) << 56 | UInt64(type) << 48 | UInt64(id) << 32
            | UInt64(contentLength) << 16 | UInt64(paddingLength) << 8
    }
}

extension RecordHeader {
    /// Takes the eight bytes as one big-endian number; the version is not looked at.
    init(bits: UInt64) {
        type = UInt8(truncatingIfNeeded: bits >> 48)
        id = UInt16(truncatingIfNeeded: bits >> 32)
        contentLength = UInt16(truncatingIfNeeded: bits >> 16)
        paddingLength = UInt8(truncatingIfNeeded: bits >> 8)
    }
}

extension [UInt8] {
    /// Adds eight bytes, the highest first.
    mutating func appendBigEndian(_ bits: UInt64) {
        Swift.withUnsafeBytes(of: bits.bigEndian) { append(contentsOf: $0) }
    }

    mutating func append(_ header: RecordHeader) {
        appendBigEndian(header.bits)
    }

    /// Adds an END_REQUEST record with application status 0.
    mutating func appendEndRequest(id: UInt16, status: ProtocolStatus) {
        append(RecordHeader(type: RecordType.endRequest, id: id, contentLength: 8))
        appendBigEndian(UInt64(status.rawValue) << 24)
    }

    /// Adds an UNKNOWN_TYPE record (section 4.2).
    mutating func appendUnknownType(_ type: UInt8) {
        append(RecordHeader(type: RecordType.unknownType, id: 0, contentLength: 8))
        appendBigEndian(UInt64(type) << 56)
    }

    /// Adds a name-value pair of at most 127 bytes each (section 3.4).
    mutating func appendShortPair(name: String, value: String) {
        append(UInt8(truncatingIfNeeded: name.utf8.count))
        append(UInt8(truncatingIfNeeded: value.utf8.count))
        append(contentsOf: name.utf8)
        append(contentsOf: value.utf8)
    }
}
