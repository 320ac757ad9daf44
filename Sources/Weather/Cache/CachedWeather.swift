/// How old what is answered is, and why.
package enum Freshness: Sendable, Hashable {
    /// As new as the service has it.
    case fresh
    /// Past its freshness, with a refresh on its way.
    case revalidating
    /// The last refresh failed with this; the weather is the one before.
    case error(WeatherError)
}

/// Weather out of the cache, and what was rendered of it.
package struct CachedWeather: Sendable {
    package let freshness: Freshness
    /// Seconds since it was fetched, 0 or more: what the field Age says.
    package let age: Int
    /// After a failed refresh: how long until asking again will help. Nil if it does at once.
    package let retryAfter: Duration?

    private let stored: StoredWeather
    private let table: FlightTable<WeatherShelf>

    init(_ shelved: ShelvedWeather, in table: FlightTable<WeatherShelf>) {
        freshness = shelved.freshness
        age = shelved.age
        retryAfter = shelved.retryAfter.map { .seconds($0) }
        stored = shelved.stored
        self.table = table
    }

    package var context: WeatherContext { stored.context }

    /// When it was fetched, in seconds since 1970.
    package var fetchedAt: Int { stored.fetchedAt }

    /// What was rendered of this weather for a key before, else what `make` renders now. It is kept as long as
    /// the weather is, with few others, and counted in the cache's bytes.
    ///
    /// The freshness belongs to the key without being told. `make` runs without any lock; two that come at once
    /// may both render.
    package func rendering<E: Error>(
        for key: RenderingKey, make: () throws(E) -> Rendering
    ) throws(E) -> Rendering {
        if let rendering = stored.rendering(for: key, freshness) { return rendering }
        let rendering = try make()
        if stored.keep(rendering, for: key, freshness) {
            table.withState(of: stored.key) { $0.shelf.recount(stored) }
        }
        return rendering
    }
}

/// What an answer's body depends on, beside the weather and its freshness.
package struct RenderingKey: Sendable, Hashable {
    /// Representation, units, language and so on, packed by whoever renders.
    package var form: UInt64
    /// The place's date: another date is another rendering.
    package var date: CalendarDate?
    /// The days that were asked for.
    package var span: TripSpan?
    /// The place as it is shown; nil for a bare coordinate.
    package var place: Place?
    /// The coordinate as it was asked for.
    package var coordinate: Coordinate

    package init(
        form: UInt64, date: CalendarDate? = nil, span: TripSpan? = nil, place: Place? = nil,
        coordinate: Coordinate
    ) {
        self.form = form
        self.date = date
        self.span = span
        self.place = place
        self.coordinate = coordinate
    }

    /// What its texts take, in bytes.
    var textBytes: Int {
        guard let place else { return 0 }
        return place.name.utf8.count
            + [place.country, place.countryCode, place.region, place.timeZone].reduce(0) {
                $0 + ($1?.utf8.count ?? 0)
            }
    }
}

/// A body as it goes out, and its entity tag.
package struct Rendering: Sendable, Hashable {
    package var body: [UInt8]
    /// The whole field's value, with its quotation marks.
    package var entityTag: String
    /// The header fields that are the same each time, encoded as lines.
    package var fields: [UInt8]

    package init(body: [UInt8], entityTag: String, fields: [UInt8] = []) {
        self.body = body
        self.entityTag = entityTag
        self.fields = fields
    }
}
