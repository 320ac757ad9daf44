internal import CurlTransport
internal import Gateway
internal import Weather

/// The values in force: what the program's parts take, as they take it.
///
/// `ConfigurationKeys.all` names each value that a file or the environment can set, and its default.
struct Configuration: Sendable {
    struct Server: Sendable {
        var listen: [ListenAddress] = []
        /// The permissions of a unix socket's file.
        var socketMode: UInt32 = 0
        /// Event loops; 0 for one a core.
        var workers = 0
        /// How long the web server waits for an answer. It only bounds `request.deadline`.
        var readTimeout = Duration.zero
    }

    struct Trips: Sendable {
        /// Empty for none.
        var file = ""
        /// Empty for none.
        var ideas = ""
        var perTraveller = 0
        var fileBytes = 0
        var keepUnseen = Duration.zero
        var fileTimeout = Duration.zero
    }

    var server = Server()
    var gateway = GatewayLimits()
    var shutdownGrace = Duration.zero
    var openMeteo = OpenMeteoConfiguration()
    var curl = CurlConfiguration()
    /// Empty for none.
    var cacheFolder = ""
    var weatherCache = CachePolicy()
    var placeCache = PlacePolicy()
    var archiveCache = ArchivePolicy()
    var limits = UpstreamLimits.Policy()
    var trips = Trips()
    var site = Site.Settings()
    var logRequests = Log.Requests.auto
    /// Where each value comes from, by the key's path; a key that isn't here has its default.
    var origins: [String: String] = [:]
    /// What an operator should change, though it still works.
    var warnings: [String] = []

    /// The defaults.
    init() {
        curl.userAgent = "trip-weather/\(Program.version)"
        for key in ConfigurationKeys.all { key.setDefault(&self) }
    }
}
