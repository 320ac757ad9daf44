import Testing
import Trips
import Weather

/// What nobody learns or changes, in every store.
@Suite struct TripPrivacyTests {
    @Test func nobodyReadsOrChangesAnothersTrips() async throws {
        let world = try await TripWorld()
        let place = try #require(bergen)
        let trip = try await world.add("Bergen")
        _ = try await world.add("Oslo", for: world.other)
        // Whether the other has trips of their own or is new.
        for stranger in [world.other, .newVisitor(), .remoteUser("ada")] {
            let refusals = [
                await refusal { _ = try await world.store.trip(trip.id, for: stranger) },
                await refusal {
                    _ = try await world.store.change(
                        trip.id, ifVersion: trip.version, to: trip.plan, for: stranger)
                },
                await refusal {
                    try await world.store.delete(trip.id, ifVersion: trip.version, for: stranger)
                },
                await refusal {
                    try await world.store.setPlace(
                        place, of: trip.id, foundFor: trip.plan.placeQuery(), for: stranger)
                },
                await refusal { _ = try await world.store.share(trip.id, for: stranger) },
                await refusal { try await world.store.unshare(trip.id, for: stranger) },
            ]
            #expect(refusals.allSatisfy { $0 == .gone })
            #expect(try await world.store.list(for: stranger).trip(trip.id) == nil)
            try await world.store.forget(stranger)
        }
        #expect(try await world.store.trip(trip.id, for: world.me) == trip)
        await world.close()
    }

    @Test func aUserAndAVisitorOfOneNameAreTwo() async throws {
        let world = try await TripWorld()
        guard case .visitor(let key) = world.me else {
            Issue.record("no visitor")
            return
        }
        _ = try await world.add("Bergen")
        let names = [key.text, "visitor:\(key.text)", "user:\(key.text)"]
        for name in names {
            let user = try #require(TravellerID(remoteUser: name))
            #expect(try await world.store.list(for: user) == ExampleTrip.list(today))
        }
        // Names are equal where their bytes are.
        _ = try await world.add("Oslo", for: .remoteUser("Jos\u{E9}"))
        let look = try await world.store.list(for: .remoteUser("Jose\u{301}"))
        #expect(look == ExampleTrip.list(today))
        #expect(try await world.cities(for: .remoteUser("Jos\u{E9}")).contains("Oslo"))
        await world.close()
    }

    @Test func aLinkReadsUntilItIsRevoked() async throws {
        let world = try await TripWorld()
        let trip = try await world.add("Bergen")
        let link = try await world.store.share(trip.id, for: world.me)
        #expect(try await world.store.share(trip.id, for: world.me) == link)
        let shared = try await world.store.trip(trip.id, for: world.me)
        #expect(shared.share == link)
        #expect(shared.version == trip.version)
        #expect(link.text != trip.id.description)
        #expect(try await world.store.shared(link) == SharedTrip(trip))
        // It follows the trip.
        _ = try await world.store.change(
            trip.id, ifVersion: trip.version, to: try plan("Oslo"), for: world.me)
        #expect(try await world.store.shared(link).plan.city == "Oslo")
        try await world.store.unshare(trip.id, for: world.me)
        try await world.store.unshare(trip.id, for: world.me)
        #expect(await refusal { _ = try await world.store.shared(link) } == .gone)
        let second = try await world.store.share(trip.id, for: world.me)
        #expect(second != link)
        #expect(await refusal { _ = try await world.store.shared(link) } == .gone)
        // It goes with the trip.
        let now = try await world.store.trip(trip.id, for: world.me)
        try await world.store.delete(trip.id, ifVersion: now.version, for: world.me)
        #expect(await refusal { _ = try await world.store.shared(second) } == .gone)
        await world.close()
    }

    @Test func forgettingRemovesEverything() async throws {
        let world = try await TripWorld()
        let trip = try await world.add("Bergen")
        let kept = try await world.add("Oslo", for: world.other)
        let link = try await world.store.share(trip.id, for: world.me)
        try await world.store.forget(world.me)
        #expect(await refusal { _ = try await world.store.trip(trip.id, for: world.me) } == .gone)
        #expect(await refusal { _ = try await world.store.shared(link) } == .gone)
        #expect(try await world.store.list(for: world.me) == ExampleTrip.list(today))
        #expect(try await world.store.trip(kept.id, for: world.other) == kept)
        await world.close()
    }

