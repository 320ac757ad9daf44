extension Renderer {
    /// A problem: `application/problem+json` (RFC 9457), a failed card, or its sentence as text. The content type
    /// is `Representation.problemContentType`.
    ///
    /// JSON: `type`, `title`, `status`, `detail` as in RFC 9457, section 3.1, and where they say something the
    /// extensions `fields` (each a `name` and a `detail`), `retryAfter` in seconds and `allow` (methods).
    package static func problem(_ problem: Problem, as presentation: Presentation) -> [UInt8] {
        switch presentation.representation {
        case .json:
            var json = JSONWriter(ByteWriter(reserving: 512))
            json.object { write(problem, to: &$0) }
            return json.finish()
        case .html:
            var pen = HTMLPen(out: ByteWriter(reserving: 512))
            WeatherHTML(Sentences(presentation), presentation.language).write(problem, with: &pen)
            return pen.out.bytes
        case .text:
            var pen = PlainPen(out: ByteWriter(reserving: 256))
            pen.text(problem.detail)
            pen.words("\n")
            return pen.out.bytes
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
    }
}
