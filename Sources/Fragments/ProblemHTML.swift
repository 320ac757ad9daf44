package import Trips

/// What a problem looks like in HTML.
package enum ProblemForm: Sendable, Hashable {
    /// A failed card, if weather was asked for, where a trip of the reader's goes if it is one.
    case weather(CardForm, of: TripID? = nil)
    /// `section.problem` with Retry, for a page that includes it among others.
    case section
    /// The same with a heading of the first level and the way back to all trips, for a document of its own.
    case page
}

extension Renderer {
    /// A problem: `application/problem+json` (RFC 9457), a failed card, or its sentence as text or picture. The content type
    /// is `Representation.problemContentType`.
    ///
    /// JSON: `type`, `title`, `status`, `detail` as in RFC 9457, section 3.1, and if they say something the
    /// extensions `fields` (each a `name` and a `detail`, at most twenty), `retryAfter` in seconds, `allow` (methods),
    /// `accept` (media types) and `current` (the trip as it is).
    ///
    /// - Parameter form: what it looks like in HTML. A trip that is gone is `section.gone` in all forms.
    package static func problem(
        _ problem: Problem, form: ProblemForm = .weather(.card), as presentation: Presentation
    ) -> [UInt8] {
        if presentation.representation == .svg {
            return svg(2_560) { WeatherSVG(presentation).write(problem, to: &$0) }
        }
        return render(512, presentation) { json in
            json.object { write(problem, to: &$0) }
        } html: { out in
            let html = ProblemHTML(language: presentation.language)
            switch form {
            case _ where problem.isGone: html.writeGone(problem, to: &out)
            case .weather(let form, let trip):
                WeatherHTML(presentation).write(problem, form: form, of: trip, to: &out)
            case .section: html.write(problem, isPage: false, to: &out)
            case .page: html.write(problem, isPage: true, to: &out)
            }
        } text: { out in
            out.line { $0.text(problem.detail) }
        }
    }

    private static func write(_ problem: Problem, to json: inout JSONWriter) {
        json.member("type", problem.type)
        json.member("title", problem.title)
        json.member("status", problem.status)
        json.member("detail", problem.detail)
        if !problem.fields.isEmpty {
            json.array("fields", problem.fields) { json, field in
                json.object { json in
                    json.member("name", field.name)
                    json.member("detail", field.detail)
                }
            }
        }
        if let seconds = problem.retryAfterSeconds { json.member("retryAfter", Int(seconds)) }
        if !problem.allow.isEmpty { json.array("allow", problem.allow) { $0.value($1) } }
        if !problem.accept.isEmpty { json.array("accept", problem.accept) { $0.value($1) } }
        if let current = problem.current {
            json.key("current")
            TripsJSON.write(current, to: &json)
        }
    }
}

/// Writes problems of addresses that aren't weather's.
///
/// | element | what it is |
/// | --- | --- |
/// | `section.problem[data-state=failed]` | the whole, with its title as `h2.problem-title`, or `h1` in a document of its own |
/// | `p.problem-detail` | what happened and what to do |
/// | `ul.problem-faults > li[data-field]` | in its place, if parts of the request are wrong |
/// | `a.retry[data-retry-after]` | in a page that includes it: the link that asks again; the seconds after which that will help, if known |
/// | `a.all-trips` | in a document of its own: the way on |
/// | `section.gone[data-state=gone]` | a trip that isn't there |
struct ProblemHTML {
    let language: Language

    func write(_ problem: Problem, isPage: Bool, to out: inout HTMLOutput) {
        out.section("problem", language) { out in
            out.attribute("data-state", words: "failed")
        } _: { out in
            if isPage {
                out.element("<h1>", "</h1>\n") { $0.text(problem.title) }
            } else {
                out.element(#"<h2 class="problem-title">"#, "</h2>\n") { $0.text(problem.title) }
            }
            if problem.fields.isEmpty {
                out.paragraph("problem-detail") { $0.text(problem.detail) }
            } else {
                out.write("<ul class=\"problem-faults\">\n")
                for field in problem.fields {
                    out.write("<li")
                    out.attribute("data-field", field.name)
                    out.element(">", "</li>\n") { $0.text(field.detail) }
                }
                out.write("</ul>\n")
            }
            if isPage {
                allTrips(to: &out)
            } else {
                out.element("<p>", "</p>\n") {
                    $0.retry(after: problem.retryAfterSeconds, language.phrases.retry)
                }
            }
        }
    }

    func writeGone(_ problem: Problem, to out: inout HTMLOutput) {
        out.section("gone", language) { out in
            out.attribute("data-state", words: "gone")
        } _: { out in
            out.element("<h1>", "</h1>\n") { $0.text(problem.title) }
            out.element("<p>", "</p>\n") { $0.text(problem.detail) }
            allTrips(to: &out)
        }
    }

    private func allTrips(to out: inout HTMLOutput) {
        out.element("<p>", "</p>\n") { $0.link("all-trips", to: .home, language.phrases.allTrips) }
    }
}
