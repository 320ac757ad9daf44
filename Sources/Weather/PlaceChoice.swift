/// Chooses among the places that a search found.
///
/// 1. Those that aren't where the question says are left out. Where a country is named, a place must be in it:
///    no weather is better than that of the wrong Paris. A part after a comma ("Portland, Oregon") must be the
///    place's country, region or district too.
/// 2. Those that fit best stay: a country itself before its territories, and these before a region of that name;
///    a region of exactly that name before one that has it among its words ("Virginia", "West Virginia").
/// 3. Of these the service's first is taken. But one of exactly the asked name that is further down and has twenty
///    times as many inhabitants takes its place: villages and prefixes don't hide a city.
struct PlaceChoice {
    /// The name without what qualifies it.
    let name: String
    /// Where the trip's country is named.
    let country: String?
    /// The parts after commas: countries, regions or their abbreviations. Each must fit.
    let qualifiers: [String]

    private static let farMore = 20
    /// A place whose inhabitants aren't known counts as a village.
    private static let village = 1_000

    func best(of places: [FoundPlace]) -> Place? {
        let fits = places.map { ($0, fit(of: $0)) }
        guard let bestFit = fits.compactMap(\.1).max() else { return nil }
        let candidates = fits.filter { $0.1 == bestFit }.map(\.0)
        guard let first = candidates.first else { return nil }
        let wanted = PlaceText.folded(name)
        let farLarger = candidates.dropFirst().filter {
            $0.population >= PlaceChoice.farMore * max(first.population, PlaceChoice.village)
                && PlaceText.folded($0.place.name) == wanted
        }
        return (farLarger.max { $0.population < $1.population } ?? first).place
    }

    /// How well a place fits, or nil where it doesn't.
    private func fit(of found: FoundPlace) -> Int? {
        var fit = 0
        if let country {
            guard let countryFit = PlaceChoice.fit(of: found.place, inCountry: country) else { return nil }
            fit += countryFit
        }
        for qualifier in qualifiers {
            guard let qualifierFit = PlaceChoice.fit(of: found, qualifiedBy: qualifier) else { return nil }
            fit += qualifierFit
        }
        return fit
    }

    private static func fit(of place: Place, inCountry country: String) -> Int? {
        let wanted = PlaceText.folded(country)
        let code = Countries.code(of: country)
        if let own = place.countryCode, own == code || own.lowercased() == wanted { return 3 }
        if let name = place.country, PlaceText.folded(name) == wanted { return 3 }
        if let code, let own = place.countryCode, Countries.sovereign(of: own) == code { return 2 }
        // A territory without a country may itself be what the trip calls its country.
        if place.country == nil, PlaceText.folded(place.name) == wanted { return 2 }
        if let region = place.region, PlaceText.folded(region) == wanted { return 1 }
        return nil
    }

    private static func fit(of found: FoundPlace, qualifiedBy qualifier: String) -> Int? {
        if let countryFit = fit(of: found.place, inCountry: qualifier), countryFit > 1 { return 2 }
        let wanted = [qualifier] + Regions.names(of: qualifier)
        let names = [found.place.region, found.district].compactMap { $0.map(PlaceText.folded) }
        for want in wanted.map(PlaceText.folded) where !want.isEmpty {
            if names.contains(want) { return 2 }
            if names.contains(where: { " \($0) ".contains(" \(want) ") }) { return 1 }
        }
        return nil
    }
}
