import Testing

@testable import Gateway

/// Streams of records give the same in whatever pieces they come.
@Suite struct EverySplitTests {
    static let streams: [[UInt8]] = [
        Wire.request(),
        Wire.request(
            [("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", "5")], body: [1, 2, 3, 4, 5], piece: 2, padding: 3
        ),
        Wire.request(id: 65_535, [("A", String(repeating: "x", count: 200))], piece: 100, padding: 255),
        // Two that interleave, with management between them.
        Wire.begin(id: 1) + Wire.begin(id: 2) + Wire.record(4, id: 2, Wire.pair("A", "B"))
            + Wire.record(9, id: 0, Wire.pair("FCGI_MAX_CONNS", ""))
            + Wire.stream(4, id: 1, Wire.pair("C", "D"))
            + Wire.record(77, id: 0, [1, 2]) + Wire.record(4, id: 2) + Wire.stream(5, id: 2, [9])
            + Wire.stream(5, id: 1, [8, 7], piece: 1, padding: 1),
        // Aborted at each stage, and the same id again.
        Wire.abort() + Wire.begin() + Wire.abort() + Wire.begin() + Wire.stream(4, []) + Wire.abort()
            + Wire.request() + Wire.abort() + Wire.request(),
        // Refused in many ways.
        Wire.begin(role: 3) + Wire.stream(4, [1]) + Wire.request([("CONTENT_LENGTH", "9")], body: [1])
            + Wire.request([("CONTENT_LENGTH", "1")], body: [1, 2]) + Wire.begin() + Wire.stream(4, [0xff])
            + Wire.begin() + Wire.stream(4, [UInt8](repeating: 0xff, count: 9)) + Wire.request(),
        Wire.request(keep: false) + Wire.request(id: 2),
        Wire.request() + [3, 3, 3],
        Wire.begin() + Wire.begin(),
    ]

    private func result(_ bytes: [UInt8], cut: () -> Int) -> MachineDriver {
        var driver = MachineDriver(answers: { plain("\($0.body.count) \($0.parameters.all.count)") })
        driver.feed(bytes, cut: cut)
        return driver
    }

    @Test(arguments: streams.indices)
    func aStreamFedOneByteAtATimeIsReadTheSame(index: Int) {
        let bytes = EverySplitTests.streams[index]
        let whole = result(bytes) { bytes.count }
        let single = result(bytes) { 1 }
        #expect(whole.log == single.log)
        #expect(whole.output == single.output)
        #expect(whole.machine.isDone == single.machine.isDone)
    }

    @Test(arguments: streams.indices)
    func aStreamCutInTwoAnywhereIsReadTheSame(index: Int) async {
        let bytes = EverySplitTests.streams[index]
        let whole = result(bytes) { bytes.count }
        for first in 1..<bytes.count {
            // Lets the tests that watch a clock have their turn.
            if first % 16 == 0 { await Task.yield() }
            var isFirst = true
            let cut = result(bytes) {
                defer { isFirst = false }
                return isFirst ? first : bytes.count
            }
            #expect(whole.log == cut.log && whole.output == cut.output, "cut after \(first)")
        }
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func aStreamInRandomCutsIsReadTheSame(seed: UInt64) {
        var numbers = SeededNumbers(seed)
        let bytes = Array(EverySplitTests.streams.prefix(6).joined())
        let whole = result(bytes) { bytes.count }
        let cut = result(bytes) { Int.random(in: 1...40, using: &numbers) }
        #expect(whole.log == cut.log)
        #expect(whole.output == cut.output)
    }

    @Test func theStreamsReachWhatTheyAreMeantTo() {
        let bytes = Array(EverySplitTests.streams.prefix(6).joined())
        let whole = result(bytes) { bytes.count }
        #expect(whole.handled.count == 8)
        #expect(whole.log.filter { $0.hasPrefix("refused") }.count == 4)
        #expect(!whole.machine.isDone)
    }
}
