@testable import Gateway

/// Records as a web server writes them. Written without the code under test.
enum Wire {
    static func record(_ type: UInt8, id: UInt16 = 1, _ content: [UInt8] = [], padding: Int = 0) -> [UInt8] {
        [
            1, type, UInt8(id >> 8), UInt8(id & 255), UInt8(content.count >> 8), UInt8(content.count & 255),
            UInt8(padding), 0,
        ] + content + [UInt8](repeating: 0xee, count: padding)
    }

    static func begin(id: UInt16 = 1, role: UInt16 = 1, keep: Bool = true) -> [UInt8] {
        record(1, id: id, [UInt8(role >> 8), UInt8(role & 255), keep ? 1 : 0, 0, 0, 0, 0, 0])
    }

    static func length(_ count: Int) -> [UInt8] {
        count < 128
            ? [UInt8(count)]
            : [
                UInt8(count >> 24) | 0x80, UInt8(count >> 16 & 255), UInt8(count >> 8 & 255),
                UInt8(count & 255),
            ]
    }

    static func pair(_ name: String, _ value: String) -> [UInt8] {
        length(name.utf8.count) + length(value.utf8.count) + Array(name.utf8) + Array(value.utf8)
    }

    static func pairs(_ pairs: [(String, String)]) -> [UInt8] {
        pairs.flatMap { pair($0.0, $0.1) }
    }

    /// A stream in records of at most `piece` bytes, with the empty one that ends it.
    static func stream(
        _ type: UInt8, id: UInt16 = 1, _ content: [UInt8], piece: Int = 65_535, padding: Int = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = content[...]
        while !rest.isEmpty {
            bytes += record(type, id: id, Array(rest.prefix(piece)), padding: padding)
            rest = rest.dropFirst(piece)
        }
        return bytes + record(type, id: id, padding: padding)
    }

    /// A whole request.
    static func request(
        id: UInt16 = 1, keep: Bool = true, _ parameters: [(String, String)] = [("REQUEST_METHOD", "GET")],
        body: [UInt8] = [], piece: Int = 65_535, padding: Int = 0
    ) -> [UInt8] {
        begin(id: id, keep: keep)
            + stream(4, id: id, pairs(parameters), piece: piece, padding: padding)
            + stream(5, id: id, body, piece: piece, padding: padding)
    }

    static func abort(id: UInt16 = 1) -> [UInt8] { record(2, id: id) }
}

/// One record that was read.
struct ReadRecord: Equatable {
    var type: UInt8
    var id: UInt16
    var content: [UInt8]
}

/// What a web server makes of the records it gets. Written without the code under test.
struct ReadRecords {
    private(set) var records: [ReadRecord] = []
    private var rest: [UInt8] = []

    init(_ bytes: [UInt8] = []) { append(bytes) }

    mutating func append(_ bytes: [UInt8]) {
        rest += bytes
        var position = 0
        while rest.count - position >= 8 {
            let content = Int(rest[position + 4]) << 8 | Int(rest[position + 5])
            let whole = 8 + content + Int(rest[position + 6])
            guard rest.count - position >= whole else { break }
            records.append(
                ReadRecord(
                    type: rest[position + 1],
                    id: UInt16(rest[position + 2]) << 8 | UInt16(rest[position + 3]),
                    content: Array(rest[position + 8..<position + 8 + content])))
            position += whole
        }
        rest.removeFirst(position)
    }

    var isWhole: Bool { rest.isEmpty }

    func stream(_ type: UInt8, id: UInt16 = 1) -> [UInt8] {
        records.filter { $0.type == type && $0.id == id }.flatMap(\.content)
    }

    func end(id: UInt16 = 1) -> ReadRecord? { records.last { $0.type == 3 && $0.id == id } }
    func ends(id: UInt16 = 1) -> Int { records.count { $0.type == 3 && $0.id == id } }

    func answer(id: UInt16 = 1) -> Answer { Answer(stream(6, id: id)) }
}

/// A CGI document response taken apart.
struct Answer {
    var fields: [(String, String)] = []
    var body: [UInt8] = []

    init(_ bytes: [UInt8]) {
        let text = Array(bytes)
        var position = 0
        while position < text.count {
            guard let end = text[position...].firstIndex(of: 10) else { return }
            let line = text[position..<end].filter { $0 != 13 }
            position = end + 1
            if line.isEmpty { break }
            let parts = String(decoding: line, as: UTF8.self).split(separator: ":", maxSplits: 1)
            fields.append((String(parts[0]), parts.count > 1 ? String(parts[1].dropFirst()) : ""))
        }
        body = Array(text[position...])
    }

    subscript(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
    var status: Int? { self["Status"].flatMap { Int($0.prefix(3)) } }
    var text: String { String(decoding: body, as: UTF8.self) }
}
