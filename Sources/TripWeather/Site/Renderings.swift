internal import Fragments
internal import Synchronization
internal import Weather

/// What an answer's body depends on, beside the weather.
struct RenderingKey: Sendable, Hashable {
    var presentation: Presentation
    var form: CardForm
    /// Whether Accept decided what the answer is.
    var isNegotiated: Bool
    var isSample: Bool
    var isCacheable: Bool
    var isPersonal: Bool
    /// The place's date: another date is another rendering.
    var date: CalendarDate
    /// The days that were asked for.
    var span: TripSpan?
    /// The coordinate as it was asked for.
    var coordinate: Coordinate
    /// The place as it is shown; nil for a bare coordinate.
    var place: Place?
    var freshness: Freshness
    var retryAfter: Duration?
    /// When the archive's days were fetched.
    var archive: [Int] = []

    /// What its texts take, in bytes.
    fileprivate var textBytes: Int {
        guard let place else { return 0 }
        return place.name.utf8.count
            + [place.country, place.countryCode, place.region, place.timeZone].reduce(0) {
                $0 + ($1?.utf8.count ?? 0)
            }
    }
}

/// A body as it goes out, and its entity tag.
struct Rendering: Sendable, Hashable {
    var body: [UInt8]
    /// The whole field's value, with its quotation marks.
    var entityTag: String
    /// The header fields that are the same each time, encoded as lines.
    var fields: [UInt8]
}

/// What was rendered of one entry of the cache: it ends with the entry, and counts in its bytes.
final class Renderings: CacheAttachment {
    private struct Slot {
        let key: RenderingKey
        let rendering: Rendering

        var bytes: Int {
            MemoryLayout<Slot>.stride + key.textBytes + rendering.body.count + rendering.fields.count
                + rendering.entityTag.utf8.count + 96
        }
    }

    private struct State {
        var slots: [Slot] = []
        /// The one that makes room next.
        var oldest = 0
        var bytes = 0
    }

    /// Renderings kept of one entry; the oldest makes room.
    private static let most = 8
    /// Bytes of the largest that is kept.
    private static let largest = 64 << 10

    private let state = Mutex(State())

    var bytes: Int { state.withLock { $0.bytes } }

    func find(_ key: RenderingKey) -> Rendering? {
        state.withLock { state in
            for slot in state.slots where slot.key == key { return slot.rendering }
            return nil
        }
    }

    /// Whether it was kept, so that the bytes have changed.
    func keep(_ rendering: Rendering, for key: RenderingKey) -> Bool {
        guard rendering.body.count <= Renderings.largest else { return false }
        let slot = Slot(key: key, rendering: rendering)
        return state.withLock { state in
            if state.slots.contains(where: { $0.key == key }) { return false }
            state.bytes += slot.bytes
            if state.slots.count < Renderings.most {
                state.slots.append(slot)
            } else {
                state.bytes -= state.slots[state.oldest].bytes
                state.slots[state.oldest] = slot
                state.oldest = (state.oldest + 1) % Renderings.most
            }
            return true
        }
    }
}

extension CachedWeather {
    /// What was rendered of this weather for a key before, else what `make` renders now. `make` runs without any
    /// lock; two that come at once may both render.
    func rendering(
        for key: RenderingKey, isKept: Bool = true, in cache: WeatherCache, make: () -> Rendering
    ) -> Rendering {
        guard isKept, let renderings = attachment as? Renderings else { return make() }
        if let rendering = renderings.find(key) { return rendering }
        let rendering = make()
        if renderings.keep(rendering, for: key) { cache.attachmentGrew(self) }
        return rendering
    }
}
