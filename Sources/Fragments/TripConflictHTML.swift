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
    private var words: any Words { sentences.words }

    init(yours: TripFields, current: Trip, _ presentation: Presentation) {
        self.yours = yours
        self.current = current
        language = presentation.language
        sentences = Sentences(presentation)
    }

    func write(with pen: inout HTMLPen) {
        let differences = Field.allCases.filter { !$0.isSame(yours, saved) }
        pen.words("<section class=\"conflict\"")
        pen.attribute("data-id", current.id.description)
        pen.attribute("data-version", current.version.description)
        pen.attribute("lang", language.rawValue)
        pen.words(">\n")
        pen.element("<h1>", "</h1>\n") { pen in
            pen.phrase(words.changedMeanwhile) { $0.name(current.plan.city) }
        }
        pen.element("<p>", "</p>\n") {
            $0.words(differences.isEmpty ? words.nothingDiffers : words.whatDiffers)
        }
        if differences.isEmpty {
            pen.element("<p>", "</p>\n") { keep(with: &$0) }
        } else {
            table(differences, with: &pen)
            form(differences, with: &pen)
        }
        pen.words("</section>\n")
    }

    private var saved: TripFields { TripFields(current.plan) }

    private func table(_ differences: [Field], with pen: inout HTMLPen) {
        pen.words("<table class=\"conflict-fields\">\n<thead><tr>")
        for heading in [words.field, words.savedNow, words.yours] {
            pen.element("<th scope=\"col\">", "</th>") { $0.words(heading) }
        }
        pen.words("</tr></thead>\n<tbody>\n")
        for field in differences {
            pen.words("<tr")
            pen.attribute("data-field", words: field.name)
            pen.words(">")
            pen.element("<th scope=\"row\">", "</th>") { $0.words(field.label(words)) }
            pen.element("<td>", "</td>") { value(of: field, saved, with: &$0) }
            pen.element("<td>", "</td></tr>\n") { value(of: field, yours, with: &$0) }
        }
        pen.words("</tbody>\n</table>\n")
    }

    private func form(_ differences: [Field], with pen: inout HTMLPen) {
        pen.words("<form")
        pen.action(.trip(current.id), language)
        pen.words(">")
        pen.hidden("version", current.version.description)
        for field in differences { pen.hidden(field.name, field.raw(yours)) }
        pen.element("<button class=\"primary\">", "</button> ") { $0.words(words.saveMine) }
        keep(with: &pen)
        pen.words("</form>\n")
    }

    private func keep(with pen: inout HTMLPen) {
        pen.words("<a class=\"cancel\"")
        pen.href(.trip(current.id))
        pen.words(">")
        pen.words(words.keepSaved)
        pen.words("</a>")
    }

    /// As people read it; what can't be read stands as it was typed.
    private func value(of field: Field, _ fields: TripFields, with pen: inout HTMLPen) {
        let raw = field.raw(fields)
        switch field {
        case .start:
            guard let day = CalendarDate(raw) else { return pen.name(raw) }
            pen.moment(.day(day)) { sentences.date(day, weekday: true, with: &$0) }
        case .price:
            guard let amount = Int(raw) else { return pen.name(raw) }
            sentences.dollars(amount, with: &pen)
        case .picture:
            if raw.isEmpty {
                pen.words(words.noPicture)
            } else if let picture = Picture(rawValue: raw) {
                pen.words(words.name(of: picture))
            } else {
                pen.name(raw)
            }
        case .favourite: pen.words(fields.isFavourite ? words.yes : words.no)
        case .city, .country, .nights: pen.name(raw.isEmpty ? "–" : raw)
        }
    }
}

/// A field of a trip, in the order of the form.
private enum Field: CaseIterable {
    case city, country, start, nights, price, picture, favourite

    var name: StaticString {
        switch self {
        case .city: "city"
        case .country: "country"
        case .start: "start"
        case .nights: "nights"
        case .price: "price"
        case .picture: "picture"
        case .favourite: "favourite"
        }
    }

    func label(_ words: any Words) -> StaticString {
        switch self {
        case .city: words.city
        case .country: words.country
        case .start: words.departure
        case .nights: words.nightsLabel
        case .price: words.price
        case .picture: words.picture
        case .favourite: words.favourite
        }
    }

    /// As a form sends it.
    func raw(_ fields: TripFields) -> String {
        switch self {
        case .city: fields.city
        case .country: fields.country
        case .start: fields.start
        case .nights: fields.nights
        case .price: fields.price
        case .picture: fields.picture
        case .favourite: fields.isFavourite ? "true" : "false"
        }
    }

    /// Whether both would be saved as the same.
    func isSame(_ first: TripFields, _ second: TripFields) -> Bool {
        let (first, second) = (raw(first), raw(second))
        switch self {
        case .city, .country: return PlaceText.normalised(first) == PlaceText.normalised(second)
        case .nights, .price:
            if let first = Int(first), let second = Int(second) { return first == second }
            return first == second
        case .start, .picture, .favourite: return first == second
        }
    }
}
