internal import Synchronization

/// One answer of the service, and what was rendered of it. A newer answer is another one of these, so that
/// renderings end with what they show.
final class StoredWeather: Sendable {
    private struct Slot {
        let key: RenderingKey
        let freshness: Freshness
        let rendering: Rendering

        var bytes: Int {
            MemoryLayout<Slot>.stride + key.textBytes + rendering.body.count + rendering.fields.count
                + rendering.entityTag.utf8.count + 96
        }
    }

    private struct Renderings {
        var slots: [Slot] = []
        /// The one that makes room next.
        var oldest = 0
        var bytes = 0
    }

    let key: WeatherKey
    let context: WeatherContext
    /// Seconds since 1970.
    let fetchedAt: Int
    private let ownBytes: Int
    private let mostRenderings: Int
    private let largestRendering: Int
    private let renderings = Mutex(Renderings())

    init(_ context: WeatherContext, key: WeatherKey, fetchedAt: Int, policy: CachePolicy) {
        self.key = key
        self.context = context
        self.fetchedAt = fetchedAt
        ownBytes = StoredWeather.size(of: context)
        mostRenderings = policy.renderings
        largestRendering = policy.largestRendering
    }

    /// What it costs in memory, as far as that can be told.
    var bytes: Int { ownBytes + renderings.withLock { $0.bytes } }

    func rendering(for key: RenderingKey, _ freshness: Freshness) -> Rendering? {
        renderings.withLock { renderings in
            for slot in renderings.slots where slot.key == key && slot.freshness == freshness {
                return slot.rendering
            }
            return nil
        }
    }

    /// Whether it was kept, so that the bytes have changed.
    func keep(_ rendering: Rendering, for key: RenderingKey, _ freshness: Freshness) -> Bool {
        guard rendering.body.count <= largestRendering, mostRenderings > 0 else { return false }
        let slot = Slot(key: key, freshness: freshness, rendering: rendering)
        return renderings.withLock { renderings in
            if renderings.slots.contains(where: { $0.key == key && $0.freshness == freshness }) {
                return false
            }
            renderings.bytes += slot.bytes
            if renderings.slots.count < mostRenderings {
                renderings.slots.append(slot)
            } else {
                renderings.bytes -= renderings.slots[renderings.oldest].bytes
                renderings.slots[renderings.oldest] = slot
                renderings.oldest = (renderings.oldest + 1) % mostRenderings
            }
            return true
        }
    }

    private static func size(of context: WeatherContext) -> Int {
        // The object's head, its fields and two allocations' rounding, then the days' buffer.
        192 + MemoryLayout<WeatherContext>.size + 32
            + context.days.count * MemoryLayout<DayForecast>.stride
            + (context.timeZone.map { $0.utf8.count > 15 ? $0.utf8.count + 32 : 0 } ?? 0)
    }
}
