import Storage
import Transport

extension Phrases {
    // MARK: When to try again

    /// "Try again in 12 seconds."; minutes and hours are rounded up.
    func tryAgain(after seconds: Int64) -> String {
        let (english, german): (String, String) =
            switch seconds {
            case ...1: ("1 second", "1 Sekunde")
            case ..<120: ("\(seconds) seconds", "\(seconds) Sekunden")
            case ..<7_200: ("\((seconds + 59) / 60) minutes", "\((seconds + 59) / 60) Minuten")
            default: ("\((seconds - 1) / 3_600 + 1) hours", "\((seconds - 1) / 3_600 + 1) Stunden")
            }
        return pick("Try again in \(english).", "Versuchen Sie es in \(german) noch einmal.")
    }

    private var tellTheOperator: String {
        pick("Please tell the operator of this site.", "Bitte sagen Sie es dem Betreiber.")
    }

    /// About when asking again will help; empty if it won't, or if the sentence says it.
    private func tryAgain(after cause: Problem.Cause) -> String {
        switch cause {
        case .overLimit, .queueFull, .timedOut, .failed(.queue), .failed(.wait), .failed(.receive),
            .outOfTime, .storage(.busy, _):
            pick("Try again in a moment.", "Versuchen Sie es gleich noch einmal.")
        case .limited(nil), .unavailable, .unreadable, .tooLarge, .failed, .breakerOpen:
            pick("Try again in a minute.", "Versuchen Sie es in einer Minute noch einmal.")
        case .storage(.full, isWrite: true), .storage(.readOnly, isWrite: true): ""
        case .internalError, .refused(_, nil), .overBudget, .storage:
            pick("Try again later.", "Versuchen Sie es später noch einmal.")
        default: ""
        }
    }

    // MARK: What happened

    /// What happened, and when asking again will help.
    ///
    /// - Parameter seconds: after how many, if that is known.
    func detail(of cause: Problem.Cause, retryAfter seconds: Int64?) -> String {
        let detail = requestDetail(of: cause)(language)
        let advice = tryAgain(after: cause)
        return advice.isEmpty ? detail : "\(detail) \(seconds.map(tryAgain(after:)) ?? advice)"
    }

    @SideBySide private func requestDetail(of cause: Problem.Cause) -> (Language) -> String {
        switch cause {
        case .noSuchAddress:
            "There is nothing at this address. Weather is at /weather, places are at /places."
            "Unter dieser Adresse gibt es nichts. Das Wetter steht unter /weather, Orte stehen unter /places."
        case .methodNotAllowed(let methods):
            "This address only accepts \(methods.joined(separator: " or "))."
            "Diese Adresse erlaubt nur \(methods.joined(separator: " oder "))."
        case .notAcceptable:
            "The answer can be JSON, HTML or plain text, and one place's weather a picture. Ask for one of them in Accept, or end the address in .json, .html, .txt or .svg."
            "Die Antwort kann JSON, HTML oder reiner Text sein, das Wetter eines Ortes auch ein Bild. Nennen Sie eines davon in Accept, oder lassen Sie die Adresse auf .json, .html, .txt oder .svg enden."
        case .arrivedTooLate:
            "The request was not received in time. Please send it again."
            "Die Anfrage kam nicht rechtzeitig an. Bitte senden Sie sie noch einmal."
        case .unreadableRequest:
            "The request's parameters, or the length of its body, can't be read. Send it again."
            "Die Parameter der Anfrage oder die Länge ihres Inhalts sind nicht lesbar. Senden Sie sie noch einmal."
        case .lengthRequired:
            "The request needs a body and a Content-Length. Send both."
            "Die Anfrage braucht einen Inhalt und Content-Length. Senden Sie beides."
        case .bodyTooLarge(let limit):
            "The request's body is larger than \(limit) bytes. Send less."
            "Der Inhalt der Anfrage hat mehr als \(limit) Bytes. Senden Sie weniger."
        case .addressTooLong:
            "The address is too long. Use a shorter one."
            "Die Adresse ist zu lang. Nehmen Sie eine kürzere."
        case .headersTooLarge:
            "The request's header fields are too large. Send fewer or shorter ones."
            "Die Kopfzeilen der Anfrage sind zu groß. Senden Sie weniger oder kürzere."
        case .overLimit:
            "Too many requests are being answered at the moment."
            "Gerade werden zu viele Anfragen beantwortet."
        case .internalError:
            "Something went wrong here. \(tellTheOperator)"
            "Hier ging etwas schief. \(tellTheOperator)"
        case .cancelled:
            "The request was cancelled."
            "Die Anfrage wurde abgebrochen."
        case .noSuchPlace(let name, isSample: true):
            "The sample data has no place called \(name.shortened(to: 200))."
            "Die Beispieldaten enthalten keinen Ort namens \(name.shortened(to: 200))."
        case .noSuchPlace(let name, isSample: false):
            "Open-Meteo knows no place called \(name.shortened(to: 200))."
            "Open-Meteo kennt keinen Ort namens \(name.shortened(to: 200))."
        case .elsewhere(let name, let area, let isSample):
            "\(isSample ? "The sample data has" : "There is") \(name.withArticle), but not in \(area.shortened(to: 200))."
            "\(isSample ? "Die Beispieldaten enthalten" : "Es gibt") zwar ein \(name.shortened(to: 200)), aber nicht in \(area.shortened(to: 200))."
        default: upstreamDetail(of: cause)
        }
    }

