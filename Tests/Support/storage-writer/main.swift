// A second process for the storage room's tests: storage-writer MODE PATH [ARGUMENT].
// Each step is told on standard output, one line each; standard input's end lets it go on.
import Storage

#if canImport(Glibc)
    import Glibc
#endif

func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(1, bytes, bytes.count)
}

func waitForEndOfInput() {
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
}

func options(_ path: String) -> DatabaseOptions {
    var options = DatabaseOptions(
        path: path, applicationID: 7,
        migrations: ["CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT"])
    options.busyTimeout = .seconds(20)
    return options
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    say("usage: storage-writer write|hold|open|cache PATH [ARGUMENT]")
    exit(64)
}
let mode = arguments[1]
let path = arguments[2]
let argument = arguments.count > 3 ? arguments[3] : ""

do {
    switch mode {
    case "write":
        // Acknowledged writes, each told once it is committed.
        let database = try await Database.open(options(path))
        for number in 0..<(Int(argument) ?? 0) {
            let name = "\(getpid()) \(number)"
            try await database.write { database throws(StorageError) in
                _ = try database.run("INSERT INTO entry (name) VALUES (?)", .text(name))
            }
            say(name)
        }
        await database.close()
    case "hold":
        // Keeps the write lock until it is told to go on.
        let database = try await Database.open(options(path))
        try await database.write { _ in
            say("held")
            waitForEndOfInput()
        }
        await database.close()
    case "open":
        let database = try await Database.open(options(path))
        try await database.write { database throws(StorageError) in
            _ = try database.run("INSERT INTO entry (name) VALUES (?)", .text("\(getpid())"))
        }
        await database.close()
        say("written")
    case "cache":
        let store = DisposableStore(options(path)) { say("log \($0)") }
        try await store.write { database throws(StorageError) in
            _ = try database.run("INSERT INTO entry (name) VALUES (?)", .text("\(getpid())"))
        }
        await store.close()
        say("written")
    default:
        say("no such mode")
        exit(64)
    }
} catch {
    say("error \(error)")
    exit(1)
}
