import FoundationEssentials
import Fragments
import Testing
import Trips
import Weather

@testable import TripWeather

@Suite struct TripBodyTests {
    private static let start = CalendarDate(year: 2026, month: 12, day: 10)

    @Test func aFormIsRead() throws {
        let body = TripBody(
            form: Array(
                "city=S%C3%A3o+Paulo&country=Brazil&start=2026-12-10&nights=4&price=250&picture=city&favourite=false&favourite=true&key=0123456789abcdef"
                    .utf8))
        #expect(body.unknown.isEmpty)
        let plan = try body.draft.plan()
        #expect(plan.city == "São Paulo" && plan.country == "Brazil" && plan.start == Self.start)
        #expect(
            plan.nights == 4 && plan.price == 250 && plan.picture?.description == "city" && plan.isFavourite)
        #expect(body.key == "0123456789abcdef")
        #expect(body.fields.city == "São Paulo" && body.fields.nights == "4" && body.fields.isFavourite)
    }

    @Test func aBoxThatIsNotTickedIsNoFavourite() {
        #expect(TripBody(form: Array("favourite=false".utf8)).draft.isFavourite == .value(false))
        #expect(TripBody(form: Array("city=a".utf8)).draft.isFavourite == .absent)
        #expect(TripBody(form: Array("favourite=perhaps".utf8)).draft.isFavourite == .unreadable)
    }

    @Test func whatIsTypedStaysToBeShownAgain() {
        let body = TripBody(form: Array("city=&nights=twelve&price=99999999999999999999".utf8))
        #expect(
            body.draft.city == .cleared && body.draft.nights == .unreadable && body.draft.price == .unreadable
        )
        #expect(body.fields.nights == "twelve" && body.fields.price == "99999999999999999999")
    }

    @Test(arguments: ["colour=red", "city=a&city=b", "city=%ff", "city=a%00b", "%zz=1"])
    func unknownFieldsOfAFormAreTold(form: String) {
        #expect(!TripBody(form: Array(form.utf8)).unknown.isEmpty)
    }

    @Test func anObjectIsRead() throws {
        let json = """
            {"city": "Bergen", "country": null, "start": "2026-12-10", "nights": 4, "price": 250.0,
             "picture": "harbour", "favourite": true, "key": "0123456789abcdef",
             "id": "x", "version": "y", "place": {"name": "z"}, "share": null, "totalNights": 3, "next": {}}
            """
        let body = try TripBody(json: Array(json.utf8))
        #expect(body.unknown.isEmpty && body.key == "0123456789abcdef")
        #expect(body.draft.country == .cleared)
        let plan = try body.draft.plan()
        #expect(plan.city == "Bergen" && plan.nights == 4 && plan.price == 250 && plan.isFavourite)
    }

    @Test(arguments: [
        #"{"nights": "four"}"#, #"{"nights": 4.5}"#, #"{"nights": true}"#, #"{"nights": []}"#,
        #"{"nights": 1e99}"#,
    ])
    func valuesOfAnotherKindAreUnreadable(json: String) throws {
        #expect(try TripBody(json: Array(json.utf8)).draft.nights == .unreadable)
    }

    @Test(arguments: ["", "[]", "null", "3", "{", #"{"city": }"#, "{} {}"])
    func whatIsNoObjectIsRefused(json: String) {
        #expect(throws: (any Error).self) { try TripBody(json: Array(json.utf8)) }
    }

    @Test(arguments: [
        #"{"city": "a",}"#, #"{"city": "a", "place": {"name": "b", }}"#, #"{"city": "a", "next": [1,]}"#,
        #"{"city": "a", "city": "b"}"#, #"{"city": "a", "c\u0069ty": "b"}"#,
        #"{"city": "a", "place": {"name": "b", "name": "c"}}"#,
        #"{"city": "a", "next": [{"id": "b", "i\u0064": "c"}]}"#,
    ])
    func whatReadersTakeInDifferentWaysIsRefused(json: String) {
        #expect(throws: (any Error).self) { try TripBody(json: Array(json.utf8)) }
    }

    @Test func bracketsAndCommasInTextAreText() throws {
        let json = #"{"city": "a,} \" :,]", "country": ",}", "place": {"city": "b", "c": [{}, 1]}}"#
        #expect(try TripBody(json: Array(json.utf8)).draft.city == .value(#"a,} " :,]"#))
    }

    @Test func aKeyOfAnotherKindIsToldAsSuch() throws {
        let body = try TripBody(json: Array(#"{"key": 3}"#.utf8))
        #expect(body.unknown.map(\.field) == ["key"])
        guard case .notAKey? = body.unknown.first?.fault else {
            Issue.record("\(body.unknown)")
            return
        }
    }

    @Test func depthIsBounded() {
        let deep = #"{"city":"# + String(repeating: "[", count: 30_000)
        #expect(throws: (any Error).self) { try TripBody(json: Array(deep.utf8)) }
    }

    @Test func unknownMembersAreTold() throws {
        let body = try TripBody(json: Array(#"{"city": "a", "colour": "red"}"#.utf8))
        #expect(body.unknown.map(\.field) == ["colour"])
    }

    @Test(
        arguments: [
            ("application/json", TripBody.Form.json), ("application/json; charset=utf-8", .json),
            ("Application/Merge-Patch+JSON", .mergePatch), ("application/x-www-form-urlencoded", .form),
        ] as [(String, TripBody.Form)])
    func typesOfContentAreKnown(type: String, form: TripBody.Form) {
        #expect(TripBody.Form(contentType: type) == form)
    }

    @Test(arguments: ["", "text/plain", "multipart/form-data; boundary=x", "application/jsonx"])
    func othersAreNot(type: String) {
        #expect(TripBody.Form(contentType: type) == nil)
        #expect(TripBody.Form(contentType: nil) == nil)
    }
}

@Suite struct PreconditionTests {
    private static let version = "0123456789abcdef"

    @Test func tagsAreReadStrongAndWeak() throws {
        let version = try #require(TripVersion(Self.version))
        for field in [
            "\"\(Self.version)\"", "W/\"\(Self.version)\"", "\"old\", \"\(Self.version)\" ",
            " \"x\",\"\(Self.version)\"",
        ] {
            let precondition = try #require(Precondition(ifMatch: field))
            guard case .versions(let versions) = precondition else {
                Issue.record("\(field) is no list")
                continue
            }
            #expect(versions == [version])
        }
    }

    @Test func aStarIsAnyVersion() {
        #expect(Precondition(ifMatch: "*") == .any)
    }

    @Test func nothingIsNoPrecondition() {
        #expect(Precondition(ifMatch: nil) == nil && Precondition(ifMatch: "") == nil)
        #expect(Precondition(version: nil) == nil)
    }

    @Test func whatNoTripEverWasMatchesNone() {
        #expect(Precondition(ifMatch: "nonsense") == .versions([]))
        #expect(Precondition(version: "") == .versions([]))
    }
}

@Suite struct TripIdeasFileTests {
    private func read(_ text: String) throws -> [String] {
        try TripIdeasFile.ideas(in: .init(text.utf8), of: "ideas.json").map(\.city)
    }

    @Test func ideasAreRead() throws {
        #expect(
            try read(
                #"[{"city": " Bergen ", "country": "Norway", "suggestedNights": 4}, {"city": "Hong Kong", "suggestedNights": 3}]"#
            )
                == ["Bergen", "Hong Kong"])
        #expect(try TripIdeasFile.read("").isEmpty)
    }

    @Test(arguments: [
        "", "{}", #"[{"city": "a"}]"#, #"[{"city": "", "suggestedNights": 4}]"#,
        #"[{"city": "a", "suggestedNights": 0}]"#, #"[{"city": "a", "suggestedNights": 61}]"#,
    ])
    func aFileThatIsOfNoUseSaysWhy(text: String) {
        #expect {
            try read(text)
        } throws: { error in
            "\(error)".contains("ideas.json")
        }
        #expect(throws: OperatorFault.self) { try TripIdeasFile.read("/nonexistent/ideas.json") }
    }
}
