import Testing
import Weather

@testable import Fragments
@testable import Trips

struct TripFormTests {
    private static let all: [TripFault] = [
        .city(.missing), .country(.unreadable), .start(.unreadable), .nights(.outOfRange(1...60)),
        .price(.notAStep(of: 250)), .picture, .favourite,
    ]

    @Test func aFormForATripBearsItsFieldsAndVersion() throws {
        let trip = Examples.seattleTrip
        let form = TripForm(
            purpose: .edit(id: trip.id, version: trip.version.description), fields: TripFields(trip.plan))
        let fragment = try Examples.read(Renderer.tripForm(form, as: Examples.html))
        let tag = try #require(fragment.first("trip-form"))
        #expect(tag.attributes["data-purpose"] == "edit")
        #expect(tag.attributes["action"] == "/api/trips/\(trip.id)?lang=en")
        #expect(tag.attributes["method"] == "post")
        let values = ["version", "city", "country", "start", "nights", "price"].map {
            fragment.field($0)?.attributes["value"]
        }
        #expect(values == ["0000000000001234", "Seattle", "United States", "2026-12-06", "4", "1250"])
        #expect(chosen(fragment) == ["city"])
        let favourites = fragment.elements.filter { $0.attributes["name"] == "favourite" }
        #expect(favourites.map { $0.attributes["value"] } == ["false", "true"])
        #expect(favourites.map { $0.attributes["type"] } == ["hidden", "checkbox"])
        #expect(favourites.last?.attributes["checked"] == "")
        #expect(fragment.first("cancel")?.attributes["href"] == "/trips/\(trip.id)")
        #expect(fragment.lines.last == "Save Cancel")
        #expect(fragment.first("form-problem") == nil)
        #expect(fragment.first("fault") == nil)
        #expect(!fragment.elements.contains { $0.attributes["aria-invalid"] != nil })
    }

    @Test func aFormForANewTripBearsItsKey() throws {
        var fields = TripFields()
        fields.city = "Bergen"
        let form = TripForm(purpose: .add(key: "a-key-of-the-server"), fields: fields)
        let fragment = try Examples.read(Renderer.tripForm(form, as: Examples.germanHTML))
        #expect(fragment.first("trip-form")?.attributes["data-purpose"] == "add")
        #expect(fragment.first("trip-form")?.attributes["action"] == "/api/trips?lang=de")
        #expect(fragment.field("key")?.attributes["value"] == "a-key-of-the-server")
        #expect(fragment.field("version") == nil)
        #expect(chosen(fragment) == [""])
        #expect(fragment.lines.last == "Zu meinen Reisen hinzufügen Abbrechen")
        #expect(fragment.first("cancel")?.attributes["href"] == "/")
        // What a browser is told of the limits are the store's own.
        #expect(fragment.field("nights")?.attributes["min"] == "1")
        #expect(fragment.field("nights")?.attributes["max"] == "60")
        #expect(fragment.field("price")?.attributes["max"] == "20000")
        #expect(fragment.field("price")?.attributes["step"] == "250")
    }

    @Test(arguments: Language.allCases)
    func everyFieldAtFaultSaysWhyAndIsTiedToItsSentence(language: Language) throws {
        var fields = TripFields()
        fields.nights = "twelve"
        fields.picture = "volcano"
        let form = TripForm(purpose: .add(key: "k"), fields: fields, faults: Self.all)
        let fragment = try Examples.read(Renderer.tripForm(form, as: Examples.presentation(language)))
        for fault in Self.all {
            let id = "trip-\(fault.field)-fault"
            #expect(fragment.elements.contains { $0.attributes["id"] == id }, "\(id)")
            #expect(fragment.elements.contains { $0.attributes["aria-describedby"] == id }, "\(id)")
            #expect(fragment.text.contains(language.phrases.sentence(of: fault)), "\(id)")
        }
        // A group of radio buttons can't be invalid by itself.
        #expect(fragment.elements.filter { $0.attributes["aria-invalid"] == "true" }.count == 6)
        #expect(fragment.field("nights")?.attributes["value"] == "twelve")
        #expect(chosen(fragment) == [])
        #expect(fragment.first("form-problem")?.attributes["role"] == "alert")
    }

    @Test func whatIsWrongAsAWholeIsSaidFirst() throws {
        let form = TripForm(
            purpose: .add(key: "k"), fields: TripFields(), message: "This form has already added <Bergen>.")
        let fragment = try Examples.read(Renderer.tripForm(form, as: Examples.html))
        #expect(fragment.lines.first == "This form has already added <Bergen>.")
        #expect(fragment.first("fault") == nil)
    }

    @Test(arguments: Language.allCases)
    func everyInputHasALabel(language: Language) throws {
        let form = TripForm(purpose: .add(key: "k"), fields: TripFields())
        let fragment = try Examples.read(Renderer.tripForm(form, as: Examples.presentation(language)))
        let labelled = Set(fragment.all("label").compactMap { $0.attributes["for"] })
        for name in ["city", "country", "start", "nights", "price"] {
            #expect(labelled.contains("trip-\(name)"))
            #expect(fragment.field(name)?.attributes["id"] == "trip-\(name)")
        }
        #expect(fragment.all("input").filter { $0.attributes["type"] == "radio" }.count == 9)
        #expect(fragment.all("img").allSatisfy { $0.attributes["alt"] == "" })
    }

    private func chosen(_ fragment: FragmentReader) -> [String?] {
        fragment.elements.filter { $0.attributes["type"] == "radio" && $0.attributes["checked"] != nil }
            .map { $0.attributes["value"] }
    }
}
