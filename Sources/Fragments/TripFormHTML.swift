import Trips
import Weather

/// Writes the form that adds or changes a trip.
///
/// | element | what it is |
/// | --- | --- |
/// | `form.trip-form[data-purpose]` | the whole: `add`, with a hidden `key`, or `edit`, with a hidden `version` |
/// | `p.form-problem[role=alert]` | what is wrong as a whole, and that fields are at fault |
/// | `p.field[data-field]` | a label and an input of the field's name, with id `trip-city` and so on |
/// | `span.fault` | why the field is at fault, with id `trip-city-fault` and so on; its input says `aria-invalid` |
/// | `fieldset.field.pictures[data-field]` | the pictures to choose from |
/// | `p.form-actions` | `button.primary` and `a.cancel` |
struct TripFormHTML {
    private let form: TripForm
    private let phrases: Phrases
    private let language: Language

    init(_ form: TripForm, _ language: Language) {
        self.form = form
        self.language = language
        phrases = language.phrases
    }

    func write(to out: inout HTMLOutput) {
        out.write(#"<form class="trip-form""#)
        switch form.purpose {
        case .add(let key):
            open("add", Address(before: "/trips"), to: &out)
            out.hidden("key", key)
        case .edit(let id, let version):
            open("edit", .trip(id), to: &out)
            out.hidden("version", version)
        }
        out.hidden("placeId", form.fields.placeID)
        out.hidden("latitude", form.fields.latitude)
        out.hidden("longitude", form.fields.longitude)
        out.write("\n")
        if form.message != nil || !form.faults.isEmpty {
            out.element(#"<p class="form-problem" role="alert">"#, "</p>\n") { out in
                if let message = form.message { out.text(message) } else { out.write(phrases.fieldsAtFault) }
            }
        }
        input(.city, to: &out) { out in
            out.write(#" autocomplete="off" autocapitalize="words" spellcheck="false" dir="auto" required"#)
        }
        input(.country, to: &out) { out in
            out.write(#" autocomplete="country-name" autocapitalize="words" spellcheck="false" dir="auto""#)
        }
        input(.start, type: "date", to: &out) { out in
            out.attribute("min", TripPlan.startRange.lowerBound.description)
            out.attribute("max", TripPlan.startRange.upperBound.description)
            out.write(" required")
        }
        input(.nights, type: "number", to: &out) { range(TripSpan.nightsRange, step: 1, to: &$0) }
        input(.price, type: "number", label: phrases.priceInDollars, to: &out) {
            range(TripPlan.priceRange, step: TripPlan.priceStep, to: &$0)
        }
        pictures(to: &out)
        favourite(to: &out)
        actions(to: &out)
        out.write("</form>\n")
    }

    private func open(_ purpose: StaticString, _ address: Address, to out: inout HTMLOutput) {
        out.attribute("data-purpose", words: purpose)
        out.action(address, language)
        out.attribute("lang", language.rawValue)
        out.write(">\n")
    }

    // MARK: Fields

    private func input(
        _ field: TripField, type: StaticString = "text", label: StaticString? = nil, to out: inout HTMLOutput,
        _ attributes: (inout HTMLOutput) -> Void
    ) {
        out.write(#"<p class="field""#)
        out.attribute("data-field", field.rawValue)
        out.write(#"><label for="trip-"#)
        out.text(field.rawValue)
        out.element(#"">"#, "</label>", text: label ?? field.label(phrases))
        out.write(#"<input id="trip-"#)
        out.text(field.rawValue)
        out.write(#"""#)
        out.attribute("name", field.rawValue)
        out.attribute("type", words: type)
        out.attribute("value", field.raw(form.fields))
        attributes(&out)
        let sentence = fault(field)
        if sentence != nil { invalid(field, to: &out) }
        out.write(">")
        write(sentence, field, to: &out)
        out.write("</p>\n")
    }

    private func range(_ range: ClosedRange<Int>, step: Int, to out: inout HTMLOutput) {
        out.attribute("min", String(range.lowerBound))
        out.attribute("max", String(range.upperBound))
        out.attribute("step", String(step))
        out.write(#" inputmode="numeric" required"#)
    }

    /// A picture that isn't of the set is none to choose: if no other is chosen, the trip keeps it.
    private func pictures(to out: inout HTMLOutput) {
        let sentence = fault(.picture)
        out.write(#"<fieldset class="field pictures" data-field="picture""#)
        if sentence != nil { out.write(#" aria-describedby="trip-picture-fault""#) }
        out.element("><legend>", "</legend>\n", text: phrases.picture)
        choice("", isChosen: form.fields.picture.isEmpty, to: &out) { out in
            out.element("<span>", "</span>", text: phrases.noPicture)
        }
        for picture in Picture.allCases {
            choice(picture.rawValue, isChosen: form.fields.picture == picture.rawValue, to: &out) { out in
                PictureHTML.writeChoice(picture, to: &out)
                out.element(" <span>", "</span>", text: phrases.name(of: picture))
            }
        }
        write(sentence, .picture, to: &out)
        out.write("</fieldset>\n")
    }

    private func choice(
        _ value: String, isChosen: Bool, to out: inout HTMLOutput, _ label: (inout HTMLOutput) -> Void
    ) {
        out.write(#"<label><input type="radio" name="picture""#)
        out.attribute("value", value)
        if isChosen { out.write(" checked") }
        out.element(">", "</label>\n", label)
    }

    /// A box that isn't ticked is not sent: the hidden field before it says so then.
    private func favourite(to out: inout HTMLOutput) {
        let sentence = fault(.favourite)
        out.write(#"<p class="field" data-field="favourite">"#)
        out.hidden("favourite", "false")
        out.write(#"<label><input type="checkbox" name="favourite" value="true""#)
        if form.fields.isFavourite { out.write(" checked") }
        if sentence != nil { invalid(.favourite, to: &out) }
        out.element("> ", "</label>", text: phrases.favourite)
        write(sentence, .favourite, to: &out)
        out.write("</p>\n")
    }

    // MARK: Faults

    /// Why a field is at fault, or nil if it isn't.
    private func fault(_ field: TripField) -> String? {
        let sentences = form.faults.filter { $0.field == field.rawValue }.map(phrases.sentence)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    private func invalid(_ field: TripField, to out: inout HTMLOutput) {
        out.write(#" aria-invalid="true" aria-describedby="trip-"#)
        out.text(field.rawValue)
        out.write(#"-fault""#)
    }

    private func write(_ sentence: String?, _ field: TripField, to out: inout HTMLOutput) {
        guard let sentence else { return }
        out.write(#"<span class="fault" id="trip-"#)
        out.text(field.rawValue)
        out.element(#"-fault">"#, "</span>") { $0.text(sentence) }
    }

    // MARK: What the form does

    private func actions(to out: inout HTMLOutput) {
        let (label, cancel): (StaticString, Address) =
            switch form.purpose {
            case .add: (phrases.addToMyTrips, .home)
            case .edit(let id, _): (phrases.save, .trip(id))
            }
        out.paragraph("form-actions") { out in
            out.element(#"<button class="primary">"#, "</button> ", text: label)
            out.link("cancel", to: cancel, phrases.cancel)
        }
    }
}
