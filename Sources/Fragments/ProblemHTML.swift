/// Writes problems of addresses that aren't weather's.
///
/// | element | what it is |
/// | --- | --- |
/// | `section.problem[data-state=failed]` | the whole, with its title as `h2.problem-title`, or `h1` in a document of its own |
/// | `p.problem-detail` | what happened and what to do |
/// | `ul.problem-faults > li[data-field]` | in its place, where parts of the request are wrong |
/// | `a.retry` | in a page that includes it: the link that asks again |
/// | `a.all-trips` | in a document of its own: the way on |
/// | `section.gone[data-state=gone]` | a trip that isn't there |
struct ProblemHTML {
    private let language: Language
    private var words: any Words { language.words }

    init(_ language: Language) {
        self.language = language
    }

    func write(_ problem: Problem, isPage: Bool, with pen: inout HTMLPen) {
        pen.words("<section class=\"problem\" data-state=\"failed\"")
        pen.attribute("lang", language.rawValue)
        pen.words(">\n")
        if isPage {
            pen.element("<h1>", "</h1>\n") { $0.text(problem.title) }
        } else {
            pen.element("<h2 class=\"problem-title\">", "</h2>\n") { $0.text(problem.title) }
        }
        if problem.fields.isEmpty {
            pen.element("<p class=\"problem-detail\">", "</p>\n") { $0.text(problem.detail) }
        } else {
            faults(problem.fields, with: &pen)
        }
        if isPage {
            allTrips(with: &pen)
        } else {
            pen.element("<p><a class=\"retry\" href=\"\">", "</a></p>\n") { $0.words(words.retry) }
        }
        pen.words("</section>\n")
    }

    func writeGone(_ problem: Problem, with pen: inout HTMLPen) {
        pen.words("<section class=\"gone\" data-state=\"gone\"")
        pen.attribute("lang", language.rawValue)
        pen.words(">\n")
        pen.element("<h1>", "</h1>\n") { $0.text(problem.title) }
        pen.element("<p>", "</p>\n") { $0.text(problem.detail) }
        allTrips(with: &pen)
        pen.words("</section>\n")
    }

    private func faults(_ fields: [Problem.Field], with pen: inout HTMLPen) {
        pen.words("<ul class=\"problem-faults\">\n")
        for field in fields {
            pen.words("<li")
            pen.attribute("data-field", field.name)
            pen.words(">")
            pen.text(field.detail)
            pen.words("</li>\n")
        }
        pen.words("</ul>\n")
    }

    private func allTrips(with pen: inout HTMLPen) {
        pen.element("<p><a class=\"all-trips\" href=\"/\">", "</a></p>\n") { $0.words(words.allTrips) }
    }
}
