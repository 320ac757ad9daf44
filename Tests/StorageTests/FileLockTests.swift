import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@Suite struct FileLockTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test func aLockIsHeldUntilItIsReleasedOrForgotten() throws {
        let first = try FileLock.tryLock("key", in: folder.path)
        #expect(first != nil)
        #expect(try FileLock.tryLock("key", in: folder.path) == nil)
        let other = try FileLock.tryLock("other", in: folder.path)
        #expect(other != nil)
        first?.release()
        first?.release()
        var second = try FileLock.tryLock("key", in: folder.path)
        #expect(second != nil)
        second = nil
        #expect(try FileLock.tryLock("key", in: folder.path) != nil)
    }

    @Test func lockFilesAreNotLeftBehindAndTheFolderIsMade() throws {
        let path = folder("made/here")
        for number in 0..<50 {
            let lock = try FileLock.tryLock("key \(number)", in: path)
            #expect(lock != nil)
            lock?.release()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }

    @Test func leftoversOfTheDeadGoAndHeldLocksStay() throws {
        let held = try FileLock.tryLock("held", in: folder.path)
        #expect(held != nil)
        for name in ["0123456789abcdef.lock", "another.lock", "a-file"] {
            #expect(FileManager.default.createFile(atPath: folder(name), contents: nil))
        }
        FileLock.removeLeftovers(in: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        #expect(FileManager.default.fileExists(atPath: folder("a-file")))
        #expect(try FileLock.tryLock("held", in: folder.path) == nil)
        held?.release()
        FileLock.removeLeftovers(in: folder("nowhere"))
    }

    @Test func aKeyIsNeverAPath() throws {
        let lock = try FileLock.tryLock("../../x/\u{0}'", in: folder("locks"))
        #expect(lock != nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["locks"])
    }

    @Test func ofTwentyProcessesOneWinsAndItsDeathLetsTheNextIn() async throws {
        var children = try (0..<20).map { _ in try ChildProcess("storage-writer", "lock", folder.path, "city")
        }
        let answers = await lines(children)
        #expect(answers.count { $0 == "won" } == 1)
        #expect(answers.count { $0 == "lost" } == 19)
        #expect(try FileLock.tryLock("city", in: folder.path) == nil)
        let winner = try #require(answers.firstIndex(of: "won"))
        await children[winner].kill()
        let next = try FileLock.tryLock("city", in: folder.path)
        #expect(next != nil)
        for child in children { try child.endInput() }
        children.removeAll()
    }

    @Test func ofManyThreadsOneAtATimeIsInside() async throws {
        final class Tally: Sendable {
            let inside = Atomic(0)
            let most = Atomic(0)
            let rounds = Atomic(0)
        }
        let tally = Tally()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { [folder] in
                    var won = 0
                    while won < 50 {
                        guard let lock = try FileLock.tryLock("key", in: folder.path) else {
                            await Task.yield()
                            continue
                        }
                        let present = tally.inside.add(1, ordering: .relaxed).newValue
                        tally.most.max(present, ordering: .relaxed)
                        tally.rounds.add(1, ordering: .relaxed)
                        tally.inside.subtract(1, ordering: .relaxed)
                        lock.release()
                        won += 1
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(tally.most.load(ordering: .relaxed) == 1)
        #expect(tally.rounds.load(ordering: .relaxed) == 400)
    }

    @Test func waitingForALockEndsAtTheDeadline() async throws {
        let held = try FileLock.tryLock("key", in: folder.path)
        let clock = TestClock()
        let deadline = clock.now().advanced(by: .seconds(1))
        var pauses: [Duration] = []
        let lock = try await FileLock.lock("key", in: folder.path, until: deadline, now: clock.now) { pause in
            pauses.append(pause)
            clock.advance(by: pause)
        }
        #expect(lock == nil)
        #expect(clock.now() == deadline)
        #expect(pauses.first == .milliseconds(2))
        #expect(pauses.max() == .milliseconds(50))
        #expect(pauses.count < 40)
        held?.release()
    }

    @Test func waitingForALockGetsItOnceItIsFree() async throws {
        let held = try FileLock.tryLock("key", in: folder.path)
        let clock = TestClock()
        let deadline = clock.now().advanced(by: .seconds(1))
        var rounds = 0
        let lock = try await FileLock.lock("key", in: folder.path, until: deadline, now: clock.now) { pause in
            clock.advance(by: pause)
            rounds += 1
            if rounds == 3 { held?.release() }
        }
        #expect(lock != nil)
        #expect(rounds == 3)
    }

    @Test func aWaitThatIsCancelledPassesItOn() async throws {
        let held = try FileLock.tryLock("key", in: folder.path)
        await #expect(throws: CancellationError.self) {
            _ = try await FileLock.lock("key", in: folder.path, until: .now.advanced(by: .seconds(9))) { _ in
                throw CancellationError()
            }
        }
        held?.release()
    }

    @Test func noMoreThanTheSlotsAreTaken() throws {
        let slots = SlotLock("transfers", in: folder.path, count: 3)
        var held = try (0..<3).map { try slots.tryLock(startingAt: -$0) }
        #expect(held.allSatisfy { $0 != nil })
        #expect(try slots.tryLock(startingAt: 7) == nil)
        held[1]?.release()
        held[1] = try slots.tryLock()
        #expect(held[1] != nil)
        #expect(try slots.tryLock(startingAt: .min) == nil)
    }

    @Test func slotsAreSharedBetweenProcessesAndFreedByDeath() async throws {
        let children = try (0..<6).map { _ in try ChildProcess("storage-writer", "slot", folder.path, "2") }
        let answers = await lines(children)
        #expect(answers.count { $0 == "won" } == 2)
        let slots = SlotLock("slots", in: folder.path, count: 2)
        #expect(try slots.tryLock() == nil)
        await children[try #require(answers.firstIndex(of: "won"))].kill()
        let lock = try slots.tryLock()
        #expect(lock != nil)
        #expect(try slots.tryLock() == nil)
        for child in children { try child.endInput() }
    }

    @Test func aFolderThatCannotBeMadeIsAnError() throws {
        try #require(FileManager.default.createFile(atPath: folder("file"), contents: Data()))
        #expect(throws: StorageError.self) { try FileLock.tryLock("key", in: folder("file/locks")) }
    }
}
