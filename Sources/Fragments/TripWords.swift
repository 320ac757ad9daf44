import Trips
import Weather

/// What people read of trips, in one language. As in `Words`, none of the static words holds a character that JSON
/// or HTML would have to escape; what functions return is escaped where it is written.
protocol TripWords: Sendable {
    // Of a trip

    /// Between the digits of a number in threes.
    var thousands: String { get }
    /// Around an amount of dollars.
    var dollars: Phrase { get }
    func nights(_ nights: Int) -> String
    var favourite: StaticString { get }
    var yourTrips: StaticString { get }
    var noTrips: StaticString { get }
    /// Said of all trips, for people who read lines.
    func total(nights: Int) -> String

    // The boarding pass

    var departure: StaticString { get }
    var returning: StaticString { get }
    var nightsLabel: StaticString { get }
    var price: StaticString { get }
    var totalNights: StaticString { get }
    /// Before the time in the city.
    var localTimeLabel: StaticString { get }

    // The trip card

    /// Before the next trip's city.
    var next: StaticString { get }
    var allTrips: StaticString { get }
    var edit: StaticString { get }
    var deleteTrip: StaticString { get }
    var share: StaticString { get }
    var stopSharing: StaticString { get }
    var sharedAddress: StaticString { get }

    // Forms

    var city: StaticString { get }
    var country: StaticString { get }
    var priceInDollars: StaticString { get }
    var picture: StaticString { get }
    var noPicture: StaticString { get }
    func name(of picture: Picture) -> StaticString
    /// Said before the fields, each of which says what is wrong with it.
    var fieldsAtFault: StaticString { get }
    var addToMyTrips: StaticString { get }
    var save: StaticString { get }
    var cancel: StaticString { get }

    // Questions

    /// Around the city's name.
    var deleteQuestion: Phrase { get }
    var cannotBeUndone: StaticString { get }
    var delete: StaticString { get }
    var forgetQuestion: StaticString { get }
    var whatIsForgotten: StaticString { get }
    var forget: StaticString { get }

    // A conflict

    /// Around the city's name.
    var changedMeanwhile: Phrase { get }
    var whatDiffers: StaticString { get }
    var nothingDiffers: StaticString { get }
    var field: StaticString { get }
    var savedNow: StaticString { get }
    var yours: StaticString { get }
    var saveMine: StaticString { get }
    var keepSaved: StaticString { get }
    var yes: StaticString { get }
    var no: StaticString { get }

    // The strip and the weather of a trip

    var weatherOfTrips: StaticString { get }
    /// Around the things to pack.
    var toPack: Phrase { get }
    func words(of item: PackingItem) -> StaticString

    // Documents

    var planATrip: StaticString { get }
    func editing(_ city: String) -> String
    func deleting(_ city: String) -> String
    func changedMeanwhile(_ city: String) -> String

    // Faults

    func sentence(of fault: TripFault) -> String
}

extension TripWords {
    /// "$1,250".
    func dollars(_ amount: Int) -> String {
        "\(dollars.before)\(amount.grouped(by: thousands))\(dollars.after)"
    }
}

extension Int {
    /// "16,250": its digits in threes.
    func grouped(by separator: String) -> String {
        var digits = String(magnitude)[...]
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        groups.append(digits)
        return (self < 0 ? "−" : "") + groups.reversed().joined(separator: separator)
    }
}
