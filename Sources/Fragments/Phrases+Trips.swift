import Trips

extension Phrases {
    // MARK: A trip

    func nights(_ nights: Int) -> String {
        let number = nights.grouped(by: thousands)
        return nights == 1 ? pick("1 night", "1 Nacht") : pick("\(number) nights", "\(number) Nächte")
    }

    var favourite: StaticString { pick("Favourite", "Favorit") }
    var yourTrips: StaticString { pick("Your trips", "Ihre Reisen") }
    var noTrips: StaticString {
        pick("There are no trips yet. Plan one.", "Es gibt noch keine Reisen. Planen Sie eine.")
    }

    /// Said of trips that nobody has changed.
    var theseAreExamples: StaticString {
        pick(
            "These are examples. Plan a trip of your own, or change one of these.",
            "Das sind Beispiele. Planen Sie eine eigene Reise, oder ändern Sie eine von diesen.")
    }
    var example: StaticString { pick("Example", "Beispiel") }

    /// Over the trips of one phase.
    func heading(of phase: TripPhase) -> StaticString {
        switch phase {
        case .underWay: pick("Under way", "Unterwegs")
        case .upcoming: pick("Upcoming", "Demnächst")
        case .over: pick("Over", "Vorbei")
        }
    }

    func when(_ phase: TripPhase) -> String {
        switch phase {
        case .underWay: pick("under way", "läuft gerade")
        case .upcoming(days: 1): pick("tomorrow", "morgen")
        case .upcoming(let days): pick("in \(days) days", "in \(days) Tagen")
        case .over: pick("over", "vorbei")
        }
    }

    /// Said of all trips, for people who read lines.
    func total(nights: Int) -> String {
        pick("In all: \(self.nights(nights))", "Zusammen: \(self.nights(nights))")
    }

    // MARK: The boarding pass

    var departure: StaticString { pick("Departure", "Hinreise") }
    var returning: StaticString { pick("Return", "Rückreise") }
    var nightsLabel: StaticString { pick("Nights", "Nächte") }
    var price: StaticString { pick("Price", "Preis") }
    var totalNights: StaticString { pick("Nights over all trips", "Nächte aller Reisen") }
    /// Before the time in the city.
    var localTimeLabel: StaticString { pick("Local time", "Ortszeit") }

    // MARK: The trip card

    /// Before the next trip's city.
    var next: StaticString { pick("Next: ", "Danach: ") }
    var allTrips: StaticString { pick("All trips", "Alle Reisen") }
    var edit: StaticString { pick("Edit", "Bearbeiten") }
    var deleteTrip: StaticString { pick("Delete trip", "Reise löschen") }
    var share: StaticString { pick("Share", "Teilen") }
    var stopSharing: StaticString { pick("Stop sharing", "Nicht mehr teilen") }
    var sharedAddress: StaticString { pick("The address to share", "Die Adresse zum Teilen") }
    var weatherOfTrips: StaticString {
        pick("The weather at your destinations", "Das Wetter an Ihren Reisezielen")
    }

    // MARK: Forms

    var planATrip: StaticString { pick("Plan a trip", "Eine Reise planen") }
    func editing(_ city: String) -> String { pick("Edit \(city)", "\(city) bearbeiten") }
    var city: StaticString { pick("City", "Stadt") }
    var country: StaticString { pick("Country", "Land") }
    var priceInDollars: StaticString { pick("Price in US dollars", "Preis in US-Dollar") }
    var picture: StaticString { pick("Picture", "Bild") }
    var noPicture: StaticString { pick("No picture", "Kein Bild") }

    func name(of picture: Picture) -> StaticString {
        switch picture {
        case .city: pick("City", "Stadt")
        case .harbour: pick("Harbour", "Hafen")
        case .desert: pick("Desert", "Wüste")
        case .mountains: pick("Mountains", "Berge")
        case .beach: pick("Beach", "Strand")
        case .forest: pick("Forest", "Wald")
        case .lake: pick("Lake", "See")
        case .snow: pick("Snow", "Schnee")
        }
    }

    /// Said before the fields, each of which says what is wrong with it.
    var fieldsAtFault: StaticString {
        pick(
            "Nothing was saved yet: please check the fields below.",
            "Noch wurde nichts gespeichert: Bitte prüfen Sie die Felder unten.")
    }
    var addToMyTrips: StaticString { pick("Add to my trips", "Zu meinen Reisen hinzufügen") }
    var save: StaticString { pick("Save", "Speichern") }
    var cancel: StaticString { pick("Cancel", "Abbrechen") }

    // MARK: Questions