    /// What kept Open-Meteo from answering.
    @SideBySide private func upstreamDetail(of cause: Problem.Cause) -> (Language) -> String {
        switch cause {
        case .refused(_, let reason?):
            "Open-Meteo refused the request: \(reason.asSentence)"
            "Open-Meteo hat die Anfrage abgelehnt: \(reason.asSentence)"
        case .refused(let status, nil):
            "Open-Meteo refused the request with status \(status) and gave no reason."
            "Open-Meteo hat die Anfrage mit Status \(status) und ohne Grund abgelehnt."
        case .notSubscribed:
            archiveNotSubscribed.description
            archiveNotSubscribed.description
        case .limited(let reason?):
            "Open-Meteo's request limit is reached: \(reason.asSentence)"
            "Das Anfragelimit von Open-Meteo ist erreicht: \(reason.asSentence)"
        case .limited(nil):
            "Open-Meteo's request limit is reached."
            "Das Anfragelimit von Open-Meteo ist erreicht."
        case .unavailable(let status):
            "Open-Meteo has trouble at the moment (status \(status))."
            "Open-Meteo hat gerade Schwierigkeiten (Status \(status))."
        case .unreadable:
            "Open-Meteo's answer could not be read."
            "Die Antwort von Open-Meteo war nicht lesbar."
        case .tooLarge:
            "Open-Meteo's answer was too large."
            "Die Antwort von Open-Meteo war zu groß."
        case .forbidden:
            "This program must not contact the weather service at its configured address. \(tellTheOperator)"
            "Dieses Programm darf den Wetterdienst unter der eingestellten Adresse nicht fragen. \(tellTheOperator)"
        case .timedOut(.queue), .queueFull:
            "Too many requests are waiting for Open-Meteo."
            "Zu viele Anfragen warten auf Open-Meteo."
        case .timedOut(.resolve):
            "Open-Meteo's address could not be looked up in time."
            "Die Adresse von Open-Meteo ließ sich nicht rechtzeitig ermitteln."
        case .timedOut(.connect), .timedOut(.tls):
            "Open-Meteo could not be reached in time."
            "Open-Meteo war nicht rechtzeitig erreichbar."
        case .timedOut(.wait):
            "Open-Meteo did not answer in time."
            "Open-Meteo hat nicht rechtzeitig geantwortet."
        case .timedOut(.receive):
            "Open-Meteo's answer did not arrive in time."
            "Die Antwort von Open-Meteo kam nicht rechtzeitig an."
        case .failed(.queue), .failed(.wait):
            "Open-Meteo closed the connection without an answer."
            "Open-Meteo hat die Verbindung ohne Antwort beendet."
        case .failed(.resolve):
            "Open-Meteo's address was not found."
            "Die Adresse von Open-Meteo wurde nicht gefunden."
        case .failed(.connect), .failed(.tls):
            "Open-Meteo could not be reached."
            "Open-Meteo war nicht erreichbar."
        case .failed(.receive):
            "Open-Meteo's answer broke off."
            "Die Antwort von Open-Meteo brach ab."
        case .outOfTime:
            "The weather did not arrive in time."
            "Das Wetter kam nicht rechtzeitig an."
        case .overBudget:
            "Open-Meteo was asked as often as is allowed for now."
            "Open-Meteo wurde fürs Erste so oft gefragt, wie es erlaubt ist."
        case .breakerOpen:
            "Open-Meteo has trouble at the moment and is not being asked."
            "Open-Meteo hat gerade Schwierigkeiten und wird nicht gefragt."
        default: tripDetail(of: cause)
        }
    }

