import Foundation
import Storage
import TestSupport
import Testing

/// How a file is damaged.
enum Damage: String, CaseIterable, Sendable {
    case truncated
    case zeroed
    case filledWithText
    case noise
    case cutToOnePage

    func apply(to path: String) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 0)
        switch self {
        case .truncated: try handle.truncate(atOffset: size / 2 + 100)
        case .zeroed: try handle.write(contentsOf: Data(count: Int(size)))
        case .filledWithText:
            try handle.write(contentsOf: Data(String(repeating: "no database\n", count: Int(size) / 12).utf8))
        case .noise:
            // The header stays; every page behind it is nonsense.
            try handle.seek(toOffset: 100)
            try handle.write(
                contentsOf: Data((0..<(Int(size) - 100)).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }))
        case .cutToOnePage: try handle.truncate(atOffset: 4096)
        }
        try handle.close()
    }
}

@Suite struct FaultTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// A sound file of some hundred pages.
    private func makeFile(_ path: String) async throws {
        let database = try await Database.open(entryOptions(path))
        try await database.write { database throws(StorageError) in
            for number in 0..<500 { try insert(database, "\(number) " + String(repeating: "x", count: 500)) }
        }
        await database.close()
    }

    @Test(arguments: Damage.allCases)
    func aDamagedFileIsAnErrorAndLeftAsItIs(_ damage: Damage) async throws {
        let path = folder("damaged")
        try await makeFile(path)
        try damage.apply(to: path)
        let before = FileManager.default.contents(atPath: path)
        let failure = await kind {
            let database = try await Database.open(entryOptions(path))
            do {
                try await database.check()
                _ = try await database.read(names)
            } catch {
                await database.close()
                throw error
            }
            await database.close()
        }
        #expect(failure == .corrupt)
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test func aLogWithoutItsFileIsNotThrownAway() async throws {
        let path = folder("lost")
        let database = try await Database.open(entryOptions(path))
        try await database.write { database throws(StorageError) in try insert(database, "a") }
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: folder("kept-wal"))
        await database.close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: folder("kept-wal"), toPath: path + "-wal")
        #expect(await kind { _ = try await Database.open(entryOptions(path)) } == .corrupt)
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.enabled(if: Mounts.arePermitted)) func aFullDiskSaysSoAndLosesNothing() async throws {
        try await Mounts.tmpfs("1m", in: folder) { path in
            var options = entryOptions(path + "/db")
            options.synchronous = .full
            let database = try await Database.open(options)
            var written: [String] = []
            var failure: StorageError?
            for number in 0..<1000 where failure == nil {
                let name = "\(number) " + String(repeating: "y", count: 3000)
                do throws(StorageError) {
                    try await database.write { database throws(StorageError) in try insert(database, name) }
                    written.append(name)
                } catch {
                    failure = error
                }
            }
            #expect(failure?.kind == .full)
            #expect(written.count > 20)
            #expect(try await database.read(names) == written)
            await database.close()
            let again = try await Database.open(options)
            #expect(try await again.read(names) == written)
            try await again.check()
            await again.close()
        }
    }

    @Test func aFileHasItsOwnLimit() async throws {
        var options = entryOptions(folder("limited"))
        options.maximumFileBytes = 200_000
        let database = try await Database.open(options)
        let failure = await kind {
            for number in 0..<200 {
                let name = "\(number) " + String(repeating: "z", count: 3000)
                try await database.write { database throws(StorageError) in try insert(database, name) }
            }
        }
        #expect(failure == .full)
        #expect(try await database.read(count) > 20)
        await database.close()
    }

    @Test(.enabled(if: Mounts.arePermitted)) func aReadOnlyFolderCanBeReadOrSaysSo() async throws {
        let path = folder("db")
        try await makeFile(path)
        try await Mounts.readOnly(folder.path) {
            let missing = await kind { _ = try await Database.open(entryOptions(folder("missing"))) }
            #expect(missing == .readOnly)
            // A log can't be made there, so SQLite may refuse even to read.
            do throws(StorageError) {
                let database = try await Database.open(entryOptions(path))
                let failure = await kind { try await database.write { _ in } }
                #expect(failure == .readOnly)
                await database.close()
            } catch {
                #expect(error.kind == .readOnly || error.kind == .cannotOpen)
            }
        }
    }
}
