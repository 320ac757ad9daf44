/// Reads JSON (RFC 8259) from bytes in one pass, value by value, as the caller asks for them.
///
/// Foundation's `JSONDecoder` runs over a million instructions for one forecast of 16 days (callgrind, Swift 6.3.1),
/// more than all the rest of a request; this a twelfth of that. It is also stricter (no comma before a closing
/// bracket), checks what it skips, and names what is wrong and where. Nothing here traps, whatever the bytes are.
///
/// A value of another kind than the one that is read, and a bare `nan`, is passed over and counts as null: one bad
/// field costs that field alone.
struct JSONReader {
    let bytes: [UInt8]
    private(set) var position = 0

    /// How deep values that are skipped may nest.
    static let depthLimit = 64

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A member's name: what stands between its quotes.
    struct Key {
        fileprivate let bytes: [UInt8]
        fileprivate let range: Range<Int>

        /// Whether the name is this, which must be ASCII. Inlined, so that no comparison retains the bytes.
        @inline(__always)
        static func ~= (name: StaticString, key: Key) -> Bool {
            guard key.range.count == name.utf8CodeUnitCount else { return false }
            let span = key.bytes.span
            return name.withUTF8Buffer { letters in
                // From behind: names that begin alike often end apart.
                var index = letters.count
                while index > 0 {
                    index -= 1
                    if letters[index] != span[key.range.lowerBound + index] { return false }
                }
                return true
            }
        }
    }

    // MARK: Values

    /// Reads an object; `member` must read or skip the value of each member.
    mutating func object(
        _ member: (inout JSONReader, Key) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try open(UInt8(ascii: "{"), "an object")
        if next() == UInt8(ascii: "}") {
            position += 1
            return
        }
        while true {
            guard next() == UInt8(ascii: "\"") else { throw syntax() }
            let token = try stringToken()
            if token.hasEscapes { _ = try unescaped(token.range) }
            let key = Key(bytes: bytes, range: token.range)
            guard next() == UInt8(ascii: ":") else { throw syntax() }
            position += 1
            do {
                try member(&self, key)
            } catch {
                throw error.inside(String(decoding: bytes[key.range], as: UTF8.self))
            }
            if try closes(with: UInt8(ascii: "}")) { return }
        }
    }