    /// What is wrong with a trip, or with keeping it.
    @SideBySide private func tripDetail(of cause: Problem.Cause) -> (Language) -> String {
        switch cause {
        case .gone:
            "It was deleted, is no longer shared, or never existed at this address. See all your trips."
            "Sie wurde gelöscht, wird nicht mehr geteilt oder stand nie unter dieser Adresse. Sehen Sie unter allen Reisen nach."
        case .unreadableBody:
            "The request's body is not a JSON object. Send one, in UTF-8."
            "Der Inhalt der Anfrage ist kein JSON-Objekt. Senden Sie eines, in UTF-8."
        case .unsupportedMediaType(let types):
            "The request's body must be \(types.joined(separator: " or ")). Say so in Content-Type."
            "Der Inhalt der Anfrage muss \(types.joined(separator: " oder ")) sein. Nennen Sie das in Content-Type."
        case .crossSite:
            "Another site requested this change, and nothing was changed. Make it on a page of this site."
            "Eine andere Website hat diese Änderung verlangt, und nichts wurde geändert. Ändern Sie es auf einer Seite von hier."
        case .alreadyAdded(let city):
            "This form has already added \(city.shortened(to: 200)). To add another trip, reload the planner."
            "Dieses Formular hat \(city.shortened(to: 200)) schon hinzugefügt. Laden Sie den Planer neu, um noch eine Reise hinzuzufügen."
        case .tooManyTrips(let limit):
            "You have \(limit.grouped(by: thousands)) trips, which is the limit: nothing was added. Delete one first."
            "Sie haben \(limit.grouped(by: thousands)) Reisen, und mehr gehen nicht: Nichts wurde hinzugefügt. Löschen Sie erst eine."
        case .versionConflict:
            "The trip was changed after you saw it, and your change was not made. Look at it as it is now, and decide again."
            "Die Reise wurde geändert, nachdem Sie sie gesehen hatten, und Ihre Änderung wurde nicht gemacht. Sehen Sie sie an, wie sie jetzt ist, und entscheiden Sie neu."
        case .versionRequired:
            "Say which version of the trip you saw: If-Match with its ETag, or the form's version."
            "Sagen Sie, welche Version der Reise Sie gesehen haben: If-Match mit ihrem ETag oder die Version des Formulars."
        case .storage(.full, isWrite: true):
            "There is no space left for trips: nothing was saved. \(tellTheOperator)"
            "Für Reisen ist kein Platz mehr: Nichts wurde gespeichert. \(tellTheOperator)"
        case .storage(.readOnly, isWrite: true):
            "Trips can only be read at the moment: nothing was saved. \(tellTheOperator)"
            "Reisen lassen sich gerade nur lesen: Nichts wurde gespeichert. \(tellTheOperator)"
        case .storage(.busy, isWrite: true):
            "Others were writing for too long: nothing was saved."
            "Andere haben zu lange geschrieben: Nichts wurde gespeichert."
        case .storage(_, isWrite: true):
            "Trips can't be saved at the moment: nothing was changed. \(tellTheOperator)"
            "Reisen lassen sich gerade nicht speichern: Nichts wurde geändert. \(tellTheOperator)"
        case .storage(.busy, isWrite: false):
            "Your trips could not be read in time."
            "Ihre Reisen ließen sich nicht rechtzeitig lesen."
        default:
            "Your trips can't be read at the moment. \(tellTheOperator)"
            "Ihre Reisen lassen sich gerade nicht lesen. \(tellTheOperator)"
        }
    }

    // MARK: Parameters

    private func both(_ english: String, _ german: String) -> (Language) -> String {
        SideBySide.buildBlock(english, german)
    }

    func sentence(of fault: Problem.Fault, field: String) -> String {
        wording(of: fault, field)(language)
    }

