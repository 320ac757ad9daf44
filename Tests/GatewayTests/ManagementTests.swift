import Testing

@testable import Gateway

@Suite struct ManagementTests {
    private let names = [("FCGI_MPXS_CONNS", ""), ("FCGI_MAX_CONNS", ""), ("FCGI_MAX_REQS", "")]

    private func values(_ content: [UInt8]) throws -> [String] {
        var decoder = NameValueDecoder(limit: 1_000)
        try decoder.append(content.span)
        return try decoder.finish().all.map { "\($0.name)=\($0.value)" }.sorted()
    }

    @Test func valuesAreToldFromTheLimits() throws {
        var limits = GatewayLimits()
        limits.connections = 10
        limits.requestsInFlight = 20
        var driver = MachineDriver(limits: limits)
        driver.feed(Wire.record(9, id: 0, Wire.pairs(names), padding: 4))
        #expect(driver.sent == [10])
        let record = try #require(driver.records.records.first)
        #expect(record.id == 0)
        #expect(
            try values(record.content) == ["FCGI_MAX_CONNS=10", "FCGI_MAX_REQS=20", "FCGI_MPXS_CONNS=1"])
    }

    @Test func aConnectionOfOneRequestSaysThatItDoesNotMultiplex() throws {
        var limits = GatewayLimits()
        limits.requestsPerConnection = 1
        var driver = MachineDriver(limits: limits)
        driver.feed(Wire.record(9, id: 0, Wire.pair("FCGI_MPXS_CONNS", "")))
        #expect(try values(#require(driver.records.records.first).content) == ["FCGI_MPXS_CONNS=0"])
    }

    @Test func onlyWhatIsAskedAndKnownIsTold() throws {
        var driver = MachineDriver()
        driver.feed(Wire.record(9, id: 0, Wire.pairs([("FCGI_MAX_REQS", ""), ("OTHER", "")])))
        driver.feed(Wire.record(9, id: 0, Wire.pair("OTHER", "")))
        driver.feed(Wire.record(9, id: 0))
        #expect(driver.sent == [10, 10, 10])
        #expect(try values(driver.records.records[0].content) == ["FCGI_MAX_REQS=12000"])
        #expect(driver.records.records[1].content.isEmpty)
        #expect(driver.records.records[2].content.isEmpty)
    }

    @Test func valuesMayBeAskedInTheMiddleOfARequestAndInPieces() {
        var driver = MachineDriver()
        driver.feed(
            Wire.begin() + Wire.record(9, id: 0, Wire.pairs(names)) + Wire.stream(4, [])
                + Wire.stream(5, [])
        ) { 1 }
        #expect(driver.sent == [10, 6, 6, 3])
    }

    @Test(arguments: [0, 1, 2, 4, 5, 8, 10, 11, 12, 255] as [UInt8])
    func anUnknownTypeIsNamed(type: UInt8) throws {
        var driver = MachineDriver()
        driver.feed(Wire.record(type, id: 0, [1, 2, 3], padding: 5) + Wire.request())
        #expect(driver.sent == [11, 6, 6, 3])
        let record = try #require(driver.records.records.first)
        #expect(record == ReadRecord(type: 11, id: 0, content: [type, 0, 0, 0, 0, 0, 0, 0]))
    }

    @Test func namesThatCannotBeReadCloseTheConnection() {
        var driver = MachineDriver()
        driver.feed(Wire.record(9, id: 0, [5, 0, 65]))
        #expect(driver.log == ["malformed: GET_VALUES whose names can't be read"])
        #expect(driver.machine.isDone)
    }
}
