import Testing

@testable import Gateway

@Suite struct AbortTests {
    /// A request up to, and not with, the end of its input.
    private let unfinished = Wire.begin() + Wire.stream(4, Wire.pair("A", "B")) + Wire.record(5, [1])

    @Test func anAbortBeforeAnyRequestIsIgnored() {
        var driver = MachineDriver()
        driver.feed(Wire.abort() + Wire.request())
        #expect(driver.log.count == 1)
        #expect(driver.sent == [6, 6, 3])
    }

    @Test func anAbortWhileTheRequestArrivesEndsIt() throws {
        for stage in [Wire.begin(), Wire.begin() + Wire.record(4, [1]), unfinished] {
            var driver = MachineDriver()
            driver.feed(stage + Wire.abort())
            #expect(driver.log == ["dropped"])
            #expect(driver.sent == [3])
            #expect(try #require(driver.records.end()).content == [UInt8](repeating: 0, count: 8))
            // What the server had sent already is ignored.
            driver.feed(Wire.record(5, [2]) + Wire.record(5))
            #expect(driver.log == ["dropped"])
            driver.feed(Wire.request())
            #expect(driver.records.ends() == 2)
        }
    }

    @Test func anAbortWhileTheRequestIsHandledIsAnsweredWhenTheHandlerIsDone() throws {
        var driver = MachineDriver(answers: { _ in nil })
        driver.feed(Wire.request() + Wire.abort())
        #expect(driver.log.last == "cancel 1")
        #expect(driver.output.isEmpty)
        #expect(driver.machine.activeCount == 1)
        let isWaitedFor = driver.respond(1)
        #expect(!isWaitedFor)
        #expect(driver.sent == [3])
        #expect(try #require(driver.records.end()).content == [UInt8](repeating: 0, count: 8))
        #expect(driver.machine.activeCount == 0)
    }

    @Test func aSecondAbortChangesNothing() {
        var driver = MachineDriver(answers: { _ in nil })
        driver.feed(Wire.request() + Wire.abort() + Wire.abort())
        #expect(driver.log.count { $0 == "cancel 1" } == 1)
    }

    @Test func anAbortAfterTheAnswerIsIgnored() {
        var driver = MachineDriver()
        driver.feed(Wire.request() + Wire.abort())
        #expect(driver.log.count == 1)
        #expect(driver.sent == [6, 6, 3])
    }

    @Test func anAbortHarmsNoOtherRequest() {
        var driver = MachineDriver(answers: { _ in nil })
        driver.feed(Wire.request(id: 1) + Wire.request(id: 2) + Wire.abort(id: 1))
        driver.respond(1)
        let isWaitedFor = driver.respond(2)
        #expect(isWaitedFor)
        #expect(driver.records.answer(id: 2).text == "late")
        #expect(driver.records.stream(6, id: 1).isEmpty)
    }

    @Test func anAbortWithoutKeepConnClosesTheConnection() {
        var driver = MachineDriver(answers: { _ in nil })
        driver.feed(Wire.request(keep: false) + Wire.abort())
        #expect(!driver.machine.isDone)
        driver.respond(1)
        #expect(driver.machine.isDone)
    }
}
