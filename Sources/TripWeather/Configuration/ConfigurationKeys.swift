internal import CurlTransport
internal import Fragments
internal import Gateway
internal import Weather

/// All keys, in the order of `deploy/trip-weather.json5`, which explains each. A row: the key's name, its default,
/// what it takes, where its value goes.
enum ConfigurationKeys {
    static let all: [ConfigurationKey] =
        server + upstream + cache + limits + trips + others

    private static let server: [ConfigurationKey] = [
        .key("server.listen", [], addresses, \.server.listen),
        .key("server.socketMode", 0o660, fileMode, \.server.socketMode),
        .key("server.workers", 0, .count(0...256), \.server.workers),
        .key("server.readTimeout", .seconds(10), short, \.server.readTimeout, reloadable: true),
        .key("server.connections", 12_000, .count(1...1_000_000), \.gateway.connections),
        .key("server.requestsInFlight", 12_000, .count(1...1_000_000), \.gateway.requestsInFlight),
        .key("server.requestsPerConnection", 64, .count(1...65_535), \.gateway.requestsPerConnection),
        .key("server.parameterBytes", 32_768, bytes(1_024...1_048_576), \.gateway.parameterBytes),
        .key("server.bodyBytes", 65_536, bytes(0...16_777_216), \.gateway.bodyBytes),
        .key("server.arrivalTimeout", .seconds(5), short, \.gateway.arrivalTimeout),
        .key("server.writeTimeout", .seconds(10), short, \.gateway.writeTimeout),
        .key("shutdown.grace", .seconds(8), upTo(.seconds(3_600)), \.shutdownGrace),
        .key(
            "request.deadline", .seconds(8), short, \.site.deadline, within: "server.readTimeout",
            reloadable: true),
    ]

    private static let upstream: [ConfigurationKey] = [
        .key(
            "upstream.geocodingURL", "https://geocoding-api.open-meteo.com", baseURL,
            \.openMeteo.geocodingURL),
        .key("upstream.forecastURL", "https://api.open-meteo.com", baseURL, \.openMeteo.forecastURL),
        .key("upstream.archiveURL", "https://archive-api.open-meteo.com", baseURL, \.openMeteo.archiveURL),
        .key("upstream.apiKey", "", apiKey, \.openMeteo.apiKey, secret: true),
        .key("upstream.caFile", "", .path(of: "a PEM file"), \.curl.caFile),
        .key("upstream.allowPlainHTTP", false, .flag, \.curl.allowPlainHTTP),
        .key("upstream.http2", false, .flag, \.curl.http2),
        .key(
            "upstream.proxy", "", .text("a proxy's address as libcurl reads it, or nothing"), \.curl.proxy),
        .key(
            "upstream.connectTimeout", .seconds(2), short, \.curl.connectTimeout,
            within: "upstream.transferTimeout"),
        .key(
            "upstream.firstByteTimeout", .seconds(4), short, \.curl.firstByteTimeout,
            within: "upstream.transferTimeout"),
        .key(
            "upstream.lowSpeedBytes", 100, .count(0...1_048_576, of: "bytes a second"), \.curl.lowSpeedBytes),
        .key(
            "upstream.lowSpeedTime", .seconds(3), short, \.curl.lowSpeedTime,
            within: "upstream.transferTimeout"),
        .key(
            "upstream.transferTimeout", .seconds(6), short, \.curl.transferTimeout, within: "request.deadline"
        ),
        .key("upstream.transfersAtOnce", 1, .count(1...10_000), \.curl.transfersAtOnce),
        .key("upstream.queueLength", 256, .count(0...100_000), \.curl.queueLength),
        .key("upstream.answerBytes", 1_048_576, bytes(1_024...268_435_456), \.curl.answerBytes),
        .key("upstream.refusalBytes", 4_096, bytes(256...1_048_576), \.curl.refusalBytes),
        .key("upstream.idleConnections", 8, .count(1...10_000), \.curl.idleConnections),
        .key("dns.retryAfter", .seconds(5), short, \.curl.dnsRetryAfter),
        .key("dns.cacheTime", .seconds(60), upTo(.seconds(86_400)), \.curl.dnsCacheTime),
    ]

    private static let cache: [ConfigurationKey] = [
        .key("cache.folder", "", .path(of: "a folder"), \.cacheFolder),
        .key(
            "cache.entries", 20_000, .count(1...10_000_000), \.weatherCache.bounds.entries,
            \.placeCache.bounds.entries),
        .key("cache.bytes", 64 << 20, bytes(1_048_576...68_719_476_736), \.weatherCache.bounds.bytes),
        .key("cache.freshAtLeast", .seconds(300), long, \.weatherCache.freshAtLeast),
        .key("cache.staleWhileRevalidate", .seconds(3_600), long, \.weatherCache.staleWhileRevalidate),
        .key("cache.staleIfError", .seconds(86_400), long, \.weatherCache.staleIfError),
        .key(
            "cache.staleWait", .seconds(2), short, \.weatherCache.staleWait, \.placeCache.staleWait,
            within: "request.deadline"),
        .key(
            "cache.failureTTL", .seconds(15), long, \.weatherCache.failureTTL, \.placeCache.failureTTL,
            \.archiveCache.failureTTL, formerly: "cache.failureLife"),
        .key(
            "cache.placeTTL", .seconds(30 * 86_400), long, \.placeCache.ttl, formerly: "cache.placeLife"),
        .key(
            "cache.noSuchPlaceTTL", .seconds(600), long, \.placeCache.noSuchPlaceTTL,
            formerly: "cache.noSuchPlaceLife"),
        .key("archive.wait", .milliseconds(300), upTo(.seconds(60)), \.site.archiveWait, reloadable: true),
        .key("refresh.atMostEvery", .seconds(60), long, \.weatherCache.refreshAtMostEvery),
    ]

