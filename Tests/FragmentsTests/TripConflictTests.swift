import Testing
import Weather

@testable import Fragments
@testable import Trips

struct TripConflictTests {
    private static let current = Examples.seattleTrip

    private static func conflict(
        _ language: Language = .english, _ change: (inout TripFields) -> Void
    ) throws -> FragmentReader {
        var fields = TripFields(current.plan)
        change(&fields)
        let yours = TripForm(purpose: .edit(id: current.id, version: "ffffffffffffffff"), fields: fields)
        return try Examples.read(
            Renderer.tripConflict(yours: yours, current: current, as: Examples.presentation(language)))
    }

    @Test func whatDiffersStandsSideBySide() throws {
        let fragment = try Self.conflict { fields in
            fields.city = "Portland"
            fields.country = ""
            fields.start = "2026-12-07"
            fields.nights = "5"
            fields.price = "2500"
            fields.picture = ""
            fields.isFavourite = false
        }
        #expect(
            fragment.lines == [
                "Seattle was changed meanwhile",
                "Your change was not saved: the trip was changed elsewhere after you opened it. "
                    + "This is what differs.",
                "FieldSaved nowYours", "CitySeattlePortland", "CountryUnited States–",
                "DepartureSunday 6 December 2026Monday 7 December 2026", "Nights45", "Price$1,250$2,500",
                "PictureCityNo picture", "FavouriteYesNo", "Save mine Keep what is saved",
            ])
    }

    @Test func theFormSavesWhatDiffersOverTheVersionOfNow() throws {
        let fragment = try Self.conflict {
            $0.nights = "5"
            $0.isFavourite = false
        }
        #expect(
            fragment.all("input").map { $0.attributes["name"] } == ["version", "nights", "favourite"])
        #expect(
            fragment.all("input").map { $0.attributes["value"] } == ["0000000000001234", "5", "false"])
        #expect(fragment.all("form").first?.attributes["action"] == "/api/trips/\(Self.current.id)?lang=en")
        #expect(fragment.first("cancel")?.attributes["href"] == "/trips/\(Self.current.id)")
        #expect(fragment.all("tr").compactMap { $0.attributes["data-field"] } == ["nights", "favourite"])
    }

    @Test func whatCannotBeReadStandsAsItWasTyped() throws {
        let fragment = try Self.conflict(.german) {
            $0.start = "tomorrow"
            $0.price = "much"
            $0.picture = "volcano"
        }
        #expect(fragment.text.contains("tomorrow"))
        #expect(fragment.text.contains("much"))
        #expect(fragment.text.contains("volcano"))
        #expect(fragment.first("conflict")?.attributes["lang"] == "de")
    }

    @Test func theSameInAnotherSpellingIsNoDifference() throws {
        let fragment = try Self.conflict {
            $0.city = "  Seattle "
            $0.nights = "04"
        }
        #expect(fragment.all("form").isEmpty)
        #expect(fragment.all("table").isEmpty)
        #expect(fragment.lines.contains("What is saved now is what you wanted to save."))
        #expect(fragment.first("cancel") != nil)
    }
}
