/// What a document of the program's own is about: its title.
package enum DocumentTitle: Sendable, Hashable {
    /// A form that adds a trip, shown again.
    case adding
    case editing(city: String)
    case deleting(city: String)
    case conflict(city: String)
    case forgetting
    case problem(Problem)

    func text(_ phrases: Phrases) -> String {
        switch self {
        case .adding: phrases.planATrip.description
        case .editing(let city): phrases.editing(city)
        case .deleting(let city): phrases.deleting(city)
        case .conflict(let city): "\(city)\(phrases.changedMeanwhile)"
        case .forgetting: phrases.forgetQuestion.description
        case .problem(let problem): problem.title
        }
    }
}

/// Writes a whole document around a fragment, as the pages are that the web server brings: what a browser gets that
/// sent a form and can't be shown a page.
struct Document {
    private let title: String
    private let presentation: Presentation

    init(_ title: String, _ presentation: Presentation) {
        self.title = title
        self.presentation = presentation
    }

    func write(_ fragment: [UInt8], to out: inout HTMLOutput) {
        out.write("<!doctype html>\n<html")
        out.attribute("lang", presentation.language.rawValue)
        out.attribute("data-units", presentation.units.rawValue)
        out.write(
            """
            >
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>
            """)
        out.text(title)
        out.write(
            """
             – Trip Weather</title>
            <meta name="application-name" content="Trip Weather">
            <meta name="theme-color" content="#d7e7f7" media="(prefers-color-scheme: light)">
            <meta name="theme-color" content="#152a42" media="(prefers-color-scheme: dark)">
            <link rel="icon" href="/icons/trip-weather.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/css/weather.css">
            <link rel="stylesheet" href="/css/page.css">
            <link rel="stylesheet" href="/css/planner.css">
            <link rel="stylesheet" href="/css/trips.css">
            <link rel="stylesheet" href="/css/trip.css">
            <script type="module" src="/js/page.js"></script>
            </head>
            <body>
            <header>
            <p class="name"><a href="/"><img src="/icons/trip-weather.svg" alt="" width="44" height="38">\
            Trip Weather</a></p>
            </header>
            <main>

            """)
        if Document.hasHeading(fragment) {
            out.buffer.append(contentsOf: fragment)
        } else {
            out.element("<div class=\"sheet\">\n", "</div>\n") { out in
                out.element(#"<h1 class="sheet-title">"#, "</h1>\n") { $0.text(title) }
                out.buffer.append(contentsOf: fragment)
            }
        }
        out.write("</main>\n</body>\n</html>\n")
    }

    /// Whether the fragment brings the heading that each document has. What people typed can't be taken for one: its
    /// "<" is escaped.
    private static func hasHeading(_ fragment: [UInt8]) -> Bool {
        let heading = Array("<h1".utf8)
        return fragment.indices.contains { fragment[$0...].starts(with: heading) }
    }
}
