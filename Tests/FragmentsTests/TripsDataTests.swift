import Foundation
import Testing
import Weather

@testable import Fragments
@testable import Trips

/// Trips as JSON and as lines.
struct TripsDataTests {
    private static let seattle = """
        "id":"aaaaaaaaaaaaaaaaaaaaaaaaaa","city":"Seattle","country":"United States",\
        "start":"2026-12-06","nights":4,"price":1250,"picture":"city","favourite":true,\
        "place":{"placeId":5809844,"name":"Seattle","country":"United States","latitude":47.60621,"longitude":-122.33207,\
        "timeZone":"America/Los_Angeles"},"version":"0000000000001234","share":null
        """
    private static let bergen = """
        "id":"baaaaaaaaaaaaaaaaaaaaaaaaa","city":"Bergen","country":null,"start":"2026-12-30","nights":3,\
        "price":0,"picture":null,"favourite":false,"place":null,"version":"0000000000001234","share":null
        """

    @Test func tripsAreThisDocument() {
        #expect(
            Examples.text(Renderer.trips(Examples.trips, on: Examples.today, as: Presentation()))
                == "{\"trips\":[{\(Self.seattle)},{\(Self.bergen)}],\"totalNights\":7}\n")
        #expect(
            Examples.text(Renderer.trips(TripList(inOrder: []), on: Examples.today, as: Presentation()))
                == "{\"trips\":[],\"totalNights\":0}\n")
    }

    @Test func oneTripKnowsAllNightsAndTheNext() {
        #expect(
            Examples.text(Renderer.trip(Examples.seattleTrip, in: Examples.trips, as: Presentation())) == """
                {\(Self.seattle),"totalNights":7,"next":{"id":"baaaaaaaaaaaaaaaaaaaaaaaaa","city":"Bergen",\
                "country":null,"start":"2026-12-30"}}

                """)
        #expect(
            Examples.text(Renderer.trip(Examples.bergen, in: Examples.trips, as: Presentation()))
                == "{\(Self.bergen),\"totalNights\":7,\"next\":null}\n")
    }

    @Test func aWrittenTripIsTheTripAlone() {
        #expect(
            Examples.text(Renderer.trip(Examples.seattleTrip, as: Presentation()))
                == "{\(Self.seattle)}\n")
    }

    @Test func aSharedTripHasWhatOthersMayKnow() throws {
        let json = try JSONSerialization.jsonObject(
            with: Data(Renderer.sharedTrip(SharedTrip(Examples.seattleTrip), as: Presentation())))
        let members = try #require(json as? [String: Any])
        #expect(
            members.keys.sorted() == [
                "city", "country", "favourite", "nights", "picture", "place", "price", "start",
            ])
    }

    @Test func aLinkIsItsAddress() {
        #expect(
            Examples.text(Renderer.shareLink(Examples.share, as: Presentation()))
                == "{\"share\":\"/shared/caaaaaaaaaaaaaaaaaaaaaaaaa\"}\n")
        #expect(
            Examples.text(Renderer.shareLink(Examples.share, as: Examples.presentation(.english, .text)))
                == "/shared/caaaaaaaaaaaaaaaaaaaaaaaaa\n")
        var trip = Examples.bergen
        trip.share = Examples.share
        #expect(
            Examples.text(Renderer.trip(trip, as: Presentation())).contains(
                "\"share\":\"/shared/caaaaaaaaaaaaaaaaaaaaaaaaa\""))
    }

    @Test func tripsAreLinesInATerminal() {
        #expect(
            Examples.text(
                Renderer.trips(Examples.trips, on: Examples.today, as: Examples.presentation(.english, .text))
            ) == """
                Seattle, United States: 6 December – 10 December 2026, 4 nights, $1,250, Favourite
                Bergen: 30 December 2026 – 2 January 2027, 3 nights, $0
                In all: 7 nights

                """)
        #expect(
            Examples.text(
                Renderer.trip(
                    Examples.seattleTrip, in: Examples.trips, as: Examples.presentation(.german, .text)))
                    == """
                    Seattle, United States
                    Hinreise: Sonntag, 6. Dezember 2026
                    Rückreise: Donnerstag, 10. Dezember 2026
                    Nächte: 4
                    Preis: 1.250\u{A0}$
                    Favorit
                    Nächte aller Reisen: 7
                    Danach: Bergen

                    """)
    }
}
