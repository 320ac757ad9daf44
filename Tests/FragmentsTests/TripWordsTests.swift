import Testing
import Trips
import Weather

@testable import Fragments

struct TripWordsTests {
    @Test(arguments: [
        (0, "$0", "0\u{A0}$"), (250, "$250", "250\u{A0}$"), (1_250, "$1,250", "1.250\u{A0}$"),
        (20_000, "$20,000", "20.000\u{A0}$"), (1_000_000, "$1,000,000", "1.000.000\u{A0}$"),
    ])
    func aPriceIsWrittenAsItsLanguageDoes(price: Int, english: String, german: String) {
        #expect(Language.english.phrases.dollars(price) == english)
        #expect(Language.german.phrases.dollars(price) == german)
    }

    @Test func oneNightIsNotNights() {
        #expect(Language.english.phrases.nights(1) == "1 night")
        #expect(Language.english.phrases.nights(4) == "4 nights")
        #expect(Language.english.phrases.nights(0) == "0 nights")
        #expect(Language.german.phrases.nights(1) == "1 Nacht")
        #expect(Language.german.phrases.nights(4) == "4 Nächte")
        #expect(Language.english.phrases.nights(12_000) == "12,000 nights")
    }

    @Test(arguments: [
        ("2026-12-06", 4, "6 December – 10 December 2026", "6. Dezember – 10. Dezember 2026"),
        ("2026-12-30", 3, "30 December 2026 – 2 January 2027", "30. Dezember 2026 – 2. Januar 2027"),
        ("2028-02-28", 1, "28 February – 29 February 2028", "28. Februar – 29. Februar 2028"),
    ])
    func datesAreWrittenAsTheirLanguageDoes(start: String, nights: Int, english: String, german: String)
        throws
    {
        let span = try #require(TripSpan(start: Examples.date(start), nights: nights))
        for (language, text) in [(Language.english, english), (.german, german)] {
            var out = PlainOutput(buffer: ByteWriter(reserving: 0))
            Sentences(Presentation(language: language)).dates(span, to: &out)
            #expect(Examples.text(out.buffer.bytes) == text)
        }
    }

    static let faults: [TripFault] = [
        .city(.missing), .city(.unreadable), .city(.tooLong(limit: 200)),
        .country(.missing), .country(.unreadable), .country(.tooLong(limit: 200)),
        .start(.missing), .start(.unreadable), .start(.outOfRange(TripPlan.startRange)),
        .nights(.missing), .nights(.unreadable), .nights(.outOfRange(TripSpan.nightsRange)),
        .nights(.notAStep(of: 2)),
        .price(.missing), .price(.unreadable), .price(.outOfRange(TripPlan.priceRange)),
        .price(.notAStep(of: TripPlan.priceStep)), .picture, .favourite,
    ]

    @Test(arguments: Language.allCases)
    func everyFaultHasASentenceOfItsOwn(language: Language) {
        let problem = Problem.tripFaults(Self.faults, in: language)
        #expect(problem.fields.map(\.name) == Self.faults.map(\.field))
        #expect(problem.fields.allSatisfy { $0.detail.hasSuffix(".") })
        #expect(Set(problem.fields.map(\.detail)).count == Self.faults.count)
        #expect(problem.detail == problem.fields.map(\.detail).joined(separator: " "))
        let other: Language = language == .english ? .german : .english
        for (fault, field) in zip(Self.faults, problem.fields) {
            #expect(other.phrases.sentence(of: fault) != field.detail)
        }
    }

    @Test func faultsNameTheirLimits() {
        let english = Language.english.phrases
        #expect(
            english.sentence(of: .price(.outOfRange(TripPlan.priceRange)))
                == "Price must be from $0 to $20,000.")
        #expect(
            english.sentence(of: .nights(.outOfRange(TripSpan.nightsRange))) == "Nights must be from 1 to 60."
        )
        #expect(
            Language.german.phrases.sentence(of: .price(.notAStep(of: 250)))
                == "Preis muss in Schritten von 250\u{A0}$ sein.")
        #expect(
            english.sentence(of: .start(.outOfRange(TripPlan.startRange)))
                == "Departure must be from 1900-01-01 to 2199-12-31.")
    }

    @Test(arguments: Language.allCases)
    func theStaticWordsNeedNoEscapingAnywhere(language: Language) {
        let words: Phrases = language.phrases
        var all: [StaticString] = [
            words.favourite, words.yourTrips, words.noTrips, words.departure, words.returning,
            words.nightsLabel, words.price, words.totalNights, words.localTimeLabel, words.next,
            words.allTrips, words.edit, words.deleteTrip, words.share, words.stopSharing,
            words.sharedAddress, words.city, words.country, words.priceInDollars, words.picture,
            words.noPicture, words.fieldsAtFault, words.addToMyTrips, words.save, words.cancel,
            words.cannotBeUndone, words.delete, words.forgetQuestion, words.whatIsForgotten, words.forget,
            words.whatDiffers, words.nothingDiffers, words.field, words.savedNow, words.yours,
            words.saveMine, words.keepSaved, words.yes, words.no, words.weatherOfTrips, words.planATrip,
            words.changedMeanwhile,
        ]
        all += Picture.allCases.map { words.name(of: $0) }
        all += PackingItem.allCases.map { words.name(of: $0) }
        for phrase in [words.dollars, words.deleteQuestion, words.toPack] {
            all += [phrase.before, phrase.after]
        }
        for word in all.map(\.description) {
            #expect(!word.contains { "<>&\"'\\".contains($0) }, "\(word)")
        }
        #expect(Set(Picture.allCases.map { words.name(of: $0).description }).count == 8)
        #expect(Set(PackingItem.allCases.map { words.name(of: $0).description }).count == 11)
    }
}
