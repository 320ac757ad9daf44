import Testing

@testable import Gateway

@Suite struct RequestTests {
    @Test func aRequestWithParametersAndBodyArrives() throws {
        var driver = MachineDriver()
        driver.feed(
            Wire.request([("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", "3")], body: [1, 2, 3]))
        let request = try #require(driver.handled.first?.request)
        #expect(request.method == "POST")
        #expect(request.body == [1, 2, 3])
        #expect(driver.records.answer().text == "ok")
        #expect(driver.machine.activeCount == 0)
        #expect(!driver.machine.isDone)
        #expect(!driver.machine.expectsMoreInput)
    }

    @Test func anAnswerEndsWithTheEmptyStreamAndEndRequest() {
        var driver = MachineDriver()
        driver.feed(Wire.request(id: 65_535))
        #expect(driver.sent == [6, 6, 3])
        #expect(driver.records.isWhole)
        #expect(driver.records.records.allSatisfy { $0.id == 65_535 })
        #expect(driver.records.records[1].content.isEmpty)
        #expect(driver.records.records[2].content == [0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func pairsMayStraddleRecords() throws {
        let long = String(repeating: "v", count: 300)
        for piece in [1, 2, 3, 5, 7, 100, 299] {
            var driver = MachineDriver()
            driver.feed(Wire.request([("FIRST", long), ("SECOND", "2")], piece: piece, padding: 3))
            let request = try #require(driver.handled.first?.request)
            #expect(request.parameters["FIRST"] == long)
            #expect(request.parameters["SECOND"] == "2")
        }
    }

    @Test func aBodyMayComeInManyRecords() throws {
        let body = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
        var driver = MachineDriver()
        driver.feed(Wire.request([("CONTENT_LENGTH", "5000")], body: body, piece: 700, padding: 255))
        #expect(try #require(driver.handled.first).request.body == body)
    }

    @Test func aBodyOfUnknownLengthGoesToTheEndOfItsStream() throws {
        for parameters in [[], [("CONTENT_LENGTH", "")], [("CONTENT_LENGTH", "-1")]] {
            var driver = MachineDriver()
            driver.feed(Wire.request(parameters, body: [1, 2, 3, 4], piece: 3))
            #expect(try #require(driver.handled.first).request.body == [1, 2, 3, 4])
        }
    }

    @Test func anEmptyBodyNeedsNoInput() {
        for keep in [true, false] {
            var driver = MachineDriver()
            let request =
                Wire.begin(keep: keep)
                + Wire.stream(4, Wire.pairs([("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", "0")]))
            driver.feed(request)
            #expect(driver.records.answer().text == "ok")
            #expect(driver.machine.isDone == !keep)
            // Closing now would reset what the server may still send.
            #expect(driver.machine.expectsMoreInput)
            driver.feed(Wire.record(5))
            #expect(!driver.machine.expectsMoreInput)
            #expect(driver.handled.count == 1)
        }
    }

    @Test func theEndOfAnEmptyInputMayComeWhileTheRequestIsHandled() {
        var driver = MachineDriver(answers: { _ in nil })
        driver.feed(Wire.request(keep: false, [("CONTENT_LENGTH", "0")]))
        driver.respond(1)
        #expect(driver.records.answer().text == "late")
        #expect(driver.machine.isDone && !driver.machine.expectsMoreInput)
    }

    @Test func requestsOnOneConnectionMayInterleave() throws {
        var driver = MachineDriver(answers: { plain($0.parameters["NAME"] ?? "?") })
        driver.feed(Wire.begin(id: 1) + Wire.begin(id: 65_535))
        driver.feed(Wire.record(4, id: 65_535, Wire.pair("NAME", "second")))
        driver.feed(Wire.record(4, id: 1, Wire.pair("NAME", "first")))
        driver.feed(Wire.record(4, id: 1) + Wire.record(4, id: 65_535))
        driver.feed(Wire.record(5, id: 65_535, [2]) + Wire.record(5, id: 1, [1]))
        #expect(driver.machine.activeCount == 2)
        driver.feed(Wire.record(5, id: 65_535) + Wire.record(5, id: 1))
        #expect(driver.handled.map(\.id) == [65_535, 1])
        #expect(driver.handled.map(\.request.body) == [[2], [1]])
        #expect(driver.records.answer(id: 1).text == "first")
        #expect(driver.records.answer(id: 65_535).text == "second")
    }

