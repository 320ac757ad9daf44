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

    /// When the trips are looked at.
    static let today = date("2026-11-30")

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

    /// Every fragment that shows a trip, by its name.
    static func fragments(of trip: Trip, as presentation: Presentation) -> [(String, [UInt8])] {
        let list = TripList(inOrder: [trip, bergen, trip])
        var fields = TripFields(bergen.plan)
        fields.city = "Oslo \(trip.plan.city)"
        fields.country = "Norway \(trip.plan.country ?? "")"
        let edit = TripForm(
            purpose: .edit(id: trip.id, version: trip.version.description), fields: TripFields(trip.plan),
            message: trip.plan.city)
        let conflict = TripForm(purpose: edit.purpose, fields: fields)
        let states: [WeatherState] = [
            .loading(previous: nil), .loaded(report), .failed(message: trip.plan.city, previous: nil),
            .failed(message: trip.plan.city, previous: report),
        ]
        let idea: TripIdea = (city: trip.plan.city, country: trip.plan.country, suggestedNights: 3)
        let message = trip.plan.city
        return [
            ("trips", Renderer.trips(list, on: Examples.today, as: presentation)),
            ("pass", Renderer.trip(trip, in: list, as: presentation)),
            ("written", Renderer.trip(trip, as: presentation)),
            ("card", Renderer.tripCard(bergen, in: list, as: presentation)),
            ("shared", Renderer.sharedTrip(SharedTrip(trip), as: presentation)),
            ("strip", Renderer.strip(states.map { (trip: trip, state: $0) }, as: presentation)),
            ("form", Renderer.tripForm(edit, as: presentation)),
            ("deletion", Renderer.tripDeletion(trip, message: message, as: presentation)),
            ("forgetting", Renderer.forgetting(as: presentation)),
            ("ideas", Renderer.ideas([idea], as: presentation)),
            ("conflict", Renderer.tripConflict(yours: conflict, current: trip, as: presentation)),
            (
                "added",
                Renderer.problem(
                    Problem(because: .alreadyAdded(city: message), in: presentation.language), form: .section,
                    as: presentation)
            ),
            (
                "fields",
                Renderer.problem(
                    Problem(
                        .badRequest, fields: [.init(name: message, detail: message)],
                        in: presentation.language),
                    form: .page, as: presentation)
            ),
            ("gone", Renderer.problem(Problem(because: .gone, in: presentation.language), as: presentation)),
        ]
    }

    /// The fragment as a strict browser reads it.
    static func read(_ bytes: [UInt8]) throws -> FragmentReader {
        try FragmentReader(text(bytes))
    }
}
