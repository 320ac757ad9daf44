import Testing

@testable import Fragments

struct NegotiationTests {
    private static let fields: [(String?, Representation?)] = [
        (nil, .json),
        ("", .json), ("*/*", .json), (" */* ", .json), ("application/json", .json),
        ("text/html", .html), ("text/plain", .text), ("TEXT/HTML", .html),
        // Browsers.
        ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", .html),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", .html),
        // fetch and libraries.
        ("application/json, text/plain, */*", .json), ("text/html, */*; q=0.01", .html),
        ("text/html, */*", .html), ("text/*", .html), ("text/*, text/plain", .text),
        ("application/*", .json),
        // Weights.
        ("text/html;q=0.5, application/json;q=0.4", .html), ("text/html;q=0.5, application/json", .json),
        ("text/html ; q=0.5 , text/plain ; q=0.51", .text), ("*/*;q=0.1, text/plain;q=0.2", .text),
        ("application/json;q=0, */*", .html), ("application/json;q=0.000, text/html;q=0, */*;q=0.1", .text),
        ("text/plain;Q=1.000", .text),
        // Named alike: the first.
        ("text/plain, text/html", .text), ("text/html, application/json", .html),
        // The more specific range decides, wherever it stands.
        ("*/*, text/html;q=0", .json), ("text/*;q=0.9, text/html;q=0.1, application/json;q=0.5", .text),
        ("text/html;level=1;q=0.1, text/html;q=0.7, application/json;q=0.5", .html),
        ("text/html;charset=utf-8", .html), ("application/json; charset=\"UTF-8\"", .json),
        ("application/json;version=1", .json), ("text/html;q=0.5;ext=\"a,b;c\", text/plain;q=0.4", .html),
        // Malformed parts are ignored.
        ("text, text/plain", .text), ("/, text/plain", .text), ("*/html, text/plain", .text),
        ("text/html;q=2, text/plain;q=0.1", .text), ("text/html;q=0.1234, text/plain;q=0.1", .text),
        ("text/html;q=, text/plain;q=0.1", .text), ("text/html;q=.5, text/plain;q=0.1", .text),
        ("text/html;q=-1, text/plain;q=0.1", .text), (",,;,, ,text/plain,,", .text),
        ("tex t/html, text/plain;q=0.1", .text), ("garbage", .json),
        ("text/html;x=\"unterminated, text/plain", .text),
        // None of ours.
        ("image/png", nil), ("text/html;q=0", nil), ("*/*;q=0", nil), ("text/css, application/xml", nil),
    ]

    @Test(arguments: fields)
    func acceptDecides(accept: String?, representation: Representation?) {
        #expect(Negotiation.representation(accept: accept) == representation)
    }

    @Test(arguments: Representation.allCases)
    func theSuffixDecidesWhereThereIsOne(suffix: Representation) {
        for accept in [nil, "*/*", "image/png", "text/html", "application/json", "text/plain"] {
            #expect(Negotiation.representation(accept: accept, suffix: suffix) == suffix)
        }
    }

    @Test(
        arguments: [
            (nil, Language.english), ("", .english), ("de", .german), ("de-AT", .german), ("DE-at", .german),
            ("de;q=0.1,en;q=0.9", .english), ("en;q=0.1, de-CH;q=0.2", .german), ("fr, de;q=0.5", .german),
            ("fr, ja;q=0.9", .english), ("*", .english), ("de;q=0", .english), ("*, en;q=0", .german),
            ("de-AT,de;q=0.9,en;q=0.8", .german), ("en-US,en;q=0.9,de;q=0.8", .english),
            ("den, xen", .english), ("de, en", .german), ("en, de", .english), ("de;q=2, en;q=0.1", .english),
        ] as [(String?, Language)])
    func acceptLanguageDecidesByWeight(field: String?, language: Language) {
        #expect(Negotiation.language(acceptLanguage: field, usual: .english) == language)
    }

    @Test func whoPrefersNoneOfOurLanguagesGetsTheUsualOne() {
        for field in [nil, "", "fr", "*", "fr;q=0.5, *;q=0.1", "garbage;q=x"] {
            #expect(Negotiation.language(acceptLanguage: field, usual: .german) == .german)
        }
    }

    @Test func aHostileFieldIsReadInItsLimits() {
        let many = String(repeating: "a/b;c=d,", count: 20_000)
        #expect(Negotiation.representation(accept: many + "text/html") == nil)
        #expect(Negotiation.representation(accept: "text/html," + many) == .html)
    }

    @Test func suffixesAndContentTypesBelongTogether() {
        #expect(Representation(rawValue: "json")?.contentType == "application/json")
        #expect(Representation(rawValue: "json")?.problemContentType == "application/problem+json")
        #expect(Representation(rawValue: "html")?.contentType == "text/html; charset=utf-8")
        #expect(Representation(rawValue: "html")?.problemContentType == "text/html; charset=utf-8")
        #expect(Representation(rawValue: "txt")?.contentType == "text/plain; charset=utf-8")
    }
}
