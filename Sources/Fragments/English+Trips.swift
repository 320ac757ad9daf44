import Trips
import Weather

/// Trips in English.
extension English {
    var thousands: String { "," }
    var dollars: Phrase { Phrase("$") }

    func nights(_ nights: Int) -> String {
        nights == 1 ? "1 night" : "\(nights.grouped(by: thousands)) nights"
    }

    var favourite: StaticString { "Favourite" }
    var yourTrips: StaticString { "Your trips" }
    var noTrips: StaticString { "There are no trips yet. Plan one." }

    func total(nights: Int) -> String { "In all: \(self.nights(nights))" }

    var departure: StaticString { "Departure" }
    var returning: StaticString { "Return" }
    var nightsLabel: StaticString { "Nights" }
    var price: StaticString { "Price" }
    var totalNights: StaticString { "Nights over all trips" }
    var localTimeLabel: StaticString { "Local time" }

    var next: StaticString { "Next: " }
    var allTrips: StaticString { "All trips" }
    var edit: StaticString { "Edit" }
    var deleteTrip: StaticString { "Delete trip" }
    var share: StaticString { "Share" }
    var stopSharing: StaticString { "Stop sharing" }
    var sharedAddress: StaticString { "The address to share" }

    var city: StaticString { "City" }
    var country: StaticString { "Country" }
    var priceInDollars: StaticString { "Price in US dollars" }
    var picture: StaticString { "Picture" }
    var noPicture: StaticString { "No picture" }

    func name(of picture: Picture) -> StaticString {
        switch picture {
        case .city: "City"
        case .harbour: "Harbour"
        case .desert: "Desert"
        case .mountains: "Mountains"
        case .beach: "Beach"
        case .forest: "Forest"
        case .lake: "Lake"
        case .snow: "Snow"
        }
    }

    var fieldsAtFault: StaticString { "Nothing was saved yet: some fields are not right." }
    var addToMyTrips: StaticString { "Add to my trips" }
    var save: StaticString { "Save" }
    var cancel: StaticString { "Cancel" }

    var deleteQuestion: Phrase { Phrase("Delete ", "?") }
    var cannotBeUndone: StaticString { "This cannot be undone." }
    var delete: StaticString { "Delete" }
    var forgetQuestion: StaticString { "Forget my trips?" }
    var whatIsForgotten: StaticString {
        "All your trips and their shared addresses are removed, and this browser is no longer known here."
    }
    var forget: StaticString { "Forget my trips" }

    var changedMeanwhile: Phrase { Phrase("", " was changed meanwhile") }
    var whatDiffers: StaticString {
        "Your change was not saved: the trip was changed elsewhere after you had opened it. This is where the two differ."
    }
    var nothingDiffers: StaticString { "What is saved now is what you wanted to save." }
    var field: StaticString { "Field" }
    var savedNow: StaticString { "Saved now" }
    var yours: StaticString { "Yours" }
    var saveMine: StaticString { "Save mine" }
    var keepSaved: StaticString { "Keep what is saved" }
    var yes: StaticString { "Yes" }
    var no: StaticString { "No" }

    var weatherOfTrips: StaticString { "The weather where your trips go" }
    var toPack: Phrase { Phrase("To pack: ", ".") }

    func words(of item: PackingItem) -> StaticString {
        switch item {
        case .umbrella: "umbrella"
        case .rainJacket: "rain jacket"
        case .warmJacket: "warm jacket"
        case .hatAndGloves: "hat and gloves"
        case .snowBoots: "snow boots"
        case .lightClothes: "light clothes"
        case .sunHat: "sun hat"
        case .sunscreen: "sunscreen"
        case .sleepMask: "sleep mask"
        case .headTorch: "head torch"
        }
    }

    var planATrip: StaticString { "Plan a trip" }
    func editing(_ city: String) -> String { "Edit \(city)" }
    func deleting(_ city: String) -> String { "Delete \(city)?" }
    func changedMeanwhile(_ city: String) -> String { "\(city) was changed meanwhile" }

    func sentence(of fault: TripFault) -> String {
        switch fault {
        case .city(.missing): "City is missing. Write where the trip goes."
        case .city(.unreadable): "City must be text."
        case .city(.tooLong(let limit)): "City has more than \(limit) characters. Write a shorter name."
        case .country(.missing): "Country is missing."
        case .country(.unreadable): "Country must be text."
        case .country(.tooLong(let limit)): "Country has more than \(limit) characters. Write a shorter name."
        case .start(.missing): "Departure is missing. Choose a day."
        case .start(.unreadable): "Departure is no day of the calendar. Write it like 2026-12-10."
        case .start(.outOfRange(let range)):
            "Departure must be from \(range.lowerBound) to \(range.upperBound)."
        case .nights(.missing): "Nights are missing. Write how many."
        case .nights(.unreadable): "Nights must be a whole number."
        case .nights(.outOfRange(let range)):
            "Nights must be from \(range.lowerBound) to \(range.upperBound)."
        case .nights(.notAStep(let step)): "Nights must be in steps of \(step)."
        case .price(.missing): "Price is missing. Write 0 where there is none."
        case .price(.unreadable): "Price must be a whole number of dollars."
        case .price(.outOfRange(let range)):
            "Price must be from \(dollars(range.lowerBound)) to \(dollars(range.upperBound))."
        case .price(.notAStep(let step)): "Price must be in steps of \(dollars(step))."
        case .picture(.unreadable): "There is no such picture. Choose another."
        case .favourite(.unreadable): "Favourite must be true or false."
        }
    }
}
