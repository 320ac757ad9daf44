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
    private let words: any Words
    private let language: Language

    init(_ form: TripForm, _ language: Language) {
        self.form = form
        self.language = language
        words = language.words
    }

    func write(with pen: inout HTMLPen) {
        pen.words("<form class=\"trip-form\"")
        switch form.purpose {
        case .add(let key):
            pen.attribute("data-purpose", words: "add")
            open(Address(before: "/trips"), with: &pen)
            pen.hidden("key", key)
        case .edit(let id, let version):
            pen.attribute("data-purpose", words: "edit")
            open(.trip(id), with: &pen)
            pen.hidden("version", version)
        }
        pen.words("\n")
        problem(with: &pen)
        fields(with: &pen)
        actions(with: &pen)
        pen.words("</form>\n")
    }

    private func open(_ address: Address, with pen: inout HTMLPen) {
        pen.action(address, language)
        pen.attribute("lang", language.rawValue)
        pen.words(">\n")
    }

    private func problem(with pen: inout HTMLPen) {
        guard form.message != nil || !form.faults.isEmpty else { return }
        pen.element("<p class=\"form-problem\" role=\"alert\">", "</p>\n") { pen in
            if let message = form.message { pen.text(message) } else { pen.words(words.fieldsAtFault) }
        }
    }

    // MARK: Fields

    private func fields(with pen: inout HTMLPen) {
        let fields = form.fields
        input("city", words.city, fields.city, with: &pen) { pen in
            pen.words(
                " autocomplete=\"off\" autocapitalize=\"words\" spellcheck=\"false\" dir=\"auto\" required")
        }
        input("country", words.country, fields.country, with: &pen) { pen in
            pen.words(
                " autocomplete=\"country-name\" autocapitalize=\"words\" spellcheck=\"false\" dir=\"auto\"")
        }
        input("start", words.departure, fields.start, type: "date", with: &pen) { pen in
            pen.words(" min=\"")
            pen.out.append(TripPlan.startRange.lowerBound)
            pen.words("\" max=\"")
            pen.out.append(TripPlan.startRange.upperBound)
            pen.words("\" required")
        }
        input("nights", words.nightsLabel, fields.nights, type: "number", with: &pen) { pen in
            range(TripSpan.nightsRange, step: 1, with: &pen)
        }
        input("price", words.priceInDollars, fields.price, type: "number", with: &pen) { pen in
            range(TripPlan.priceRange, step: TripPlan.priceStep, with: &pen)
        }
        pictures(with: &pen)
        favourite(with: &pen)
    }

    private func input(
        _ name: StaticString, _ label: StaticString, _ value: String, type: StaticString = "text",
        with pen: inout HTMLPen, _ attributes: (inout HTMLPen) -> Void
    ) {
        pen.words("<p class=\"field\"")
        pen.attribute("data-field", words: name)
        pen.words("><label for=\"trip-")
        pen.words(name)
        pen.words("\">")
        pen.words(label)
        pen.words("</label><input id=\"trip-")
        pen.words(name)
        pen.words("\"")
        pen.attribute("name", words: name)
        pen.attribute("type", words: type)
        pen.attribute("value", value)
        attributes(&pen)
        let sentence = fault(name)
        if sentence != nil { invalid(name, with: &pen) }
        pen.words(">")
        write(sentence, name, with: &pen)
        pen.words("</p>\n")
    }

    private func range(_ range: ClosedRange<Int>, step: Int, with pen: inout HTMLPen) {
        pen.words(" min=\"")
        pen.out.append(range.lowerBound)
        pen.words("\" max=\"")
        pen.out.append(range.upperBound)
        pen.words("\" step=\"")
        pen.out.append(step)
        pen.words("\" inputmode=\"numeric\" required")
    }

    /// A picture that isn't of the set is none to choose: where no other is chosen, the trip keeps it.
    private func pictures(with pen: inout HTMLPen) {
        let sentence = fault("picture")
        pen.words("<fieldset class=\"field pictures\" data-field=\"picture\"")
        if sentence != nil { pen.words(" aria-describedby=\"trip-picture-fault\"") }
        pen.words("><legend>")
        pen.words(words.picture)
        pen.words("</legend>\n")
        choice("", isChosen: form.fields.picture.isEmpty, with: &pen) { pen in
            pen.element("<span>", "</span>") { $0.words(words.noPicture) }
        }
        for picture in Picture.allCases {
            choice(picture.rawValue, isChosen: form.fields.picture == picture.rawValue, with: &pen) { pen in
                PictureHTML.writeChoice(picture, with: &pen)
                pen.element(" <span>", "</span>") { $0.words(words.name(of: picture)) }
            }
        }
        write(sentence, "picture", with: &pen)
        pen.words("</fieldset>\n")
    }

    private func choice(
        _ value: String, isChosen: Bool, with pen: inout HTMLPen, _ label: (inout HTMLPen) -> Void
    ) {
        pen.words("<label><input type=\"radio\" name=\"picture\"")
        pen.attribute("value", value)
        if isChosen { pen.words(" checked") }
        pen.words(">")
        label(&pen)
        pen.words("</label>\n")
    }

    /// A box that isn't ticked is not sent: the hidden field before it says so then.
    private func favourite(with pen: inout HTMLPen) {
        let sentence = fault("favourite")
        pen.words("<p class=\"field\" data-field=\"favourite\">")
        pen.hidden("favourite", "false")
        pen.words("<label><input type=\"checkbox\" name=\"favourite\" value=\"true\"")
        if form.fields.isFavourite { pen.words(" checked") }
        if sentence != nil { invalid("favourite", with: &pen) }
        pen.words("> ")
        pen.words(words.favourite)
        pen.words("</label>")
        write(sentence, "favourite", with: &pen)
        pen.words("</p>\n")
    }

    // MARK: Faults

    /// Why a field is at fault, or nil where it isn't.
    private func fault(_ name: StaticString) -> String? {
        let sentences = form.faults.filter { $0.field == name.description }.map(words.sentence)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    private func invalid(_ name: StaticString, with pen: inout HTMLPen) {
        pen.words(" aria-invalid=\"true\" aria-describedby=\"trip-")
        pen.words(name)
        pen.words("-fault\"")
    }

    private func write(_ sentence: String?, _ name: StaticString, with pen: inout HTMLPen) {
        guard let sentence else { return }
        pen.words("<span class=\"fault\" id=\"trip-")
        pen.words(name)
        pen.words("-fault\">")
        pen.text(sentence)
        pen.words("</span>")
    }

    // MARK: What the form does

    private func actions(with pen: inout HTMLPen) {
        let (label, cancel): (StaticString, Address) =
            switch form.purpose {
            case .add: (words.addToMyTrips, .home)
            case .edit(let id, _): (words.save, .trip(id))
            }
        pen.words("<p class=\"form-actions\"><button class=\"primary\">")
        pen.words(label)
        pen.words("</button> <a class=\"cancel\"")
        pen.href(cancel)
        pen.words(">")
        pen.words(words.cancel)
        pen.words("</a></p>\n")
    }
}
