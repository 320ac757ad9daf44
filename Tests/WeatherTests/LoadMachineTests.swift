import Testing
import Weather

struct LoadMachineTests {
    private typealias Machine = LoadMachine<String, Int>

    @Test func atFirstNothingIsAsked() {
        var machine = Machine()
        #expect(machine.state == .idle)
        let question = machine.refresh()
        #expect(question == nil)
        machine.cancel()
        #expect(machine.state == .idle)
    }

    @Test func theFirstLoadStartsFromNothing() {
        var machine = Machine()
        let question = machine.load("Bergen")
        #expect(question.subject == "Bergen")
        #expect(machine.state == .loading(previous: nil))
        let isPublished = machine.finish(question.id, with: .value(7))
        #expect(isPublished)
        #expect(machine.state == .loaded(7))
    }

    @Test func aRefreshKeepsTheOldContent() throws {
        var machine = loaded(7)
        let question = try refresh(&machine)
        #expect(question.subject == "Bergen")
        #expect(machine.state == .loading(previous: 7))
        _ = machine.finish(question.id, with: .value(8))
        #expect(machine.state == .loaded(8))
    }

    @Test func aFailedLoadHasOnlyItsReason() {
        var machine = Machine()
        let question = machine.load("Bergen")
        _ = machine.finish(question.id, with: .failure(message: "No answer."))
        #expect(machine.state == .failed(message: "No answer.", previous: nil))
    }

    @Test func aFailedRefreshKeepsTheOldContent() throws {
        var machine = loaded(7)
        let question = try refresh(&machine)
        _ = machine.finish(question.id, with: .failure(message: "No answer."))
        #expect(machine.state == .failed(message: "No answer.", previous: 7))
    }

    @Test func aRetryAfterFailureAsksAgain() throws {
        var machine = Machine()
        let first = machine.load("Bergen")
        _ = machine.finish(first.id, with: .failure(message: "No answer."))
        let retry = try refresh(&machine)
        #expect(retry.subject == "Bergen")
        #expect(machine.state == .loading(previous: nil))
        _ = machine.finish(retry.id, with: .value(9))
        #expect(machine.state == .loaded(9))
    }

    @Test func aNewSubjectWinsWhateverOrderTheAnswersArriveIn() {
        for newerFirst in [true, false] {
            var machine = Machine()
            let older = machine.load("Bergen")
            let newer = machine.load("Seattle")
            let answers = [(older.id, 1), (newer.id, 2)]
            for (id, value) in newerFirst ? answers.reversed() : answers {
                let isPublished = machine.finish(id, with: .value(value))
                #expect(isPublished == (id == newer.id))
            }
            #expect(machine.state == .loaded(2))
        }
    }

    @Test func aFailureOfTheOlderQuestionIsDropped() {
        var machine = Machine()
        let older = machine.load("Bergen")
        _ = machine.load("Seattle")
        let isPublished = machine.finish(older.id, with: .failure(message: "cancelled"))
        #expect(!isPublished)
        #expect(machine.state == .loading(previous: nil))
    }

    @Test func aNewSubjectClearsTheOldOnesContent() {
        var machine = loaded(7)
        _ = machine.load("Seattle")
        #expect(machine.state == .loading(previous: nil))
    }

    @Test func cancelledWorkPublishesNothing() {
        var machine = Machine()
        let question = machine.load("Bergen")
        machine.cancel()
        #expect(machine.state == .idle)
        let isPublished = machine.finish(question.id, with: .value(7))
        #expect(!isPublished)
        #expect(machine.state == .idle)
    }

    @Test func afterACancelledRefreshThePreviousStateStands() throws {
        var machine = loaded(7)
        _ = machine.refresh()
        machine.cancel()
        #expect(machine.state == .loaded(7))
        let failing = try refresh(&machine)
        _ = machine.finish(failing.id, with: .failure(message: "No answer."))
        let retry = try refresh(&machine)
        #expect(machine.state == .loading(previous: 7))
        // As the client reports it.
        _ = machine.finish(retry.id, with: .cancelled)
        #expect(machine.state == .failed(message: "No answer.", previous: 7))
    }

    @Test func aSecondRefreshReplacesTheFirst() throws {
        var machine = loaded(7)
        let first = try refresh(&machine)
        let second = try refresh(&machine)
        #expect(machine.state == .loading(previous: 7))
        let isPublished = machine.finish(first.id, with: .value(1))
        #expect(!isPublished)
        machine.cancel()
        #expect(machine.state == .loaded(7))
        let isLatePublished = machine.finish(second.id, with: .value(2))
        #expect(!isLatePublished)
    }

    @Test func anAnswerCountsOnce() {
        var machine = Machine()
        let question = machine.load("Bergen")
        _ = machine.finish(question.id, with: .value(1))
        let isPublished = machine.finish(question.id, with: .value(2))
        #expect(!isPublished)
        #expect(machine.state == .loaded(1))
    }

    private func refresh(_ machine: inout Machine) throws -> Machine.Question {
        let question = machine.refresh()
        return try #require(question)
    }

    private func loaded(_ value: Int) -> Machine {
        var machine = Machine()
        let question = machine.load("Bergen")
        _ = machine.finish(question.id, with: .value(value))
        return machine
    }
}
