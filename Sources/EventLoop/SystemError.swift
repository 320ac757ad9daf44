internal import Glibc

/// A system call that failed: which, and with which errno.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call's name, for example "epoll_ctl".
    public let call: String
    /// The errno.
    public let number: Int32

    public init(call: String, number: Int32) {
        self.call = call
        self.number = number
    }

    /// Takes the errno of the call just made.
    public init(call: String) {
        self.init(call: call, number: errno)
    }

    public var description: String {
        "\(call): \(String(cString: strerror(number)))"
    }

    /// Passes a system call's result on, or throws if it is −1.
    @discardableResult
    public static func check(_ call: String, _ result: Int32) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw SystemError(call: call) }
        return result
    }
}
