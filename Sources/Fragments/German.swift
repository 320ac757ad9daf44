struct German: Words {
    var clear: StaticString { "Klarer Himmel" }
    var mainlyClear: StaticString { "Überwiegend klar" }
    var partlyCloudy: StaticString { "Teilweise bewölkt" }
    var overcast: StaticString { "Bedeckt" }
    var fog: StaticString { "Nebel" }
    var drizzle: StaticString { "Nieselregen" }
    var rain: StaticString { "Regen" }
    var snow: StaticString { "Schnee" }
    var thunderstorm: StaticString { "Gewitter" }
    var weatherCode: Phrase { Phrase("Wettercode ") }

    var decimalPoint: StaticString { "," }

    func suffix(of unit: Unit) -> StaticString {
        switch unit {
        case .celsius: "\u{A0}°C"
        case .fahrenheit: "\u{A0}°F"
        case .kilometresAnHour: " km/h"
        case .milesAnHour: " mph"
        case .millimetres: " mm"
        case .inches: " Zoll"
        case .percent: "\u{A0}%"
        }
    }

    var weekdays: [StaticString] { German.weekdays }
    var months: [StaticString] { German.months }
    var afterWeekday: StaticString { ", " }
    var afterDay: StaticString { ". " }
    var clock: Phrase { Phrase("", " Uhr") }
    var afterDate: StaticString { ", um " }
    var atTime: Phrase { Phrase("Um ") }
    var onDate: Phrase { Phrase("Am ") }
    var localTime: StaticString { " Ortszeit" }
    var universalTime: StaticString { " UTC" }

    var unknownNow: StaticString { "aktuelles Wetter nicht bekannt" }
    var feelsLike: Phrase { Phrase("Gefühlt ") }
    var humidity: Phrase { Phrase("Luftfeuchte ") }
    var wind: Phrase { Phrase("Wind ") }
    var precipitation: Phrase { Phrase("Niederschlag ") }
    var sunrise: StaticString { "Sonnenaufgang " }
    var sunset: StaticString { ", Sonnenuntergang " }
    var neverRises: StaticString { "Die Sonne geht nicht auf" }
    var neverSets: StaticString { "Die Sonne geht nicht unter" }
    var andSunrise: StaticString { "Sonnenaufgang " }
    var andNeverRises: StaticString { "die Sonne geht nicht auf" }
    var andNeverSets: StaticString { "die Sonne geht nicht unter" }

    var high: StaticString { "Höchstwert " }
    var low: StaticString { "Tiefstwert " }
    var chanceOfRain: StaticString { " Regenwahrscheinlichkeit" }
    var chanceOfSnow: StaticString { " Schneewahrscheinlichkeit" }
    var amount: Phrase { Phrase(" (", ")") }
    var amountOfSnow: Phrase { Phrase(" (geschmolzen ", ")") }
    var amountAlone: Phrase { Phrase("Niederschlag ") }
    var noForecast: StaticString { "keine Vorhersage" }

    var tripIsOver: StaticString { "Diese Reise ist vorbei." }
    var noForecastForTrip: StaticString { "Für diese Reise gibt es noch keine Vorhersage." }
    var forecastReachesTo: Phrase { Phrase("Die Vorhersage reicht bis zum ", ".") }
    var comeBackOn: Phrase { Phrase("Schauen Sie am ", " wieder vorbei.") }

    func daysPast(_ days: Int) -> String {
        days == 1 ? "1 Tag dieser Reise ist vorbei." : "\(days) Tage dieser Reise sind vorbei."
    }

    var loading: StaticString { "Das Wetter wird abgefragt …" }
    var updated: StaticString { "Stand: " }
    var notRefreshed: StaticString { ", konnte nicht aktualisiert werden" }
    var couldNotBeRefreshed: StaticString { "Das Wetter konnte nicht aktualisiert werden." }
    var sample: StaticString { "Beispielwetter" }
    var retry: StaticString { "Erneut versuchen" }
    var placesBy: StaticString { "Orte von " }
    var placesFrom: Phrase { Phrase("Orte von ") }

    var north: StaticString { "N" }
    var south: StaticString { "S" }
    var east: StaticString { "O" }
    var west: StaticString { "W" }

    var samplePlaces: StaticString { "Beispielorte" }

    func noPlaces(beginningWith text: String) -> String {
        "Open-Meteo kennt keinen Ort, der mit \(text) beginnt."
    }

    func title(of kind: Problem.Kind) -> String {
        switch kind {
        case .badRequest: "Die Anfrage stimmt nicht"
        case .noSuchAddress: "Keine solche Adresse"
        case .methodNotAllowed: "Methode nicht erlaubt"
        case .notAcceptable: "Nicht annehmbar"
        case .arrivedTooLate: "Die Anfrage kam zu spät an"
        case .bodyTooLarge: "Die Anfrage ist zu groß"
        case .addressTooLong: "Die Adresse ist zu lang"
        case .headersTooLarge: "Die Kopfzeilen sind zu groß"
        case .noSuchPlace: "Kein solcher Ort"
        case .upstreamRefused: "Open-Meteo hat abgelehnt"
        case .upstreamUnreadable: "Unlesbare Antwort von Open-Meteo"
        case .upstreamUnavailable: "Open-Meteo ist nicht verfügbar"
        case .upstreamLimited: "Open-Meteo wird zu oft gefragt"
        case .outOfTime: "Zeit abgelaufen"
        case .overLimit: "Zu viele Anfragen auf einmal"
        case .cancelled: "Abgebrochen"
        case .internalError: "Ein Fehler in diesem Programm"
        case .gone: "Diese Reise gibt es nicht mehr"
        case .tripFaults: "Die Reise stimmt nicht"
        case .unreadableBody: "Der Inhalt ist nicht lesbar"
        case .unsupportedMediaType: "Der Inhalt ist von anderer Art"
        case .crossSite: "Von einer anderen Seite verlangt"
        case .alreadyAdded: "Schon hinzugefügt"
        case .tooManyTrips: "Zu viele Reisen"
        case .versionConflict: "Die Reise wurde inzwischen geändert"
        case .versionRequired: "Die Version fehlt"
        case .storage: "Reisen sind nicht erreichbar"
        }
    }

    func detail(of cause: Problem.Cause) -> String {
        switch cause {
        case .noSuchAddress:
            "Unter dieser Adresse gibt es nichts. Das Wetter steht unter /weather, Orte stehen unter /places."
        case .methodNotAllowed(let methods):
            "So kann diese Adresse nicht gefragt werden. Erlaubt: \(methods.joined(separator: " oder "))."
        case .notAcceptable:
            "Die Antwort kann JSON, HTML oder reiner Text sein. Nennen Sie eines davon in Accept, oder lassen Sie die Adresse auf .json, .html oder .txt enden."
        case .arrivedTooLate: "Die Anfrage kam nicht rechtzeitig vollständig an. Senden Sie sie noch einmal."
        case .bodyTooLarge(let limit):
            "Der Inhalt der Anfrage hat mehr als \(limit) Bytes. Senden Sie weniger."
        case .addressTooLong: "Die Adresse ist zu lang. Fragen Sie mit einer kürzeren."
        case .headersTooLarge: "Die Kopfzeilen der Anfrage sind zu groß. Senden Sie weniger oder kürzere."
        case .noSuchPlace(let name): "Open-Meteo kennt keinen Ort namens \(name)."
        case .refused(_, let reason?): "Open-Meteo hat die Frage abgelehnt: \(reason.asSentence)"
        case .refused(let status, nil):
            "Open-Meteo hat die Frage abgelehnt, mit Status \(status) und ohne Grund. Versuchen Sie es später noch einmal."
        case .limited(let reason?): "Open-Meteo wird zu oft gefragt: \(reason.asSentence)"
        case .limited(nil):
            "Open-Meteo wird zu oft gefragt. Versuchen Sie es in einer Minute noch einmal."
        case .unavailable(let status):
            "Open-Meteo hat gerade Schwierigkeiten (Status \(status)). Versuchen Sie es in einer Minute noch einmal."
        case .unreadable:
            "Die Antwort von Open-Meteo war nicht lesbar. Versuchen Sie es in einer Minute noch einmal."
        case .tooLarge:
            "Die Antwort von Open-Meteo war zu groß. Versuchen Sie es in einer Minute noch einmal."
        case .forbidden:
            "Dieses Programm darf den Wetterdienst unter der eingestellten Adresse nicht fragen. Sagen Sie es dem Betreiber."
        case .timedOut(.waiting):
            "Zu viele Fragen an Open-Meteo waren in der Warteschlange. Versuchen Sie es gleich noch einmal."
        case .timedOut(.lookingUp):
            "Die Adresse von Open-Meteo ließ sich nicht rechtzeitig ermitteln. Versuchen Sie es gleich noch einmal."
        case .timedOut(.connecting):
            "Open-Meteo war nicht rechtzeitig erreichbar. Versuchen Sie es gleich noch einmal."
        case .timedOut(.asking):
            "Open-Meteo hat nicht rechtzeitig geantwortet. Versuchen Sie es gleich noch einmal."
        case .timedOut(.receiving):
            "Die Antwort von Open-Meteo kam nicht rechtzeitig an. Versuchen Sie es gleich noch einmal."
        case .failed(.waiting), .failed(.asking):
            "Open-Meteo hat die Verbindung ohne Antwort beendet. Versuchen Sie es gleich noch einmal."
        case .failed(.lookingUp):
            "Die Adresse von Open-Meteo wurde nicht gefunden. Versuchen Sie es in einer Minute noch einmal."
        case .failed(.connecting):
            "Open-Meteo war nicht erreichbar. Versuchen Sie es in einer Minute noch einmal."
        case .failed(.receiving):
            "Die Antwort von Open-Meteo brach ab. Versuchen Sie es gleich noch einmal."
        case .outOfTime: "Das Wetter kam nicht rechtzeitig. Versuchen Sie es gleich noch einmal."
        case .overLimit:
            "Gerade werden zu viele Anfragen beantwortet. Versuchen Sie es gleich noch einmal."
        case .queueFull:
            "Zu viele Fragen warten auf Open-Meteo. Versuchen Sie es gleich noch einmal."
        case .overBudget:
            "Open-Meteo wurde fürs Erste so oft gefragt, wie es erlaubt ist. Versuchen Sie es später noch einmal."
        case .spared:
            "Open-Meteo hat gerade Schwierigkeiten und wird nicht gefragt. Versuchen Sie es in einer Minute noch einmal."
        case .cancelled: "Die Frage wurde abgebrochen. Fragen Sie noch einmal."
        case .internalError:
            "In diesem Programm ging etwas schief. Versuchen Sie es noch einmal, und sagen Sie es dem Betreiber."
        case .gone:
            "Sie wurde gelöscht, wird nicht mehr geteilt oder stand nie unter dieser Adresse. Sehen Sie unter allen Reisen nach."
        case .unreadableBody: "Der Inhalt der Anfrage ist kein JSON-Objekt. Senden Sie eines, in UTF-8."
        case .unsupportedMediaType(let types):
            "Der Inhalt der Anfrage muss \(types.joined(separator: " oder ")) sein. Nennen Sie das in Content-Type."
        case .crossSite:
            "Eine andere Seite hat diese Änderung verlangt, und nichts wurde geändert. Ändern Sie es auf einer Seite von hier."
        case .alreadyAdded(let city):
            "Dieses Formular hat \(city) schon hinzugefügt. Öffnen Sie den Planer neu, um noch eine Reise hinzuzufügen."
        case .tooManyTrips(let limit):
            "Sie haben \(limit.grouped(by: ".")) Reisen, und mehr gehen nicht: nichts wurde hinzugefügt. Löschen Sie erst eine."
        case .versionConflict:
            "Die Reise wurde geändert, nachdem Sie sie gesehen hatten, und Ihre Änderung wurde nicht gemacht. Sehen Sie sie an, wie sie jetzt ist, und entscheiden Sie neu."
        case .versionRequired:
            "Sagen Sie, welche Version der Reise Sie gesehen haben: If-Match mit ihrem ETag oder die Version des Formulars."
        case .storage(.full, isWrite: true):
            "Für Reisen ist kein Platz mehr: nichts wurde gespeichert. Sagen Sie es dem Betreiber."
        case .storage(.readOnly, isWrite: true):
            "Reisen lassen sich gerade nur lesen: nichts wurde gespeichert. Sagen Sie es dem Betreiber."
        case .storage(.busy, isWrite: true):
            "Andere haben zu lange geschrieben: nichts wurde gespeichert. Versuchen Sie es gleich noch einmal."
        case .storage(.failed, isWrite: true):
            "Reisen lassen sich gerade nicht speichern: nichts wurde geändert. Versuchen Sie es später noch einmal, und sagen Sie es dem Betreiber."
        case .storage(.busy, isWrite: false):
            "Ihre Reisen ließen sich nicht rechtzeitig lesen. Versuchen Sie es gleich noch einmal."
        case .storage(_, isWrite: false):
            "Ihre Reisen lassen sich gerade nicht lesen. Versuchen Sie es später noch einmal, und sagen Sie es dem Betreiber."
        }
    }

    func sentence(of fault: Problem.Fault, field: String) -> String {
        switch fault {
        case .missing: "\(field) fehlt."
        case .empty: "\(field) ist leer."
        case .tooLong(let limit): "\(field) hat mehr als \(limit) Zeichen."
        case .tooShort(let least): "\(field) hat weniger als \(least) Zeichen."
        case .notUTF8: "\(field) ist kein gültiges UTF-8."
        case .controlCharacter: "\(field) enthält ein Steuerzeichen."
        case .notANumber: "\(field) ist keine Zahl. Schreiben Sie sie wie 60.39."
        case .notAWholeNumber: "\(field) ist keine ganze Zahl."
        case .outOfRange(let range):
            "\(field) muss zwischen \(range.lowerBound.forPeople) und \(range.upperBound.forPeople) liegen."
        case .notADate: "\(field) ist kein Datum. Schreiben Sie es wie 2026-12-10."
        case .notOneOf(let values): "\(field) muss \(values.joined(separator: " oder ")) sein."
        case .notACoordinate:
            "\(field) ist kein Punkt der Erde. Schreiben Sie Breite und Länge wie 60.39,5.32."
        case .tooMany(let limit): "\(field) steht mehr als \(limit.forPeople)-mal da."
        case .unknown: "Es gibt keinen Parameter \(field)."
        case .repeated: "\(field) steht mehr als einmal da."
        case .needs(let other): "\(field) braucht auch \(other)."
        case .excludes(let other): "\(field) geht nicht zusammen mit \(other)."
        }
    }

    private static let weekdays: [StaticString] = [
        "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag",
    ]

    private static let months: [StaticString] = [
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
        "November", "Dezember",
    ]
}
