import Testing
import Weather

@testable import Fragments
@testable import Trips

/// Trips that many tests render.
extension Examples {
    static let seattleTrip = trip(
        "aaaaaaaaaaaaaaaaaaaaaaaaaa", "Seattle", "United States", start: "2026-12-06", nights: 4,
        price: 1_250,
        picture: "city", isFavourite: true, place: seattle)

    /// Its place wasn't found yet, and it has no country and no picture.
    static let bergen = trip(
        "baaaaaaaaaaaaaaaaaaaaaaaaa", "Bergen", nil, start: "2026-12-30", nights: 3, price: 0)

    static let trips = TripList(inOrder: [seattleTrip, bergen])

    static let share = shareID("caaaaaaaaaaaaaaaaaaaaaaaaa")

    static func trip(
        _ id: String, _ city: String, _ country: String?, start: String, nights: Int, price: Int,
        picture: String? = nil, isFavourite: Bool = false, place: Place? = nil, share: ShareID? = nil
    ) -> Trip {
        guard let key = RandomKey(id), let span = TripSpan(start: date(start), nights: nights) else {
            fatalError("no trip: \(id)")
        }
        let plan = TripPlan(
            city: city, country: country, span: span, price: price,
            picture: picture.flatMap { PictureName($0) },
            isFavourite: isFavourite)
        return Trip(
            id: .kept(key), plan: plan, place: place, version: TripVersion(bits: 0x1234), share: share)
    }

    static func shareID(_ text: String) -> ShareID {
        guard let share = ShareID(text) else { fatalError("no share: \(text)") }
        return share
    }

    static let html = Presentation(representation: .html)
    static let germanHTML = Presentation(language: .german, representation: .html)

    static func presentation(_ language: Language, _ representation: Representation = .html) -> Presentation {
        Presentation(language: language, representation: representation)
    }

    /// The fragment as a strict browser reads it.
    static func read(_ bytes: [UInt8]) throws -> FragmentReader {
        try FragmentReader(text(bytes))
    }
}
