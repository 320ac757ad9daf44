import Foundation
import Testing
import Weather

@testable import Fragments
@testable import Trips

/// Whatever stands in a trip's fields stays text in every answer: no element, no attribute, no address and no line
/// comes of it.
struct TripEscapingTests {
    private static let hostile: [String] =
        EscapingTests.awkward + EscapingTests.random.prefix(20) + [
            "'; DROP TABLE trip; --", "Robert'); DELETE FROM traveller WHERE ('1'='1", "\" OR 1=1 --",
            "../../../etc/passwd", "/../..//evil.example/", "javascript:alert(1)", "//evil.example",
            "Bergen\r\nSet-Cookie: traveller=x", "Bergen\r\n\r\n<html>", "<!--# include virtual=\"/etc\" -->",
            "<!--# exec cmd=\"id\" -->", "?lang=xx&version=0", "#planner\" onclick=\"x",
            "</bdi></h1></title>",
            "</textarea></select><img src=x onerror=alert(1)>",
        ]

    private static func trip(_ text: String) -> Trip {
        // Past every check: a store may hold what an older version of the program let in.
        Examples.trip(
            "aaaaaaaaaaaaaaaaaaaaaaaaaa", text, text, start: "2026-12-06", nights: 4, price: 1_250,
            picture: "city", isFavourite: true,
            place: Place(
                name: text, country: text, coordinate: Examples.coordinate(1, 2), timeZone: text),
            share: Examples.share)
    }

    @Test(arguments: Language.allCases)
    func textStaysTextInEveryFragment(language: Language) throws {
        let presentation = Examples.presentation(language)
        var plain: [String: FragmentReader] = [:]
        for (name, bytes) in Examples.fragments(of: Self.trip("Bergen"), as: presentation) {
            plain[name] = try Examples.read(bytes)
        }
        for text in Self.hostile {
            for (name, bytes) in Examples.fragments(of: Self.trip(text), as: presentation) {
                let fragment = try Examples.read(bytes)
                let other = try #require(plain[name])
                #expect(fragment.elements.map(\.name) == other.elements.map(\.name), "\(name)")
                #expect(
                    fragment.elements.map { $0.attributes.keys.sorted() }
                        == other.elements.map { $0.attributes.keys.sorted() }, "\(name)")
                for element in fragment.elements {
                    for key in ["href", "action", "src"] {
                        guard let address = element.attributes[key] else { continue }
                        #expect(isOurs(address), "\(name)")
                    }
                }
                // Neither nginx's SSI nor a comment can begin in it.
                #expect(!Examples.text(bytes).contains("<!--"))
            }
        }
    }

    @Test func theAddressOfEveryFormAndLinkIsTheTripsOwn() throws {
        for text in Self.hostile {
            for (name, bytes) in Examples.fragments(of: Self.trip(text), as: Examples.html) {
                let actions = try Examples.read(bytes).elements.compactMap { $0.attributes["action"] }
                for action in actions {
                    #expect(action.hasPrefix("/api/trips"), "\(name)")
                    #expect(action.hasSuffix("?lang=en"), "\(name)")
                }
            }
        }
    }

    @Test func aFormGivesBackWhatWasTyped() throws {
        for text in Self.hostile {
            var fields = TripFields()
            fields.city = text
            fields.country = text
            fields.start = text
            fields.nights = text
            fields.price = text
            fields.picture = text
            for purpose in [
                TripForm.Purpose.add(key: text), .edit(id: Examples.bergen.id, version: text),
            ] {
                let form = TripForm(
                    purpose: purpose, fields: fields, faults: TripWordsTests.faults, message: text)
                let fragment = try Examples.read(Renderer.tripForm(form, as: Examples.html))
                let shown = EscapingTests.replacingControls(text, keepingBreaks: true)
                for name in ["city", "country", "start", "nights", "price"] {
                    let value = try #require(fragment.field(name)?.attributes["value"])
                    #expect(Array(value.unicodeScalars) == Array(shown.unicodeScalars))
                }
                #expect(fragment.all("form").count == 1)
                #expect(fragment.all("input").count == 20)
            }
        }
    }

    @Test func textStaysTextInJSON() throws {
        for text in Self.hostile {
            let trip = Self.trip(text)
            let list = TripList(inOrder: [trip, Self.trip(text)])
            let strip: [StripItem] = [(trip: trip, state: .failed(message: text, previous: nil))]
            let idea: TripIdea = (city: text, country: text, suggestedNights: 1)
            let json = Presentation()
            for bytes in [
                Renderer.trips(list, on: Examples.today, as: json), Renderer.trip(trip, in: list, as: json),
                Renderer.trip(trip, as: json), Renderer.sharedTrip(SharedTrip(trip), as: json),
                Renderer.strip(strip, as: json), Renderer.ideas([idea], as: json),
                Renderer.problem(Problem(because: .versionConflict(current: trip)), as: json),
                Renderer.problem(Problem(because: .alreadyAdded(city: text)), as: json),
                Renderer.problem(Problem(because: .unsupportedMediaType([text])), as: json),
            ] {
                #expect(!bytes.contains(UInt8(ascii: "<")))
                #expect(bytes.dropLast().allSatisfy { $0 >= 0x20 })
                _ = try JSONSerialization.jsonObject(with: Data(bytes))
            }
            let written = try JSONSerialization.jsonObject(
                with: Data(Renderer.trip(trip, as: json)))
            let city = try #require((written as? [String: Any])?["city"] as? String)
            #expect(Array(city.unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test func textStaysALineInATerminal() {
        for text in Self.hostile {
            let trip = Self.trip(text)
            let list = TripList(inOrder: [trip])
            let plain = Examples.presentation(.english, .text)
            let strip: [StripItem] = [(trip: trip, state: .failed(message: text, previous: nil))]
            for (bytes, lines) in [
                (Renderer.trips(list, on: Examples.today, as: plain), 2),
                (Renderer.trip(trip, in: list, as: plain), 7),
                (Renderer.strip(strip, as: plain), 1),
                (Renderer.ideas([(city: text, country: text, suggestedNights: 1)], as: plain), 1),
            ] {
                let parts = Examples.text(bytes).unicodeScalars.split(separator: "\n")
                #expect(parts.count == lines)
                #expect(parts.joined().allSatisfy { $0.properties.generalCategory != .control })
            }
        }
    }

    /// An address of the site's own, whole: nothing that was typed is part of it but percent-encoded.
    private func isOurs(_ address: String) -> Bool {
        guard !address.isEmpty else { return true }
        let credits = ["https://open-meteo.com/", "https://www.geonames.org/"]
        if credits.contains(address) { return true }
        return address.hasPrefix("/") && !address.hasPrefix("//")
            && address.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "/?&=#%-._~".utf8.contains(byte)
                }
            }
    }
}
