/// Writes sentences for one kind of reader. The sentences are the same in every representation; an output knows what
/// must be escaped, and whether parts of a sentence are marked.
protocol Output {
    /// Whether parts of a sentence are marked.
    static var isMarked: Bool { get }
    var buffer: ByteWriter { get set }
    /// Text that may hold anything.
    mutating func text(_ text: String)
    /// A link to another site.
    mutating func link(to url: StaticString, _ label: StaticString)
}

extension Output {
    static var isMarked: Bool { false }

    /// Our own words and markup: they hold nothing that must be escaped.
    mutating func write(_ text: StaticString) {
        buffer.append(text)
    }

    /// A part of a sentence that a page may want to style.
    mutating func segment(_ segment: Segment, _ body: (inout Self) -> Void) {
        if Self.isMarked { write(segment.open) }
        body(&self)
        if Self.isMarked { write(segment.close) }
    }

    /// A date or time that programs may want to read.
    mutating func time(_ time: some TimeLabel, _ body: (inout Self) -> Void) {
        if Self.isMarked {
            write(#"<time datetime=""#)
            buffer.append(time)
            write(#"">"#)
        }
        body(&self)
        if Self.isMarked { write("</time>") }
    }

    mutating func fill(_ template: Template, _ body: (inout Self) -> Void) {
        write(template.before)
        body(&self)
        write(template.after)
    }

    /// "60.39": a coordinate for programs, to a tenth of a metre.
    mutating func degrees(_ degrees: Double) {
        guard let rounded = Rounded(degrees, digits: 6)?.trimmed else { return }
        buffer.append(rounded, minus: "-", point: ".")
    }
}

/// A part of a sentence with an element of its own in HTML.
struct Segment {
    let open: StaticString
    var close: StaticString = "</span>"

    /// A name from elsewhere may run from right to left: it is isolated.
    static let place = Segment(open: #"<bdi class="weather-place">"#, close: "</bdi>")
    static let temperature = Segment(open: #"<span class="weather-temperature">"#)
    static let sky = Segment(open: #"<span class="weather-sky">"#)
    static let apparent = Segment(open: #"<span class="weather-apparent">"#)
    static let humidity = Segment(open: #"<span class="weather-humidity">"#)
    static let wind = Segment(open: #"<span class="weather-wind">"#)
    static let precipitation = Segment(open: #"<span class="weather-precipitation">"#)
    static let high = Segment(open: #"<span class="weather-high">"#)
    static let low = Segment(open: #"<span class="weather-low">"#)
    static let range = Segment(open: #"<span class="weather-range">"#)
    static let rain = Segment(open: #"<span class="weather-rain">"#)
    static let uv = Segment(open: #"<span class="weather-uv">"#)
    static let sun = Segment(open: #"<span class="weather-sun">"#)
    /// What a day's weather is: usual, or as it was forecast.
    static let source = Segment(open: #"<span class="weather-source">"#)
    static let message = Segment(open: #"<span class="weather-message">"#)
}

/// Writes plain text, for a terminal.
struct PlainOutput: Output {
    var buffer: ByteWriter

    mutating func text(_ text: String) { buffer.append(plain: text) }

    mutating func link(to url: StaticString, _ label: StaticString) {
        write(label)
        write(" (")
        write(url)
        write(")")
    }

    /// A line of text.
    mutating func line(_ body: (inout PlainOutput) -> Void) {
        body(&self)
        write("\n")
    }
}

/// Writes the inside of a JSON string.
struct JSONStringOutput: Output {
    var buffer: ByteWriter

    mutating func text(_ text: String) { buffer.append(json: text) }
    mutating func link(to url: StaticString, _ label: StaticString) { write(label) }
}

/// Writes SVG. Its sentences are texts, descriptions or attributes: no part of them is marked.
struct SVGOutput: Output {
    enum Anchor {
        case start, middle, end
    }

    var buffer: ByteWriter

    init(reserving capacity: Int) {
        buffer = ByteWriter(reserving: capacity)
    }

    mutating func text(_ text: String) { buffer.append(xml: text) }
    mutating func link(to url: StaticString, _ label: StaticString) { write(label) }

    /// A coordinate, to a tenth.
    mutating func number(_ number: Double) {
        guard let rounded = Rounded(number, digits: 1)?.trimmed else { return }
        buffer.append(rounded, minus: "-", point: ".")
    }

    /// `<text>` with its content; `x` is where its anchor is.
    mutating func words(
        _ name: StaticString?, x: Double, y: Double, size: Double, anchor: Anchor = .start,
        isBold: Bool = false, _ body: (inout SVGOutput) -> Void
    ) {
        write("<text")
        if let name {
            write(#" class=""#)
            write(name)
            write(#"""#)
        }
        write(#" x=""#)
        number(x)
        write(#"" y=""#)
        number(y)
        write(#"" font-size=""#)
        number(size)
        switch anchor {
        case .start: write(#"""#)
        case .middle: write(#"" text-anchor="middle""#)
        case .end: write(#"" text-anchor="end""#)
        }
        write(isBold ? #" font-weight="700">"# : ">")
        body(&self)
        write("</text>")
    }
}

/// Writes HTML.
struct HTMLOutput: Output {
    static let isMarked = true
    var buffer: ByteWriter

    mutating func text(_ text: String) { buffer.append(html: text) }

    /// - Parameters:
    ///   - open: the start tag, whole.
    ///   - close: the end tag.
    mutating func element(_ open: StaticString, _ close: StaticString, _ body: (inout HTMLOutput) -> Void) {
        write(open)
        body(&self)
        write(close)
    }

    mutating func element(_ open: StaticString, _ close: StaticString, text: StaticString) {
        write(open)
        write(text)
        write(close)
    }

    /// `<section class="…" lang="…">` with its content.
    ///
    /// - Parameter attributes: the others, each as `attribute` writes it.
    mutating func section(
        _ name: StaticString, _ language: Language, attributes: (inout HTMLOutput) -> Void = { _ in },
        _ body: (inout HTMLOutput) -> Void
    ) {
        write("<section")
        attribute("class", words: name)
        attributes(&self)
        attribute("lang", language.rawValue)
        write(">\n")
        body(&self)
        write("</section>\n")
    }

    /// `<p class="…">` with its content.
    mutating func paragraph(_ name: StaticString, _ body: (inout HTMLOutput) -> Void) {
        write(#"<p class=""#)
        write(name)
        element(#"">"#, "</p>\n", body)
    }

    /// ` name="value"`, with its value escaped.
    mutating func attribute(_ name: StaticString, _ value: String) {
        write(" ")
        write(name)
        write(#"=""#)
        text(value)
        write(#"""#)
    }

    /// ` name="value"`, of our own words.
    mutating func attribute(_ name: StaticString, words value: StaticString) {
        write(" ")
        write(name)
        write(#"=""#)
        write(value)
        write(#"""#)
    }

    /// What people typed: it may run from right to left, and is isolated.
    mutating func name(_ text: String) {
        write("<bdi>")
        self.text(text)
        write("</bdi>")
    }

    /// `<a class="…" href="…">…</a>` to a page of this site.
    mutating func link(_ name: StaticString? = nil, to address: Address, _ label: StaticString) {
        write("<a")
        if let name { attribute("class", words: name) }
        href(address)
        element(">", "</a>", text: label)
    }

    mutating func link(to url: StaticString, _ label: StaticString) {
        write(#"<a href=""#)
        write(url)
        element(#"">"#, "</a>", text: label)
    }

    /// The link that asks again: it reloads the document it stands in.
    mutating func retry(after seconds: Int64?, _ label: StaticString) {
        write(#"<a class="retry" href="""#)
        if let seconds { attribute("data-retry-after", String(seconds)) }
        element(">", "</a>", text: label)
    }

    /// A form's field that people don't see.
    mutating func hidden(_ name: String, _ value: String) {
        write(#"<input type="hidden""#)
        attribute("name", name)
        attribute("value", value)
        write(">")
    }

    /// ` method="post" action="…"` to the program itself, whose answer is in the language of the fragment.
    mutating func action(_ address: Address, _ language: Language) {
        write(#" method="post" action="/api"#)
        write(address)
        write("?lang=")
        text(language.rawValue)
        write(#"""#)
    }

    /// ` href="…"` to a page.
    mutating func href(_ address: Address) {
        write(#" href=""#)
        write(address)
        write(#"""#)
    }

    mutating func write(_ address: Address) {
        write(address.before)
        if let key = address.key { buffer.append(url: key) }
        write(address.after)
    }
}

/// An address within the site: fixed text with a key in it.
struct Address {
    let before: StaticString
    var key: String?
    var after: StaticString = ""
}
