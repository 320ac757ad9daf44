import Testing
import Transport

@testable import Weather

/// The order of the questions about a place, and which answer is chosen.
struct PlaceSearchTests {
    private let deadline = ContinuousClock.now.advanced(by: .seconds(60))

    private struct Entry {
        var name: String
        var country: String?
        var code: String?
        var region: String?
        var district: String?
        var population = 0
    }

    /// A service that knows some names; each is answered with its entries, anything else with none.
    private func service(_ answers: [String: [Entry]]) -> ScriptedTransport {
        ScriptedTransport { request in
            let name = (ScriptedTransport.value(of: "name", in: request.url) ?? "").decoded
            let results = (answers[name] ?? []).enumerated().map { index, entry in
                var fields = [
                    #""id":\#(index + 1)"#, #""name":"\#(entry.name)""#, #""latitude":\#(index + 1).5"#,
                    #""longitude":2.25"#,
                ]
                if let country = entry.country { fields.append(#""country":"\#(country)""#) }
                if let code = entry.code { fields.append(#""country_code":"\#(code)""#) }
                if let region = entry.region { fields.append(#""admin1":"\#(region)""#) }
                if let district = entry.district { fields.append(#""admin2":"\#(district)""#) }
                if entry.population > 0 { fields.append(#""population":\#(entry.population)"#) }
                return "{\(fields.joined(separator: ","))}"
            }
            return .success(
                results.isEmpty
                    ? #"{"generationtime_ms":0.1}"#
                    : #"{"results":[\#(results.joined(separator: ","))],"generationtime_ms":0.1}"#)
        }
    }

    private func find(
        _ city: String, country: String? = nil, language: String = "en", in transport: ScriptedTransport
    ) async throws -> Place {
        try await OpenMeteoClient(OpenMeteoConfiguration(), transport: transport)
            .place(for: PlaceQuery(city: city, country: country, language: language), until: deadline)
    }

    private func names(_ transport: ScriptedTransport) -> [String] {
        transport.values(of: "name").map { ($0 ?? "").decoded }
    }

    private let paris = Entry(
        name: "Paris", country: "France", code: "FR", region: "Île-de-France", population: 2_138_551)
    private let texanParis = Entry(
        name: "Paris", country: "United States", code: "US", region: "Texas", population: 24_782)

    // MARK: The question

    @Test func aSearchAsksForSeveralAndInTheLanguage() async throws {
        let transport = service(["São José +1": [Entry(name: "São José +1")]])
        _ = try await find("  São\t José  +1 ", language: "DE-at", in: transport)
        #expect(
            transport.requests.map(\.url) == [
                "https://geocoding-api.open-meteo.com/v1/search?name=S%C3%A3o%20Jos%C3%A9%20%2B1&count=10"
                    + "&language=de&format=json"
            ])
    }

    @Test func accentsThatWereTypedApartAreComposed() async throws {
        let transport = service(["Zürich": [Entry(name: "Zürich")]])
        _ = try await find("Zu\u{308}rich", in: transport)
        #expect(transport.values(of: "name") == ["Z%C3%BCrich"])
    }

    @Test(arguments: ["", " ", "X", "東", " , France", "X, France", String(repeating: "a", count: 201)])
    func whatIsNoNameIsNoPlaceAndNotAskedAbout(city: String) async throws {
        let transport = service([:])
        await #expect(throws: WeatherError.self) { try await find(city, in: transport) }
        #expect(transport.requests.isEmpty)
    }

    @Test func twoCharactersAreEnough() async throws {
        let transport = service(["北京": [Entry(name: "北京")]])
        #expect(try await find("北京", in: transport).name == "北京")
    }

    // MARK: Without a country

    @Test func theServicesFirstIsTaken() async throws {
        let transport = service(["Paris": [paris, texanParis]])
        let place = try await find("Paris", in: transport)
        #expect(place.title == "Paris, France")
        #expect(place.coordinate == Coordinate(latitude: 1.5, longitude: 2.25))
        #expect(transport.requests.count == 1)
    }

    @Test func aNameNeedNotBeTheOneAskedFor() async throws {
        let transport = service(["Munich": [Entry(name: "München", country: "Deutschland", code: "DE")]])
        #expect(try await find("Munich", in: transport).name == "München")
    }

    @Test func aVillageDoesNotHideACityOfTheSameName() async throws {
        let transport = service([
            "北京": [
                Entry(name: "北京", population: 900), Entry(name: "北京"),
                Entry(name: "北京", country: "中国", population: 18_960_744),
            ]
        ])
        #expect(try await find("北京", in: transport).country == "中国")
    }

    @Test func aPrefixDoesNotHideACityOfExactlyTheName() async throws {
        let transport = service([
            "Perth": [
                Entry(name: "Perth Amboy", country: "United States", population: 50_000),
                Entry(name: "Perth", country: "Australia", population: 1_896_548),
            ]
        ])
        #expect(try await find("Perth", in: transport).country == "Australia")
    }

    @Test func otherwiseTheServicesOrderStands() async throws {
        let transport = service([
            "San Francisco": [
                Entry(name: "San Francisco", country: "El Salvador", population: 16_152),
                Entry(name: "San Francisco", country: "Argentina", population: 59_062),
                Entry(name: "San Francisco de Macorís", country: "Dominican Republic", population: 9_000_000),
            ]
        ])
        #expect(try await find("San Francisco", in: transport).country == "El Salvador")
    }

    @Test func aPlaceThatIsNowhereIsNamedAsItWasTyped() async throws {
        let transport = service([:])
        await #expect(throws: WeatherError.noSuchPlace("Hogsmeade")) {
            try await find(" Hogsmeade", country: "Scotland", in: transport)
        }
        // All answers to the name were none: asking for it in a country can't find more.
        #expect(names(transport) == ["Hogsmeade"])
    }

    // MARK: With a country

    @Test(arguments: [
        "United States", "USA", "usa", "U.S.", "US", "us", "United States of America", "Vereinigte Staaten",
        "Amerika", "  united   states ", "Texas",
    ])
    func theTripsCountryChooses(country: String) async throws {
        let transport = service(["Paris": [paris, texanParis]])
        #expect(try await find("Paris", country: country, in: transport).region == "Texas")
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        ("UK", "GB", "United Kingdom"), ("Großbritannien", "GB", "Vereinigtes Königreich"),
        ("Deutschland", "DE", "Germany"), ("Germany", "DE", "Deutschland"),
        ("Holland", "NL", "The Netherlands"),
        ("Netherlands", "NL", "The Netherlands"), ("Czech Republic", "CZ", "Czechia"),
        ("Türkei", "TR", "Turkey"),
        ("Elfenbeinküste", "CI", "Ivory Coast"), ("Cote d'Ivoire", "CI", "Ivory Coast"),
        ("South Korea", "KR", "South Korea"), ("Österreich", "AT", "Austria"),
        ("Suisse", "CH", "Switzerland"),
    ])
    func countriesAreKnownByManyNames(typed: String, code: String, answered: String) async throws {
        let transport = service([
            "Somewhere": [
                Entry(name: "Somewhere", country: "Elsewhere", code: "ZZ"),
                Entry(name: "Somewhere", country: answered, code: code),
            ]
        ])
        #expect(try await find("Somewhere", country: typed, in: transport).country == answered)
    }

    @Test func aCountryTheTableDoesNotHaveIsComparedByName() async throws {
        let transport = service(["Place": [paris, Entry(name: "Place", country: "Côte Fictive", code: "ZY")]])
        #expect(try await find("Place", country: "cote fictive", in: transport).countryCode == "ZY")
    }

    @Test func theWrongParisIsWorseThanNoneAndIsNamed() async throws {
        let transport = service(["Paris": [paris, texanParis]])
        let error = await #expect(throws: WeatherError.self) {
            try await find("Paris", country: "Norway", in: transport)
        }
        guard case .noSuchPlace("Paris", let elsewhere?) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(elsewhere.place.title == "Paris, France")
        #expect(elsewhere.wanted == "Norway")
        // Norway might have a name for it.
        #expect(transport.values(of: "language") == ["en", "no"])
    }

    @Test func whereTheAnswerWasCutTheCountryIsAskedWithTheName() async throws {
        let many = Array(repeating: Entry(name: "San José", country: "Costa Rica", code: "CR"), count: 10)
        let wanted = Entry(name: "San José", country: "Philippinen", code: "PH")
        let transport = service(["San José": many, "San José, Philippinen": [wanted]])
        let place = try await find("San José", country: "Philippines", language: "de", in: transport)
        #expect(place.countryCode == "PH")
        #expect(names(transport) == ["San José", "San José, Philippinen"])
    }

    @Test func atLastTheNameIsAskedWithAHighLimitAndNoFurther() async throws {
        let many = Array(repeating: Entry(name: "Paris", country: "Costa Rica", code: "CR"), count: 10)
        let transport = service(["Paris": many])
        #expect(await misfit("Paris", country: "Kiribati", in: transport) == "Kiribati")
        #expect(names(transport) == ["Paris", "Paris, Kiribati", "Paris"])
        #expect(transport.values(of: "count") == ["10", "10", "100"])
    }

    // MARK: Territories

    @Test(arguments: ["Hong Kong", "Hongkong", "HK", "China", nil])
    func aPlaceWithoutACountryIsFound(country: String?) async throws {
        let transport = service(["Hong Kong": [Entry(name: "Hong Kong", code: "HK")]])
        let place = try await find("Hong Kong", country: country, in: transport)
        #expect(place.title == "Hong Kong")
    }

    @Test(arguments: [
        ("San Juan", "PR", "Puerto Rico"), ("San Juan", "PR", "USA"), ("Nuuk", "GL", "Greenland"),
        ("Nuuk", "GL", "Dänemark"), ("Longyearbyen", "SJ", "Svalbard"), ("Longyearbyen", "SJ", "Norway"),
        ("Saint-Denis", "RE", "France"),
    ])
    func aTerritoryIsFoundByItsOwnNameAndByItsStates(city: String, code: String, country: String) async throws
    {
        let transport = service([
            city: [Entry(name: city, country: "Chile", code: "CL"), Entry(name: city, code: code)]
        ])
        #expect(try await find(city, country: country, in: transport).countryCode == code)
    }

    @Test func theStateItselfGoesBeforeItsTerritories() async throws {
        let transport = service([
            "Saint-Denis": [
                Entry(name: "Saint-Denis", code: "RE", population: 150_000),
                Entry(name: "Saint-Denis", country: "France", code: "FR", population: 110_000),
            ]
        ])
        #expect(try await find("Saint-Denis", country: "France", in: transport).countryCode == "FR")
    }

    // MARK: Commas

    private let portlands = [
        "Portland": [
            Entry(
                name: "Portland", country: "United States", code: "US", region: "Oregon", population: 650_000),
            Entry(
                name: "Portland", country: "United States", code: "US", region: "Maine", population: 68_000),
            Entry(name: "Portland", country: "Australia", code: "AU", region: "Victoria"),
        ]
    ]

    @Test(arguments: [
        ("Portland, Oregon", "Oregon"), ("Portland, OR", "Oregon"), ("Portland, Maine", "Maine"),
        ("Portland,ME", "Maine"), ("Portland , maine , usa", "Maine"), ("Portland, Australia", "Victoria"),
        ("Portland, VIC", "Victoria"), ("Portland, US", "Oregon"), ("Portland,", "Oregon"),
    ])
    func whatStandsBehindACommaChooses(city: String, region: String) async throws {
        let transport = service(portlands)
        #expect(try await find(city, in: transport).region == region)
        #expect(names(transport).last == "Portland")
        #expect(transport.requests.count == (city.hasSuffix(",") ? 1 : 2))
    }

    @Test func southBendOfWAIsTheOneInWashington() async throws {
        let transport = service([
            "South Bend": [
                Entry(name: "South Bend", country: "United States", code: "US", region: "Indiana"),
                Entry(name: "South Bend", country: "United States", code: "US", region: "Washington"),
            ]
        ])
        #expect(try await find("South Bend, WA", in: transport).region == "Washington")
        #expect(try await find("South Bend, IN", in: transport).region == "Indiana")
    }

    @Test(arguments: ["SEA", "98101", "SW1A 1AA"])
    func aCodeIsAskedAsItIsAndThePlacesOwnNameComesBack(code: String) async throws {
        let transport = service([code: [Entry(name: "Seattle", country: "United States", code: "US")]])
        #expect(try await find(code, in: transport).name == "Seattle")
        #expect(names(transport) == [code])
    }

    @Test func londonOfTheUKAndNewYorkOfNYAreFound() async throws {
        let transport = service([
            "London": [
                Entry(name: "London", country: "Canada", code: "CA", region: "Ontario"),
                Entry(name: "London", country: "United Kingdom", code: "GB", region: "England"),
            ],
            "New York": [
                Entry(name: "York", country: "United States", code: "US", region: "Nebraska"),
                Entry(name: "New York", country: "United States", code: "US", region: "New York"),
            ],
        ])
        #expect(try await find("London, UK", in: transport).countryCode == "GB")
        #expect(try await find("London, England", in: transport).countryCode == "GB")
        #expect(try await find("New York, NY", in: transport).region == "New York")
        #expect(try await find("London, Ontario", country: "Canada", in: transport).countryCode == "CA")
    }

    @Test func aServiceThatUnderstandsTheCommaIsAskedOnce() async throws {
        let transport = service(["Paris, Texas": [texanParis]])
        #expect(try await find("Paris, Texas", in: transport).region == "Texas")
        #expect(transport.requests.count == 1)
    }

    @Test func aRegionOfExactlyTheNameGoesBeforeOneThatContainsIt() async throws {
        let transport = service([
            "Richmond": [
                Entry(name: "Richmond", country: "United States", code: "US", region: "West Virginia"),
                Entry(name: "Richmond", country: "United States", code: "US", region: "Virginia"),
            ],
            "Berlin": [Entry(name: "Berlin", country: "Germany", code: "DE", region: "Land Berlin")],
        ])
        #expect(try await find("Richmond, Virginia", in: transport).region == "Virginia")
        #expect(try await find("Berlin, Berlin", in: transport).region == "Land Berlin")
    }

    @Test func aWrongQualifierFindsNothing() async throws {
        let transport = service(portlands)
        #expect(await misfit("Portland, Norway", in: transport) == "Norway")
        #expect(await misfit("Portland, Oregon", country: "Australia", in: transport) == "Australia")
        #expect(await misfit("Portland, Idaho, USA", in: transport) == "Idaho")
        #expect(await misfit("Portlan, Oregon", in: transport) == nil)
    }

    /// What doesn't fit a place of the name that is elsewhere; nil if there is none, or if there was a place.
    private func misfit(
        _ city: String, country: String? = nil, in transport: ScriptedTransport
    ) async -> String? {
        do {
            _ = try await find(city, country: country, in: transport)
            return nil
        } catch WeatherError.noSuchPlace(_, let elsewhere) {
            return elsewhere?.wanted
        } catch {
            return "\(error)"
        }
    }

    @Test func aNameThatHasACommaItselfIsFound() async throws {
        let transport = service([
            "Berlin, Stadt": [Entry(name: "Berlin, Stadt", country: "Germany", code: "DE")]
        ])
        #expect(try await find("Berlin, Stadt", in: transport).name == "Berlin, Stadt")
        #expect(transport.requests.count == 1)
    }

    // MARK: Letters that don't decompose

    @Test func anotherSpellingIsTriedAtLast() async throws {
        let transport = service([
            "Tromsø": [Entry(name: "Tromsø", country: "Norway", code: "NO")], "Oslo": [Entry(name: "Oslo")],
        ])
        #expect(try await find("Tromso", country: "Norway", in: transport).name == "Tromsø")
        #expect(names(transport) == ["Tromso", "Tromsø"])
        #expect(try await find("Øslo", in: transport).name == "Oslo")
    }

    @Test func neverMoreThanFiveQuestionsAreAskedForACity() async throws {
        let many = Array(repeating: Entry(name: "Łódź", country: "Costa Rica", code: "CR"), count: 10)
        let transport = service(["Łódź": many])
        let client = OpenMeteoClient(OpenMeteoConfiguration(), transport: transport)
        let query = PlaceQuery(city: "Łódź", country: "Poland", readerLanguage: "fr-CH")
        await #expect(throws: WeatherError.self) { try await client.place(for: query, until: deadline) }
        #expect(names(transport) == ["Łódź", "Łódź, Poland", "Lodz", "Łódź", "Łódź"])
        #expect(transport.values(of: "language") == ["en", "en", "en", "pl", "fr"])
    }

    // MARK: Typography

    @Test(arguments: [
        "St. John’s", "St. John‘s", "St. Johnʼs", "St. John´s", "St. John′s", "St. John's",
    ])
    func anyApostropheIsTheKeyboards(city: String) async throws {
        let transport = service(["St. John's": [Entry(name: "St. John's", country: "Canada", code: "CA")]])
        #expect(try await find(city, country: "Canada", in: transport).name == "St. John's")
        #expect(transport.requests.count == 1)
        #expect(PlaceText.folded(city) == "st johns")
    }

    @Test(arguments: [
        "Garmisch–Partenkirchen", "Garmisch—Partenkirchen", "Garmisch‑Partenkirchen",
        "Garmisch−Partenkirchen",
        "Garmisch Partenkirchen",
    ])
    func anyHyphenIsTheKeyboardsAndASpaceMayBeOne(city: String) async throws {
        let transport = service(["Garmisch-Partenkirchen": [Entry(name: "Garmisch-Partenkirchen")]])
        #expect(try await find(city, in: transport).name == "Garmisch-Partenkirchen")
    }

    @Test(arguments: [
        ("Saint Jean de Luz", "Saint-Jean-de-Luz"), ("La Roche sur Yon", "La Roche-sur-Yon"),
        ("New-York", "New York"), ("Berlin", nil), ("La Paz", nil),
    ])
    func spacesAndHyphensAreTriedForEachOther(name: String, other: String?) {
        #expect(PlaceSpelling.hyphened(name) == other)
    }

    // MARK: Other languages

    /// Knows Florence by its Italian name if asked in Italian, and by its number.
    private func florence(known: Bool = true) -> ScriptedTransport {
        ScriptedTransport { request in
            let language = ScriptedTransport.value(of: "language", in: request.url)
            let name = language == "it" ? "Firenze" : "Florence"
            let place =
                #"{"id":7,"name":"\#(name)","latitude":43.8,"longitude":11.3,"country":"Italy","country_code":"IT"}"#
            if request.url.contains("/v1/get?id=7&") {
                return known ? .success(place) : .failure(.refusal(400, reason: "Location ID not found."))
            }
            let isAsked = ScriptedTransport.value(of: "name", in: request.url) == name
            return .success(isAsked ? #"{"results":[\#(place)]}"# : "{}")
        }
    }

    @Test(arguments: [("Firenze", "Italy"), ("Firenze", "Italien"), ("Firenze, IT", nil)])
    func aNameOfTheCountrysLanguageIsFoundAndShownInThePages(city: String, country: String?) async throws {
        let transport = florence()
        #expect(try await find(city, country: country, in: transport).name == "Florence")
        #expect(transport.values(of: "language").suffix(2) == ["it", "en"])
        // If the service doesn't know the number, the name that was found will do.
        #expect(try await find(city, country: country, in: florence(known: false)).name == "Firenze")
    }

    @Test func aNameOfTheReadersLanguageIsFound() async throws {
        let client = OpenMeteoClient(OpenMeteoConfiguration(), transport: florence())
        let query = PlaceQuery(city: "Firenze", language: "en", readerLanguage: "it-IT")
        #expect(try await client.place(for: query, until: deadline).name == "Florence")
        await #expect(throws: WeatherError.noSuchPlace("Firenze")) {
            try await find("Firenze", in: florence())
        }
    }

    @Test func aPlaceIsAskedForByItsNumber() async throws {
        let transport = florence()
        let client = OpenMeteoClient(OpenMeteoConfiguration(), transport: transport)
        #expect(try await client.place(id: 7, language: "it", until: deadline).name == "Firenze")
        #expect(
            transport.requests.map(\.url) == [
                "https://geocoding-api.open-meteo.com/v1/get?id=7&language=it&format=json"
            ])
        let unknown = OpenMeteoClient(OpenMeteoConfiguration(), transport: florence(known: false))
        await #expect(throws: WeatherError.noSuchPlace("7")) {
            try await unknown.place(id: 7, language: "it", until: deadline)
        }
    }

    @Test(arguments: [
        ("Tromsø", "Tromso"), ("Łódź", "Lodz"), ("Gießen", "Giessen"), ("Ærø", "AEro"),
        ("Đà Nẵng", "Da Nang"),
        ("Iğdır", "Igdir"), ("İzmir", "Izmir"), ("e\u{301}", "e"), ("北京", "北京"), ("Αθήνα", "Αθήνα"),
        ("दिल्ली", "दिल्ली"), ("Oslo", "Oslo"),
    ])
    func lettersAreStripped(text: String, bare: String) {
        #expect(PlaceText.stripped(text) == bare)
    }

    // MARK: Failures

    @Test func aFailedQuestionEndsTheSearch() async throws {
        let transport = ScriptedTransport(answers: .failure(.refusal(502)))
        await #expect(throws: WeatherError.unavailable(status: 502, retryAfter: nil)) {
            try await find("Paris", country: "France", in: transport)
        }
        #expect(transport.requests.count == 1)
    }

    @Test func theReasonOfARefusalReachesTheReader() async throws {
        let transport = ScriptedTransport(
            answers: .failure(.refusal(400, reason: "Parameter count must be between 1 and 100.")))
        await #expect(
            throws: WeatherError.refused(status: 400, reason: "Parameter count must be between 1 and 100.")
        ) {
            try await find("Paris", in: transport)
        }
    }

    // MARK: Suggestions

    private func suggestions(
        _ text: String, limit: Int = 5, in transport: ScriptedTransport
    ) async throws -> [String] {
        try await OpenMeteoClient(OpenMeteoConfiguration(), transport: transport)
            .places(beginningWith: PlaceQuery(city: text), limit: limit, until: deadline).map(\.title)
    }

    @Test func suggestionsThatWouldLookTheSameAreOne() async throws {
        let transport = service([
            "Anch": [
                Entry(name: "Anchorage", country: "United States", region: "Alaska"),
                Entry(name: "Anchorage", country: "United States", region: "Maryland"),
                Entry(name: "Anchorage", country: "United States", region: "Maryland"),
                Entry(name: "Anchieta", country: "Brazil"),
            ]
        ])
        #expect(
            try await suggestions(" Anch", in: transport) == [
                "Anchorage, United States", "Anchorage, United States", "Anchieta, Brazil",
            ])
        #expect(try await suggestions("Anch", limit: 1, in: transport).count == 1)
    }

    @Test func suggestionsOfOneRegionAreToldApartByTheirDistricts() async throws {
        let neukirchen = Entry(
            name: "Neukirchen", country: "Germany", region: "Saxony", district: "Erzgebirgskreis")
        var other = neukirchen
        other.district = "Zwickau"
        var hessian = neukirchen
        hessian.region = "Hesse"
        let transport = service(["Neuk": [neukirchen, other, hessian, neukirchen]])
        let places = try await OpenMeteoClient(OpenMeteoConfiguration(), transport: transport)
            .places(beginningWith: PlaceQuery(city: "Neuk"), limit: 5, until: deadline)
        #expect(places.map(\.region) == ["Saxony", "Saxony", "Hesse"])
        #expect(places.map(\.district) == ["Erzgebirgskreis", "Zwickau", nil])
    }

    @Test(arguments: [
        "Portland, Maine", "Portland, ME", "Portland, USA, Maine", "Portland, Mai", "Portland,Maine,U",
    ])
    func suggestionsFollowTheRuleOfTheLookUp(text: String) async throws {
        let transport = service(portlands)
        let places = try await OpenMeteoClient(OpenMeteoConfiguration(), transport: transport)
            .places(beginningWith: PlaceQuery(city: text), limit: 5, until: deadline)
        #expect(places.map(\.region) == ["Maine"])
    }

    @Test func suggestionsForAQualifierThatFitsSeveralHaveAllBestFirst() async throws {
        #expect(try await suggestions("Portland, U", in: service(portlands)).count == 2)
        #expect(try await suggestions("Portland, Au", in: service(portlands)) == ["Portland, Australia"])
        #expect(try await suggestions("Portland, X", in: service(portlands)).isEmpty)
        #expect(
            try await suggestions(
                "Saint Tropez", in: service(["Saint-Tropez": [Entry(name: "Saint-Tropez")]]))
                == ["Saint-Tropez"])
    }

    @Test(arguments: ["", "B", " B ", "東"])
    func tooLittleTextSuggestsNothingUnasked(text: String) async throws {
        let transport = service([:])
        #expect(try await suggestions(text, in: transport).isEmpty)
        #expect(transport.requests.isEmpty)
    }

    @Test func nothingSuggestedIsNoError() async throws {
        #expect(try await suggestions("Xyz", in: service([:])).isEmpty)
        #expect(try await suggestions("Xyz", limit: 0, in: service([:])).isEmpty)
    }
}

struct PlaceDecoderTests {
    private func decode(_ body: String) throws -> [FoundPlace] {
        try PlaceDecoder.places(from: Array(body.utf8))
    }

