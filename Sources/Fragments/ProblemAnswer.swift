extension Renderer {
    /// A problem: `application/problem+json` (RFC 9457), a failed card, or its sentence as text. The content type
    /// is `Representation.problemContentType`.
    ///
    /// JSON: `type`, `title`, `status`, `detail` as in RFC 9457, section 3.1, and where they say something the
    /// extensions `fields` (each a `name` and a `detail`), `retryAfter` in seconds, `allow` (methods), `accept` (media
    /// types) and `current` (the trip as it is).
    package static func problem(_ problem: Problem, as presentation: Presentation) -> [UInt8] {
        self.problem(problem, form: .weather(.card), as: presentation)
    }

    package static func problem(
        _ problem: Problem, form: CardForm, as presentation: Presentation
    ) -> [UInt8] {
        self.problem(problem, form: .weather(form), as: presentation)
    }

    /// - Parameter form: what it looks like in HTML. A trip that is gone is `section.gone` in all forms.
    package static func problem(
        _ problem: Problem, form: ProblemForm, as presentation: Presentation
    ) -> [UInt8] {
        switch presentation.representation {
        case .json:
            var json = JSONWriter(ByteWriter(reserving: 512))
            json.object { write(problem, to: &$0) }
            return json.finish()
        case .html:
            var pen = HTMLPen(out: ByteWriter(reserving: 512))
            write(problem, form, presentation, with: &pen)
            return pen.out.bytes
        case .text:
            var pen = PlainPen(out: ByteWriter(reserving: 256))
            pen.text(problem.detail)
            pen.words("\n")
            return pen.out.bytes
        }
    }

    private static func write(
        _ problem: Problem, _ form: ProblemForm, _ presentation: Presentation, with pen: inout HTMLPen
    ) {
        let html = ProblemHTML(presentation.language)
        switch form {
        case _ where problem.isGone: html.writeGone(problem, with: &pen)
        case .weather(let form):
            WeatherHTML(Sentences(presentation), presentation.language)
                .write(problem, form: form, with: &pen)
        case .section: html.write(problem, isPage: false, with: &pen)
        case .page: html.write(problem, isPage: true, with: &pen)
        }
    }

    private static func write(_ problem: Problem, to json: inout JSONWriter) {
        json.key("type")
        json.value(problem.type)
        json.key("title")
        json.value(problem.title)
        json.key("status")
        json.value(problem.status)
        json.key("detail")
        json.value(problem.detail)
        if !problem.fields.isEmpty {
            json.key("fields")
            json.array(problem.fields) { json, field in
                json.object { json in
                    json.key("name")
                    json.value(field.name)
                    json.key("detail")
                    json.value(field.detail)
                }
            }
        }
        if let seconds = problem.retryAfterSeconds {
            json.key("retryAfter")
            json.value(Int(seconds))
        }
        if !problem.allow.isEmpty {
            json.key("allow")
            json.array(problem.allow) { $0.value($1) }
        }
        if !problem.accept.isEmpty {
            json.key("accept")
            json.array(problem.accept) { $0.value($1) }
        }
        if let current = problem.current {
            json.key("current")
            TripsJSON.write(current, to: &json)
        }
    }
}
