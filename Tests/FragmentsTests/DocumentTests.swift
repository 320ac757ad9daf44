import Testing
import Weather

@testable import Fragments
@testable import Trips

struct DocumentTests {
    private func read(_ bytes: [UInt8]) throws -> FragmentReader {
        let text = Examples.text(bytes)
        let doctype = "<!doctype html>\n"
        try #require(text.hasPrefix(doctype))
        return try FragmentReader(String(text.dropFirst(doctype.count)))
    }

    @Test(arguments: Language.allCases)
    func aDocumentStandsAroundAFragment(language: Language) throws {
        let presentation = Presentation(units: .imperial, language: language, representation: .html)
        let form = Renderer.tripForm(
            TripForm(purpose: .add(key: "k"), fields: TripFields()), as: presentation)
        let bytes = Renderer.document(form, title: .adding, as: presentation)
        let document = try read(bytes)
        #expect(document.elements.first?.name == "html")
        #expect(document.elements.first?.attributes == ["lang": language.rawValue, "data-units": "imperial"])
        #expect(
            document.elements.contains {
                $0.attributes["name"] == "viewport"
                    && $0.attributes["content"] == "width=device-width, initial-scale=1"
            })
        let sheets = document.all("link").filter { $0.attributes["rel"] == "stylesheet" }
        #expect(sheets.first?.attributes["href"] == "/css/weather.css")
        #expect(sheets.contains { $0.attributes["href"] == "/css/page.css" })
        #expect(document.all("script").map(\.attributes) == [["type": "module", "src": "/js/page.js"]])
        #expect(document.all("a").first?.attributes["href"] == "/")
        #expect(document.all("main").count == 1)
        // The form has no heading of its own.
        #expect(document.all("h1").count == 1)
        #expect(Examples.text(bytes).contains(Examples.text(form)))
        #expect(document.text.contains("\(language.phrases.planATrip) – Trip Weather\n"))
    }

    @Test(arguments: Language.allCases)
    func everyDocumentHasOneHeadingAndATitle(language: Language) throws {
        let presentation = Examples.presentation(language)
        let trip = Examples.seattleTrip
        let form = TripForm(purpose: .edit(id: trip.id, version: "v"), fields: TripFields())
        let documents: [([UInt8], DocumentTitle, String)] = [
            (Renderer.tripForm(form, as: presentation), .editing(city: "Seattle"), "Seattle"),
            (Renderer.tripDeletion(trip, as: presentation), .deleting(city: "Seattle"), "Seattle"),
            (
                Renderer.tripConflict(yours: form, current: trip, as: presentation),
                .conflict(city: "Seattle"), "Seattle"
            ),
            (Renderer.forgetting(as: presentation), .forgetting, "?"),
            (
                Renderer.problem(Problem(because: .crossSite, in: language), form: .page, as: presentation),
                .problem(Problem(because: .crossSite, in: language)),
                Problem(because: .crossSite, in: language).title
            ),
            (
                Renderer.problem(Problem(because: .gone, in: language), form: .page, as: presentation),
                .problem(Problem(because: .gone, in: language)), Problem(because: .gone, in: language).title
            ),
            (
                Renderer.trips(Examples.trips, on: Examples.today, as: presentation), .editing(city: "Here"),
                "Here"
            ),
        ]
        for (fragment, title, part) in documents {
            let document = try read(Renderer.document(fragment, title: title, as: presentation))
            #expect(document.all("h1").count == 1, "\(part)")
            #expect(
                document.lines.contains { $0.hasSuffix(" – Trip Weather") && $0.contains(part) }, "\(part)")
        }
    }

    @Test func aTitleStaysText() throws {
        for text in EscapingTests.awkward {
            let document = try read(
                Renderer.document([], title: .editing(city: text), as: Examples.html))
            #expect(document.all("script").count == 1)
            #expect(document.all("title").count == 1)
        }
        // What looks like a heading in somebody's words is none.
        let form = Renderer.tripDeletion(Examples.bergen, message: "<h1>", as: Examples.html)
        #expect(
            try read(Renderer.document(form, title: .deleting(city: "x"), as: Examples.html)).all("h1").count
                == 1)
        let fake = TripForm(purpose: .add(key: "<h1>"), fields: TripFields(), message: "<h1>")
        let document = try read(
            Renderer.document(
                Renderer.tripForm(fake, as: Examples.html), title: .deleting(city: "x"), as: Examples.html))
        #expect(document.all("h1").count == 1)
    }
}
