/// Chooses among the places that a search found.
///
/// 1. Those that aren't where the question says are left out. If a country is named, a place must be in it: no
///    weather is better than that of the wrong Paris. A part after a comma ("Portland, Oregon") must be the place's
///    country, region or district too.
/// 2. Those that fit best come first: a country itself before its territories, and these before a region of that
///    name; a region of exactly that name before one that has it among its words ("Virginia", "West Virginia").
/// 3. Of these the service's first is taken. But one of exactly the asked name that is further down and has twenty
///    times as many inhabitants takes its place: villages and prefixes don't hide a city.
struct PlaceChoice {
    /// The name without what qualifies it.
    let name: String
    /// The trip's country, if one is named.
    var country: String?
    /// The parts after commas: countries, regions or their abbreviations. Each must fit.
    var qualifiers: [String] = []
    /// Whether the last qualifier may be the beginning of a name only: somebody is typing.
    var isBeginning = false

    private static let farMore = 20
    /// A place whose inhabitants aren't known counts as a village.
    private static let village = 1_000

    func best(of places: [FoundPlace]) -> FoundPlace? {
        let fits = places.map { ($0, fit(of: $0)) }
        guard let bestFit = fits.compactMap(\.1).max() else { return nil }
        let candidates = fits.filter { $0.1 == bestFit }.map(\.0)
        guard let first = candidates.first else { return nil }
        let farLarger = named(candidates.dropFirst()).filter {
            $0.population >= PlaceChoice.farMore * max(first.population, PlaceChoice.village)
        }
        return farLarger.max { $0.population < $1.population } ?? first
    }

    /// All that fit, the best first, else in the service's order.
    func all(of places: [FoundPlace]) -> [FoundPlace] {
        let fits = places.compactMap { place in fit(of: place).map { (place, $0) } }
        return Set(fits.map(\.1)).sorted(by: >).flatMap { best in fits.filter { $0.1 == best }.map(\.0) }
    }

    /// Those of exactly the asked name.
    func named(_ places: some Sequence<FoundPlace>) -> [FoundPlace] {
        let wanted = PlaceText.folded(name)
        return places.filter { PlaceText.folded($0.place.name) == wanted }
    }

    /// What the question says of where the place is, and isn't so; nil if all of it is.
    func misfit(of found: FoundPlace) -> String? {
        if let country, PlaceChoice.fit(of: found.place, inCountry: country) == nil { return country }
        return qualifiers.first { fit(of: found, qualifiedBy: $0) == nil }
    }

    /// How well a place fits, or nil if it doesn't.
    private func fit(of found: FoundPlace) -> Int? {
        var fit = 0
        if let country {
            guard let countryFit = PlaceChoice.fit(of: found.place, inCountry: country) else { return nil }
            fit += countryFit
        }
        for qualifier in qualifiers {
            guard let qualifierFit = self.fit(of: found, qualifiedBy: qualifier) else { return nil }
            fit += qualifierFit
        }
        return fit
    }

    private static func fit(of place: Place, inCountry country: String) -> Int? {
        let wanted = PlaceText.folded(country)
        let codes = Countries.codes(of: country)
        if let own = place.countryCode, codes.contains(own) || own.lowercased() == wanted { return 3 }
        if let name = place.country, PlaceText.folded(name) == wanted { return 3 }
        if let own = place.countryCode, let sovereign = Countries.sovereign(of: own),
            codes.contains(sovereign)
        {
            return 2
        }
        // A territory without a country may itself be what the trip calls its country.
        if place.country == nil, PlaceText.folded(place.name) == wanted { return 2 }
        if let region = place.region, PlaceText.folded(region) == wanted { return 1 }
        return nil
    }

    private func fit(of found: FoundPlace, qualifiedBy qualifier: String) -> Int? {
        if let countryFit = PlaceChoice.fit(of: found.place, inCountry: qualifier), countryFit > 1 {
            return 2
        }
        let wanted = ([qualifier] + Regions.names(of: qualifier)).map(PlaceText.folded).filter { !$0.isEmpty }
        let names = [found.place.region, found.place.district].compactMap { $0.map(PlaceText.folded) }
        for want in wanted {
            if names.contains(want) { return 2 }
            if names.contains(where: { " \($0) ".contains(" \(want) ") }) { return 1 }
        }
        guard isBeginning, qualifier == qualifiers.last, let beginning = wanted.first else { return nil }
        let countries = found.place.countryCode.map { Countries.names(code: $0) } ?? []
        return (names + countries.map(PlaceText.folded)).contains { $0.hasPrefix(beginning) } ? 1 : nil
    }
}
