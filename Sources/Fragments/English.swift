struct English: Words {
    var clear: StaticString { "Clear sky" }
    var mainlyClear: StaticString { "Mainly clear" }
    var partlyCloudy: StaticString { "Partly cloudy" }
    var overcast: StaticString { "Overcast" }
    var fog: StaticString { "Fog" }
    var drizzle: StaticString { "Drizzle" }
    var rain: StaticString { "Rain" }
    var snow: StaticString { "Snow" }
    var thunderstorm: StaticString { "Thunderstorm" }
    var weatherCode: Phrase { Phrase("Weather code ") }

    var decimalPoint: StaticString { "." }

    func suffix(of unit: Unit) -> StaticString {
        switch unit {
        case .celsius: "°C"
        case .fahrenheit: "°F"
        case .kilometresAnHour: " km/h"
        case .milesAnHour: " mph"
        case .millimetres: " mm"
        case .inches: " inch"
        case .percent: "%"
        }
    }

    var weekdays: [StaticString] { English.weekdays }
    var months: [StaticString] { English.months }
    var afterWeekday: StaticString { " " }
    var afterDay: StaticString { " " }
    var clock: Phrase { Phrase("") }
    var afterDate: StaticString { " at " }
    var atTime: Phrase { Phrase("At ") }
    var onDate: Phrase { Phrase("On ") }
    var localTime: StaticString { ", local time" }
    var universalTime: StaticString { " UTC" }

    var unknownNow: StaticString { "current weather not known" }
    var feelsLike: Phrase { Phrase("Feels like ") }
    var humidity: Phrase { Phrase("Humidity ") }
    var wind: Phrase { Phrase("Wind ") }
    var precipitation: Phrase { Phrase("Precipitation ") }
    var sunrise: StaticString { "Sunrise " }
    var sunset: StaticString { ", sunset " }
    var neverRises: StaticString { "The sun does not rise" }
    var neverSets: StaticString { "The sun does not set" }
    var andSunrise: StaticString { "sunrise " }
    var andNeverRises: StaticString { "the sun does not rise" }
    var andNeverSets: StaticString { "the sun does not set" }

    var high: StaticString { "high " }
    var low: StaticString { "low " }
    var chanceOfRain: StaticString { " chance of rain" }
    var chanceOfSnow: StaticString { " chance of snow" }
    var amount: Phrase { Phrase(" (", ")") }
    var amountOfSnow: Phrase { Phrase(" (", " melted)") }
    var amountAlone: Phrase { Phrase("precipitation ") }
    var noForecast: StaticString { "no forecast" }

    var tripIsOver: StaticString { "This trip is over." }
    var noForecastForTrip: StaticString { "There is no forecast for this trip yet." }
    var forecastReachesTo: Phrase { Phrase("The forecast reaches to ", ".") }
    var comeBackOn: Phrase { Phrase("Come back on ", ".") }

    func daysPast(_ days: Int) -> String {
        days == 1 ? "1 day of this trip is past." : "\(days) days of this trip are past."
    }

    var loading: StaticString { "Asking about the weather…" }
    var updated: StaticString { "Updated " }
    var notRefreshed: StaticString { ", could not be refreshed" }
    var couldNotBeRefreshed: StaticString { "The weather could not be refreshed." }
    var sample: StaticString { "Sample weather" }
    var retry: StaticString { "Retry" }
    var placesBy: StaticString { "places by " }
    var placesFrom: Phrase { Phrase("Places by ") }

    var north: StaticString { "N" }
    var south: StaticString { "S" }
    var east: StaticString { "E" }
    var west: StaticString { "W" }

    var samplePlaces: StaticString { "Sample places" }

    func noPlaces(beginningWith text: String) -> String {
        "Open-Meteo knows no place that begins with \(text)."
    }

    func title(of kind: Problem.Kind) -> String {
        switch kind {
        case .badRequest: "The request is not right"
        case .noSuchAddress: "No such address"
        case .methodNotAllowed: "Method not allowed"
        case .notAcceptable: "Not acceptable"
        case .arrivedTooLate: "The request arrived too late"
        case .bodyTooLarge: "The request is too large"
        case .addressTooLong: "The address is too long"
        case .headersTooLarge: "The header fields are too large"
        case .noSuchPlace: "No such place"
        case .upstreamRefused: "Open-Meteo refused"
        case .upstreamUnreadable: "Unreadable answer from Open-Meteo"
        case .upstreamUnavailable: "Open-Meteo is not available"
        case .upstreamLimited: "Open-Meteo is asked too often"
        case .outOfTime: "Out of time"
        case .overLimit: "Too many requests at once"
        case .cancelled: "Cancelled"
        case .internalError: "A fault in this program"
        case .gone: "This trip is gone"
        case .tripFaults: "The trip is not right"
        case .unreadableBody: "The body can't be read"
        case .unsupportedMediaType: "The body is of another type"
        case .crossSite: "Asked for by another site"
        case .alreadyAdded: "Already added"
        case .tooManyTrips: "Too many trips"
        case .versionConflict: "The trip was changed meanwhile"
        case .versionRequired: "The version is missing"
        case .storage: "Trips can't be reached"
        }
    }

    func detail(of cause: Problem.Cause) -> String {
        switch cause {
        case .noSuchAddress:
            "There is nothing at this address. Weather is at /weather, places are at /places."
        case .methodNotAllowed(let methods):
            "This address can't be asked in this way. Use \(methods.joined(separator: " or "))."
        case .notAcceptable:
            "The answer can be JSON, HTML or plain text. Ask for one of them in Accept, or end the address in .json, .html or .txt."
        case .arrivedTooLate: "The request did not arrive whole in time. Send it again."
        case .bodyTooLarge(let limit): "The request's body is larger than \(limit) bytes. Send less."
        case .addressTooLong: "The address is too long. Ask with a shorter one."
        case .headersTooLarge: "The request's header fields are too large. Send fewer or shorter ones."
        case .noSuchPlace(let name): "Open-Meteo knows no place called \(name)."
        case .refused(_, let reason?): "Open-Meteo refused the question: \(reason.asSentence)"
        case .refused(let status, nil):
            "Open-Meteo refused the question, with status \(status) and no reason. Try again later."
        case .limited(let reason?): "Open-Meteo is asked too often: \(reason.asSentence)"
        case .limited(nil): "Open-Meteo is asked too often. Try again in a minute."
        case .unavailable(let status):
            "Open-Meteo has trouble at the moment (status \(status)). Try again in a minute."
        case .unreadable: "Open-Meteo's answer could not be read. Try again in a minute."
        case .tooLarge: "Open-Meteo's answer was too large. Try again in a minute."
        case .forbidden:
            "This program may not ask the weather service at the address it is given. Tell whoever runs it."
        case .timedOut(.waiting): "Too many questions were waiting for Open-Meteo. Try again in a moment."
        case .timedOut(.lookingUp):
            "Open-Meteo's address could not be looked up in time. Try again in a moment."
        case .timedOut(.connecting): "Open-Meteo could not be reached in time. Try again in a moment."
        case .timedOut(.asking): "Open-Meteo did not answer in time. Try again in a moment."
        case .timedOut(.receiving): "Open-Meteo's answer did not arrive in time. Try again in a moment."
        case .failed(.waiting), .failed(.asking):
            "Open-Meteo ended the connection without an answer. Try again in a moment."
        case .failed(.lookingUp): "Open-Meteo's address was not found. Try again in a minute."
        case .failed(.connecting): "Open-Meteo could not be reached. Try again in a minute."
        case .failed(.receiving): "Open-Meteo's answer broke off. Try again in a moment."
        case .outOfTime: "The weather did not come in time. Try again in a moment."
        case .overLimit: "Too many requests are being answered at the moment. Try again in a moment."
        case .queueFull: "Too many questions are waiting for Open-Meteo. Try again in a moment."
        case .overBudget: "Open-Meteo was asked as often as is allowed for now. Try again later."
        case .spared: "Open-Meteo has trouble at the moment and is not asked just now. Try again in a minute."
        case .cancelled: "The question was cancelled. Ask again."
        case .internalError: "Something went wrong in this program. Try again, and tell whoever runs it."
        case .gone:
            "It was deleted, is no longer shared, or never was at this address. Look among all your trips."
        case .unreadableBody: "The request's body is no JSON object. Send one, in UTF-8."
        case .unsupportedMediaType(let types):
            "The request's body must be \(types.joined(separator: " or ")). Say so in Content-Type."
        case .crossSite:
            "Another site asked for this change, and nothing was changed. Make it on a page of this site."
        case .alreadyAdded(let city):
            "This form has already added \(city). To add another trip, open the planner anew."
        case .tooManyTrips(let limit):
            "You have \(limit.grouped(by: ",")) trips, and no more can be kept: nothing was added. Delete one first."
        case .versionConflict:
            "The trip was changed after you had seen it, and your change was not made. Look at it as it is now, and decide again."
        case .versionRequired:
            "Say which version of the trip you saw: If-Match with its ETag, or the form's version."
        case .storage(.full, isWrite: true):
            "There is no space left for trips: nothing was saved. Tell whoever runs this program."
        case .storage(.readOnly, isWrite: true):
            "Trips can only be read at the moment: nothing was saved. Tell whoever runs this program."
        case .storage(.busy, isWrite: true):
            "Others were writing for too long: nothing was saved. Try again in a moment."
        case .storage(.failed, isWrite: true):
            "Trips can't be saved at the moment: nothing was changed. Try again later, and tell whoever runs this program."
        case .storage(.busy, isWrite: false): "Your trips could not be read in time. Try again in a moment."
        case .storage(_, isWrite: false):
            "Your trips can't be read at the moment. Try again later, and tell whoever runs this program."
        }
    }

    func sentence(of fault: Problem.Fault, field: String) -> String {
        switch fault {
        case .missing: "\(field) is missing."
        case .empty: "\(field) is empty."
        case .tooLong(let limit): "\(field) has more than \(limit) characters."
        case .tooShort(let least): "\(field) has fewer than \(least) characters."
        case .notUTF8: "\(field) is not valid UTF-8."
        case .controlCharacter: "\(field) holds a control character."
        case .notANumber: "\(field) is not a number. Write it like 60.39."
        case .notAWholeNumber: "\(field) is not a whole number."
        case .outOfRange(let range):
            "\(field) must be from \(range.lowerBound.forPeople) to \(range.upperBound.forPeople)."
        case .notADate: "\(field) is not a date. Write it like 2026-12-10."
        case .notOneOf(let values): "\(field) must be \(values.joined(separator: " or "))."
        case .notACoordinate:
            "\(field) is not a point on the Earth. Write latitude and longitude like 60.39,5.32."
        case .tooMany(let limit): "\(field) is given more than \(limit.forPeople) times."
        case .unknown: "There is no parameter \(field)."
        case .repeated: "\(field) is given more than once."
        case .needs(let other): "\(field) needs \(other) too."
        case .excludes(let other): "\(field) can't be given together with \(other)."
        }
    }

    private static let weekdays: [StaticString] = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]

    private static let months: [StaticString] = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]
}

extension String {
    /// A reason from elsewhere as the end of a sentence: not too long, and with a stop.
    var asSentence: String {
        let text = shortened(to: 300)
        guard let last = text.last, !".!?…".contains(last) else { return text }
        return text + "."
    }
}

extension Int {
    /// "−90", with a real minus.
    var forPeople: String {
        self < 0 ? "−\(magnitude)" : "\(self)"
    }
}
