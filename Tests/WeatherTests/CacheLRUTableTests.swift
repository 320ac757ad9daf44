import TestSupport
import Testing

@testable import Weather

@Suite struct CacheLRUTableTests {
    private typealias Table = LRUTable<Int, Int>

    @Test func theLeastRecentlyUsedGoesFirst() {
        var table = Table(count: 3, bytes: 1 << 20)
        for key in 1...3 { table.set(key, to: key * 10, bytes: 0) }
        _ = table.use(1)
        table.set(4, to: 40, bytes: 0)
        #expect(table.keys == [4, 1, 3])
        #expect(table.evictions == 1)
        #expect(table[2] == nil)
    }

    @Test func bytesMakeRoomToo() {
        var table = Table(count: 100, bytes: 3 * (100 + Table.overhead))
        for key in 1...3 { table.set(key, to: key, bytes: 100) }
        #expect(table.count == 3)
        table.set(4, to: 4, bytes: 101)
        #expect(table.keys == [4, 3])
        #expect(table.bytes == 201 + 2 * Table.overhead)
        table.resize(3, to: 300)
        #expect(table.keys == [4], "the one that grew was the least recently used")
    }

    @Test func whatIsLargerThanTheBoundIsNotKept() {
        var table = Table(count: 100, bytes: 1_000)
        table.set(1, to: 1, bytes: 10)
        table.set(2, to: 2, bytes: 1_000)
        #expect(table.count == 0)
        #expect(table.bytes == 0)
    }

    @Test func itDoesAsASimpleModelDoes() {
        var chance = SeededGenerator(seed: 3)
        var table = Table(count: 20, bytes: 4_000)
        // Newest first.
        var model: [(key: Int, value: Int, bytes: Int)] = []
        func makeRoom() {
            while model.count > 20 || model.reduce(0, { $0 + $1.bytes + Table.overhead }) > 4_000 {
                model.removeLast()
            }
        }
        for step in 0..<10_000 {
            let key = Int.random(in: 0..<40, using: &chance)
            let bytes = Int.random(in: 0..<200, using: &chance)
            switch Int.random(in: 0..<8, using: &chance) {
            case 0..<3:
                table.set(key, to: step, bytes: bytes)
                model.removeAll { $0.key == key }
                model.insert((key, step, bytes), at: 0)
                makeRoom()
            case 3..<6:
                let value = table.use(key)
                let index = model.firstIndex { $0.key == key }
                #expect(value == index.map { model[$0].value })
                table[key]? = -step
                if let index {
                    #expect(table[key] == -step)
                    model[index].value = -step
                    model.insert(model.remove(at: index), at: 0)
                }
            case 6:
                table.resize(key, to: bytes)
                if let index = model.firstIndex(where: { $0.key == key }) {
                    model[index].bytes = bytes
                    makeRoom()
                }
            default:
                table.remove(key)
                model.removeAll { $0.key == key }
            }
            #expect(table.keys == model.map(\.key))
            #expect(table.bytes == model.reduce(0) { $0 + $1.bytes + Table.overhead })
        }
    }
}
