internal import Glibc

/// CGI variables, kept as the bytes that came: a look-up reads them in place.
public struct Parameters: Sendable {
    /// Where a variable stands in `bytes`: its value follows its name.
    struct Pair {
        var start: UInt32
        var nameCount: UInt32
        var valueCount: UInt32

        var name: Range<Int> { Int(start)..<Int(start) + Int(nameCount) }
        var value: Range<Int> { name.upperBound..<name.upperBound + Int(valueCount) }
    }

    private var bytes: [UInt8]
    private var pairs: [Pair]

    public init() {
        bytes = []
        pairs = []
    }

    public init(_ pairs: some Sequence<(String, String)>) {
        self.init()
        for (name, value) in pairs { append(name: name.utf8, value: value.utf8) }
    }

    /// Takes bytes in which `pairs` point; between the variables may stand others, such as the lengths they came with.
    init(bytes: [UInt8], pairs: [Pair]) {
        self.bytes = bytes
        self.pairs = pairs
    }

    /// How many there are.
    public var count: Int { pairs.count }

    /// How many bytes names and values take together.
    public var byteCount: Int {
        pairs.reduce(0) { $0 + Int($1.nameCount) + Int($1.valueCount) }
    }

    /// Adds a variable. A name that is there already keeps its first value for look-ups.
    public mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        pairs.append(
            Pair(
                start: UInt32(bytes.count), nameCount: UInt32(name.count), valueCount: UInt32(value.count)))
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
    }

    /// A variable's bytes, or nil where it isn't there.
    public func bytes(_ name: StaticString) -> ArraySlice<UInt8>? {
        range(of: name).map { bytes[$0] }
    }

    /// A variable's text, or nil where it isn't there or isn't UTF-8.
    public subscript(_ name: StaticString) -> String? {
        bytes(name).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Whether a variable is there and has exactly this value.
    public func holds(_ value: StaticString, for name: StaticString) -> Bool {
        guard let range = range(of: name), range.count == value.utf8CodeUnitCount else { return false }
        return matches(value, at: range.lowerBound)
    }

    private func range(of name: StaticString) -> Range<Int>? {
        let count = UInt32(name.utf8CodeUnitCount)
        for pair in pairs where pair.nameCount == count {
            if matches(name, at: Int(pair.start)) { return pair.value }
        }
        return nil
    }

    /// `bytes` must hold as many as `text` has from `start` on.
    private func matches(_ text: StaticString, at start: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let here = UnsafeRawBufferPointer(rebasing: bytes[start..<start + text.utf8CodeUnitCount])
            guard let base = here.baseAddress else { return text.utf8CodeUnitCount == 0 }
            return memcmp(base, text.utf8Start, here.count) == 0
        }
    }

    /// The same without HTTP_PROXY.
    var withoutProxy: Parameters {
        guard bytes("HTTP_PROXY") != nil else { return self }
        var copy = self
        copy.pairs.removeAll { bytes[$0.name].elementsEqual("HTTP_PROXY".utf8) }
        return copy
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
