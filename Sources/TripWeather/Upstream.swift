internal import CurlTransport
internal import EventLoop
internal import Transport
internal import Weather

/// The way to Open-Meteo, put together from the configuration.
struct Upstream: Sendable {
    let transport: CurlTransport
    let client: OpenMeteoClient

    init(_ configuration: Configuration, loops: [EventLoop], log: Log) throws(CurlStartError) {
        let transport = try CurlTransport(loops: loops, configuration: CurlConfiguration(configuration))
        self.transport = transport
        let upstream = configuration.upstream
        client = OpenMeteoClient(
            OpenMeteoConfiguration(
                geocodingURL: upstream.geocodingURL, forecastURL: upstream.forecastURL, apiKey: upstream.apiKey),
            transport: AskingTransport(transport, log: log))
    }
}

extension CurlConfiguration {
    init(_ configuration: Configuration) {
        self.init()
        let upstream = configuration.upstream
        connectTimeout = upstream.connectTimeout
        firstByteTimeout = upstream.firstByteTimeout
        lowSpeedBytes = upstream.lowSpeedBytes
        lowSpeedTime = upstream.lowSpeedTime
        transferTimeout = upstream.transferTimeout
        transfersAtOnce = upstream.transfersAtOnce
        queueLength = upstream.queueLength
        idleConnections = upstream.idleConnections
        answerBytes = upstream.answerBytes
        refusalBytes = upstream.refusalBytes
        dnsRetryAfter = configuration.dns.retryAfter
        dnsCacheTime = configuration.dns.cacheTime
        caFile = upstream.caFile
        allowPlainHTTP = upstream.allowPlainHTTP
        http2 = upstream.http2
        proxy = upstream.proxy
        userAgent = "trip-weather/\(Program.version)"
    }
}

/// Logs each real question, so that one can count them: "Asking Open-Meteo about Bergen".
struct AskingTransport: Transport {
    private let transport: any Transport
    private let log: Log

    init(_ transport: any Transport, log: Log) {
        self.transport = transport
        self.log = log
    }

    func get(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> HTTPAnswer {
        log.write("asking", [("message", "Asking Open-Meteo about \(subject(of: request))")])
        return try await transport.get(request, deadline: deadline)
    }

    private func subject(of request: HTTPRequest) -> String {
        let query = Query(request.url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst())
        if let name = query["name"] { return name }
        return "\(query["latitude"] ?? "?"),\(query["longitude"] ?? "?")"
    }
}
