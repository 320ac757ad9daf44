/// Finds transfers that crawl: it is asked at intervals, and says when fewer bytes came in the last stretch of time
/// than the wanted speed makes of it.
///
/// libcurl's own CURLOPT_LOW_SPEED_LIMIT would not do: it counts the wait for the first byte as slow, which has a
/// limit of its own here, it averages over five seconds, and CURLOPT_LOW_SPEED_TIME takes whole seconds only.
struct SpeedMeter {
    private struct Sample {
        let time: ContinuousClock.Instant
        let bytes: Int
    }

    private let wantedBytes: Double
    private let time: Duration
    /// The oldest is the last one that lies a whole stretch back, or the start.
    private var samples: [Sample]

    /// How often it wants to be asked: a transfer that stalls is found at most this much late.
    let interval: Duration

    init(_ limits: CurlConfiguration, start: ContinuousClock.Instant) {
        time = limits.lowSpeedTime
        wantedBytes = Double(limits.lowSpeedBytes) * (time / .seconds(1))
        interval = max(time / 10, .milliseconds(5))
        samples = [Sample(time: start, bytes: 0)]
    }

    /// When it wants to be asked next.
    var nextTick: ContinuousClock.Instant {
        (samples.last?.time ?? .now).advanced(by: interval)
    }

    /// Takes the number of bytes that came since the start. Answers whether the transfer has been slow for too long.
    mutating func tick(bytes: Int, at now: ContinuousClock.Instant) -> Bool {
        let stretch = now.advanced(by: .zero - time)
        samples.append(Sample(time: now, bytes: bytes))
        while samples.count > 1, samples[1].time <= stretch { samples.removeFirst() }
        guard samples[0].time <= stretch else { return false }
        return Double(bytes - samples[0].bytes) < wantedBytes
    }
}
