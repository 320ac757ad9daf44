/// How an answer is put: in which units, in which language, as what.
package struct Presentation: Sendable, Hashable {
    package var units: Units
    package var language: Language
    package var representation: Representation

    package init(
        units: Units = .metric, language: Language = .english, representation: Representation = .json
    ) {
        self.units = units
        self.language = language
        self.representation = representation
    }
}

/// The system of units that a reader asked for. Values and their labels both come from it.
package enum Units: String, Sendable, Hashable, CaseIterable {
    /// °C, km/h, mm.
    case metric
    /// °F, mph, inch.
    case imperial
}

/// A language that answers are written in; the raw value is its BCP 47 tag.
package enum Language: String, Sendable, Hashable, CaseIterable {
    case english = "en"
    case german = "de"
}

/// What an answer is: data, a piece of a page, lines to read, or a picture. The raw value is the address's suffix.
package enum Representation: String, Sendable, Hashable, CaseIterable {
    case json
    case html
    case text = "txt"
    case svg

    /// What everything but an operator's answer can be.
    package static let written: [Representation] = [.json, .html, .text]
    /// What the weather of one place can be.
    package static let drawn: [Representation] = [.json, .html, .text, .svg]

    /// The Content-Type of an answer.
    package var contentType: String {
        switch self {
        case .json: "application/json"
        case .html: "text/html; charset=utf-8"
        case .text: "text/plain; charset=utf-8"
        case .svg: "image/svg+xml; charset=utf-8"
        }
    }

    /// The Content-Type of a problem (RFC 9457, section 3).
    package var problemContentType: String {
        switch self {
        case .json: "application/problem+json"
        case .html, .text, .svg: contentType
        }
    }

    /// The Content-Security-Policy of an answer that brings a style of its own; nil if the site's holds.
    package var contentSecurityPolicy: String? {
        self == .svg ? "default-src 'none'; style-src 'unsafe-inline'; sandbox" : nil
    }
}
