import Weather

/// Writes sentences for one kind of reader. The sentences are the same in every representation; a pen knows what
/// must be escaped where it writes, and whether parts of a sentence are marked.
protocol Pen {
    var out: ByteWriter { get set }
    /// Words that may hold anything.
    mutating func text(_ text: String)
    /// Begins a part of a sentence that a page may want to style.
    mutating func open(_ part: Part)
    mutating func close(_ part: Part)
    /// Begins a moment that programs may want to read.
    mutating func open(_ moment: Moment)
    mutating func closeMoment()
}

extension Pen {
    /// Our own words: they hold nothing that must be escaped anywhere.
    mutating func words(_ words: StaticString) {
        out.append(words)
    }

    mutating func part(_ part: Part, _ body: (inout Self) -> Void) {
        open(part)
        body(&self)
        close(part)
    }

    mutating func moment(_ moment: Moment, _ body: (inout Self) -> Void) {
        open(moment)
        body(&self)
        closeMoment()
    }

    mutating func phrase(_ phrase: Phrase, _ body: (inout Self) -> Void) {
        words(phrase.before)
        body(&self)
        words(phrase.after)
    }
}

/// A part of a sentence with a class of its own in HTML.
enum Part {
    case place, temperature, sky
    case apparent, humidity, wind, precipitation
    case high, low, rain, sun
    case message

    /// The element that marks the part. A name from elsewhere may run from right to left: it is kept apart.
    var tags: (open: StaticString, close: StaticString) {
        switch self {
        case .place: ("<bdi class=\"weather-place\">", "</bdi>")
        case .temperature: ("<span class=\"weather-temperature\">", "</span>")
        case .sky: ("<span class=\"weather-sky\">", "</span>")
        case .apparent: ("<span class=\"weather-apparent\">", "</span>")
        case .humidity: ("<span class=\"weather-humidity\">", "</span>")
        case .wind: ("<span class=\"weather-wind\">", "</span>")
        case .precipitation: ("<span class=\"weather-precipitation\">", "</span>")
        case .high: ("<span class=\"weather-high\">", "</span>")
        case .low: ("<span class=\"weather-low\">", "</span>")
        case .rain: ("<span class=\"weather-rain\">", "</span>")
        case .sun: ("<span class=\"weather-sun\">", "</span>")
        case .message: ("<span class=\"weather-message\">", "</span>")
        }
    }
}

/// Something to stand in a `<time>` element's `datetime`.
enum Moment {
    case day(CalendarDate)
    case local(LocalTime)
    case instant(Instant)
}

/// Writes HTML.
struct HTMLPen: Pen {
    var out: ByteWriter

    mutating func text(_ text: String) { out.append(html: text) }
    mutating func open(_ part: Part) { out.append(part.tags.open) }
    mutating func close(_ part: Part) { out.append(part.tags.close) }

    mutating func open(_ moment: Moment) {
        out.append("<time datetime=\"")
        switch moment {
        case .day(let date): out.append(date)
        case .local(let time): out.append(time)
        case .instant(let instant): out.append(instant: instant)
        }
        out.append("\">")
    }

    mutating func closeMoment() { out.append("</time>") }
}

/// Writes plain text, for a terminal.
struct PlainPen: Pen {
    var out: ByteWriter

    mutating func text(_ text: String) { out.append(plain: text) }
    mutating func open(_ part: Part) {}
    mutating func close(_ part: Part) {}
    mutating func open(_ moment: Moment) {}
    mutating func closeMoment() {}
}

/// Writes the inside of a JSON string.
struct JSONPen: Pen {
    var out: ByteWriter

    mutating func text(_ text: String) { out.append(json: text) }
    mutating func open(_ part: Part) {}
    mutating func close(_ part: Part) {}
    mutating func open(_ moment: Moment) {}
    mutating func closeMoment() {}
}
