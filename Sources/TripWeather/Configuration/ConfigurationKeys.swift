/// All keys, in the order of `deploy/trip-weather.json5`, which explains each.
package enum ConfigurationKeys {
    package static let all: [ConfigurationKey] =
        server + requests + upstream + cache + manners + trips + others

    private static let short = Duration.milliseconds(1)...Duration.seconds(3_600)

    private static let server: [ConfigurationKey] = [
        .list(
            "server.listen", \.server.listen,
            takes: "a list of addresses such as \"unix:/run/trip-weather.sock\" or \"127.0.0.1:9000\""),
        .text("server.socketMode", \.server.socketMode, takes: "an octal mode such as \"0660\"") {
            Int($0, radix: 8).map { (0...0o777).contains($0) } ?? false
        },
        .count("server.workers", \.server.workers, 0...256),
        .duration("server.readTimeout", \.server.readTimeout, short),
        .count("server.connections", \.server.connections, 1...1_000_000),
        .count("server.requestsInFlight", \.server.requestsInFlight, 1...1_000_000),
        .count("server.requestsPerConnection", \.server.requestsPerConnection, 1...65_535),
        .count("server.parameterBytes", \.server.parameterBytes, 1_024...1_048_576, unit: "bytes"),
        .count("server.bodyBytes", \.server.bodyBytes, 0...16_777_216, unit: "bytes"),
        .duration("server.arrivalTimeout", \.server.arrivalTimeout, short),
        .duration("server.writeTimeout", \.server.writeTimeout, short),
    ]

    private static let requests: [ConfigurationKey] = [
        .duration("shutdown.grace", \.shutdownGrace, .zero...Duration.seconds(3_600)),
        .duration("request.deadline", \.requestDeadline, short, reloadable: true),
    ]

    private static let upstream: [ConfigurationKey] = [
        .text("upstream.geocodingURL", \.upstream.geocodingURL, takes: baseURL, where: isBaseURL),
        .text("upstream.forecastURL", \.upstream.forecastURL, takes: baseURL, where: isBaseURL),
        .text(
            "upstream.apiKey", \.upstream.apiKey, takes: "a key of letters, digits, \"-\" and \"_\"",
            secret: true
        ) {
            $0.utf8.allSatisfy { $0.isURLSafe }
        },
        .text("upstream.caFile", \.upstream.caFile, takes: "the path of a PEM file, or nothing"),
        .flag("upstream.allowPlainHTTP", \.upstream.allowPlainHTTP),
        .flag("upstream.http2", \.upstream.http2),
        .text("upstream.proxy", \.upstream.proxy, takes: "a proxy's address as libcurl reads it, or nothing"),
        .duration("upstream.connectTimeout", \.upstream.connectTimeout, short),
        .duration("upstream.firstByteTimeout", \.upstream.firstByteTimeout, short),
        .count("upstream.lowSpeedBytes", \.upstream.lowSpeedBytes, 0...1_048_576, unit: "bytes a second"),
        .duration("upstream.lowSpeedTime", \.upstream.lowSpeedTime, short),
        .duration("upstream.transferTimeout", \.upstream.transferTimeout, short),
        .count("upstream.transfersAtOnce", \.upstream.transfersAtOnce, 1...10_000),
        .count("upstream.queueLength", \.upstream.queueLength, 0...100_000),
        .count("upstream.answerBytes", \.upstream.answerBytes, 1_024...268_435_456, unit: "bytes"),
        .count("upstream.refusalBytes", \.upstream.refusalBytes, 256...1_048_576, unit: "bytes"),
        .count("upstream.idleConnections", \.upstream.idleConnections, 1...10_000),
    ]

    private static let long = Duration.seconds(1)...Duration.seconds(366 * 86_400)

    private static let cache: [ConfigurationKey] = [
        .duration("dns.retryAfter", \.dns.retryAfter, short),
        .duration("dns.cacheTime", \.dns.cacheTime, Duration.zero...Duration.seconds(86_400)),
        .text("cache.folder", \.cache.folder, takes: "the path of a folder, or nothing"),
        .count("cache.entries", \.cache.entries, 1...10_000_000),
        .count("cache.bytes", \.cache.bytes, 1_048_576...68_719_476_736, unit: "bytes"),
        .duration("cache.freshAtLeast", \.cache.freshAtLeast, long),
        .duration("cache.staleWhileRevalidate", \.cache.staleWhileRevalidate, long),
        .duration("cache.staleIfError", \.cache.staleIfError, long),
        .duration("cache.staleWait", \.cache.staleWait, short),
        .duration("cache.failureLife", \.cache.failureLife, long),
        .duration("cache.placeLife", \.cache.placeLife, long),
        .duration("cache.noSuchPlaceLife", \.cache.noSuchPlaceLife, long),
        .duration("refresh.atMostEvery", \.refreshAtMostEvery, long),
    ]

    private static let manners: [ConfigurationKey] = [
        .count("budget.minute", \.budget.minute, 0...100_000_000),
        .count("budget.hour", \.budget.hour, 0...100_000_000),
        .count("budget.day", \.budget.day, 0...100_000_000),
        .count("breaker.failures", \.breaker.failures, 1...1_000),
        .duration("breaker.firstPause", \.breaker.firstPause, short),
        .duration("breaker.longestPause", \.breaker.longestPause, short),
        .duration("retry.pause", \.retryPause, Duration.zero...Duration.seconds(60)),
    ]

    private static let trips: [ConfigurationKey] = [
        .text("trips.file", \.trips.file, takes: "the path of a file, or nothing"),
        .text("trips.ideas", \.trips.ideas, takes: "the path of a JSON file, or nothing"),
        .flag("trips.trustRemoteUser", \.trips.trustRemoteUser),
        .count("trips.perTraveller", \.trips.perTraveller, 1...10_000),
        .count("trips.fileBytes", \.trips.fileBytes, 65_536...68_719_476_736, unit: "bytes"),
        .duration("trips.patience", \.trips.patience, short),
        .duration(
            "trips.placeWait", \.trips.placeWait, Duration.zero...Duration.seconds(60), reloadable: true),
    ]

    private static let others: [ConfigurationKey] = [
        .choice("answers.units", \.answers.units, ["metric", "imperial"], reloadable: true),
        .choice("answers.language", \.answers.language, ["en", "de"], reloadable: true),
        .flag("answers.sample", \.answers.sample),
        .choice("log.requests", \.log.requests, ["all", "failures", "none"], reloadable: true),
    ]

    private static let baseURL = "an address such as \"https://api.open-meteo.com\", without a query"

    @Sendable private static func isBaseURL(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.count > 8 && text.utf8.count < 500
            && text.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
    }
}

extension UInt8 {
    fileprivate var isURLSafe: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