    @Test func anIdIsFreeAgainAfterItsAnswer() {
        var driver = MachineDriver()
        driver.feed(Wire.request() + Wire.request() + Wire.request())
        #expect(driver.records.ends() == 3)
        #expect(driver.machine.activeCount == 0)
    }

    @Test func aConnectionWithoutKeepConnIsDoneAfterItsAnswer() {
        var driver = MachineDriver(answers: { _ in nil })
        driver.feed(Wire.request(keep: false))
        #expect(!driver.machine.isDone)
        driver.respond(1)
        #expect(driver.machine.isDone)
        #expect(!driver.machine.expectsMoreInput)
    }

    @Test func otherRequestsFinishBeforeAConnectionWithoutKeepConnCloses() {
        var driver = MachineDriver(answers: { _ in nil })
        driver.feed(Wire.request(id: 1, keep: true) + Wire.request(id: 2, keep: false))
        driver.respond(2)
        #expect(!driver.machine.isDone)
        driver.feed(Wire.request(id: 3))
        #expect(driver.handled.count == 2, "none begins while it closes")
        driver.respond(1)
        #expect(driver.machine.isDone)
    }

    @Test func onlyTheLowestFlagMeansKeepConn() {
        var driver = MachineDriver()
        driver.feed(
            Wire.record(1, [0, 1, 0xfe, 9, 9, 9, 9, 9]) + Wire.stream(4, []) + Wire.stream(5, []))
        #expect(driver.machine.isDone)
    }

    @Test func theHeadOfARequestIsAnsweredWithoutBody() {
        var driver = MachineDriver()
        driver.feed(Wire.request([("REQUEST_METHOD", "HEAD")]))
        #expect(driver.records.answer()["Content-Length"] == "2")
        #expect(driver.records.answer().body.isEmpty)
    }

    @Test func recordsOfIdsThatAreNotActiveAreIgnored() {
        var driver = MachineDriver()
        driver.feed(
            Wire.record(4, id: 9, [1, 2]) + Wire.record(5, id: 9, [3]) + Wire.record(5, id: 9)
                + Wire.abort(id: 9)
                + Wire.record(8, id: 9, [4]) + Wire.request())
        #expect(driver.log.count == 1)
        #expect(driver.records.ends() == 1)
        #expect(driver.records.ends(id: 9) == 0)
    }

    @Test(arguments: [0, 3, 6, 7, 8, 9, 10, 11, 12, 255] as [UInt8])
    func applicationRecordsOfOtherTypesAreIgnored(type: UInt8) {
        var driver = MachineDriver()
        driver.feed(Wire.begin() + Wire.record(type, [1, 2, 3]) + Wire.stream(4, []) + Wire.stream(5, []))
        #expect(driver.log.count == 1)
        #expect(driver.sent == [6, 6, 3])
    }

    @Test(arguments: [0, 2, 3, 256, 65_535] as [UInt16])
    func anotherRoleIsRejectedAndItsRecordsDropped(role: UInt16) throws {
        var driver = MachineDriver()
        driver.feed(Wire.begin(id: 7, role: role) + Wire.stream(4, id: 7, Wire.pair("A", "B")))
        driver.feed(Wire.stream(5, id: 7, [1]) + Wire.request(id: 8))
        #expect(try #require(driver.records.end(id: 7)).content == [0, 0, 0, 0, 3, 0, 0, 0])
        #expect(driver.handled.map(\.id) == [8])
    }

    @Test func anotherRoleWithoutKeepConnClosesTheConnection() {
        var driver = MachineDriver()
        driver.feed(Wire.begin(role: 2, keep: false))
        #expect(driver.machine.isDone)
        #expect(driver.machine.expectsMoreInput)
    }
}