    @Test func aMissWithoutResultsIsNone() throws {
        #expect(try decode(#"{"generationtime_ms":0.15}"#).isEmpty)
        #expect(try decode(#"{"results":null}"#).isEmpty)
        #expect(try decode(#"{"results":[]}"#).isEmpty)
    }

    @Test func aMissingCoordinateIsZero() throws {
        let places = try decode(
            #"{"results":[{"id":1,"name":"Equator","longitude":9.5},{"id":2,"name":"Greenwich","latitude":51.5}]}"#
        )
        #expect(places.map(\.place.coordinate.latitude) == [0, 51.5])
        #expect(places.map(\.place.coordinate.longitude) == [9.5, 0])
    }

    @Test func whatHasNoNameOrIsOffTheEarthIsPassedOver() throws {
        let places = try decode(
            #"{"results":[{"id":1},{"id":2,"name":"Far","latitude":91},{"name":"Here","latitude":1,"longitude":2}]}"#
        )
        #expect(places.map(\.place.name) == ["Here"])
        #expect(throws: WeatherError.unreadable(path: "results: no place among 1")) {
            try decode(#"{"results":[{"id":1}]}"#)
        }
    }

    @Test(arguments: ["null", "1e999", "91", "-91", #""north""#, "nan", "{}"])
    func aCoordinateThatIsThereAndNoneIsNoPlace(latitude: String) throws {
        let places = try decode(
            #"{"results":[{"name":"Nowhere","latitude":\#(latitude),"longitude":1},7,{"name":"Here","longitude":1}]}"#
        )
        #expect(places.map(\.place.name) == ["Here"])
    }

    @Test func aBadFieldOfAPlaceIsAbsentAlone() throws {
        let place = try #require(
            try decode(
                #"{"results":[{"name":"A","latitude":1,"country":7,"population":"many","timezone":[]}]}"#
            ).first)
        #expect(place == FoundPlace(place: Place(name: "A", coordinate: try Fixture.coordinate(1, 0))))
    }

    @Test func emptyFieldsAreAbsentAndNamesAreOneLine() throws {
        let place = try #require(
            try decode(
                #"{"results":[{"name":"A\u0000\nB","country":"","admin1":null,"timezone":" ","population":-5,"country_code":"no"}]}"#
            ).first)
        #expect(place.place.name == "A B")
        #expect(place.place.country == nil)
        #expect(place.place.region == nil)
        #expect(place.place.timeZone == nil)
        #expect(place.place.countryCode == "NO")
        #expect(place.population == 0)
    }