    private static let limits: [ConfigurationKey] = [
        .key("budget.minute", 600, .count(0...100_000_000), \.limits.budget.minute),
        .key("budget.hour", 5_000, .count(0...100_000_000), \.limits.budget.hour),
        .key("budget.day", 10_000, .count(0...100_000_000), \.limits.budget.day),
        .key(
            "budget.perClient", 25, .count(1...100, of: "percent of each window"),
            \.limits.percentPerClient),
        .key(
            "budget.archiveShare", 33, .count(0...100, of: "percent of each window"),
            \.limits.percentForArchive),
        .key("budget.perRequest", 60, .count(5...100_000), \.site.unitsPerRequest, reloadable: true),
        .key("breaker.failures", 5, .count(1...1_000), \.limits.breaker.failures),
        .key(
            "breaker.firstPause", .seconds(2), short, \.limits.breaker.firstPause,
            within: "breaker.longestPause"),
        .key("breaker.longestPause", .seconds(120), short, \.limits.breaker.longestPause),
        .key("retry.pause", .milliseconds(300), upTo(.seconds(60)), \.limits.retryPause),
    ]

    private static let trips: [ConfigurationKey] = [
        .key("trips.file", "", .path(of: "a file"), \.trips.file),
        .key("trips.ideas", "", .path(of: "a JSON file"), \.trips.ideas),
        .key("trips.trustRemoteUser", false, .flag, \.site.trustsRemoteUser),
        .key("trips.perTraveller", 200, .count(1...10_000), \.trips.perTraveller),
        .key("trips.fileBytes", 1 << 30, bytes(65_536...68_719_476_736), \.trips.fileBytes),
        .key("trips.keepUnseen", .seconds(400 * 86_400), unseen, \.trips.keepUnseen),
        .key("trips.fileTimeout", .seconds(3), short, \.trips.fileTimeout, formerly: "trips.patience"),
        .key("trips.placeWait", .seconds(1), upTo(.seconds(60)), \.site.placeWait, reloadable: true),
    ]

    private static let others: [ConfigurationKey] = [
        .key("answers.units", .metric, .choice, \.site.units, reloadable: true),
        .key("answers.language", .english, .choice, \.site.language, reloadable: true),
        .key("answers.sample", false, .flag, \.site.isSample),
        .key("log.requests", .auto, .choice, \.logRequests, reloadable: true),
    ]

    // MARK: Kinds of values

    private static let short = ConfigurationKind.duration(.milliseconds(1) ... .seconds(3_600))
    private static let long = ConfigurationKind.duration(.seconds(1) ... .seconds(366 * 86_400))

    /// At least as long as browsers keep the traveller's cookie.
    private static let unseen = ConfigurationKind.duration(
        .seconds(400 * 86_400) ... .seconds(10_000 * 86_400))

    private static func upTo(_ most: Duration) -> ConfigurationKind<Duration> { .duration(.zero...most) }

    private static func bytes(_ range: ClosedRange<Int>) -> ConfigurationKind<Int> {
        .count(range, of: "bytes")
    }

    private static let baseURL = ConfigurationKind<String>.text(
        "an address such as \"https://api.open-meteo.com\", without a query"
    ) { text in
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.count > 8 && text.utf8.count < 500
            && text.utf8.allSatisfy {
                $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
    }

    private static let apiKey = ConfigurationKind<String>.text("a key of letters, digits, \"-\" and \"_\"") {
        $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_" }
    }

    /// Somebody must be able to write to the socket.
    private static let fileMode = ConfigurationKind<UInt32>(
        takes: "an octal mode such as \"0660\", in which somebody may write",
        read: { value in
            let mode = value.asText.flatMap { UInt32($0, radix: 8) } ?? 0
            return mode <= 0o777 && mode & 0o222 != 0 ? mode : nil
        },
        show: { "\"0\(String($0, radix: 8))\"" })

    private static let addresses = ConfigurationKind<[ListenAddress]>(
        takes: "a list of addresses such as \"unix:/run/trip-weather.sock\" or \"127.0.0.1:9000\"",
        read: { value in
            guard case .list(let elements) = value else { return nil }
            do {
                return try elements.map { try ListenAddress($0.asText ?? "") }
            } catch {
                return nil
            }
        },
        show: { "[\($0.map { "\"\($0)\"" }.joined(separator: ", "))]" })
}
