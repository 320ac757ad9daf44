internal import CLinux
internal import EventLoop
internal import Glibc

/// Signals as events of a loop (signalfd(2)).
///
/// Blocking comes first, before any thread starts, so that every thread inherits it and no signal kills one.
struct Signals {
    private var set = sigset_t()

    /// Blocks these signals in the calling thread and those that it starts.
    init(blocking signals: [Int32]) {
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls `action` with each signal that arrives, on the loop's thread, for as long as the loop lives. It is logged
    /// if the kernel gives no descriptor.
    func watch(on loop: EventLoop, _ log: Log, _ action: @escaping (Int32) -> Void) {
        var set = set
        do throws(SystemError) {
            let descriptor = try SystemError.check("signalfd", clinux_signalfd(&set))
            _ = try loop.register(descriptor, for: .readable, handler: Watcher(descriptor, action))
        } catch {
            log.write("signals", level: "error", [("message", error.description)])
        }
    }

    private final class Watcher: EventHandler {
        private let descriptor: Int32
        private let action: (Int32) -> Void

        init(_ descriptor: Int32, _ action: @escaping (Int32) -> Void) {
            self.descriptor = descriptor
            self.action = action
        }

        func ready(_ readiness: Readiness) {
            var information = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            while read(descriptor, &information, size) == size {
                action(Int32(information.ssi_signo))
            }
        }
    }
}
