import Testing

@testable import Gateway

@Suite struct RecordParserTests {
    /// What a stream says, with content put together again.
    private func read(_ bytes: [UInt8], cut: Int) -> [String] {
        var parser = RecordParser()
        var result: [String] = []
        var content: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(cut))
            rest = rest.dropFirst(cut)
            var position = 0
            while let event = parser.next(piece.span, &position) {
                switch event {
                case .record(let header):
                    result.append(
                        "\(header.type) \(header.id) \(header.contentLength)+\(header.paddingLength)")
                case .content(let range, let isLast):
                    content += piece[range]
                    if isLast {
                        result.append("\(content)")
                        content = []
                    }
                case .wrongVersion(let version):
                    return result + ["version \(version)"]
                }
            }
            #expect(position == piece.count)
        }
        return result + (parser.isInsideRecord ? ["inside"] : [])
    }

    @Test(arguments: [0, 1, 7, 255])
    func contentAndPaddingAreReadTheSameInEveryCut(padding: Int) {
        let bytes =
            Wire.record(4, id: 65_535, [1, 2, 3], padding: padding) + Wire.record(5, padding: padding)
            + Wire.record(9, id: 0, [9], padding: padding)
        let expected = [
            "4 65535 3+\(padding)", "[1, 2, 3]", "5 1 0+\(padding)", "9 0 1+\(padding)", "[9]",
        ]
        for cut in 1...bytes.count { #expect(read(bytes, cut: cut) == expected) }
    }

    @Test func theLargestRecordIsRead() {
        let content = [UInt8](repeating: 7, count: 65_535)
        let bytes = Wire.record(5, content, padding: 255)
        for cut in [bytes.count, 4_096, 8_191] {
            var parser = RecordParser()
            var count = 0
            for start in stride(from: 0, to: bytes.count, by: cut) {
                let piece = Array(bytes[start..<min(start + cut, bytes.count)])
                var position = 0
                while let event = parser.next(piece.span, &position) {
                    guard case .content(let range, let isLast) = event else { continue }
                    count += range.count
                    let isTheEnd = count == content.count
                    #expect(piece[range].allSatisfy { $0 == 7 } && isLast == isTheEnd)
                }
            }
            #expect(count == content.count && !parser.isInsideRecord)
        }
    }

    @Test(arguments: [0, 2, 255] as [UInt8])
    func anotherVersionEndsTheStreamAtItsFirstByte(version: UInt8) {
        let bytes = Wire.record(5, [1]) + [version]
        #expect(read(bytes, cut: 1) == ["5 1 1+0", "[1]", "version \(version)"])
    }

    @Test func aStreamThatStopsAnywhereIsInsideARecord() {
        let bytes = Wire.record(5, [1, 2], padding: 2)
        for count in 1..<bytes.count {
            #expect(read(Array(bytes.prefix(count)), cut: 3).last == "inside", "after \(count)")
        }
        #expect(read(bytes, cut: 3).last != "inside")
    }
}