    @Test(arguments: [
        (#"{"results":{}}"#, "results: no place among 1"),
        (#"{"results":[{"name":7}]}"#, "results: no place among 1"),
        ("[]", "an array instead of an object"),
        (#"{"error":true,"reason":"no"}"#, "an error: no"),
        (#"{"results":[{"name":"A""#, "results[0]: the answer ends too early"),
    ])
    func whatIsWrongIsNamed(body: String, path: String) {
        #expect(throws: WeatherError.unreadable(path: path)) { try decode(body) }
    }
}

struct PlaceQueryTests {
    @Test func spellingsOfOneQuestionAreEqual() {
        let query = PlaceQuery(city: "São Paulo", country: "Brazil", language: "en")
        #expect(
            PlaceQuery(city: "  Sa\u{303}o \u{200b} Paulo\n", country: " Brazil ", language: "EN")
                == query)
        #expect(PlaceQuery(city: "São Paulo", country: "  ", language: "en-GB").country == nil)
    }

    @Test(arguments: [
        ("DE", "de"), ("de-AT", "de"), ("pt_BR", "pt"), ("", "en"), ("x", "en"), ("e n", "en"), ("日本", "en"),
    ])
    func languagesAreCodes(tag: String, language: String) {
        #expect(PlaceQuery(city: "A", language: tag).language == language)
    }

    @Test func everyCountryOfTheTableIsFoundByItsNamesAndCode() throws {
        for code in ["DE", "US", "GB", "HK", "CI", "XK", "VA", "AX"] {
            let english = try #require(Countries.name(code: code, language: "en"))
            let german = try #require(Countries.name(code: code, language: "de"))
            for name in [code, code.lowercased(), english, german] {
                #expect(Countries.codes(of: name) == [code], "\(name)")
            }
        }
        #expect(Countries.codes(of: "Hogsmeade").isEmpty)
    }

    @Test(arguments: [
        ("Congo", ["CG", "CD"]), ("Kongo", ["CD", "CG"]), ("Republic of the Congo", ["CG"]), ("DRC", ["CD"]),
        ("Congo, Democratic Republic of the", ["CD"]), ("Zaire", ["CD"]), ("Congo (Kinshasa)", ["CD"]),
        ("Congo-Kinshasa", ["CD"]), ("Holy See", ["VA"]), ("the Holy See", ["VA"]),
        ("Heiliger Stuhl", ["VA"]),
        ("Macedonia", ["MK"]), ("FYROM", ["MK"]), ("The former Yugoslav Republic of Macedonia", ["MK"]),
        ("Cote d’Ivoire", ["CI"]), ("Ivory Coast", ["CI"]), ("Czech Republic", ["CZ"]), ("Tschechei", ["CZ"]),
        ("Trinidad & Tobago", ["TT"]), ("St. Kitts & Nevis", ["KN"]), ("The Gambia", ["GM"]),
        ("the US", ["US"]),
        ("The Netherlands", ["NL"]), ("Swaziland", ["SZ"]), ("Burma", ["MM"]), ("Russian Federation", ["RU"]),
    ])
    func commonNamesOfCountriesAreKnown(name: String, codes: [String]) {
        #expect(Countries.codes(of: name).sorted() == codes.sorted())
    }

    @Test func eitherCongoIsMeantByItsShortName() {
        #expect(Countries.codes(of: "Congo").first == "CG")
    }

    @Test func theReadersLanguageIsNothingOfItsOwnIfItIsThePages() {
        #expect(PlaceQuery(city: "A", language: "de", readerLanguage: "de-AT").readerLanguage == nil)
        #expect(PlaceQuery(city: "A", language: "en", readerLanguage: "fr-CH").readerLanguage == "fr")
    }
}

extension String {
    /// Percent-encoding undone.
    fileprivate var decoded: String {
        var bytes: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
