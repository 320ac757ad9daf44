import Trips
import Weather

/// Trips in German.
extension German {
    var thousands: String { "." }
    var dollars: Phrase { Phrase("", "\u{A0}$") }

    func nights(_ nights: Int) -> String {
        nights == 1 ? "1 Nacht" : "\(nights.grouped(by: thousands)) Nächte"
    }

    var favourite: StaticString { "Favorit" }
    var yourTrips: StaticString { "Ihre Reisen" }
    var noTrips: StaticString { "Es gibt noch keine Reisen. Planen Sie eine." }

    func total(nights: Int) -> String { "Zusammen: \(self.nights(nights))" }

    var departure: StaticString { "Hinreise" }
    var returning: StaticString { "Rückreise" }
    var nightsLabel: StaticString { "Nächte" }
    var price: StaticString { "Preis" }
    var totalNights: StaticString { "Nächte aller Reisen" }
    var localTimeLabel: StaticString { "Ortszeit" }

    var next: StaticString { "Danach: " }
    var allTrips: StaticString { "Alle Reisen" }
    var edit: StaticString { "Bearbeiten" }
    var deleteTrip: StaticString { "Reise löschen" }
    var share: StaticString { "Teilen" }
    var stopSharing: StaticString { "Nicht mehr teilen" }
    var sharedAddress: StaticString { "Die Adresse zum Teilen" }

    var city: StaticString { "Stadt" }
    var country: StaticString { "Land" }
    var priceInDollars: StaticString { "Preis in US-Dollar" }
    var picture: StaticString { "Bild" }
    var noPicture: StaticString { "Kein Bild" }

    func name(of picture: Picture) -> StaticString {
        switch picture {
        case .city: "Stadt"
        case .harbour: "Hafen"
        case .desert: "Wüste"
        case .mountains: "Berge"
        case .beach: "Strand"
        case .forest: "Wald"
        case .lake: "See"
        case .snow: "Schnee"
        }
    }

    var fieldsAtFault: StaticString { "Noch wurde nichts gespeichert: Einige Felder stimmen nicht." }
    var addToMyTrips: StaticString { "Zu meinen Reisen hinzufügen" }
    var save: StaticString { "Speichern" }
    var cancel: StaticString { "Abbrechen" }

    var deleteQuestion: Phrase { Phrase("", " löschen?") }
    var cannotBeUndone: StaticString { "Das lässt sich nicht rückgängig machen." }
    var delete: StaticString { "Löschen" }
    var forgetQuestion: StaticString { "Meine Reisen vergessen?" }
    var whatIsForgotten: StaticString {
        "Alle Ihre Reisen und ihre geteilten Adressen werden entfernt, und dieser Browser ist hier nicht mehr bekannt."
    }
    var forget: StaticString { "Meine Reisen vergessen" }

    var changedMeanwhile: Phrase { Phrase("", " wurde inzwischen geändert") }
    var whatDiffers: StaticString {
        "Ihre Änderung wurde nicht gespeichert: Die Reise wurde anderswo geändert, nachdem Sie sie geöffnet hatten. Hier unterscheiden sich die beiden."
    }
    var nothingDiffers: StaticString { "Jetzt ist gespeichert, was Sie speichern wollten." }
    var field: StaticString { "Feld" }
    var savedNow: StaticString { "Jetzt gespeichert" }
    var yours: StaticString { "Von Ihnen" }
    var saveMine: StaticString { "Meines speichern" }
    var keepSaved: StaticString { "Behalten, was gespeichert ist" }
    var yes: StaticString { "Ja" }
    var no: StaticString { "Nein" }

    var weatherOfTrips: StaticString { "Das Wetter dort, wohin Ihre Reisen gehen" }
    var toPack: Phrase { Phrase("Einpacken: ", ".") }

    func words(of item: PackingItem) -> StaticString {
        switch item {
        case .umbrella: "Regenschirm"
        case .rainJacket: "Regenjacke"
        case .warmJacket: "warme Jacke"
        case .hatAndGloves: "Mütze und Handschuhe"
        case .snowBoots: "Winterstiefel"
        case .lightClothes: "leichte Kleidung"
        case .sunHat: "Sonnenhut"
        case .sunscreen: "Sonnencreme"
        case .sleepMask: "Schlafmaske"
        case .headTorch: "Stirnlampe"
        }
    }

    var planATrip: StaticString { "Eine Reise planen" }
    func editing(_ city: String) -> String { "\(city) bearbeiten" }
    func deleting(_ city: String) -> String { "\(city) löschen?" }
    func changedMeanwhile(_ city: String) -> String { "\(city) wurde inzwischen geändert" }

    func sentence(of fault: TripFault) -> String {
        switch fault {
        case .city(.missing): "Stadt fehlt. Schreiben Sie, wohin die Reise geht."
        case .city(.unreadable): "Stadt muss Text sein."
        case .city(.tooLong(let limit)):
            "Stadt hat mehr als \(limit) Zeichen. Schreiben Sie einen kürzeren Namen."
        case .country(.missing): "Land fehlt."
        case .country(.unreadable): "Land muss Text sein."
        case .country(.tooLong(let limit)):
            "Land hat mehr als \(limit) Zeichen. Schreiben Sie einen kürzeren Namen."
        case .start(.missing): "Hinreise fehlt. Wählen Sie einen Tag."
        case .start(.unreadable): "Hinreise ist kein Tag des Kalenders. Schreiben Sie ihn wie 2026-12-10."
        case .start(.outOfRange(let range)):
            "Hinreise muss zwischen \(range.lowerBound) und \(range.upperBound) liegen."
        case .nights(.missing): "Nächte fehlen. Schreiben Sie, wie viele."
        case .nights(.unreadable): "Nächte müssen eine ganze Zahl sein."
        case .nights(.outOfRange(let range)):
            "Nächte müssen zwischen \(range.lowerBound) und \(range.upperBound) liegen."
        case .nights(.notAStep(let step)): "Nächte müssen in Schritten von \(step) sein."
        case .price(.missing): "Preis fehlt. Schreiben Sie 0, wo es keinen gibt."
        case .price(.unreadable): "Preis muss eine ganze Zahl von Dollar sein."
        case .price(.outOfRange(let range)):
            "Preis muss zwischen \(dollars(range.lowerBound)) und \(dollars(range.upperBound)) liegen."
        case .price(.notAStep(let step)): "Preis muss in Schritten von \(dollars(step)) sein."
        case .picture(.unreadable): "Dieses Bild gibt es nicht. Wählen Sie ein anderes."
        case .favourite(.unreadable): "Favorit muss true oder false sein."
        }
    }
}
