import Trips
import Weather

/// Writes what is saved of a trip beside what somebody wanted to save, who had seen an older version.
///
/// | element | what it is |
/// | --- | --- |
/// | `section.conflict[data-id][data-version]` | the whole, with `h1` |
/// | `table.conflict-fields` | a row for each field that differs: `tr[data-field]`, what is saved, what was sent |
/// | `form` | the fields that differ as they were sent, with the version of now: `button.primary` saves them, `a.cancel` doesn't |
struct TripConflictHTML {
    private let yours: TripFields
    private let current: Trip
    private let sentences: Sentences
    private let language: Language
    private var phrases: Phrases { sentences.phrases }
    private var saved: TripFields { TripFields(current.plan) }

    init(yours: TripFields, current: Trip, _ presentation: Presentation) {
        self.yours = yours
        self.current = current
        language = presentation.language
        sentences = Sentences(presentation)
    }

    func write(to out: inout HTMLOutput) {
        let differences = TripField.allCases.filter { !$0.isSame(yours, saved) }
        out.section("conflict", language) { out in
            out.attribute("data-id", current.id.description)
            out.attribute("data-version", current.version.description)
        } _: { out in
            out.element("<h1>", "</h1>\n") { out in
                out.name(current.plan.city)
                out.write(phrases.changedMeanwhile)
            }
            if differences.isEmpty {
                out.element("<p>", "</p>\n", text: phrases.nothingDiffers)
                out.element("<p>", "</p>\n") { keep(to: &$0) }
            } else {
                out.element("<p>", "</p>\n", text: phrases.whatDiffers)
                table(differences, to: &out)
                form(differences, to: &out)
            }
        }
    }

    private func table(_ differences: [TripField], to out: inout HTMLOutput) {
        out.write("<table class=\"conflict-fields\">\n<thead><tr>")
        for heading in [phrases.field, phrases.savedNow, phrases.yours] {
            out.element(#"<th scope="col">"#, "</th>", text: heading)
        }
        out.write("</tr></thead>\n<tbody>\n")
        for field in differences {
            out.write("<tr")
            out.attribute("data-field", field.rawValue)
            out.element(#"><th scope="row">"#, "</th>", text: field.label(phrases))
            out.element("<td>", "</td>") { value(of: field, saved, to: &$0) }
            out.element("<td>", "</td></tr>\n") { value(of: field, yours, to: &$0) }
        }
        out.write("</tbody>\n</table>\n")
    }

    private func form(_ differences: [TripField], to out: inout HTMLOutput) {
        out.write("<form")
        out.action(.trip(current.id), language)
        out.write(">")
        out.hidden("version", current.version.description)
        for field in differences { out.hidden(field.rawValue, field.raw(yours)) }
        out.element(#"<button class="primary">"#, "</button> ", text: phrases.saveMine)
        keep(to: &out)
        out.write("</form>\n")
    }

    private func keep(to out: inout HTMLOutput) {
        out.link("cancel", to: .trip(current.id), phrases.keepSaved)
    }

    /// As people read it; what can't be read stands as it was typed.
    private func value(of field: TripField, _ fields: TripFields, to out: inout HTMLOutput) {
        let raw = field.raw(fields)
        switch field {
        case .start:
            guard let day = CalendarDate(raw) else { return out.name(raw) }
            out.time(day) { sentences.date(day, weekday: true, to: &$0) }
        case .price:
            guard let amount = Int(raw) else { return out.name(raw) }
            sentences.dollars(amount, to: &out)
        case .picture where raw.isEmpty: out.write(phrases.noPicture)
        case .picture:
            guard let picture = Picture(rawValue: raw) else { return out.name(raw) }
            out.write(phrases.name(of: picture))
        case .favourite: out.write(fields.isFavourite ? phrases.yes : phrases.no)
        case .city, .country, .nights: out.name(raw.isEmpty ? "–" : raw)
        }
    }
}
