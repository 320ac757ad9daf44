internal import CSQLite
internal import Glibc

/// Why the store could not do what it was asked.
package struct StorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What callers choose by. The raw value is the label for metrics: of fixed wording, without data.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The file or its folder can't be opened or made: missing, or not ours to enter.
        case cannotOpen = "cannot_open"
        /// Another connection held the lock for longer than the busy time-out.
        case busy
        /// No space is left, or the file has reached its own limit.
        case full
        /// The file or its file system can be read only.
        case readOnly = "read_only"
        /// The file is not a database, or is damaged.
        case corrupt
        /// A rule of the schema (UNIQUE, NOT NULL, CHECK, a foreign key) forbids the write.
        case constraint
        /// The caller's mistake: wrong SQL, wrong number of values, a write inside `read`.
        case misuse
        /// A column holds another type than was asked for, or text that is not UTF-8.
        case unexpectedValue = "unexpected_value"
        /// The file's schema is newer than this program knows.
        case tooNew = "too_new"
        /// The file is a sound database that belongs to something else.
        case foreign
        /// The file was moved, removed or replaced while it was open; nothing was written.
        case moved
        /// The caller's deadline passed before the work was done; nothing was changed.
        case timedOut = "timed_out"
        /// Too much work waits for the storage thread already.
        case overloaded
        /// The store was closed, or is out of use for a while after a failure.
        case unavailable
        /// All else that the disk or SQLite reports: input and output errors, no memory.
        case other
    }

    package let kind: Kind
    /// SQLite's extended result code; 0 where SQLite had no part in it.
    package let code: Int32
    /// SQLite's words, or ours where SQLite had no part in it. For logs, not for readers.
    package let words: String

    init(_ kind: Kind, code: Int32 = 0, _ words: String) {
        self.kind = kind
        self.code = code
        self.words = words
    }

    /// A label for metrics, of fixed wording.
    package var label: String { kind.rawValue }

    /// What happened and what to do, for the operator.
    package var sentence: String {
        switch kind {
        case .cannotOpen:
            "The database file can't be opened: check that its folder exists and may be written."
        case .busy: "Another program kept the database locked for too long: try again."
        case .full: "There is no space left for the database: free some, or raise its limit."
        case .readOnly: "The database can't be written: check the file's and the folder's permissions."
        case .corrupt:
            "The database file is damaged or is not a database: put a copy in its place with deploy/restore."
        case .constraint: "The change breaks a rule of the database and was not made."
        case .misuse: "The program used the database wrongly: this is a fault of the program."
        case .unexpectedValue: "The database holds a value of another kind than expected."
        case .tooNew: "The database was written by a newer version: run that version, or choose another file."
        case .foreign: "The database file belongs to another program: choose another file."
        case .moved: "The database file was moved or removed: put it back, or restart the program."
        case .timedOut: "The database did not answer in time: try again."
        case .overloaded: "Too much waits for the database: try again later."
        case .unavailable: "The database is out of use at the moment."
        case .other: "The database could not be read or written: check the disk."
        }
    }

    package var description: String {
        code == 0 ? "\(label): \(words)" : "\(label): \(words) (SQLite \(code))"
    }
}

extension StorageError {
    /// The error that a connection has just reported.
    ///
    /// - Parameter handle: the connection, of which the words and the errno are taken; nil where there is none.
    init(code: Int32, of handle: OpaquePointer?) {
        let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
        // The connection's own code is of the last call, which may not be the one that failed.
        let exact = extended & 0xff == code & 0xff ? extended : code
        let systemError = handle.map { sqlite3_system_errno($0) } ?? 0
        let source = exact == extended ? handle.map { sqlite3_errmsg($0) } : sqlite3_errstr(code)
        let words = source.flatMap { $0 }.map { String(cString: $0) } ?? "no words"
        self.init(StorageError.kind(of: exact, errno: systemError), code: exact, words)
    }

    static func kind(of code: Int32, errno number: Int32) -> Kind {
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .full
        case SQLITE_READONLY: .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_AUTH: .misuse
        case SQLITE_INTERRUPT: .timedOut
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            kind(ofSystem: number) ?? (code & 0xff == SQLITE_CANTOPEN ? .cannotOpen : .other)
        case SQLITE_PERM: .cannotOpen
        default: .other
        }
    }

    /// What the system's error number says by itself.
    private static func kind(ofSystem number: Int32) -> Kind? {
        switch number {
        case ENOSPC, EDQUOT: .full
        case EROFS: .readOnly
        default: nil
        }
    }

    /// A system call on the file or its folder that failed.
    init(call: String, path: String, errno number: Int32) {
        self.init(
            StorageError.kind(ofSystem: number) ?? .cannotOpen,
            "\(call) \(path): \(String(cString: strerror(number)))")
    }

    /// For rows that hold what can't have been written by those who read them.
    package static func unexpectedValue(_ words: String) -> StorageError {
        StorageError(.unexpectedValue, words)
    }

    static let closed = StorageError(.unavailable, "closed")
    static let outOfTime = StorageError(.timedOut, "the deadline passed while waiting for the storage thread")
}