    /// Reads an array; `element` must read or skip each element.
    mutating func array(
        _ element: (inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        try open(UInt8(ascii: "["), "an array")
        if next() == UInt8(ascii: "]") {
            position += 1
            return
        }
        var index = 0
        while true {
            do {
                try element(&self)
            } catch {
                throw error.inside("[\(index)]")
            }
            index += 1
            if try closes(with: UInt8(ascii: "]")) { return }
        }
    }

    /// Reads the whole of an answer: an array's elements, or the one object that stands in its place.
    mutating func elements(
        _ element: (inout JSONReader) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        switch next() {
        case UInt8(ascii: "["): try array(element)
        case nil: throw JSONFault(problem: "an empty body")
        default: try element(&self)
        }
        try end()
    }

    /// Reads a value, and passes over one that isn't as it should be. What isn't JSON is thrown, since nothing behind it
    /// can be found.
    mutating func attempt<Value>(
        _ read: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(JSONFault) -> Result<Value, JSONFault> {
        let start = position
        do {
            return .success(try read(&self))
        } catch {
            if error.isSyntax { throw error }
            rewind(to: start)
            try skip()
            return .failure(error)
        }
    }

    /// A number; nil for anything else, and for one outside `range`. −0 is 0.
    mutating func number(in range: ClosedRange<Double> = -1_000_000...1_000_000) throws(JSONFault) -> Double?
    {
        guard isAtNumber() else {
            try skip()
            return nil
        }
        // Adding 0 turns −0 into 0.
        let value = try plainNumber() + 0
        return range.contains(value) ? value : nil
    }

    /// A whole number, also when written as 3.0; nil for anything else, and beyond ±2⁵³.
    mutating func integer() throws(JSONFault) -> Int? {
        try number(in: -9_007_199_254_740_992...9_007_199_254_740_992).flatMap { Int(exactly: $0) }
    }

    /// True or false; nil for anything else.
    mutating func boolean() throws(JSONFault) -> Bool? {
        let first = next()
        try skip()
        return first == UInt8(ascii: "t") ? true : first == UInt8(ascii: "f") ? false : nil
    }

    /// A string with its escapes undone; nil for anything else. Bytes that aren't UTF-8 become U+FFFD.
    mutating func string() throws(JSONFault) -> String? {
        guard next() == UInt8(ascii: "\"") else {
            try skip()
            return nil
        }
        let token = try stringToken()
        if token.hasEscapes { return try unescaped(token.range) }
        return String(decoding: bytes[token.range], as: UTF8.self)
    }

    /// A date such as "2026-12-10"; nil for anything else.
    mutating func date() throws(JSONFault) -> CalendarDate? {
        try label { CalendarDate(utf8: $0) }
    }

    /// A local time such as "2026-12-10T14:30"; nil for anything else.
    mutating func localTime() throws(JSONFault) -> LocalTime? {
        try label { LocalTime(utf8: $0) }
    }

    private mutating func label<Label>(_ read: (ArraySlice<UInt8>) -> Label?) throws(JSONFault) -> Label? {
        guard next() == UInt8(ascii: "\"") else {
            try skip()
            return nil
        }
        let token = try stringToken()
        return read(bytes[token.range])
    }

    /// Reads a value of any kind and forgets it.
    mutating func skip() throws(JSONFault) {
        try skip(depth: 0)
    }

    private mutating func skip(depth: Int) throws(JSONFault) {
        guard depth < JSONReader.depthLimit else {
            throw JSONFault(problem: "nested deeper than \(JSONReader.depthLimit)", isSyntax: true)
        }
        switch next() {
        case UInt8(ascii: "{"):
            try object { (reader, _) throws(JSONFault) in try reader.skip(depth: depth + 1) }
        case UInt8(ascii: "["):
            try array { (reader) throws(JSONFault) in try reader.skip(depth: depth + 1) }
        case UInt8(ascii: "\""):
            let token = try stringToken()
            if token.hasEscapes { _ = try unescaped(token.range) }
        case UInt8(ascii: "t"):
            try word("true")
        case UInt8(ascii: "f"):
            try word("false")
        case UInt8(ascii: "n") where position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "u"):
            try word("null")
        default:
            if isAtNumber() {
                _ = try plainNumber()
            } else if isAtNaN() {
                position = wordEnd(from: position + 1)
            } else {
                throw syntax()
            }
        }
    }

    /// Goes back to where `position` was, to read the same again.
    mutating func rewind(to earlier: Int) {
        position = min(earlier, position)
    }

    /// What begins here, or nil at the end: white space is skipped.
    mutating func next() -> UInt8? {
        position = JSONReader.firstNonSpace(in: bytes.span, from: position)
        return position < bytes.count ? bytes[position] : nil
    }

    /// Checks that nothing but white space is left.
    mutating func end() throws(JSONFault) {
        guard next() == nil else { throw syntax() }
    }

    // MARK: Tokens

    private mutating func open(_ bracket: UInt8, _ kind: StaticString) throws(JSONFault) {
        guard next() == bracket else { throw mismatch(kind) }
        position += 1
    }

    private mutating func closes(with bracket: UInt8) throws(JSONFault) -> Bool {
        switch next() {
        case bracket:
            position += 1
            return true
        case UInt8(ascii: ","):
            position += 1
            return false
        default:
            throw syntax()
        }
    }

    private mutating func isAtNumber() -> Bool {
        guard let first = next() else { return false }
        if JSONReader.isDigit(first) { return true }
        return first == UInt8(ascii: "-") && position + 1 < bytes.count
            && JSONReader.isDigit(bytes[position + 1])
    }

    /// Whether a number stands here that JSON can't write and some programs write all the same.
    private func isAtNaN() -> Bool {
        guard position < bytes.count else { return false }
        let start = bytes[position] == UInt8(ascii: "-") ? position + 1 : position
        let end = wordEnd(from: start)
        guard (3...8).contains(end - start) else { return false }
        let word = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
        return word == "nan" || word == "inf" || word == "infinity"
    }

    private func wordEnd(from start: Int) -> Int {
        bytes[start...].firstIndex { !JSONReader.isWordByte($0) } ?? bytes.count
    }

    private mutating func word(_ word: StaticString) throws(JSONFault) {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ $0.elementsEqual(bytes[position..<end]) }),
            end == bytes.count || !JSONReader.isWordByte(bytes[end])
        else { throw syntax() }
        position = end
    }

    /// What stands between a string's quotes.
    private typealias Token = (range: Range<Int>, hasEscapes: Bool)

    /// Reads from an opening quote to behind the closing one.
    private mutating func stringToken() throws(JSONFault) -> Token {
        let start = position + 1
        let (end, hasEscapes) = JSONReader.stringEnd(in: bytes.span, from: start)
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            position = min(end, bytes.count)
            throw syntax()
        }
        position = end + 1
        return (start..<end, hasEscapes)
    }

    // The three loops over single bytes look at a span: that spares them a look at the array for each byte, and its
    // bounds are checked all the same.

    /// Where a string ends: at its quote, at a byte that no string has, or at the end of everything or behind it.
    private static func stringEnd(in span: Span<UInt8>, from start: Int) -> (end: Int, hasEscapes: Bool) {
        var end = start
        var hasEscapes = false
        while end < span.count {
            let byte = span[end]
            if byte == UInt8(ascii: "\"") || byte < 0x20 { break }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                end &+= 1
            }
            end &+= 1
        }
        return (end, hasEscapes)
    }

    private static func firstNonSpace(in span: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < span.count {
            let byte = span[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            index &+= 1
        }
        return index
    }

    /// Adds the digits from `start` on to `value`, which wraps when there are too many, and says where they end.
    private static func scanDigits(in span: Span<UInt8>, from start: Int, into value: inout UInt64) -> Int {
        var index = start
        while index < span.count {
            let digit = span[index] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ UInt64(digit)
            index &+= 1
        }
        return index
    }

    private mutating func plainNumber() throws(JSONFault) -> Double {
        let start = position
        var isNegative = false
        if bytes[position] == UInt8(ascii: "-") {
            isNegative = true
            position += 1
        }
        var digits: UInt64 = 0
        var digitCount = 0
        var fractionDigits = 0
        let wholeStart = position
        scanDigits(into: &digits, count: &digitCount)
        guard digitCount > 0, digitCount == 1 || bytes[wholeStart] != UInt8(ascii: "0") else {
            position = start
            throw syntax()
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            scanDigits(into: &digits, count: &fractionDigits)
            guard fractionDigits > 0 else { throw syntax() }
        }
        var hasExponent = false
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            hasExponent = true
            position += 1
            if position < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) {
                position += 1
            }
            var exponent: UInt64 = 0
            var exponentDigits = 0
            scanDigits(into: &exponent, count: &exponentDigits)
            guard exponentDigits > 0 else { throw syntax() }
        }
        // Up to fifteen digits and a power of ten up to 22 are exact, and so is their quotient, rounded once.
        if !hasExponent, digitCount + fractionDigits <= 15 {
            let value = Double(digits) / JSONReader.powersOfTen[fractionDigits]
            return isNegative ? -value : value
        }
        return Double(String(decoding: bytes[start..<position], as: UTF8.self)) ?? .infinity
    }

    private mutating func scanDigits(into value: inout UInt64, count: inout Int) {
        let end = JSONReader.scanDigits(in: bytes.span, from: position, into: &value)
        count += end - position
        position = end
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    private func unescaped(_ range: Range<Int>) throws(JSONFault) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            guard index < range.upperBound else { throw JSONFault(problem: "a bad escape", isSyntax: true) }
            let escape = bytes[index]
            index += 1
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(escape)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(at: &index, before: range.upperBound) else {
                    throw JSONFault(problem: "a bad escape", isSyntax: true)
                }
                result.append(contentsOf: Array(String(Character(scalar)).utf8))
            default: throw JSONFault(problem: "a bad escape", isSyntax: true)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The scalar of the four digits at `index`, and of the second half of a surrogate pair behind them.
    private func scalar(at index: inout Int, before end: Int) -> Unicode.Scalar? {
        guard let first = hexadecimal(at: &index, before: end) else { return nil }
        guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
        guard index + 1 < end, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        index += 2
        guard let second = hexadecimal(at: &index, before: end), (0xDC00..<0xE000).contains(second)
        else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) * 0x400 + (second - 0xDC00))
    }

    private func hexadecimal(at index: inout Int, before end: Int) -> UInt32? {
        guard index + 4 <= end, bytes[index..<index + 4].allSatisfy(JSONReader.isWordByte) else { return nil }
        index += 4
        return UInt32(String(decoding: bytes[index - 4..<index], as: UTF8.self), radix: 16)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    // MARK: Faults

    /// A value of another kind than `kind` stands here, or nothing that could be one.
    private func mismatch(_ kind: StaticString) -> JSONFault {
        let found: String
        switch position < bytes.count ? bytes[position] : nil {
        case UInt8(ascii: "{"): found = "an object"
        case UInt8(ascii: "["): found = "an array"
        case UInt8(ascii: "\""): found = "a string"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): found = "true or false"
        case .some(let byte) where byte == UInt8(ascii: "-") || JSONReader.isDigit(byte): found = "a number"
        case UInt8(ascii: "n") where bytes[position...].starts(with: "null".utf8): found = "null"
        default: return syntax()
        }
        return JSONFault(problem: "\(found) instead of \(kind)")
    }

    /// What stands here isn't JSON: says what it is, as far as a log has room.
    private func syntax() -> JSONFault {
        guard position < bytes.count else {
            return JSONFault(problem: "the answer ends too early", isSyntax: true)
        }
        let rest = String(decoding: bytes[position...].prefix(JSONReader.excerptLength), as: UTF8.self)
        return JSONFault(
            problem: "not JSON at byte \(position): \(CleanText.line(rest, limit: JSONReader.excerptLength))",
            isSyntax: true)
    }

    private static let excerptLength = 100
}

/// Why JSON could not be read as what it should be.
struct JSONFault: Error, Hashable {
    /// The key's path: "daily.time[3]".
    private(set) var path = ""
    /// What is wrong there.
    let problem: String
    /// Whether it is no JSON at all, so that nothing after it can be read either.
    let isSyntax: Bool

    init(problem: String, isSyntax: Bool = false) {
        self.problem = problem
        self.isSyntax = isSyntax
    }

    /// The same, seen from outside the member or element that it is in.
    func inside(_ key: String) -> JSONFault {
        var outer = self
        let key = CleanText.line(key, limit: 40)
        outer.path = path.isEmpty ? key : path.hasPrefix("[") ? key + path : "\(key).\(path)"
        if outer.path.count > 200 { outer.path = String(outer.path.prefix(200)) }
        return outer
    }

    /// "daily: a string instead of an object", or the problem alone.
    var description: String { path.isEmpty ? problem : "\(path): \(problem)" }
}