    @Test func tenThousandGuessesOpenNothing() async throws {
        let world = try await TripWorld()
        let trip = try await world.add("Bergen")
        let link = try await world.store.share(trip.id, for: world.me)
        let examples = ExampleTrip.list(today)
        var opened = 0
        for number in 0..<10_000 {
            // Wholly random, or one character beside the real thing.
            let guess =
                number.isMultiple(of: 2)
                ? RandomKey(from: .system) : neighbour(of: trip.id.description, number)
            let stranger: TravellerID =
                number.isMultiple(of: 3) ? .visitor(guess ?? RandomKey(from: .system)) : .newVisitor()
            if try await world.store.list(for: stranger) != examples { opened += 1 }
            if let guess {
                let hit = await refusal { _ = try await world.store.trip(.kept(guess), for: world.me) }
                if hit != .gone { opened += 1 }
            }
            let near =
                number.isMultiple(of: 2)
                ? ShareID(from: .system)
                : neighbour(of: link.text, number)
                    .flatMap { ShareID($0.text) }
            if let near, await refusal({ _ = try await world.store.shared(near) }) != .gone { opened += 1 }
        }
        // The trip's own id is no link, and no traveller.
        let own = try #require(RandomKey(trip.id.description))
        let ownLink = try #require(ShareID(trip.id.description))
        if await refusal({ _ = try await world.store.shared(ownLink) }) != .gone { opened += 1 }
        if try await world.store.list(for: .visitor(own)) != examples { opened += 1 }
        #expect(opened == 0)
        await world.close()
    }

    /// A key that differs from `text` in one character.
    private func neighbour(of text: String, _ number: Int) -> RandomKey? {
        var bytes = Array(text.utf8)
        let index = number % 25
        let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8).filter { $0 != bytes[index] }
        bytes[index] = digits[number / 25 % digits.count]
        return RandomKey(String(decoding: bytes, as: UTF8.self))
    }

    static let attempts = [
        "'; DROP TABLE trip; --", "\" OR \"\"=\"", "Robert'); DELETE FROM traveller;--", "%' OR 1=1 /*",
        "?1", ":id", "@x", "$y", "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
        "<!--#include virtual=\"/etc/passwd\" -->", "{{7*7}}", "${jndi:ldap://x}", "../../../../etc/passwd",
        "/etc/passwd", "..\\..\\x", "file:trips.sqlite?mode=memory", "x%00y", "%0d%0aSet-Cookie: a=b",
        "=cmd|' /C calc'!A0", "NULL", "null", "0", "-1", "1e999", "\u{202E}gnp.exe", "𝕊𝕖𝕒𝕥𝕥𝕝𝕖", "🏔️",
    ]

    @Test func attemptsToInjectStayText() async throws {
        let world = try await TripWorld()
        let witness = try await world.add("Witness", for: world.other)
        let coordinate = try #require(Coordinate(latitude: 1, longitude: 2))
        for text in TripPrivacyTests.attempts {
            let user = TravellerID.remoteUser(text)
            var draft = draft(text, text)
            let planned = try draft.plan()
            // The way of writing alone is taken from what was typed.
            #expect(planned.city == text.replacing("\u{202E}", with: ""))
            #expect(planned.country == planned.city)
            draft.picture = .value(text)
            if PictureName(text) == nil { #expect(throws: TripFaults.self) { try draft.plan() } }
            let added = try await world.store.add(planned, key: CreationKey(from: .system), for: user).trip
            let place = Place(
                name: text, country: text, countryCode: text, region: text, coordinate: coordinate,
                timeZone: text)
            try await world.store.setPlace(place, of: added.id, foundFor: planned.placeQuery(), for: user)
            let kept = try await world.store.trip(added.id, for: user)
            #expect(kept.plan == planned)
            #expect(kept.place == place)
            #expect(try await world.store.list(for: user).trips.count == 4)
            // None of them is an id, a key or a version.
            #expect(TripID(text) == nil)
            #expect(ShareID(text) == nil)
            #expect(CreationKey(text) == nil)
            #expect(TravellerID(visitor: text) == nil)
            #expect(TripVersion(text) == nil)
            #expect(TripVersion(entityTag: text) == nil)
        }
        #expect(try await world.store.trip(witness.id, for: world.other) == witness)
        await world.close()
    }

    @Test func lineBreaksCannotGetIn() throws {
        for text in ["a\r\nSet-Cookie: b=c", "a\n\nb", "a\u{0}b", "a\u{2028}b", "a\u{85}b"] {
            let city = try draft(text).plan().city
            #expect(!city.unicodeScalars.contains { $0.properties.generalCategory == .control })
            #expect(!city.contains { $0.isNewline })
        }
    }
}
