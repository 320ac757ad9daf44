/// One request as a web server hands it on, by FastCGI or CGI.
public struct GatewayRequest: Sendable {
    /// The CGI variables (RFC 3875, section 4.1; FastCGI 1.0, section 5.2).
    public var parameters: Parameters
    /// The body, whole.
    public var body: [UInt8]
    /// When the request began to arrive.
    public var arrival: ContinuousClock.Instant

    public init(
        parameters: Parameters, body: [UInt8] = [], arrival: ContinuousClock.Instant = .now
    ) {
        self.parameters = parameters
        self.body = body
        self.arrival = arrival
    }

    /// REQUEST_METHOD, "GET" where there is none.
    public var method: String { parameters["REQUEST_METHOD"] ?? "GET" }
}

/// CGI variables, kept as the bytes that came: a look-up reads them in place.
public struct Parameters: Sendable {
    private struct Pair {
        var name: Range<Int>
        var value: Range<Int>
    }

    private var bytes: [UInt8]
    private var pairs: [Pair] = []

    public init() {
        bytes = []
    }

    public init(_ pairs: some Sequence<(String, String)>) {
        self.init()
        for (name, value) in pairs { append(name: name.utf8, value: value.utf8) }
    }

    /// How many there are.
    public var count: Int { pairs.count }

    /// How many bytes names and values take together.
    public var byteCount: Int { bytes.count }

    /// Adds a variable. A name that is there already keeps its first value for look-ups.
    public mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        let nameStart = bytes.count
        bytes.append(contentsOf: name)
        let valueStart = bytes.count
        bytes.append(contentsOf: value)
        pairs.append(Pair(name: nameStart..<valueStart, value: valueStart..<bytes.count))
    }

    /// A variable's bytes, or nil where it isn't there.
    public func bytes(_ name: StaticString) -> ArraySlice<UInt8>? {
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return bytes.withUnsafeBufferPointer { bytes -> Range<Int>? in
            for pair in pairs where pair.name.count == wanted.count {
                if bytes[pair.name].elementsEqual(wanted) { return pair.value }
            }
            return nil
        }.map { bytes[$0] }
    }

    /// A variable's text, or nil where it isn't there or isn't UTF-8.
    public subscript(_ name: StaticString) -> String? {
        bytes(name).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Names and values in the order they came, with U+FFFD for what isn't UTF-8.
    public var all: [(name: String, value: String)] {
        pairs.map {
            (
                String(decoding: bytes[$0.name], as: UTF8.self),
                String(decoding: bytes[$0.value], as: UTF8.self)
            )
        }
    }
}
