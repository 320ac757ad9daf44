/// What goes on in front of one host, and what has become of its transfers since the start.
package struct HostCounters: Sendable, Hashable {
    /// "https://api.example:443".
    package let host: String
    /// Transfers that have a place now.
    package let inFlight: Int
    /// Transfers that wait for one now.
    package let queued: Int
    /// How many ended how: "answered", or the `label` of a `TransportError`.
    package let finished: [String: Int]
    /// "open", "resolving", "shut" or "probing".
    package let gate: String
}
