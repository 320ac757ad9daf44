import CLinux
import Glibc
import Synchronization

/// Stands in for the C library's getaddrinfo(3) in the test process, libcurl's calls included: names that end in
/// ".lookup.test" answer as a test has told, with 127.0.0.1; all others go on to the C library.
enum SlowLookup {
    struct Name: Sendable {
        var isHeld: Bool
        var fails = false
        var calls = 0
        var running = 0
        var mostRunning = 0
    }

    private static let names = Mutex<[String: Name]>([:])

    /// Makes a new name whose lookups don't answer until `release`.
    static func held() -> String { make(Name(isHeld: true)) }

    /// Makes a new name that is looked up at once.
    static func quick() -> String { make(Name(isHeld: false)) }

    static func release(_ name: String) { change(name) { $0.isHeld = false } }
    static func hold(_ name: String) { change(name) { $0.isHeld = true } }
    static func fail(_ name: String) { change(name) { $0.fails = true } }

    fileprivate static func change(_ name: String, _ body: (inout Name) -> Void) {
        names.withLock { names in
            var changed = names[name] ?? Name(isHeld: false)
            body(&changed)
            names[name] = changed
        }
    }

    static subscript(name: String) -> Name {
        names.withLock { $0[name] } ?? Name(isHeld: false)
    }

    private static func make(_ name: Name) -> String {
        names.withLock { names in
            let host = "n\(names.count).lookup.test"
            names[host] = name
            return host
        }
    }
}

private typealias LookUp =
    @convention(c) (
        UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<addrinfo>?,
        UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
    ) -> Int32

@_cdecl("getaddrinfo")
func getaddrinfoForTests(
    _ name: UnsafePointer<CChar>?, _ service: UnsafePointer<CChar>?, _ hints: UnsafePointer<addrinfo>?,
    _ result: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
) -> Int32 {
    // RTLD_NEXT, a macro with a cast.
    guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "getaddrinfo") else {
        return EAI_SYSTEM
    }
    let real = unsafeBitCast(symbol, to: LookUp.self)
    guard let name, case let host = String(cString: name), host.hasSuffix(".lookup.test") else {
        return real(name, service, hints, result)
    }
    SlowLookup.change(host) { name in
        name.calls += 1
        name.running += 1
        name.mostRunning = max(name.mostRunning, name.running)
    }
    while SlowLookup[host].isHeld { usleep(1_000) }
    SlowLookup.change(host) { $0.running -= 1 }
    let fails = SlowLookup[host].fails
    return fails ? EAI_NONAME : real("127.0.0.1", service, hints, result)
}
