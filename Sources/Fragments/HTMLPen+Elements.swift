/// Pieces of HTML that several fragments are made of.
extension HTMLPen {
    /// ` name="value"`, with its value escaped.
    mutating func attribute(_ name: StaticString, _ value: String) {
        words(" ")
        words(name)
        words("=\"")
        text(value)
        words("\"")
    }

    /// ` name="value"`, of our own words.
    mutating func attribute(_ name: StaticString, words value: StaticString) {
        words(" ")
        words(name)
        words("=\"")
        words(value)
        words("\"")
    }

    /// What people typed: it may run from right to left, and is kept apart.
    mutating func name(_ text: String) {
        words("<bdi>")
        self.text(text)
        words("</bdi>")
    }

    /// - Parameters:
    ///   - open: the start tag, whole.
    ///   - close: the end tag.
    mutating func element(_ open: StaticString, _ close: StaticString, _ body: (inout HTMLPen) -> Void) {
        words(open)
        body(&self)
        words(close)
    }

    /// A form's field that people don't see.
    mutating func hidden(_ name: StaticString, _ value: String) {
        words("<input type=\"hidden\"")
        attribute("name", words: name)
        attribute("value", value)
        words(">")
    }

    /// ` method="post" action="…"` to the program itself, whose answer is in the language of the fragment.
    mutating func action(_ address: Address, _ language: Language) {
        words(" method=\"post\" action=\"/api")
        write(address)
        words("?lang=")
        text(language.rawValue)
        words("\"")
    }

    /// ` href="…"` to a page.
    mutating func href(_ address: Address) {
        words(" href=\"")
        write(address)
        words("\"")
    }

    mutating func write(_ address: Address) {
        words(address.before)
        if let key = address.key { out.append(url: key) }
        words(address.after)
    }
}

/// An address within the site: fixed words with a key among them.
struct Address {
    let before: StaticString
    var key: String?
    var after: StaticString = ""
}
