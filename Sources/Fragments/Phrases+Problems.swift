extension Phrases {
    func title(of kind: Problem.Kind) -> String {
        switch kind {
        case .badRequest: pick("Invalid request", "Ungültige Anfrage")
        case .noSuchAddress: pick("Page not found", "Seite nicht gefunden")
        case .methodNotAllowed: pick("Method not allowed", "Methode nicht erlaubt")
        case .notAcceptable: pick("Not acceptable", "Format nicht verfügbar")
        case .arrivedTooLate: pick("Request timed out", "Zeitüberschreitung der Anfrage")
        case .lengthRequired: pick("Length required", "Länge fehlt")
        case .bodyTooLarge: pick("Request too large", "Anfrage zu groß")
        case .addressTooLong: pick("Address too long", "Adresse zu lang")
        case .headersTooLarge: pick("Header fields too large", "Kopfzeilen zu groß")
        case .noSuchPlace: pick("Place not found", "Ort nicht gefunden")
        case .upstreamRefused: pick("Open-Meteo refused the request", "Open-Meteo hat die Anfrage abgelehnt")
        case .upstreamUnreadable:
            pick("Unreadable answer from Open-Meteo", "Unlesbare Antwort von Open-Meteo")
        case .upstreamUnavailable: pick("Open-Meteo is not available", "Open-Meteo ist nicht verfügbar")
        case .upstreamLimited:
            pick("Too many requests to Open-Meteo", "Zu viele Anfragen an Open-Meteo")
        case .outOfTime: pick("Timed out", "Zeit abgelaufen")
        case .overLimit: pick("Too many requests at once", "Zu viele Anfragen auf einmal")
        case .cancelled: pick("Cancelled", "Abgebrochen")
        case .internalError: pick("Internal error", "Interner Fehler")
        case .gone: pick("This trip is gone", "Diese Reise gibt es nicht mehr")
        case .tripFaults: pick("Please check the trip", "Bitte prüfen Sie die Reise")
        case .unreadableBody: pick("Unreadable body", "Inhalt nicht lesbar")
        case .unsupportedMediaType: pick("Unsupported media type", "Medientyp nicht unterstützt")
        case .crossSite: pick("Requested by another site", "Von einer anderen Website verlangt")
        case .alreadyAdded: pick("Already added", "Schon hinzugefügt")
        case .tooManyTrips: pick("Too many trips", "Zu viele Reisen")
        case .versionConflict: pick("The trip was changed meanwhile", "Die Reise wurde inzwischen geändert")
        case .versionRequired: pick("The version is missing", "Die Version fehlt")
        case .storage: pick("Trips are not available", "Reisen sind nicht verfügbar")
        }
    }

    // MARK: When to try again

    private enum Soon { case moment, minute, later }

    /// A sentence, and when asking again will help.
    ///
    /// - Parameter seconds: if that is known; else it is about `soon`.
    private func again(
        _ soon: Soon, _ seconds: Int64?, _ english: @autoclosure () -> String,
        _ german: @autoclosure () -> String
    ) -> String {
        if let seconds { return "\(pick(english(), german())) \(tryAgain(after: seconds))" }
        switch soon {
        case .moment:
            return pick(
                "\(english()) Try again in a moment.", "\(german()) Versuchen Sie es gleich noch einmal.")
        case .minute:
            return pick(
                "\(english()) Try again in a minute.",
                "\(german()) Versuchen Sie es in einer Minute noch einmal.")
        case .later:
            return pick("\(english()) Try again later.", "\(german()) Versuchen Sie es später noch einmal.")
        }
    }

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

    // MARK: What happened

    /// - Parameter seconds: when asking again will help, if that is known.
    func detail(of cause: Problem.Cause, retryAfter seconds: Int64? = nil) -> String {
        switch cause {
        case .noSuchAddress:
            pick(
                "There is nothing at this address. Weather is at /weather, places are at /places.",
                "Unter dieser Adresse gibt es nichts. Das Wetter steht unter /weather, Orte stehen unter /places."
            )
        case .methodNotAllowed(let methods):
            pick(
                "This address only accepts \(methods.joined(separator: " or ")).",
                "Diese Adresse erlaubt nur \(methods.joined(separator: " oder ")).")
        case .notAcceptable:
            pick(
                "The answer can be JSON, HTML or plain text. Ask for one of them in Accept, or end the address in .json, .html or .txt.",
                "Die Antwort kann JSON, HTML oder reiner Text sein. Nennen Sie eines davon in Accept, oder lassen Sie die Adresse auf .json, .html oder .txt enden."
            )
        case .arrivedTooLate:
            pick(
                "The request was not received in time. Please send it again.",
                "Die Anfrage kam nicht rechtzeitig an. Bitte senden Sie sie noch einmal.")
        case .unreadableRequest:
            pick(
                "The request's parameters, or the length of its body, can't be read. Send it again.",
                "Die Parameter der Anfrage oder die Länge ihres Inhalts sind nicht lesbar. Senden Sie sie noch einmal."
            )
        case .lengthRequired:
            pick(
                "The request needs a body and a Content-Length. Send both.",
                "Die Anfrage braucht einen Inhalt und Content-Length. Senden Sie beides.")
        case .bodyTooLarge(let limit):
            pick(
                "The request's body is larger than \(limit) bytes. Send less.",
                "Der Inhalt der Anfrage hat mehr als \(limit) Bytes. Senden Sie weniger.")
        case .addressTooLong:
            pick(
                "The address is too long. Use a shorter one.",
                "Die Adresse ist zu lang. Nehmen Sie eine kürzere.")
        case .headersTooLarge:
            pick(
                "The request's header fields are too large. Send fewer or shorter ones.",
                "Die Kopfzeilen der Anfrage sind zu groß. Senden Sie weniger oder kürzere.")
        case .overLimit:
            again(
                .moment, seconds, "Too many requests are being answered at the moment.",
                "Gerade werden zu viele Anfragen beantwortet.")
        case .internalError:
            again(
                .later, seconds, "Something went wrong here. \(tellTheOperator)",
                "Hier ging etwas schief. \(tellTheOperator)")
        case .cancelled: pick("The request was cancelled.", "Die Anfrage wurde abgebrochen.")
        case .noSuchPlace(let name, isSample: true):
            pick(
                "The sample data has no place called \(name).",
                "Die Beispieldaten enthalten keinen Ort namens \(name).")
        case .noSuchPlace(let name, isSample: false):
            pick("Open-Meteo knows no place called \(name).", "Open-Meteo kennt keinen Ort namens \(name).")
        case .elsewhere(let name, let area):
            pick(
                "There is \("AEIOUaeiou".contains(name.prefix(1)) ? "an" : "a") \(name), but not in \(area).",
                "Es gibt zwar ein \(name), aber nicht in \(area).")
        default: upstreamDetail(of: cause, retryAfter: seconds)
        }
    }

    /// What kept Open-Meteo from answering.
    private func upstreamDetail(of cause: Problem.Cause, retryAfter seconds: Int64?) -> String {
        switch cause {
        case .refused(_, let reason?):
            pick(
                "Open-Meteo refused the request: \(reason.asSentence)",
                "Open-Meteo hat die Anfrage abgelehnt: \(reason.asSentence)")
        case .refused(let status, nil):
            again(
                .later, seconds, "Open-Meteo refused the request with status \(status) and gave no reason.",
                "Open-Meteo hat die Anfrage mit Status \(status) und ohne Grund abgelehnt.")
        case .limited(let reason?):
            pick(
                "Open-Meteo's request limit is reached: \(reason.asSentence)",
                "Das Anfragelimit von Open-Meteo ist erreicht: \(reason.asSentence)")
        case .limited(nil):
            again(
                .minute, seconds, "Open-Meteo's request limit is reached.",
                "Das Anfragelimit von Open-Meteo ist erreicht.")
        case .unavailable(let status):
            again(
                .minute, seconds, "Open-Meteo has trouble at the moment (status \(status)).",
                "Open-Meteo hat gerade Schwierigkeiten (Status \(status)).")
        case .unreadable:
            again(
                .minute, seconds, "Open-Meteo's answer could not be read.",
                "Die Antwort von Open-Meteo war nicht lesbar.")
        case .tooLarge:
            again(
                .minute, seconds, "Open-Meteo's answer was too large.",
                "Die Antwort von Open-Meteo war zu groß.")
        case .forbidden:
            pick(
                "This program must not contact the weather service at its configured address. \(tellTheOperator)",
                "Dieses Programm darf den Wetterdienst unter der eingestellten Adresse nicht fragen. \(tellTheOperator)"
            )
        case .timedOut(.waiting), .queueFull:
            again(
                .moment, seconds, "Too many requests are waiting for Open-Meteo.",
                "Zu viele Anfragen warten auf Open-Meteo.")
        case .timedOut(.lookingUp):
            again(
                .moment, seconds, "Open-Meteo's address could not be looked up in time.",
                "Die Adresse von Open-Meteo ließ sich nicht rechtzeitig ermitteln.")
        case .timedOut(.connecting):
            again(
                .moment, seconds, "Open-Meteo could not be reached in time.",
                "Open-Meteo war nicht rechtzeitig erreichbar.")
        case .timedOut(.asking):
            again(
                .moment, seconds, "Open-Meteo did not answer in time.",
                "Open-Meteo hat nicht rechtzeitig geantwortet.")
        case .timedOut(.receiving):
            again(
                .moment, seconds, "Open-Meteo's answer did not arrive in time.",
                "Die Antwort von Open-Meteo kam nicht rechtzeitig an.")
        case .failed(.waiting), .failed(.asking):
            again(
                .moment, seconds, "Open-Meteo closed the connection without an answer.",
                "Open-Meteo hat die Verbindung ohne Antwort beendet.")
        case .failed(.lookingUp):
            again(
                .minute, seconds, "Open-Meteo's address was not found.",
                "Die Adresse von Open-Meteo wurde nicht gefunden.")
        case .failed(.connecting):
            again(
                .minute, seconds, "Open-Meteo could not be reached.", "Open-Meteo war nicht erreichbar.")
        case .failed(.receiving):
            again(
                .moment, seconds, "Open-Meteo's answer broke off.", "Die Antwort von Open-Meteo brach ab.")
        case .outOfTime:
            again(
                .moment, seconds, "The weather did not arrive in time.",
                "Das Wetter kam nicht rechtzeitig an.")
        case .overBudget:
            again(
                .later, seconds, "Open-Meteo was asked as often as is allowed for now.",
                "Open-Meteo wurde fürs Erste so oft gefragt, wie es erlaubt ist.")
        case .breakerOpen:
            again(
                .minute, seconds, "Open-Meteo has trouble at the moment and is not being asked.",
                "Open-Meteo hat gerade Schwierigkeiten und wird nicht gefragt.")
        default: tripDetail(of: cause, retryAfter: seconds)
        }
    }

    /// What is wrong with a trip, or with keeping it.
    private func tripDetail(of cause: Problem.Cause, retryAfter seconds: Int64?) -> String {
        switch cause {
        case .gone:
            pick(
                "It was deleted, is no longer shared, or never existed at this address. See all your trips.",
                "Sie wurde gelöscht, wird nicht mehr geteilt oder stand nie unter dieser Adresse. Sehen Sie unter allen Reisen nach."
            )
        case .unreadableBody:
            pick(
                "The request's body is not a JSON object. Send one, in UTF-8.",
                "Der Inhalt der Anfrage ist kein JSON-Objekt. Senden Sie eines, in UTF-8.")
        case .unsupportedMediaType(let types):
            pick(
                "The request's body must be \(types.joined(separator: " or ")). Say so in Content-Type.",
                "Der Inhalt der Anfrage muss \(types.joined(separator: " oder ")) sein. Nennen Sie das in Content-Type."
            )
        case .crossSite:
            pick(
                "Another site requested this change, and nothing was changed. Make it on a page of this site.",
                "Eine andere Website hat diese Änderung verlangt, und nichts wurde geändert. Ändern Sie es auf einer Seite von hier."
            )
        case .alreadyAdded(let city):
            pick(
                "This form has already added \(city). To add another trip, reload the planner.",
                "Dieses Formular hat \(city) schon hinzugefügt. Laden Sie den Planer neu, um noch eine Reise hinzuzufügen."
            )
        case .tooManyTrips(let limit):
            pick(
                "You have \(limit.grouped(by: thousands)) trips, which is the limit: nothing was added. Delete one first.",
                "Sie haben \(limit.grouped(by: thousands)) Reisen, und mehr gehen nicht: Nichts wurde hinzugefügt. Löschen Sie erst eine."
            )
        case .versionConflict:
            pick(
                "The trip was changed after you saw it, and your change was not made. Look at it as it is now, and decide again.",
                "Die Reise wurde geändert, nachdem Sie sie gesehen hatten, und Ihre Änderung wurde nicht gemacht. Sehen Sie sie an, wie sie jetzt ist, und entscheiden Sie neu."
            )
        case .versionRequired:
            pick(
                "Say which version of the trip you saw: If-Match with its ETag, or the form's version.",
                "Sagen Sie, welche Version der Reise Sie gesehen haben: If-Match mit ihrem ETag oder die Version des Formulars."
            )
        case .storage(.full, isWrite: true):
            pick(
                "There is no space left for trips: nothing was saved. \(tellTheOperator)",
                "Für Reisen ist kein Platz mehr: Nichts wurde gespeichert. \(tellTheOperator)")
        case .storage(.readOnly, isWrite: true):
            pick(
                "Trips can only be read at the moment: nothing was saved. \(tellTheOperator)",
                "Reisen lassen sich gerade nur lesen: Nichts wurde gespeichert. \(tellTheOperator)")
        case .storage(.busy, isWrite: true):
            again(
                .moment, seconds, "Others were writing for too long: nothing was saved.",
                "Andere haben zu lange geschrieben: Nichts wurde gespeichert.")
        case .storage(.failed, isWrite: true):
            again(
                .later, seconds,
                "Trips can't be saved at the moment: nothing was changed. \(tellTheOperator)",
                "Reisen lassen sich gerade nicht speichern: Nichts wurde geändert. \(tellTheOperator)")
        case .storage(.busy, isWrite: false):
            again(
                .moment, seconds, "Your trips could not be read in time.",
                "Ihre Reisen ließen sich nicht rechtzeitig lesen.")
        default:
            again(
                .later, seconds, "Your trips can't be read at the moment. \(tellTheOperator)",
                "Ihre Reisen lassen sich gerade nicht lesen. \(tellTheOperator)")
        }
    }

    // MARK: Parameters

    func sentence(of fault: Problem.Fault, field: String) -> String {
        switch fault {
        case .missing: pick("\(field) is missing.", "\(field) fehlt.")
        case .empty: pick("\(field) is empty.", "\(field) ist leer.")
        case .tooLong(let limit):
            pick("\(field) has more than \(limit) characters.", "\(field) hat mehr als \(limit) Zeichen.")
        case .notUTF8: pick("\(field) is not valid UTF-8.", "\(field) ist kein gültiges UTF-8.")
        case .controlCharacter:
            pick("\(field) contains a control character.", "\(field) enthält ein Steuerzeichen.")
        case .notANumber:
            pick(
                "\(field) is not a number. Write it like 60.39.",
                "\(field) ist keine Zahl. Schreiben Sie sie wie 60.39.")
        case .notAWholeNumber:
            pick("\(field) is not a whole number.", "\(field) ist keine ganze Zahl.")
        case .outOfRange(let range):
            pick(
                "\(field) must be from \(range.lowerBound.forPeople) to \(range.upperBound.forPeople).",
                "\(field) muss zwischen \(range.lowerBound.forPeople) und \(range.upperBound.forPeople) liegen."
            )
        case .notADate:
            pick(
                "\(field) is not a date. Write it like 2026-12-10.",
                "\(field) ist kein Datum. Schreiben Sie es wie 2026-12-10.")
        case .notOneOf(let values):
            pick(
                "\(field) must be \(values.joined(separator: " or ")).",
                "\(field) muss \(values.joined(separator: " oder ")) sein.")
        case .notACoordinate:
            pick(
                "\(field) is not a point on the Earth. Write latitude and longitude like 60.39,5.32.",
                "\(field) ist kein Punkt der Erde. Schreiben Sie Breite und Länge wie 60.39,5.32.")
        case .notAKey(let lengths):
            pick(
                "\(field) must have \(lengths.lowerBound) to \(lengths.upperBound) letters, digits, hyphens or underscores.",
                "\(field) muss \(lengths.lowerBound) bis \(lengths.upperBound) Buchstaben, Ziffern, Binde- oder Unterstriche haben."
            )
        case .tooMany(let limit):
            pick(
                "\(field) is given more than \(limit.forPeople) times.",
                "\(field) kommt mehr als \(limit.forPeople)-mal vor.")
        case .unknown: pick("There is no parameter \(field).", "Es gibt keinen Parameter \(field).")
        case .unreadableName:
            pick("The name \(field) can't be read.", "Der Name \(field) ist nicht lesbar.")
        case .repeated: pick("\(field) is given more than once.", "\(field) kommt mehr als einmal vor.")
        case .needs(let other): pick("\(field) needs \(other) too.", "\(field) braucht auch \(other).")
        case .excludes(let other):
            pick("\(field) can't be combined with \(other).", "\(field) geht nicht zusammen mit \(other).")
        }
    }

    /// Said after as many faults as are listed.
    var moreFaults: String { pick("There are more faults.", "Es gibt weitere Fehler.") }
}

extension String {
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
