internal import CLinux

/// What a descriptor is ready for, or waited for.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Bytes, a connection, or the end of the stream can be read.
    public static let readable = Readiness(rawValue: 1)
    /// Bytes can be written.
    public static let writable = Readiness(rawValue: 2)
    /// The peer has closed its writing half (EPOLLRDHUP): told only to those who wait for it.
    public static let peerClosed = Readiness(rawValue: 4)
    /// Both halves are closed (EPOLLHUP): always told.
    public static let hungUp = Readiness(rawValue: 8)
    /// The descriptor has an error (EPOLLERR), as a pipe has whose reader went away: always told.
    public static let failed = Readiness(rawValue: 16)
    /// Waited for: connections of a listener that several loops wait for, waking one of them (EPOLLEXCLUSIVE).
    public static let shared = Readiness(rawValue: 32)

    init(events: UInt32) {
        var value: UInt32 = 0
        if events & clinux_epollin != 0 { value |= Readiness.readable.rawValue }
        if events & clinux_epollout != 0 { value |= Readiness.writable.rawValue }
        if events & clinux_epollrdhup != 0 { value |= Readiness.peerClosed.rawValue }
        if events & clinux_epollhup != 0 { value |= Readiness.hungUp.rawValue }
        if events & clinux_epollerr != 0 { value |= Readiness.failed.rawValue }
        rawValue = value
    }

    var epollEvents: UInt32 {
        var events: UInt32 = 0
        if contains(.readable) { events |= clinux_epollin }
        if contains(.writable) { events |= clinux_epollout }
        if contains(.peerClosed) { events |= clinux_epollrdhup }
        if contains(.shared) { events |= clinux_epollexclusive }
        return events
    }
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
