import Testing

@testable import Gateway

@Suite struct LimitTests {
    private func limits(_ change: (inout GatewayLimits) -> Void) -> GatewayLimits {
        var limits = GatewayLimits()
        change(&limits)
        return limits
    }

    @Test func oneRequestTooManyOnAConnectionIsAnswered503() {
        var driver = MachineDriver(limits: limits { $0.requestsPerConnection = 2 }, answers: { _ in nil })
        driver.feed(Wire.request(id: 1) + Wire.begin(id: 2) + Wire.request(id: 3))
        #expect(driver.log.last == "refused 503 too many requests on one connection")
        #expect(driver.records.answer(id: 3).status == 503)
        driver.respond(1)
        driver.feed(Wire.request(id: 4))
        #expect(driver.handled.last?.id == 4, "there is room again")
    }

    @Test func beginningRequestsWithoutEndKeepsNoMoreThanTheLimit() {
        var driver = MachineDriver(limits: limits { $0.requestsPerConnection = 8 })
        for id: UInt16 in 1...1_000 { driver.feed(Wire.begin(id: id)) }
        #expect(driver.machine.activeCount == 8)
        #expect(driver.log.count == 992)
    }

    @Test func oneRequestTooManyInTheProcessIsAnswered503WhenItsParametersHaveCome() {
        var driver = MachineDriver(answers: { _ in nil })
        driver.machine.roomForRequests = 1
        driver.feed(Wire.request(id: 1) + Wire.begin(id: 2))
        #expect(driver.output.isEmpty)
        driver.feed(Wire.stream(4, id: 2, Wire.pair("REQUEST_METHOD", "GET")))
        #expect(driver.log.last == "refused 503 too many requests")
        #expect(driver.records.answer(id: 2).body.isEmpty == false)
    }

    @Test func aRefusalOfHeadHasNoBody() {
        var driver = MachineDriver()
        driver.machine.roomForRequests = 0
        driver.feed(Wire.request([("REQUEST_METHOD", "HEAD")]))
        #expect(driver.records.answer().status == 503)
        #expect(driver.records.answer().body.isEmpty)
    }

    @Test func aConnectionOverTheLimitGetsOneRefusalAndCloses() {
        var driver = MachineDriver()
        driver.machine.refusal = .tooManyConnections
        driver.machine.closesAfterAnswer = true
        #expect(!driver.machine.isDone)
        driver.feed(Wire.request(keep: true))
        #expect(driver.log == ["refused 503 too many connections"])
        #expect(driver.machine.isDone)
    }

    @Test func parametersOverTheLimitAreAnswered431() {
        let pairs = Wire.pair("A", String(repeating: "x", count: 200))
        for (limit, status) in [(pairs.count, 200), (pairs.count - 1, 431)] {
            for cut in [1, 50, 1_000] {
                var driver = MachineDriver(limits: limits { $0.parameterBytes = limit })
                driver.feed(Wire.begin() + Wire.stream(4, pairs, piece: 30) + Wire.stream(5, [])) { cut }
                #expect(driver.records.answer().status == status)
                #expect(driver.records.ends() == 1)
            }
        }
    }

    @Test func aHostileLengthIsAnswered431AndTheConnectionGoesOn() {
        var driver = MachineDriver()
        driver.feed(Wire.begin() + Wire.stream(4, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2]))
        driver.feed(Wire.stream(5, []) + Wire.request(id: 2))
        #expect(driver.log.first == "refused 431 parameters too large")
        #expect(driver.records.answer(id: 2).status == 200)
    }

    @Test func aBodyAnnouncedOverTheLimitIsAnswered413BeforeItComes() {
        var driver = MachineDriver(limits: limits { $0.bodyBytes = 4 })
        driver.feed(Wire.begin() + Wire.stream(4, Wire.pair("CONTENT_LENGTH", "5")))
        #expect(driver.log == ["refused 413 body too large"])
        driver.feed(
            Wire.stream(5, [1, 2, 3, 4, 5]) + Wire.request([("CONTENT_LENGTH", "4")], body: [1, 2, 3, 4]))
        #expect(driver.handled.count == 1)
    }

    @Test func aBodyOfUnknownLengthOverTheLimitIsAnswered413() {
        var driver = MachineDriver(limits: limits { $0.bodyBytes = 4 })
        driver.feed(Wire.request([], body: [1, 2, 3, 4, 5], piece: 2))
        #expect(driver.log == ["refused 413 body too large"])
        driver.feed(Wire.request([], body: [1, 2, 3, 4], piece: 2))
        #expect(driver.handled.count == 1)
    }

    @Test(arguments: [
        ("2", "body longer than its content length"), ("4", "body shorter than its content length"),
        ("3x", "content length unreadable"), ("-2", "content length unreadable"),
        (" 3", "content length unreadable"),
        ("+3", "content length unreadable"),
    ])
    func aBodyThatIsNotOfItsLengthIsAnswered400(length: String, reason: String) {
        var driver = MachineDriver()
        driver.feed(Wire.request([("CONTENT_LENGTH", length)], body: [1, 2, 3]) + Wire.request(id: 2))
        #expect(driver.log.first == "refused 400 \(reason)")
        #expect(driver.records.ends() == 1)
        #expect(driver.records.answer(id: 2).status == 200)
    }

    @Test(arguments: ["99999999999", "99999999999999999999999999999999", "18446744073709551616"])
    func aLengthBeyondAnyNumberIsAnswered413(length: String) {
        var driver = MachineDriver()
        driver.feed(Wire.request([("CONTENT_LENGTH", length)]))
        #expect(driver.log == ["refused 413 body too large"])
    }

    @Test func aRequestThatDoesNotArriveInTimeIsAnswered408AndNotBefore() {
        var driver = MachineDriver(limits: limits { $0.arrivalTimeout = .seconds(5) })
        let begin = driver.now
        driver.feed(
            Wire.begin(id: 1) + Wire.begin(id: 2) + Wire.stream(4, id: 2, []) + Wire.record(5, id: 2, [1]))
        #expect(driver.machine.earliestArrival == begin)
        driver.now = begin.advanced(by: .milliseconds(4_999))
        driver.feed(Wire.begin(id: 3))
        driver.expire()
        #expect(driver.log.isEmpty)
        driver.now = begin.advanced(by: .seconds(5))
        driver.expire()
        #expect(
            driver.log == [
                "refused 408 request arrived too slowly", "refused 408 request arrived too slowly",
            ])
        #expect(driver.records.answer(id: 1).status == 408)
        #expect(driver.records.answer(id: 2).status == 408)
        #expect(driver.machine.activeCount == 1)
        #expect(driver.machine.earliestArrival == begin.advanced(by: .milliseconds(4_999)))
    }

    @Test func aRequestThatIsHandledNeverExpiresAsArriving() {
        var driver = MachineDriver(answers: { _ in nil })
        driver.feed(Wire.request())
        driver.now = driver.now.advanced(by: .seconds(100))
        driver.expire()
        #expect(driver.log.count == 1)
        #expect(driver.machine.earliestArrival == nil)
    }
}
