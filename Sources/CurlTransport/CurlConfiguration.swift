/// The limits and settings of a `CurlTransport`.
///
/// Limits on one host hold for the whole process, whatever loop asks.
package struct CurlConfiguration: Sendable {
    // MARK: Time

    /// Name lookup, TCP and TLS together (CURLOPT_CONNECTTIMEOUT_MS).
    package var connectTimeout: Duration = .seconds(2)
    /// From the request's sending to the first line of the answer.
    package var firstByteTimeout: Duration = .seconds(4)
    /// Bytes a second: a transfer that stays under it for `lowSpeedTime`, once it has begun to receive, ends.
    package var lowSpeedBytes = 100
    /// How long a transfer may stay under `lowSpeedBytes`.
    package var lowSpeedTime: Duration = .seconds(3)
    /// One whole transfer, the wait in the queue not included. The request's deadline may cut it down.
    package var transferTimeout: Duration = .seconds(6)

    // MARK: Number

    /// Transfers at once to one host, 1 or more.
    package var transfersAtOnce = 1
    /// Transfers that may wait for one host; one more fails with `.queueFull` at once.
    package var queueLength = 256
    /// Connections that each loop keeps open without a transfer, 1 or more (CURLMOPT_MAXCONNECTS). Transfers that
    /// end at the very same moment may leave some more.
    package var idleConnections = 8
    /// A kept connection that was idle for longer isn't used again; whole seconds (CURLOPT_MAXAGE_CONN).
    package var idleTime: Duration = .seconds(60)

    // MARK: Size

    /// Bytes of an answer's decoded body; one more and the transfer ends with `.tooLarge`.
    package var answerBytes = 1_048_576
    /// Bytes of the decoded body of an answer other than 200; what comes after is cut off.
    package var refusalBytes = 4_096
    /// Bytes of an answer's header, interim answers and trailers counted in.
    package var headerBytes = 65_536

    // MARK: Names

    /// How long a host's gate stays shut after a lookup of its name ran out of time.
    package var dnsRetryAfter: Duration = .seconds(5)
    /// How long a looked-up name is good for.
    package var dnsCacheTime: Duration = .seconds(60)

    // MARK: How to ask

    /// A PEM file of the authorities to trust in place of the system's; empty for the system's.
    package var caFile = ""
    /// Whether plain http may go to hosts other than loopback.
    package var allowPlainHTTP = false
    /// Whether to ask for HTTP/2 over TLS; else HTTP/1.1.
    package var http2 = false
    /// A proxy's address; empty for none. The environment's proxies are never used.
    package var proxy = ""
    /// The User-Agent field.
    package var userAgent = "trip-weather"

    package init() {}
}
