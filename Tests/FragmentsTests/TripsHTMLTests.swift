import Testing
import Weather

@testable import Fragments
@testable import Trips

struct TripsHTMLTests {
    @Test func aListOfTripsIsThisFragment() {
        #expect(
            Examples.text(Renderer.trips(Examples.trips, on: Examples.today, as: Examples.html)) == """
                <section class="trips" data-nights="7" lang="en">
                <h2>Your trips</h2>
                <h3>Upcoming</h3>
                <ol class="trip-list">
                <li class="trip" data-id="aaaaaaaaaaaaaaaaaaaaaaaaaa" data-favourite="true">\
                <a class="trip-link" href="/trips/aaaaaaaaaaaaaaaaaaaaaaaaaa">\
                <img class="trip-picture" src="/pictures/city-640.jpg" srcset="/pictures/city-320.jpg 320w, \
                /pictures/city-640.jpg 640w, /pictures/city-1280.jpg 1280w" \
                sizes="(min-width: 40rem) 20rem, 100vw" width="640" height="400" loading="lazy" \
                decoding="async" alt=""><span class="trip-city"><bdi>Seattle</bdi></span> \
                <span class="trip-country"><bdi>United States</bdi></span> \
                <span class="trip-dates"><time datetime="2026-12-06">6 December</time> – \
                <time datetime="2026-12-10">10 December 2026</time></span> \
                <span class="trip-when">in 6 days</span> \
                <span class="trip-nights">4 nights</span> <span class="trip-price">$1,250</span> \
                <span class="trip-favourite">Favourite</span></a></li>
                <li class="trip" data-id="baaaaaaaaaaaaaaaaaaaaaaaaa" data-favourite="false">\
                <a class="trip-link" href="/trips/baaaaaaaaaaaaaaaaaaaaaaaaa">\
                <span class="trip-picture" data-picture="none"></span>\
                <span class="trip-city"><bdi>Bergen</bdi></span> \
                <span class="trip-dates"><time datetime="2026-12-30">30 December 2026</time> – \
                <time datetime="2027-01-02">2 January 2027</time></span> \
                <span class="trip-when">in 30 days</span> \
                <span class="trip-nights">3 nights</span> <span class="trip-price">$0</span></a></li>
                </ol>
                </section>

                """)
    }

    @Test(arguments: Language.allCases)
    func anEmptyListSaysSo(language: Language) throws {
        let fragment = try Examples.read(
            Renderer.trips(TripList(inOrder: []), on: Examples.today, as: Examples.presentation(language)))
        #expect(fragment.all("ol").isEmpty)
        #expect(fragment.first("trips-none") != nil)
        #expect(fragment.first("trips")?.attributes["data-nights"] == "0")
        #expect(fragment.first("trips")?.attributes["lang"] == language.rawValue)
    }

    @Test func anUnknownPictureIsNone() throws {
        let trip = Examples.trip(
            "aaaaaaaaaaaaaaaaaaaaaaaaaa", "Bergen", nil, start: "2026-12-06", nights: 1, price: 0,
            picture: "volcano")
        let fragment = try Examples.read(
            Renderer.trips(TripList(inOrder: [trip]), on: Examples.today, as: Examples.html))
        #expect(fragment.all("img").isEmpty)
        #expect(fragment.first("trip-picture")?.attributes["data-picture"] == "none")
    }

    @Test func tripsStandAsTheyMatterToday() throws {
        let trips = [
            ("long over", "2026-10-01"), ("over", "2026-11-20"), ("just over", "2026-11-28"),
            ("last night was the last", "2026-11-29"), ("next", "2026-12-01"), ("later", "2027-01-01"),
        ].map { city, start in
            Examples.trip("aaaaaaaaaaaaaaaaaaaaaaaaaa", city, nil, start: start, nights: 1, price: 0)
        }
        let html = Examples.text(
            Renderer.trips(TripList(inOrder: trips), on: Examples.today, as: Examples.html))
        #expect(
            texts(after: "<bdi>", in: html) == [
                "last night was the last", "next", "later", "just over", "over", "long over",
            ])
        #expect(texts(after: "<h3>", in: html) == ["Under way", "Upcoming", "Over"])
        #expect(
            texts(after: #"<span class="trip-when">"#, in: html) == [
                "under way", "tomorrow", "in 32 days", "over", "over", "over",
            ])
        #expect(!html.contains("example"))
    }

    @Test func examplesAreCalledExamples() {
        let examples = ExampleTrip.list(Examples.today)
        let html = Examples.text(Renderer.trips(examples, on: Examples.today, as: Examples.html))
        #expect(
            texts(after: #"<span class="trip-example">"#, in: html) == ["Example", "Example", "Example"])
        #expect(html.contains("trips-examples"))
        let mixed = TripList(inOrder: examples.trips + [Examples.bergen])
        let both = Examples.text(Renderer.trips(mixed, on: Examples.today, as: Examples.html))
        #expect(texts(after: #"<span class="trip-example">"#, in: both).count == 3)
        #expect(!both.contains("trips-examples"))
    }

    /// What stands after each of a tag, up to the next.
    private func texts(after tag: String, in html: String) -> [String] {
        html.split(separator: tag).dropFirst().map { String($0.prefix { $0 != "<" }) }
    }

    @Test func theBoardingPassIsThisFragment() {
        #expect(
            Examples.text(Renderer.trip(Examples.seattleTrip, in: Examples.trips, as: Examples.germanHTML))
                == """
                <section class="pass" data-id="aaaaaaaaaaaaaaaaaaaaaaaaaa" data-version="0000000000001234" \
                lang="de">
                <img class="trip-picture" src="/pictures/city-640.jpg" srcset="/pictures/city-320.jpg 320w, \
                /pictures/city-640.jpg 640w, /pictures/city-1280.jpg 1280w" \
                sizes="(min-width: 40rem) 40rem, 100vw" width="640" height="400" decoding="async" alt="">\
                <h1 class="pass-city"><bdi>Seattle</bdi></h1>
                <p class="pass-country"><bdi>United States</bdi></p>
                <dl class="pass-facts">
                <div><dt>Hinreise</dt><dd><time datetime="2026-12-06">Sonntag, 6. Dezember 2026</time></dd></div>
                <div><dt>Rückreise</dt><dd><time datetime="2026-12-10">Donnerstag, 10. Dezember 2026</time></dd></div>
                <div><dt>Nächte</dt><dd>4</dd></div>
                <div><dt>Preis</dt><dd>1.250\u{A0}$</dd></div>
                <div><dt>Nächte aller Reisen</dt><dd>7</dd></div>
                </dl>
                <local-time zone="America/Los_Angeles" label="Ortszeit"></local-time>
                </section>

                """)
    }

    @Test func aPassWithoutAPlaceTellsNoTime() throws {
        let fragment = try Examples.read(
            Renderer.trip(Examples.bergen, in: Examples.trips, as: Examples.html))
        #expect(fragment.all("local-time").isEmpty)
        #expect(fragment.first("pass-country") == nil)
        var found = Examples.bergen
        found.place = Place(
            name: "Bergen", country: "Norway", coordinate: Examples.coordinate(60.39, 5.32))
        let known = try Examples.read(Renderer.trip(found, in: Examples.trips, as: Examples.html))
        // The country is that of the place that was found; the zone isn't known.
        #expect(known.lines.contains("Norway"))
        #expect(known.all("local-time").isEmpty)
    }

    @Test(arguments: Language.allCases, Representation.written)
    func aSharedTripTellsNothingToWriteWith(language: Language, representation: Representation) throws {
        var trip = Examples.seattleTrip
        trip.share = Examples.share
        let answer = Examples.text(
            Renderer.sharedTrip(SharedTrip(trip), as: Examples.presentation(language, representation)))
        #expect(answer.contains("Seattle"))
        #expect(!answer.contains(trip.id.description))
        #expect(!answer.contains(trip.version.description))
        #expect(!answer.contains(Examples.share.text))
        guard representation == .html else { return }
        let fragment = try FragmentReader(answer)
        #expect(fragment.first("pass pass-shared")?.attributes.keys.sorted() == ["class", "lang"])
        #expect(fragment.all("dd").count == 4)
        #expect(fragment.all("local-time").count == 1)
    }

    @Test func theTripCardSaysWhatCanBeDone() throws {
        let fragment = try Examples.read(
            Renderer.tripCard(Examples.seattleTrip, in: Examples.trips, as: Examples.html))
        let id = Examples.seattleTrip.id.description
        #expect(
            fragment.lines == ["Favourite", "Next: Bergen", "All trips Edit Delete trip", "Share"])
        #expect(fragment.first("favourite")?.attributes["action"] == "/api/trips/\(id)?lang=en")
        #expect(fragment.field("version")?.attributes["value"] == "0000000000001234")
        // What it becomes.
        #expect(fragment.field("favourite")?.attributes["value"] == "false")
        #expect(fragment.all("button").first?.attributes["aria-pressed"] == "true")
        #expect(
            fragment.all("a").map { $0.attributes["href"] } == [
                "/trips/\(Examples.bergen.id)", "/", "/trips/\(id)/edit", "/trips/\(id)/delete",
            ])
        #expect(fragment.first("share")?.attributes["action"] == "/api/trips/\(id)/share?lang=en")
        #expect(fragment.first("unshare") == nil)
    }

    @Test func theCardOfASharedTripLeadsToItsAddressAndCanRevokeIt() throws {
        var trip = Examples.bergen
        trip.share = Examples.share
        let fragment = try Examples.read(
            Renderer.tripCard(trip, in: Examples.trips, as: Examples.germanHTML))
        #expect(fragment.all("a").contains { $0.attributes["href"] == "/shared/\(Examples.share.text)" })
        #expect(
            fragment.first("unshare")?.attributes["action"] == "/api/trips/\(trip.id)/unshare?lang=de")
        #expect(fragment.first("share") == nil)
        #expect(fragment.field("favourite")?.attributes["value"] == "true")
        // It is the last: nothing comes next.
        #expect(fragment.first("trip-next") == nil)
    }

    @Test func theQuestionBeforeATripIsDeletedBearsItsVersion() throws {
        let fragment = try Examples.read(Renderer.tripDeletion(Examples.bergen, as: Examples.html))
        #expect(
            fragment.lines == ["Delete Bergen?", "This cannot be undone.", "Delete Cancel"])
        let form = try #require(fragment.all("form").first)
        #expect(form.attributes["method"] == "post")
        #expect(form.attributes["action"] == "/api/trips/\(Examples.bergen.id)/delete?lang=en")
        #expect(fragment.field("version")?.attributes["value"] == Examples.bergen.version.description)
        #expect(fragment.first("cancel")?.attributes["href"] == "/trips/\(Examples.bergen.id)")
        let changed = try Examples.read(
            Renderer.tripDeletion(Examples.bergen, message: "<b>", as: Examples.html))
        #expect(changed.first("form-problem")?.attributes["role"] == "alert")
        #expect(changed.lines.contains("<b>"))
    }

    @Test func theQuestionBeforeAllIsForgotten() throws {
        let fragment = try Examples.read(Renderer.forgetting(as: Examples.germanHTML))
        #expect(fragment.lines.first == "Meine Reisen vergessen?")
        #expect(fragment.all("form").first?.attributes["action"] == "/api/trips/forget?lang=de")
        #expect(fragment.first("danger") != nil)
        #expect(fragment.first("cancel")?.attributes["href"] == "/")
    }

    @Test func anIdeaLeadsToThePlanner() throws {
        let ideas: [TripIdea] = [
            (city: "San Pedro de Atacama", country: "Chile", suggestedNights: 7),
            (city: "Macau", country: nil, suggestedNights: 1),
        ]
        let fragment = try Examples.read(Renderer.ideas(ideas, as: Examples.html))
        let links = fragment.all("a").map(\.attributes)
        #expect(
            links == [
                [
                    "href": "/?city=San%20Pedro%20de%20Atacama&country=Chile&nights=7#planner",
                    "data-city": "San Pedro de Atacama", "data-country": "Chile", "data-nights": "7",
                ],
                ["href": "/?city=Macau&nights=1#planner", "data-city": "Macau", "data-nights": "1"],
            ])
        #expect(
            Examples.text(Renderer.ideas(ideas, as: Examples.presentation(.german, .text)))
                == "San Pedro de Atacama, Chile: 7 Nächte\nMacau: 1 Nacht\n")
        #expect(
            Examples.text(Renderer.ideas(ideas, as: Presentation())) == """
                {"ideas":[{"city":"San Pedro de Atacama","country":"Chile","suggestedNights":7},\
                {"city":"Macau","country":null,"suggestedNights":1}]}

                """)
    }

    @Test(arguments: Language.allCases)
    func nothingInThemCanBeStyledOrRunInline(language: Language) throws {
        let presentation = Examples.presentation(language)
        for (name, bytes) in Examples.fragments(of: Examples.seattleTrip, as: presentation) {
            let fragment = try Examples.read(bytes)
            for element in fragment.elements {
                #expect(!["script", "style"].contains(element.name) || name == "document", "\(name)")
                for attribute in element.attributes.keys {
                    #expect(attribute != "style" && !attribute.hasPrefix("on"), "\(name)")
                }
            }
            let ids = fragment.elements.compactMap { $0.attributes["id"] }
            #expect(Set(ids).count == ids.count, "\(name)")
            #expect(fragment.elements.contains { $0.attributes["lang"] == language.rawValue }, "\(name)")
        }
    }
}
