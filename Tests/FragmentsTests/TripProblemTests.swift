import Foundation
import Testing
import Trips
import Weather

@testable import Fragments
@testable import Storage

struct TripProblemTests {
    private static func problems(_ language: Language) -> [(Problem, Int, String)] {
        [
            (Problem(because: .gone, in: language), 404, "gone"),
            (.tripFaults([.nights(.missing)], in: language), 400, "trip-faults"),
            (Problem(because: .unreadableBody, in: language), 400, "unreadable-body"),
            (Problem(because: .crossSite, in: language), 403, "cross-site"),
            (Problem(because: .alreadyAdded(city: "Bergen"), in: language), 409, "already-added"),
            (Problem(because: .tooManyTrips(limit: 1_200), in: language), 409, "too-many-trips"),
            (
                Problem(because: .versionConflict(current: Examples.bergen), in: language), 412,
                "version-conflict"
            ),
            (
                Problem(because: .unsupportedMediaType(["application/json", "text/x"]), in: language), 415,
                "unsupported-media-type"
            ),
            (Problem(because: .versionRequired, in: language), 428, "version-required"),
            (Problem(because: .storage(.full, isWrite: true), in: language), 503, "storage"),
        ]
    }

    @Test func everyProblemOfTripsHasItsStatusAndASentenceInEveryLanguage() {
        for ((english, german), (status, type)) in zip(
            zip(Self.problems(.english).map(\.0), Self.problems(.german).map(\.0)),
            Self.problems(.english).map { ($0.1, $0.2) })
        {
            #expect(english.status == status)
            #expect(english.type == "/problems/\(type)")
            #expect(german.status == status)
            #expect(german.type == english.type)
            #expect(german.title != english.title)
            #expect(german.detail != english.detail)
        }
    }

