import Foundation
import TestSupport
import Testing

@testable import Weather

struct JSONReaderTests {
    private func accepts(_ bytes: [UInt8]) -> Bool {
        var reader = JSONReader(bytes)
        do {
            try reader.skip()
            try reader.end()
            return true
        } catch {
            return false
        }
    }

    private func foundationAccepts(_ bytes: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
    }

    /// A fixed series of numbers, so that a failure can be repeated (SeededGenerator64).
    private struct Series: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    @Test func aCommaBeforeAClosingBracketIsRefused() {
        #expect(!accepts(Array("[1,]".utf8)))
        #expect(!accepts(Array(#"{"a":1,}"#.utf8)))
    }

    @Test func spoiledAnswersAreAcceptedExactlyWhereFoundationAcceptsThem() throws {
        let seeds = [
            #"{"a":[1,-2.50,null,true,false,"x\u00e9\n"],"b":{"c":{}},"d":[],"e":0.1e-2,"f":"\ud83d\ude00"}"#,
            #"[ { "time" : "2026-11-20T14:30" , "v" : [ 1.0 , 2 ] } , "" ]"#,
        ].map { Array($0.utf8) }
        let bytes = Array(#"{}[]",:0123456789.-+eEtrufalsn\ x"#.utf8)
        var series = Series(state: 20_261_130)
        var accepted = 0
        for round in 0..<6_000 {
            var spoiled = seeds[round % seeds.count]
            for _ in 0...Int.random(in: 0...1, using: &series) {
                let place = Int.random(in: 0..<spoiled.count, using: &series)
                switch Int.random(in: 0..<3, using: &series) {
                case 0: spoiled[place] = bytes.randomElement(using: &series) ?? 0
                case 1: spoiled.remove(at: place)
                default: spoiled.insert(bytes.randomElement(using: &series) ?? 0, at: place)
                }
            }
            let text = String(decoding: spoiled, as: UTF8.self)
            // Foundation lets a comma before a closing bracket pass, which RFC 8259 doesn't.
            if text.contains(/,\s*[\]}]/) { continue }
            let ours = accepts(spoiled)
            if ours { accepted += 1 }
            #expect(ours == foundationAccepts(spoiled), "\(text)")
        }
        // Both kinds are there in number, so that the comparison says something.
        #expect((500...5_500).contains(accepted))
    }

    @Test(arguments: [
        "0", "-0", "1", "-1.5", "0.1", "123456789012345", "1234567890123456789", "0.000000000000001", "1e5",
        "1.5E-3", "5.3", "60.39299", "999999.9", "-999999.99", "0.30", "2.675", "179.99999",
    ])
    func numbersAreTheNearestDoubles(text: String) throws {
        var reader = JSONReader(Array(text.utf8))
        let expected = try #require(Double(text))
        #expect(try reader.number() == (abs(expected) <= 1_000_000 ? expected : nil))
        try reader.end()
    }

    @Test func manyDecimalsAreTheNearestDoubles() throws {
        var series = Series(state: 1)
        for _ in 0..<5_000 {
            let text =
                "\(Int.random(in: -9_999...9_999, using: &series)).\(Int.random(in: 0...9_999_999, using: &series))"
            var reader = JSONReader(Array(text.utf8))
            #expect(try reader.number() == Double(text))
        }
    }

    @Test(arguments: ["01", "-", "+1", ".5", "1.", "1e", "1e+", "-a", "0x1", "nanx", "-in", "n", "na"])
    func whatIsNoJSONIsRefused(text: String) {
        var reader = JSONReader(Array(text.utf8))
        #expect(throws: JSONFault.self) {
            _ = try reader.number()
            try reader.end()
        }
    }

    @Test(arguments: [
        "null", "nan", "-nan", "NaN", "inf", "-inf", "Infinity", "-Infinity", #""3""#, "true", "{}",
        "[1,[nan]]", "1e999",
    ])
    func whatIsNoNumberIsPassedOver(text: String) throws {
        var reader = JSONReader(Array("[\(text),7]".utf8))
        var numbers: [Double?] = []
        try reader.array { (reader) throws(JSONFault) in numbers.append(try reader.number()) }
        try reader.end()
        #expect(numbers == [nil, 7])
    }

    @Test(arguments: ["null", "nan", "3", "false", "{}", #"["a"]"#])
    func whatIsNoStringIsPassedOver(text: String) throws {
        var reader = JSONReader(Array(#"[\#(text),"a"]"#.utf8))
        var strings: [String?] = []
        try reader.array { (reader) throws(JSONFault) in strings.append(try reader.string()) }
        #expect(strings == [nil, "a"])
    }

    @Test func escapesAreUndone() throws {
        var reader = JSONReader(Array(#""Z\u00fcrich \"\\\/\b\f\n\r\t \ud83d\ude00""#.utf8))
        #expect(try reader.string() == "Zürich \"\\/\u{8}\u{c}\n\r\t 😀")
    }

    @Test(arguments: [
        #""\ud83d""#, #""\ud83dx""#, #""\udc00""#, #""\u12g4""#, #""\x""#, #""\u12""#, #""\"#, #"""#,
    ])
    func badEscapesAreRefused(text: String) {
        var reader = JSONReader(Array(text.utf8))
        #expect(throws: JSONFault.self) { try reader.string() }
    }

    @Test func bytesThatAreNotUTF8BecomeReplacementCharacters() throws {
        var reader = JSONReader([0x22, 0x41, 0xFF, 0xC3, 0x22])
        #expect(try reader.string() == "A\u{FFFD}\u{FFFD}")
    }

    @Test func pathsAreBounded() {
        let key = String(repeating: "k", count: 10_000)
        let nested = String(repeating: #"{"\#(key)":"#, count: 50)
        var reader = JSONReader(Array((nested + "x").utf8))
        let fault = #expect(throws: JSONFault.self) { try reader.skip() }
        #expect((fault?.path.count ?? 0) == 200)
    }
}
