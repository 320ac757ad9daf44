internal import Weather

extension TripDraft {
    /// - parameter plan: where absent fields come from; nil for a whole trip.
    func checked(over plan: TripPlan?) throws(TripFaults) -> TripPlan {
        var faults: [TripFault] = []
        let city = checkedCity(plan, &faults)
        let country = checkedCountry(plan, &faults)
        let start = checkedStart(plan, &faults)
        let nights = checkedNights(plan, &faults)
        let price = checkedPrice(plan, &faults)
        let picture = checkedPicture(plan, &faults)
        let isFavourite = checkedFavourite(plan, &faults)
        guard faults.isEmpty, let city, let start, let nights,
            let span = TripSpan(start: start, nights: nights)
        else { throw TripFaults(all: faults) }
        return TripPlan(
            city: city, country: country, span: span, price: price, picture: picture, isFavourite: isFavourite
        )
    }

    private func checkedCity(_ plan: TripPlan?, _ faults: inout [TripFault]) -> String? {
        if case .absent = city, let plan { return plan.city }
        switch TripDraft.line(city) {
        case .success(let line?): return line
        case .success(nil): faults.append(.city(.missing))
        case .failure(let fault): faults.append(.city(fault.why))
        }
        return nil
    }

    private func checkedCountry(_ plan: TripPlan?, _ faults: inout [TripFault]) -> String? {
        if case .absent = country, let plan { return plan.country }
        switch TripDraft.line(country) {
        case .success(let line): return line
        case .failure(let fault): faults.append(.country(fault.why))
        }
        return nil
    }

    private struct LineFault: Error {
        let why: TripFault.Text
    }

    /// One line of text, or nil if there is none.
    private static func line(_ input: TripInput<String>) -> Result<String?, LineFault> {
        switch input {
        case .absent, .cleared: return .success(nil)
        case .unreadable: return .failure(LineFault(why: .unreadable))
        case .value(let text):
            let tooLong = LineFault(why: .tooLong(limit: TripPlan.nameLimit))
            // Before the text is looked at more closely: no name that fits has more bytes.
            guard text.utf8.count <= TripPlan.nameLimit * 16 else { return .failure(tooLong) }
            let line = PlaceText.normalised(text)
            guard line.count <= TripPlan.nameLimit else { return .failure(tooLong) }
            return .success(line.isEmpty ? nil : line)
        }
    }

    private func checkedStart(_ plan: TripPlan?, _ faults: inout [TripFault]) -> CalendarDate? {
        switch start {
        case .absent:
            if let plan { return plan.start }
            faults.append(.start(.missing))
        case .cleared: faults.append(.start(.missing))
        case .unreadable: faults.append(.start(.unreadable))
        case .value(let date):
            if TripPlan.startRange.contains(date) { return date }
            faults.append(.start(.outOfRange(TripPlan.startRange)))
        }
        return nil
    }

    private func checkedNights(_ plan: TripPlan?, _ faults: inout [TripFault]) -> Int? {
        switch nights {
        case .absent:
            if let plan { return plan.nights }
            faults.append(.nights(.missing))
        case .cleared: faults.append(.nights(.missing))
        case .unreadable: faults.append(.nights(.unreadable))
        case .value(let nights):
            if TripSpan.nightsRange.contains(nights) { return nights }
            faults.append(.nights(.outOfRange(TripSpan.nightsRange)))
        }
        return nil
    }

    private func checkedPrice(_ plan: TripPlan?, _ faults: inout [TripFault]) -> Int {
        switch price {
        case .absent: return plan?.price ?? 0
        // A price of nothing is stated as 0; an empty field is a slip.
        case .cleared: faults.append(.price(.missing))
        case .unreadable: faults.append(.price(.unreadable))
        case .value(let price):
            if !TripPlan.priceRange.contains(price) {
                faults.append(.price(.outOfRange(TripPlan.priceRange)))
            } else if !price.isMultiple(of: TripPlan.priceStep) {
                faults.append(.price(.notAStep(of: TripPlan.priceStep)))
            } else {
                return price
            }
        }
        return 0
    }

    private func checkedPicture(_ plan: TripPlan?, _ faults: inout [TripFault]) -> PictureName? {
        switch picture {
        case .absent: return plan?.picture
        case .cleared: return nil
        case .unreadable: faults.append(.picture(.unreadable))
        case .value(let text):
            if let name = PictureName(text) { return name }
            faults.append(.picture(.unreadable))
        }
        return nil
    }

    private func checkedFavourite(_ plan: TripPlan?, _ faults: inout [TripFault]) -> Bool {
        switch isFavourite {
        case .absent: return plan?.isFavourite ?? false
        case .cleared: return false
        case .unreadable: faults.append(.favourite(.unreadable))
        case .value(let flag): return flag
        }
        return false
    }
}