    @Test func whatHappenedIsSaidInTheseWords() {
        #expect(
            Problem(because: .alreadyAdded(city: "Bergen")).detail
                == "This form has already added Bergen. To add another trip, reload the planner.")
        #expect(
            Problem(because: .tooManyTrips(limit: 1_200)).detail
                == "You have 1,200 trips, which is the limit: nothing was added. Delete one first.")
        #expect(Problem(because: .versionRequired).detail.contains("If-Match"))
        #expect(
            Problem(because: .unsupportedMediaType(["application/json", "text/x"])).detail
                == "The request's body must be application/json or text/x. Say so in Content-Type.")
        #expect(
            Problem(because: .alreadyAdded(city: String(repeating: "ä", count: 5_000))).detail.count < 300)
    }

    @Test(arguments: Language.allCases, [StorageError.Kind.full, .readOnly, .busy, .other])
    func troubleWithTheStoreSaysThatNothingWasSaved(language: Language, trouble: StorageError.Kind) {
        let write = Problem(because: .storage(trouble, isWrite: true), in: language)
        let read = Problem(because: .storage(trouble, isWrite: false), in: language)
        let nothing = language == .english ? "nothing was " : "Nichts wurde ge"
        #expect(write.detail.contains(nothing))
        #expect(!read.detail.contains(nothing))
        #expect(write.status == 503)
        #expect(read.status == 503)
        #expect(write.retryAfterSeconds == (trouble == .busy ? 1 : nil))
    }

    @Test(arguments: StorageError.Kind.allCases)
    func everyErrorOfTheStoreIsOneOfFourTroubles(kind: StorageError.Kind) {
        let expected: StorageError.Kind =
            switch kind {
            case .full, .readOnly: kind
            case .busy, .timedOut, .overloaded: .busy
            default: .other
            }
        for isWrite in [true, false] {
            #expect(
                Problem(.storage(StorageError(kind, "")), isWrite: isWrite)
                    == Problem(because: .storage(expected, isWrite: isWrite)))
        }
    }

    @Test func anErrorOfTheStoreSaysNothingOfItsInside() {
        let error = TripStoreError.storage(.unexpectedValue("/var/lib/secret"))
        for representation in Representation.allCases {
            let answer = Examples.text(
                Renderer.problem(
                    Problem(error, isWrite: true), as: Presentation(representation: representation)))
            #expect(!answer.contains("secret"))
        }
        #expect(Problem(.gone, isWrite: true).status == 404)
        #expect(Problem(.tooMany(limit: 3), isWrite: true).status == 409)
        #expect(Problem(.conflict(current: Examples.bergen), isWrite: true).current == Examples.bergen)
    }

    @Test func aConflictBearsTheTripAsItIs() throws {
        let bytes = Renderer.problem(
            Problem(because: .versionConflict(current: Examples.bergen)), as: Presentation())
        let json = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let current = try #require(json["current"] as? [String: Any])
        #expect(current["id"] as? String == Examples.bergen.id.description)
        #expect(current["version"] as? String == Examples.bergen.version.description)
        let type = Renderer.problem(Problem(because: .unsupportedMediaType(["a/b"])), as: Presentation())
        #expect(Examples.text(type).contains("\"accept\":[\"a/b\"]"))
    }

    @Test(arguments: Language.allCases)
    func aTripThatIsGoneIsASectionOfItsOwnInEveryForm(language: Language) throws {
        let presentation = Examples.presentation(language)
        let forms: [ProblemForm] = [.weather(.card), .weather(.line), .section, .page]
        for form in forms {
            let fragment = try Examples.read(
                Renderer.problem(Problem(because: .gone, in: language), form: form, as: presentation))
            #expect(fragment.first("gone")?.attributes["data-state"] == "gone")
            #expect(fragment.first("gone")?.attributes["lang"] == language.rawValue)
            #expect(fragment.all("h1").count == 1)
            #expect(fragment.all("a").map { $0.attributes["href"] } == ["/"])
        }
        let fragment = try Examples.read(Renderer.problem(Problem(because: .gone), as: Examples.html))
        #expect(fragment.lines.first == "This trip is gone")
        #expect(fragment.lines.last == "All trips")
    }

    @Test(arguments: Language.allCases, CardForm.allCases)
    func theWeatherOfATripToNowhereOffersToEditIt(language: Language, form: CardForm) throws {
        let id = Examples.bergen.id
        let problem = Problem(.noSuchPlace("Hogsmeade"), in: language)
        func card(_ problem: Problem, of trip: TripID?) throws -> FragmentReader {
            try Examples.read(
                Renderer.problem(
                    problem, form: .weather(form, of: trip), as: Examples.presentation(language)))
        }
        let ofTrip = try card(problem, of: id)
        #expect(ofTrip.first("edit")?.attributes["href"] == "/trips/\(id)/edit")
        #expect(ofTrip.first("retry") == nil)
        // Nobody else can edit it, and another failure may pass.
        #expect(try card(problem, of: nil).first("retry") != nil)
        #expect(try card(Problem(.outOfTime, in: language), of: id).first("retry") != nil)
    }

    @Test func aProblemOfATripsRouteIsASectionOrAPage() throws {
        let problem = Problem.tripFaults([.city(.missing), .price(.unreadable)])
        let section = try Examples.read(Renderer.problem(problem, form: .section, as: Examples.html))
        #expect(section.first("problem")?.attributes["data-state"] == "failed")
        #expect(section.first("retry")?.attributes["href"] == "")
        #expect(section.all("h1").isEmpty)
        #expect(section.all("li").map { $0.attributes["data-field"] } == ["city", "price"])
        let page = try Examples.read(
            Renderer.problem(Problem(because: .crossSite), form: .page, as: Examples.html))
        #expect(page.all("h1").count == 1)
        #expect(page.first("retry") == nil)
        #expect(page.first("all-trips")?.attributes["href"] == "/")
        #expect(
            page.lines == [
                "Requested by another site",
                "Another site requested this change, and nothing was changed. Make it on a page of this site.",
                "All trips",
            ])
    }
}
