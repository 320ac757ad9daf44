/// Elects, among the processes that share an archive, the one that asks upstream for a key.
package protocol FlightElection: Sendable {
    /// A lease where this process may ask now, nil where another one holds it. Where that can't be told (no
    /// disk, no lock), a lease that does nothing: each process then asks for itself. Answers at once.
    func lead(_ key: String) async -> (any FlightLease)?
}

/// The right to ask for a key. It ends with its process.
package protocol FlightLease: Sendable {
    /// Gives it back, once, after what was asked is in the archive.
    func release()
}

/// The key under which processes elect who asks for the weather at a coordinate.
package func electionKey(for coordinate: Coordinate) -> String {
    "weather \(coordinate.rounded)"
}
