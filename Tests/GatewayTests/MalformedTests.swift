import Testing

@testable import Gateway

@Suite struct MalformedTests {
    @Test(
        arguments: [
            (
                [2, 1, 0, 1, 0, 0, 0, 0],
                "record of FastCGI version 2; only version 1 is known"
            ),
            (Array("GET / HTTP/1.1\r\n".utf8), "record of FastCGI version 71; only version 1 is known"),
            (Wire.record(1, [0, 1, 1, 0, 0, 0, 0]), "BEGIN_REQUEST of 7 bytes, not 8"),
            (Wire.record(1), "BEGIN_REQUEST of 0 bytes, not 8"),
            (Wire.begin() + Wire.begin(), "second BEGIN_REQUEST for request 1 while it is active"),
            (Wire.begin() + Wire.record(5), "STDIN before the end of PARAMS for request 1"),
            (Wire.begin() + Wire.stream(4, []) + Wire.record(4, [1]), "PARAMS after their end for request 1"),
        ] as [([UInt8], String)])
    func aConnectionEndsWithTheReason(bytes: [UInt8], reason: String) {
        for cut in [1, 3, bytes.count] {
            var driver = MachineDriver()
            // What comes after isn't looked at, and is complained of no second time.
            driver.feed(bytes + Wire.record(1) + Wire.request(id: 9)) { cut }
            #expect(driver.log == ["malformed: \(reason)"])
            #expect(driver.machine.isDone)
            #expect(driver.output.isEmpty)
        }
    }

    @Test func inputAfterItsEndIsMalformedWhileTheRequestIsHandled() {
        var driver = MachineDriver(answers: { _ in nil })
        driver.feed(Wire.request() + Wire.record(5) + Wire.record(4))
        #expect(driver.log.count == 1, "an empty record more is harmless")
        driver.feed(Wire.record(5, [1]))
        #expect(driver.log.last == "malformed: STDIN after its end for request 1")
    }

    @Test func parametersThatEndInsideAPairAreAnswered400() {
        var driver = MachineDriver()
        driver.feed(Wire.begin() + Wire.stream(4, [5, 5, 65]) + Wire.stream(5, []) + Wire.request(id: 2))
        #expect(driver.log.first == "refused 400 parameters unreadable")
        #expect(driver.records.answer().status == 400)
        #expect(driver.records.answer(id: 2).status == 200)
    }
}
