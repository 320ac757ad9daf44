import Testing
import Trips
import Weather

@Suite struct TripDraftTests {
    /// The faults of a draft as a whole trip.
    private func faults(_ draft: TripDraft) -> [TripFault] {
        do throws(TripFaults) {
            _ = try draft.plan()
            return []
        } catch {
            return error.all
        }
    }

    @Test func aTripNeedsACityAStartAndNights() throws {
        #expect(faults(TripDraft()) == [.city(.missing), .start(.missing), .nights(.missing)])
        let plan = try draft("Bergen").plan()
        #expect(plan.country == nil)
        #expect(plan.price == 0)
        #expect(plan.picture == nil)
        #expect(!plan.isFavourite)
    }

    @Test func everyFieldAtFaultIsListed() {
        var draft = TripDraft()
        draft.city = .value(" \u{7} ")
        draft.country = .value(String(repeating: "x", count: 201))
        draft.start = .value(CalendarDate(daysSinceEpoch: .max))
        draft.nights = .value(61)
        draft.price = .value(251)
        draft.picture = .value("../../etc/passwd")
        draft.isFavourite = .unreadable
        #expect(
            faults(draft) == [
                .city(.missing), .country(.tooLong(limit: 200)), .start(.outOfRange(TripPlan.startRange)),
                .nights(.outOfRange(1...60)), .price(.notAStep(of: 250)), .picture,
                .favourite,
            ])
        #expect(
            faults(draft).map(\.field) == [
                "city", "country", "start", "nights", "price", "picture", "favourite",
            ])
    }

    @Test(arguments: [-1, 0, 61, Int.max, Int.min])
    func noTripHasSuchNights(_ nights: Int) {
        var draft = draft("Bergen")
        draft.nights = .value(nights)
        #expect(faults(draft) == [.nights(.outOfRange(1...60))])
    }

    @Test(arguments: [-250, 20_250, Int.max, Int.min])
    func noTripHasSuchAPrice(_ price: Int) {
        var draft = draft("Bergen")
        draft.price = .value(price)
        #expect(faults(draft) == [.price(.outOfRange(0...20_000))])
    }

    @Test func whatCannotBeReadIsAFaultOfItsField() {
        var draft = TripDraft()
        draft.city = .unreadable
        draft.country = .unreadable
        draft.start = .unreadable
        draft.nights = .unreadable
        draft.price = .cleared
        draft.picture = .unreadable
        #expect(
            faults(draft) == [
                .city(.unreadable), .country(.unreadable), .start(.unreadable), .nights(.unreadable),
                .price(.missing), .picture,
            ])
    }

    @Test func theLimitsThemselvesAreAllowed() throws {
        #expect(TripPlan.startRange.lowerBound == (try day("1900-01-01")))
        #expect(TripPlan.startRange.upperBound == (try day("2199-12-31")))
        var draft = draft(String(repeating: "ø", count: 200))
        draft.start = .value(TripPlan.startRange.upperBound)
        draft.nights = .value(60)
        draft.price = .value(20_000)
        draft.picture = .value(String(repeating: "a", count: 40))
        #expect(faults(draft).isEmpty)
        draft.start = .value(TripPlan.startRange.upperBound.advanced(by: 1))
        draft.city = .value(String(repeating: "ø", count: 201))
        #expect(
            faults(draft) == [.city(.tooLong(limit: 200)), .start(.outOfRange(TripPlan.startRange))])
        // However long, and without a second look.
        draft.city = .value(String(repeating: "x", count: 1_000_000))
        #expect(faults(draft).first == .city(.tooLong(limit: 200)))
    }

    @Test func namesAreOneTidyLine() throws {
        let plan = try draft("  San\r\nPedro\u{0}  de Atacama\t", "  ").plan()
        #expect(plan.city == "San Pedro de Atacama")
        #expect(plan.country == nil)
    }

    @Test func aMergeChangesWhatItNamesAlone() throws {
        var whole = draft("Bergen", "Norway", start: 10, nights: 5)
        whole.price = .value(1_250)
        whole.picture = .value("fjord")
        whole.isFavourite = .value(true)
        let plan = try whole.plan()
        #expect(try TripDraft().plan(over: plan) == plan)
        #expect(try TripDraft(plan).plan() == plan)

        var some = TripDraft()
        some.nights = .value(6)
        some.country = .cleared
        some.picture = .cleared
        let merged = try some.plan(over: plan)
        #expect(merged.nights == 6)
        #expect(merged.country == nil)
        #expect(merged.picture == nil)
        #expect(merged.city == "Bergen")
        #expect(merged.start == plan.start)
        #expect(merged.price == 1_250)
        #expect(merged.isFavourite)
    }

    @Test func aMergeCannotTakeAwayWhatATripNeeds() throws {
        let plan = try plan("Bergen")
        var none = TripDraft()
        none.city = .cleared
        none.start = .cleared
        none.nights = .cleared
        none.price = .cleared
        #expect {
            try none.plan(over: plan)
        } throws: { error in
            (error as? TripFaults)?.all == [
                .city(.missing), .start(.missing), .nights(.missing), .price(.missing),
            ]
        }
    }

    @Test(arguments: ["", "-a", "A", "a/b", "a.svg", "..", "a b", "é", "a\u{0}", "a\n"])
    func noPictureHasSuchAName(_ text: String) {
        #expect(PictureName(text) == nil)
    }
}
