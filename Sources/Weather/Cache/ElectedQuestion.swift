/// What comes before upstream is asked for a key: a look into the archive, and the election of the process that
/// asks.
struct ElectedQuestion: Sendable {
    let archive: any CacheArchive
    /// None: every process asks for itself.
    let election: (any FlightElection)?

    enum Turn<Found: Sendable>: Sendable {
        /// The archive has it, from this or another process.
        case found(Found)
        /// Ask upstream, and give the lease back when the answer is in the archive.
        case ask((any FlightLease)?)
        /// Another process is asking. Look again soon.
        case follow
    }

    /// One look. The lease is taken before the archive is read: whoever led before has written by then.
    func turn<Found: Sendable>(
        for key: String, in find: (any CacheArchive) async -> Found?
    ) async -> Turn<Found> {
        let lease = await election?.lead(key)
        if let found = await find(archive) {
            lease?.release()
            return .found(found)
        }
        if election == nil || lease != nil { return .ask(lease) }
        return .follow
    }
}
