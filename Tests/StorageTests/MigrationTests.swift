import Foundation
import Storage
import TestSupport
import Testing

@Suite struct MigrationTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func options(_ path: String, steps: Int) -> DatabaseOptions {
        let all: [StaticString] = [
            "CREATE TABLE a (x TEXT); INSERT INTO a VALUES ('one');",
            "ALTER TABLE a ADD COLUMN y TEXT; UPDATE a SET y = x || '!';",
            "INSERT INTO a VALUES ('three', 'third')",
        ]
        var options = DatabaseOptions(path: path, applicationID: 9, migrations: Array(all.prefix(steps)))
        options.synchronous = .normal
        return options
    }

    private func rows(_ database: Database) async throws -> [String] {
        try await database.read { database throws(StorageError) in
            try database.rows("SELECT x || coalesce(y, '') FROM a") { row throws(StorageError) in
                try row.value(0)
            }
        }
    }

    @Test func stepsAreTakenOnceEachAndInOrder() async throws {
        let path = folder("steps")
        for _ in 0..<2 {
            let database = try await Database.open(options(path, steps: 2))
            #expect(try await rows(database) == ["oneone!"])
            await database.close()
        }
        for _ in 0..<2 {
            let database = try await Database.open(options(path, steps: 3))
            #expect(try await rows(database) == ["oneone!", "threethird"])
            await database.close()
        }
    }

    @Test func aNewerFileIsRefusedAndLeftAsItIs() async throws {
        let path = folder("newer")
        await (try Database.open(options(path, steps: 3))).close()
        let before = FileManager.default.contents(atPath: path)
        do {
            _ = try await Database.open(options(path, steps: 2))
            Issue.record("opened")
        } catch {
            #expect(error.kind == .tooNew)
            #expect(error.words == "the schema is of version 3, known are 2")
            #expect(error.sentence.contains("newer version"))
        }
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test func aFileOfAnotherProgramIsRefusedAndLeftAsItIs() async throws {
        let path = folder("foreign")
        await (try Database.open(options(path, steps: 1))).close()
        let before = FileManager.default.contents(atPath: path)
        #expect(await kind { _ = try await Database.open(entryOptions(path)) } == .foreign)
        #expect(FileManager.default.contents(atPath: path) == before)

        // A database without an id that has tables is somebody's too.
        let tool = folder("tool")
        let process = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: [
                "python3", "-c",
                "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('create table t(x)'); c.commit()",
                tool,
            ])
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        #expect(await kind { _ = try await Database.open(entryOptions(tool)) } == .foreign)
    }

    @Test func aStepThatFailsLeavesTheStepsBefore() async throws {
        let path = folder("failing")
        var failing = options(path, steps: 1)
        failing.migrations.append("CREATE TABLE b (x TEXT); INSERT INTO missing VALUES (1);")
        #expect(await kind { _ = try await Database.open(failing) } == .misuse)
        let database = try await Database.open(options(path, steps: 2))
        #expect(try await rows(database) == ["oneone!"])
        await database.close()
    }

    @Test func aFileWithoutStepsIsOursToo() async throws {
        let path = folder("none")
        for _ in 0..<2 { await (try Database.open(options(path, steps: 0))).close() }
        #expect(await kind { _ = try await Database.open(entryOptions(path)) } == .foreign)
    }
}
