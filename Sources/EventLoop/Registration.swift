internal import CLinux

/// What a descriptor is ready for, or waited for: the bits of epoll(7).
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Bytes, a connection, or the end of the stream can be read.
    public static var readable: Readiness { Readiness(rawValue: clinux_epollin) }
    /// Bytes can be written.
    public static var writable: Readiness { Readiness(rawValue: clinux_epollout) }
    /// The peer has closed its writing half (EPOLLRDHUP): told only to those who wait for it.
    public static var peerClosed: Readiness { Readiness(rawValue: clinux_epollrdhup) }
    /// Both halves are closed (EPOLLHUP): always told.
    public static var hungUp: Readiness { Readiness(rawValue: clinux_epollhup) }
    /// The descriptor has an error (EPOLLERR), as a pipe has whose reader went away: always told.
    public static var failed: Readiness { Readiness(rawValue: clinux_epollerr) }
    /// Waited for: connections of a listener that several loops wait for, waking one of them (EPOLLEXCLUSIVE).
    public static var shared: Readiness { Readiness(rawValue: clinux_epollexclusive) }
}

/// Names a descriptor's place in a loop, and dies with it: the same descriptor registered again is another one.
public struct Registration: Sendable, Hashable {
    let slot: UInt32
    let generation: UInt32

    var identifier: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// What a loop calls when a descriptor is ready.
public protocol EventHandler: AnyObject {
    /// Called on the loop's thread; may register, modify and deregister anything, itself too.
    func ready(_ readiness: Readiness)
}
