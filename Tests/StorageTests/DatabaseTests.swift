import Foundation
import Storage
import TestSupport
import Testing

@Suite struct DatabaseTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test func valuesComeBackAsTheyWentIn() async throws {
        var options = DatabaseOptions(
            path: folder("values"), applicationID: 7,
            migrations: [
                "CREATE TABLE v (i INTEGER, r REAL, t TEXT, b BLOB, n TEXT, e TEXT, z BLOB, f INTEGER)"
            ])
        options.synchronous = .normal
        let database = try await Database.open(options)
        let text = "Å\u{0}'; \u{1F327} \"x\""
        try await database.write { database throws(StorageError) in
            _ = try database.run(
                "INSERT INTO v VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .integer(Int.min), .real(-0.125),
                .text(text),
                .bytes([0, 255, 7]), .null, .text(""), .bytes([]), .flag(true))
        }
        let isSame = try await database.read { database throws(StorageError) in
            try database.first("SELECT * FROM v") { row throws(StorageError) in
                let number: Int = try row.value(0)
                let real: Double = try row.value(1)
                let words: String = try row.value(2)
                let bytes: [UInt8] = try row.value(3)
                let none: String? = try row.value(4)
                let empty: String? = try row.value(5)
                let noBytes: [UInt8] = try row.value(6)
                let flag: Bool = try row.value(7)
                return number == .min && real == -0.125 && words == text && bytes == [0, 255, 7]
                    && none == nil
                    && empty == "" && noBytes.isEmpty && flag
            }
        }
        #expect(isSame == true)
        await database.close()
    }

    @Test func aColumnOfAnotherTypeIsRefused() async throws {
        let database = try await Database.open(entryOptions(folder("types")))
        func ask<T: ColumnValue>(_ sql: StaticString, _ type: T.Type, column: Int = 0) async -> StorageError
            .Kind?
        {
            await kind {
                _ = try await database.read { database throws(StorageError) in
                    try database.first(sql) { row throws(StorageError) in try row.value(column, as: type) }
                }
            }
        }
        #expect(await ask("SELECT NULL", Int.self) == .unexpectedValue)
        #expect(await ask("SELECT NULL", Int?.self) == nil)
        #expect(await ask("SELECT '1'", Int.self) == .unexpectedValue)
        #expect(await ask("SELECT '1'", Int?.self) == .unexpectedValue)
        #expect(await ask("SELECT 1", String.self) == .unexpectedValue)
        #expect(await ask("SELECT 1", Double.self) == nil)
        #expect(await ask("SELECT 2", Bool.self) == .unexpectedValue)
        #expect(await ask("SELECT CAST(x'ff41' AS TEXT)", String.self) == .unexpectedValue)
        #expect(await ask("SELECT 1", Int.self, column: 1) == .misuse)
        #expect(await ask("SELECT 1", Int.self, column: -1) == .misuse)
        await database.close()
    }

    @Test(arguments: [
        "'); DROP TABLE entry; --", "' OR '1'='1", "Robert\"); DELETE FROM entry; --", "?1", "<script>",
        "a\r\nb: c",
        "../../etc/passwd", "%' UNION SELECT sql FROM sqlite_schema --", "\u{0}'; DROP TABLE entry",
    ])
    func boundTextStaysText(_ text: String) async throws {
        let database = try await Database.open(entryOptions(folder("injection")))
        try await database.write { database throws(StorageError) in
            try insert(database, "first")
            try insert(database, text)
        }
        let found = try await database.read { database throws(StorageError) in
            try database.rows("SELECT name FROM entry WHERE name = ?", .text(text)) {
                row throws(StorageError) in
                try row.value(0, as: String.self)
            }
        }
        #expect(found == [text])
        #expect(try await database.read(names) == ["first", text])
        await database.close()
    }

    @Test func aListGoesInAsOneValue() async throws {
        let database = try await Database.open(entryOptions(folder("list")))
        let found = try await database.write { database throws(StorageError) in
            for name in ["a", "b", "c"] { try insert(database, name) }
            return try database.rows(
                "SELECT name FROM entry WHERE name IN (SELECT value FROM json_each(?)) ORDER BY 1",
                .text(#"["c","a","x"]"#)
            ) { row throws(StorageError) in try row.value(0, as: String.self) }
        }
        #expect(found == ["a", "c"])
        await database.close()
    }

    @Test func aStatementThatIsInUseIsPreparedAgain() async throws {
        let database = try await Database.open(entryOptions(folder("reuse")))
        try await database.write { database throws(StorageError) in
            for number in 0..<100 { try insert(database, "\(number)") }
        }
        // Asked again inside its own rows, it is prepared a second time and both are right.
        let pairs = try await database.read { database throws(StorageError) in
            var pairs = 0
            func each(_ depth: Int) throws(StorageError) {
                _ = try database.rows("SELECT id FROM entry LIMIT 3") { _ throws(StorageError) in
                    if depth == 0 { pairs += 1 } else { try each(depth - 1) }
                }
            }
            try each(1)
            return pairs
        }
        #expect(pairs == 9)
        await database.close()
    }

    @Test func aWriteThatThrowsChangesNothing() async throws {
        let database = try await Database.open(entryOptions(folder("rollback")))
        let failure = await kind {
            try await database.write { database throws(StorageError) in
                try insert(database, "a")
                try insert(database, "a")
            }
        }
        #expect(failure == .constraint)
        #expect(try await database.read(count) == 0)
        try await database.write { database throws(StorageError) in try insert(database, "a") }
        #expect(try await database.read(count) == 1)
        await database.close()
    }

    @Test func misuseIsAnErrorAndNotACrash() async throws {
        let database = try await Database.open(entryOptions(folder("misuse")))
        let writeInRead = await kind {
            try await database.read { database throws(StorageError) in try insert(database, "a") }
        }
        #expect(writeInRead == .misuse)
        let readRun: [StaticString] = [
            "SELECT", "", "x", "SELECT 1; SELECT 2", "SELECT ?", "SELECT * FROM missing", "SELECT \"text\"",
        ]
        for sql in readRun {
            let failure = await kind {
                try await database.read { database throws(StorageError) in _ = try database.run(sql) }
            }
            #expect(failure == .misuse, "\(sql)")
        }
        let tooMany = await kind {
            try await database.read { database throws(StorageError) in
                _ = try database.run("SELECT ?", .integer(1), .integer(2))
            }
        }
        #expect(tooMany == .misuse)
        let ended = await kind {
            try await database.write { database throws(StorageError) in _ = try database.run("COMMIT") }
        }
        #expect(ended == .misuse)
        #expect(await kind { _ = try await Database.open(entryOptions("")) } == .misuse)
        #expect(await kind { _ = try await Database.open(entryOptions("a\u{0}b")) } == .misuse)
        #expect(try await database.read(count) == 0)
        await database.close()
    }

    @Test func aNameIsNeverTakenForAnAddress() async throws {
        let path = folder("file:x?mode=memory")
        let database = try await Database.open(entryOptions(path))
        #expect(FileManager.default.fileExists(atPath: path))
        await database.close()
    }

    @Test func fileAndFolderAreTheOwnersAlone() async throws {
        let path = folder("a/b/c.sqlite")
        #expect(await kind { _ = try await Database.open(entryOptions(path)) } == .cannotOpen)
        var options = entryOptions(path)
        options.createsFolder = true
        let database = try await Database.open(options)
        try await database.write { database throws(StorageError) in try insert(database, "a") }
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(path) == 0o600)
        #expect(try mode(path + "-wal") == 0o600)
        #expect(try mode(path + "-shm") == 0o600)
        #expect(try mode(folder("a/b")) == 0o700)
        #expect(try mode(folder("a")) == 0o700)
        await database.close()
    }

    @Test func whatWasClosedSaysSo() async throws {
        let database = try await Database.open(entryOptions(folder("closed")))
        await database.close()
        await database.close()
        #expect(await kind { _ = try await database.read(count) } == .unavailable)
        #expect(await kind { try await database.write { _ in } } == .unavailable)
    }

    @Test func aDeadlineEndsALongQueryAndTakesBackItsWrites() async throws {
        let database = try await Database.open(entryOptions(folder("deadline")))
        await expectLimit(.milliseconds(100), .timedOut) {
            try await database.write(by: .now.advanced(by: .milliseconds(100))) {
                database throws(StorageError) in
                try insert(database, "a")
                _ = try database.run(
                    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
            }
        }
        #expect(try await database.read(count) == 0)
        #expect(await kind { _ = try await database.read(by: .now, count) } == .timedOut)
        await database.close()
    }

    @Test func whatWaitsIsBounded() async throws {
        var options = entryOptions(folder("waiting"))
        options.waitingLimit = 3
        let database = try await Database.open(options)
        let results = await withTaskGroup(of: StorageError.Kind?.self) { group in
            for _ in 0..<20 {
                group.addTask { () async -> StorageError.Kind? in
                    await kind { try await database.read { _ in _ = usleep(20_000) } }
                }
            }
            return await group.reduce(into: [StorageError.Kind?]()) { $0.append($1) }
        }
        #expect(results.count { $0 == nil } >= 3)
        #expect(results.count { $0 == .overloaded } == results.count { $0 != nil })
        #expect(results.contains(.overloaded))
        // The places are given back.
        #expect(try await database.read(count) == 0)
        await database.close()
    }

    @Test func everythingRunsOnOneThreadThatEndsWithTheDatabase() async throws {
        var options = entryOptions(folder("thread"))
        options.threadName = "test-\(UInt32.random(in: 0...99_999_999))"
        let name = options.threadName
        func threads() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { task in
                let words = FileManager.default.contents(atPath: "/proc/self/task/\(task)/comm") ?? Data()
                return String(decoding: words, as: UTF8.self) == name + "\n"
            }
        }
        let database = try await Database.open(options)
        let identifiers = await withTaskGroup { group in
            for number in 0..<50 {
                group.addTask {
                    try? await database.write { database throws(StorageError) in
                        try insert(database, "\(number)")
                        return UInt(pthread_self())
                    }
                }
            }
            return await group.reduce(into: Set<UInt?>()) { $0.insert($1) }
        }
        #expect(identifiers.count == 1)
        #expect(!identifiers.contains(nil))
        #expect(try threads() == 1)
        await database.close()
        #expect(try threads() == 0)

        // One that is dropped without being closed ends as well.
        var dropped: Database? = try await Database.open(options)
        #expect(try await dropped?.read(count) == 50)
        dropped = nil
        #expect(try await eventually { try threads() == 0 })
    }

    @Test func manyReadersAndWritersShareOneFile() async throws {
        let path = folder("shared")
        let first = try await Database.open(entryOptions(path))
        let second = try await Database.open(entryOptions(path))
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                let writer = number.isMultiple(of: 2) ? first : second
                let reader = number.isMultiple(of: 2) ? second : first
                group.addTask {
                    // Both or none is seen.
                    try await writer.write { database throws(StorageError) in
                        try insert(database, "\(number) a")
                        try insert(database, "\(number) b")
                    }
                }
                group.addTask {
                    let (before, after) = try await reader.read { database throws(StorageError) in
                        (try count(database), try count(database))
                    }
                    #expect(before.isMultiple(of: 2))
                    #expect(before == after)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await first.read(count) == 200)
        #expect(try await second.read(count) == 200)
        try await first.check()
        await first.close()
        #expect(try await second.read(count) == 200)
        await second.close()
    }

    @Test func labelsAreFixedWords() {
        for kind in StorageError.Kind.allCases {
            #expect(kind.rawValue.allSatisfy { $0.isLowercase || $0 == "_" })
        }
    }
}
