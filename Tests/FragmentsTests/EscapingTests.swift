import Foundation
import Testing
import Weather

@testable import Fragments

/// Text from elsewhere stays text wherever it stands. The texts are no arguments of the tests: they would steer the
/// terminal that shows their names.
struct EscapingTests {
    static let awkward: [String] = [
        "", "<b>bold</b>", "\"quoted\"", "it's", "a & b &amp; c", "</section><script>alert(1)</script>",
        "\" onload=\"alert(1)", "' x='", "\\\\ \\\" \\n", "line\nbreak\r\ttab",
        "\u{0}\u{1}\u{1B}[31mred\u{7F}",
        "\u{85}\u{9B}", "\u{2028}\u{2029}", "👩‍👩‍👧‍👦🏴‍☠️", "القاهرة \u{202E}abc", "東京", "é\u{301}",
        "\u{FFFF}\u{10FFFF}", "]]>", "<!--", "-->", "{{x}}", "${x}", "%00%3Cb%3E", "a\u{FEFF}bom", "â\u{80}¨",
        String(repeating: "<", count: 5_000),
    ]

    static let random: [String] = {
        var generator = Splitmix(state: 42)
        return (0..<200).map { _ in
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<40, using: &generator) {
                let limit: UInt32 = [0x80, 0x800, 0x3000, 0x11_0000].randomElement(using: &generator) ?? 0x80
                guard let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &generator)) else {
                    continue
                }
                text.append(scalar)
            }
            return String(text)
        }
    }()

    @Test func textStaysTextInJSON() throws {
        for text in Self.awkward + Self.random {
            let answer = Renderer.weather(.loaded(report(text)), as: Presentation())
            #expect(!answer.contains(UInt8(ascii: "<")))
            #expect(answer.dropLast().allSatisfy { $0 >= 0x20 })
            let parsed = try #require(try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any])
            let place = try #require(parsed["place"] as? [String: Any])
            #expect(same(place["name"], text))
            #expect(same(place["country"], text))
            #expect(same(place["region"], text))
            #expect(same(place["timeZone"], text))
            #expect(same(place["title"], "\(text), \(text)"))
            #expect(same(parsed["line"], "\(text), \(text): 16°C, Partly cloudy"))
            let failed = Renderer.weather(.failed(message: text, previous: nil), as: Presentation())
            let message = try #require(try JSONSerialization.jsonObject(with: Data(failed)) as? [String: Any])
            #expect(same(message["message"], text))
        }
    }

    @Test func textStaysTextInHTML() throws {
        for text in Self.awkward + Self.random {
            let html = Presentation(representation: .html)
            let report = report(text)
            let loaded = try FragmentReader(Examples.text(Renderer.weather(.loaded(report), as: html)))
            let plain = try FragmentReader(Examples.render(.loaded(Examples.report), .html))
            // Not an element more than with an ordinary name, and not an attribute more.
            #expect(loaded.elements.map(\.name) == plain.elements.map(\.name))
            #expect(
                loaded.elements.map(\.attributes.keys.count) == plain.elements.map(\.attributes.keys.count))
            let shown = Self.replacingControls(text, keepingBreaks: true)
            #expect(same(loaded.first("weather-time")?.attributes["data-time-zone"], shown))
            #expect(scalars(loaded.text).starts(with: scalars("\n\n\(shown), \(shown): 16°C")))
            let failed = try FragmentReader(
                Examples.text(Renderer.weather(.failed(message: text, previous: report), as: html)))
            #expect(contains(failed.text, "could not be refreshed. \(shown) Retry"))
        }
    }

    @Test func textStaysTextInATerminal() {
        for text in Self.awkward + Self.random {
            let answer = Renderer.weather(
                .failed(message: text, previous: report(text)), as: Presentation(representation: .text))
            let lines = Examples.text(answer).unicodeScalars.split(separator: "\n")
            #expect(lines.count == 6)
            #expect(
                lines.joined().allSatisfy {
                    $0.properties.generalCategory != .control
                })
            let shown = Self.replacingControls(text, keepingBreaks: false)
            #expect(
                same(String(String.UnicodeScalarView(lines[0])), "\(shown), \(shown): 16°C, Partly cloudy"))
        }
    }

    @Test func textStaysTextAmongPlacesAndProblems() throws {
        for text in Self.awkward + Self.random {
            let places = [
                Place(
                    name: text, country: text, region: text, coordinate: Examples.seattle.coordinate,
                    timeZone: text)
            ]
            let problem = Problem(
                .badRequest, fields: [.init(name: text, detail: text)], in: .english)
            let html = Presentation(representation: .html)
            let list = try FragmentReader(Examples.text(Renderer.places(places, query: text, as: html)))
            #expect(
                same(
                    list.first("place")?.attributes["data-name"],
                    Self.replacingControls(text, keepingBreaks: true)
                ))
            let none = try FragmentReader(Examples.text(Renderer.places([], query: text, as: html)))
            #expect(none.elements.map(\.name) == ["section", "p", "p", "a"])
            let failed = try FragmentReader(Examples.text(Renderer.problem(problem, as: html)))
            #expect(failed.elements.map(\.name) == ["section", "div", "p", "span", "p", "a"])
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(Renderer.problem(problem, as: Presentation())))
                    as? [String: Any])
            let fields = try #require(json["fields"] as? [[String: String]])
            #expect(same(fields[0]["name"], text))
            let found = try #require(
                try JSONSerialization.jsonObject(
                    with: Data(Renderer.places(places, query: text, as: Presentation()))) as? [String: Any])
            #expect(same(found["query"], text))
        }
    }

    @Test func aURLsPartHoldsOnlyUnreservedCharacters() {
        var out = ByteWriter(reserving: 0)
        out.append(url: "São Tomé/a?b=c&d\"<'~")
        #expect(Examples.text(out.bytes) == "S%C3%A3o%20Tom%C3%A9%2Fa%3Fb%3Dc%26d%22%3C%27~")
    }

    private func report(_ text: String) -> WeatherReport {
        var report = Examples.report
        report.location = .named(
            Place(
                name: text, country: text, region: text, coordinate: Examples.seattle.coordinate,
                timeZone: text))
        return report
    }

    static func replacingControls(_ text: String, keepingBreaks: Bool) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isBreak = ["\t", "\n", "\r"].contains(scalar)
            let isReplaced = scalar.properties.generalCategory == .control && !(isBreak && keepingBreaks)
            result.append(isReplaced ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }

    /// Compared by scalars: `String`'s own comparison takes different ones for the same.
    private func same(_ value: Any?, _ text: String) -> Bool {
        (value as? String).map { scalars($0) == scalars(text) } ?? false
    }

    private func scalars(_ text: String) -> [Unicode.Scalar] {
        Array(text.unicodeScalars)
    }

    private func contains(_ text: String, _ part: String) -> Bool {
        scalars(text).contains(scalars(part))
    }
}

/// Random numbers that are the same in each run.
private struct Splitmix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
