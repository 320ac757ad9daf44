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

    /// Adds a variable. Of two with one name the last is found; header fields that are lists are joined. HTTP_PROXY is
    /// left out: it is a browser's header, and would be taken for a setting.
    public mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        guard !name.elementsEqual("HTTP_PROXY".utf8) else { return }
        pairs.append(
            Pair(
                start: UInt32(bytes.count), nameCount: UInt32(name.count), valueCount: UInt32(value.count)))
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
    }

    /// A variable's bytes, or nil if it isn't there.
    ///
    /// Of several with one name it is the last, so that a web server's own settings can be overridden below an
    /// include. A header field that is a list has all of their elements (RFC 9110, section 5.3).
    public func bytes(_ name: StaticString) -> ArraySlice<UInt8>? {
        guard let index = lastIndex(of: name, before: pairs.count) else { return nil }
        guard name.hasHeaderPrefix, lastIndex(of: name, before: index) != nil,
            let separator = Parameters.separator(ofList: name)
        else { return bytes[pairs[index].value] }
        let values = pairs.filter { matches(name, $0) && $0.valueCount > 0 }.map { bytes[$0.value] }
        return values.joined(separator: separator.utf8).reduce(into: []) { $0.append($1) }
    }

    /// A variable's text, or nil if it isn't there or isn't UTF-8.
    public subscript(_ name: StaticString) -> String? {
        bytes(name).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Whether a variable is there and has exactly this value.
    public func holds(_ value: StaticString, for name: StaticString) -> Bool {
        guard let index = lastIndex(of: name, before: pairs.count),
            pairs[index].valueCount == UInt32(value.utf8CodeUnitCount)
        else { return false }
        return matches(value, at: pairs[index].value.lowerBound)
    }

    private func lastIndex(of name: StaticString, before end: Int) -> Int? {
        var index = end
        while index > 0 {
            index -= 1
            if matches(name, pairs[index]) { return index }
        }
        return nil
    }

    private func matches(_ name: StaticString, _ pair: Pair) -> Bool {
        pair.nameCount == UInt32(name.utf8CodeUnitCount) && matches(name, at: Int(pair.start))
    }

    /// What stands between the elements of a header field that is a list; nil for one that has a single value.
    private static func separator(ofList name: StaticString) -> String? {
        switch "\(name)" {
        case "HTTP_COOKIE": "; "
        case "HTTP_ACCEPT", "HTTP_ACCEPT_CHARSET", "HTTP_ACCEPT_ENCODING", "HTTP_ACCEPT_LANGUAGE",
            "HTTP_CACHE_CONTROL", "HTTP_CONNECTION", "HTTP_EXPECT", "HTTP_FORWARDED", "HTTP_IF_MATCH",
            "HTTP_IF_NONE_MATCH", "HTTP_PRAGMA", "HTTP_TE", "HTTP_TRAILER", "HTTP_TRANSFER_ENCODING",
            "HTTP_UPGRADE", "HTTP_VIA", "HTTP_X_FORWARDED_FOR":
            ", "
        default: nil
        }
    }

    /// `bytes` must hold as many as `text` has from `start` on.
    private func matches(_ text: StaticString, at start: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let here = UnsafeRawBufferPointer(rebasing: bytes[start..<start + text.utf8CodeUnitCount])
            guard let base = here.baseAddress else { return text.utf8CodeUnitCount == 0 }
            return memcmp(base, text.utf8Start, here.count) == 0
        }
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

extension StaticString {
    /// Whether it begins with "HTTP_", as the variables of header fields do.
    fileprivate var hasHeaderPrefix: Bool {
        utf8CodeUnitCount > 5 && memcmp(utf8Start, "HTTP_", 5) == 0
    }
}
