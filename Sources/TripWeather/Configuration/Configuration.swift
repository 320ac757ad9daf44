package import CurlTransport
package import Gateway
package import Weather

/// The values in force: what the program's parts take, as they take it.
///
/// `ConfigurationKeys.all` names each value that a file or the environment can set, and its default.
package struct Configuration: Sendable {
    package struct Server: Sendable {
        package var listen: [ListenAddress] = []
        /// The permissions of a unix socket's file.
        package var socketMode: UInt32 = 0
        /// Event loops; 0 for one a core.
        package var workers = 0
        /// How long the web server waits for an answer. It only bounds `request.deadline`.
        package var readTimeout = Duration.zero
    }

    package struct Trips: Sendable {
        /// Empty for none.
        package var file = ""
        /// Empty for none.
        package var ideas = ""
        package var perTraveller = 0
        package var fileBytes = 0
        package var keepUnseen = Duration.zero
        package var fileTimeout = Duration.zero
    }

    package var server = Server()
    package var gateway = GatewayLimits()
    package var shutdownGrace = Duration.zero
    package var openMeteo = OpenMeteoConfiguration()
    package var curl = CurlConfiguration()
    /// Empty for none.
    package var cacheFolder = ""
    package var weatherCache = CachePolicy()
    package var placeCache = PlacePolicy()
    package var limits = UpstreamLimits.Policy()
    package var trips = Trips()
    package var site = Site.Settings()
    package var logRequests = Log.Requests.auto
    /// Where each value comes from, by the key's path; a key that isn't here has its default.
    package var origins: [String: String] = [:]
    /// What an operator should change, though it still works.
    package var warnings: [String] = []

    /// The defaults.
    package init() {
        curl.userAgent = "trip-weather/\(Program.version)"
        for key in ConfigurationKeys.all { key.setDefault(&self) }
    }

    /// How long one answer may take.
    package var requestDeadline: Duration { site.deadline }
}