    @SideBySide func wording(of fault: Problem.Fault, _ field: String) -> (Language) -> String {
        switch fault {
        case .missing: both("\(field) is missing.", "\(field) fehlt.")
        case .empty: both("\(field) is empty.", "\(field) ist leer.")
        case .tooLong(let limit):
            "\(field) has more than \(limit) characters."
            "\(field) hat mehr als \(limit) Zeichen."
        case .notUTF8: both("\(field) is not valid UTF-8.", "\(field) ist kein gültiges UTF-8.")
        case .controlCharacter:
            "\(field) contains a control character."
            "\(field) enthält ein Steuerzeichen."
        case .notANumber:
            "\(field) is not a number. Write it like 60.39."
            "\(field) ist keine Zahl. Schreiben Sie sie wie 60.39."
        case .notAWholeNumber: both("\(field) is not a whole number.", "\(field) ist keine ganze Zahl.")
        case .outOfRange(let range):
            "\(field) must be from \(range.lowerBound.forPeople) to \(range.upperBound.forPeople)."
            "\(field) muss zwischen \(range.lowerBound.forPeople) und \(range.upperBound.forPeople) liegen."
        case .notADate:
            "\(field) is not a date. Write it like 2026-12-10."
            "\(field) ist kein Datum. Schreiben Sie es wie 2026-12-10."
        case .notOneOf(let values):
            "\(field) must be \(values.joined(separator: " or "))."
            "\(field) muss \(values.joined(separator: " oder ")) sein."
        case .notACoordinate:
            "\(field) is not a point on the Earth. Write latitude and longitude like 60.39,5.32."
            "\(field) ist kein Punkt der Erde. Schreiben Sie Breite und Länge wie 60.39,5.32."
        case .notAKey(let lengths):
            "\(field) must have \(lengths.lowerBound) to \(lengths.upperBound) letters, digits, hyphens or underscores."
            "\(field) muss \(lengths.lowerBound) bis \(lengths.upperBound) Buchstaben, Ziffern, Binde- oder Unterstriche haben."
        case .tooMany(let limit):
            "\(field) is given more than \(limit.forPeople) times."
            "\(field) kommt mehr als \(limit.forPeople)-mal vor."
        case .unknown: both("There is no parameter \(field).", "Es gibt keinen Parameter \(field).")
        case .unreadableName: both("The name \(field) can't be read.", "Der Name \(field) ist nicht lesbar.")
        case .repeated: both("\(field) is given more than once.", "\(field) kommt mehr als einmal vor.")
        case .needs(let other): both("\(field) needs \(other) too.", "\(field) braucht auch \(other).")
        case .excludes(let other):
            "\(field) can't be combined with \(other)."
            "\(field) geht nicht zusammen mit \(other)."
        }
    }

    /// Said after as many faults as are listed.
    var moreFaults: String { pick("There are more faults.", "Es gibt weitere Fehler.") }
}

/// Puts a sentence's languages side by side, one a line: who reads it decides between them.
///
/// A further language is one more parameter: the compiler then names each sentence that lacks it.
@resultBuilder
enum SideBySide {
    static func buildBlock(_ english: String, _ german: String) -> (Language) -> String {
        { language in
            switch language {
            case .english: english
            case .german: german
            }
        }
    }

    static func buildBlock(_ sentence: @escaping (Language) -> String) -> (Language) -> String { sentence }
    static func buildEither(first sentence: @escaping (Language) -> String) -> (Language) -> String {
        sentence
    }
    static func buildEither(second sentence: @escaping (Language) -> String) -> (Language) -> String {
        sentence
    }
}

extension String {
    /// "a Paris", "an Oslo"; of a long name its beginning.
    fileprivate var withArticle: String {
        "\("AEIOUaeiou".contains(prefix(1)) ? "an" : "a") \(shortened(to: 200))"
    }

    /// A reason from elsewhere as the end of a sentence: not too long, and with a full stop.
    var asSentence: String {
        let text = shortened(to: 300)
        guard let last = text.last, !".!?…".contains(last) else { return text }
        return text + "."
    }

    /// The text, or its beginning and "…" if it has more than `limit` characters.
    func shortened(to limit: Int) -> String {
        guard let end = index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else {
            return self
        }
        return self[..<end] + "…"
    }
}