    /// Around the city's name.
    var deleteQuestion: Template { pick(Template("Delete ", "?"), Template("", " löschen?")) }
    func deleting(_ city: String) -> String { pick("Delete \(city)?", "\(city) löschen?") }
    var cannotBeUndone: StaticString {
        pick("This cannot be undone.", "Das lässt sich nicht rückgängig machen.")
    }
    var delete: StaticString { pick("Delete", "Löschen") }
    var forgetQuestion: StaticString { pick("Forget my trips?", "Meine Reisen vergessen?") }
    var whatIsForgotten: StaticString {
        pick(
            "All your trips and their shared addresses are removed, and this site no longer recognises your browser.",
            "Alle Ihre Reisen und ihre geteilten Adressen werden entfernt, und dieser Browser ist hier nicht mehr bekannt."
        )
    }
    var forget: StaticString { pick("Forget my trips", "Meine Reisen vergessen") }

    // MARK: A conflict

    /// After the city's name.
    var changedMeanwhile: StaticString { pick(" was changed meanwhile", " wurde inzwischen geändert") }
    var whatDiffers: StaticString {
        pick(
            "Your change was not saved: the trip was changed elsewhere after you opened it. This is what differs.",
            "Ihre Änderung wurde nicht gespeichert: Die Reise wurde anderswo geändert, nachdem Sie sie geöffnet hatten. Hier unterscheiden sich die beiden."
        )
    }
    var nothingDiffers: StaticString {
        pick(
            "What is saved now is what you wanted to save.",
            "Jetzt ist gespeichert, was Sie speichern wollten.")
    }
    var field: StaticString { pick("Field", "Feld") }
    var savedNow: StaticString { pick("Saved now", "Jetzt gespeichert") }
    var yours: StaticString { pick("Yours", "Von Ihnen") }
    var saveMine: StaticString { pick("Save mine", "Meines speichern") }
    var keepSaved: StaticString { pick("Keep what is saved", "Behalten, was gespeichert ist") }
    var yes: StaticString { pick("Yes", "Ja") }
    var no: StaticString { pick("No", "Nein") }

    // MARK: Faults

    func sentence(of fault: TripFault) -> String {
        wording(of: fault)(language)
    }

    @SideBySide private func wording(of fault: TripFault) -> (Language) -> String {
        switch fault {
        case .city(.missing):
            "City is missing. Write where the trip goes."
            "Stadt fehlt. Schreiben Sie, wohin die Reise geht."
        case .city(let why): wording(ofText: why, city)
        case .country(let why): wording(ofText: why, country)
        case .start(.missing):
            "Departure is missing. Choose a day."
            "Hinreise fehlt. Wählen Sie einen Tag."
        case .start(.outOfRange(let range)):
            "Departure must be from \(range.lowerBound) to \(range.upperBound)."
            "Hinreise muss zwischen \(range.lowerBound) und \(range.upperBound) liegen."
        case .start(.unreadable): wording(of: .notADate, "\(departure)")
        case .nights(.missing):
            "Nights are missing. Write how many."
            "Nächte fehlen. Schreiben Sie, wie viele."
        case .nights(.unreadable):
            "Nights must be a whole number."
            "Nächte müssen eine ganze Zahl sein."
        case .nights(.outOfRange(let range)):
            "Nights must be from \(range.lowerBound) to \(range.upperBound)."
            "Nächte müssen zwischen \(range.lowerBound) und \(range.upperBound) liegen."
        case .nights(.notAStep(let step)):
            "Nights must be in steps of \(step)."
            "Nächte müssen in Schritten von \(step) sein."
        case .price(.missing):
            "Price is missing. Write 0 if there is none."
            "Preis fehlt. Schreiben Sie 0, wenn es keinen gibt."
        case .price(.unreadable):
            "Price must be a whole number of dollars."
            "Preis muss eine ganze Zahl von Dollar sein."
        case .price(.outOfRange(let range)):
            "Price must be from \(dollars(range.lowerBound)) to \(dollars(range.upperBound))."
            "Preis muss zwischen \(dollars(range.lowerBound)) und \(dollars(range.upperBound)) liegen."
        case .price(.notAStep(let step)):
            "Price must be in steps of \(dollars(step))."
            "Preis muss in Schritten von \(dollars(step)) sein."
        case .picture:
            "There is no such picture. Choose another."
            "Dieses Bild gibt es nicht. Wählen Sie ein anderes."
        case .favourite: wording(of: .notOneOf(["true", "false"]), "\(favourite)")
        case .place(.unreadable):
            "The place needs a placeId, or latitude and longitude."
            "Der Ort braucht eine placeId oder Breite und Länge."
        case .place(.unknown):
            "Open-Meteo knows no place of this number."
            "Open-Meteo kennt keinen Ort mit dieser Nummer."
        case .place(.farApart(let kilometres)):
            "The place's number and coordinates are more than \(kilometres) km apart."
            "Nummer und Koordinaten des Ortes liegen mehr als \(kilometres) km auseinander."
        }
    }

    @SideBySide
    private func wording(ofText why: TripFault.Text, _ label: StaticString) -> (Language) -> String {
        switch why {
        case .missing: wording(of: .missing, "\(label)")
        case .unreadable:
            "\(label) must be text."
            "\(label) muss Text sein."
        case .tooLong(let limit): wording(of: .tooLong(limit: limit), "\(label)")
        }
    }
}
