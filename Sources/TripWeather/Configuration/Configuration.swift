/// Every setting of the program, with its default. `ConfigurationKeys.all` names each for the file.
package struct Configuration: Sendable {
    package struct Server: Sendable {
        package var listen: [String] = []
        package var socketMode = "0660"
        package var workers = 0
        package var readTimeout: Duration = .seconds(10)
        package var connections = 12_000
        package var requestsInFlight = 12_000
        package var requestsPerConnection = 64
        package var parameterBytes = 32_768
        package var bodyBytes = 65_536
        package var arrivalTimeout: Duration = .seconds(5)
        package var writeTimeout: Duration = .seconds(10)
    }

    package struct Upstream: Sendable {
        package var geocodingURL = "https://geocoding-api.open-meteo.com"
        package var forecastURL = "https://api.open-meteo.com"
        package var apiKey = ""
        package var caFile = ""
        package var allowPlainHTTP = false
        package var http2 = false
        package var proxy = ""
        package var connectTimeout: Duration = .seconds(2)
        package var firstByteTimeout: Duration = .seconds(4)
        package var lowSpeedBytes = 100
        package var lowSpeedTime: Duration = .seconds(3)
        package var transferTimeout: Duration = .seconds(6)
        package var transfersAtOnce = 1
        package var queueLength = 256
        package var answerBytes = 1_048_576
        package var refusalBytes = 4_096
        package var idleConnections = 8
    }

    package struct DNS: Sendable {
        package var retryAfter: Duration = .seconds(5)
        package var cacheTime: Duration = .seconds(60)
    }

    package struct Cache: Sendable {
        package var folder = ""
        package var entries = 20_000
        package var bytes = 64 << 20
        package var freshAtLeast: Duration = .seconds(5 * 60)
        package var staleWhileRevalidate: Duration = .seconds(60 * 60)
        package var staleIfError: Duration = .seconds(24 * 60 * 60)
        package var staleWait: Duration = .seconds(2)
        package var failureLife: Duration = .seconds(15)
        package var placeLife: Duration = .seconds(30 * 24 * 60 * 60)
        package var noSuchPlaceLife: Duration = .seconds(10 * 60)
    }

    package struct Budget: Sendable {
        package var minute = 600
        package var hour = 5_000
        package var day = 10_000
    }

    package struct Breaker: Sendable {
        package var failures = 5
        package var firstPause: Duration = .seconds(2)
        package var longestPause: Duration = .seconds(120)
    }

    package struct Trips: Sendable {
        package var file = ""
        package var ideas = ""
        package var trustRemoteUser = false
        package var perTraveller = 200
        package var fileBytes = 1 << 30
        package var patience: Duration = .seconds(3)
        package var placeWait: Duration = .seconds(1)
    }

    package struct Answers: Sendable {
        package var units = "metric"
        package var language = "en"
        package var sample = false
    }

    package struct Log: Sendable {
        package var requests = "all"
    }

    package var server = Server()
    package var shutdownGrace: Duration = .seconds(8)
    package var requestDeadline: Duration = .seconds(8)
    package var upstream = Upstream()
    package var dns = DNS()
    package var refreshAtMostEvery: Duration = .seconds(60)
    package var retryPause: Duration = .milliseconds(300)
    package var cache = Cache()
    package var budget = Budget()
    package var breaker = Breaker()
    package var trips = Trips()
    package var answers = Answers()
    package var log = Log()
    /// Where each value comes from, by the key's path; a key that isn't here has its default.
    package var origins: [String: String] = [:]

    package init() {}
}
