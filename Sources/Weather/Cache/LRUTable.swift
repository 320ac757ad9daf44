/// Values by key, bounded in number and bytes: the least recently used goes first.
///
/// The order is a doubly linked list whose links are indices into one array, and everything is reserved when the
/// table is made: looking up, adding and forgetting cost O(1) and never move the table.
struct LRUTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Node {
        /// Nil where the slot is free; `older` is then the next free slot.
        var key: Key?
        var value: Value?
        var bytes = 0
        var newer: Int32 = -1
        var older: Int32 = -1
    }

    /// What one entry costs beside its value: its node, and its key's slot in the index at the usual load.
    static var overhead: Int {
        MemoryLayout<Node>.stride + 2 * (MemoryLayout<Key>.stride + MemoryLayout<Int32>.stride)
    }

    private let maximumCount: Int
    private let maximumBytes: Int
    private var index: [Key: Int32] = [:]
    private var nodes: [Node] = []
    private var firstFree: Int32 = -1
    private var newest: Int32 = -1
    private var oldest: Int32 = -1
    private(set) var bytes = 0
    /// Entries that had to make room.
    private(set) var evictions = 0

    var count: Int { index.count }

    init(count: Int, bytes: Int) {
        maximumCount = min(max(1, count), 1 << 28)
        maximumBytes = max(1, bytes)
        // One more than the bound: an entry is added before another makes room.
        index.reserveCapacity(maximumCount + 1)
        nodes.reserveCapacity(maximumCount + 1)
    }

    /// The value of a key, which becomes the most recently used.
    mutating func use(_ key: Key) -> Value? {
        guard let slot = index[key] else { return nil }
        moveToFront(slot)
        return nodes[Int(slot)].value
    }

    /// The value of a key, its place in the order untouched. It can be changed in place, but neither added nor removed.
    subscript(key: Key) -> Value? {
        get { index[key].flatMap { nodes[Int($0)].value } }
        _modify {
            var none: Value?
            if let slot = index[key] { yield &nodes[Int(slot)].value } else { yield &none }
        }
    }

    private mutating func moveToFront(_ slot: Int32) {
        guard slot != newest else { return }
        unlink(slot)
        linkAsNewest(slot)
    }

    /// Adds or replaces a value, which becomes the most recently used; others make room. A value that alone is
    /// over the bound isn't kept.
    mutating func set(_ key: Key, to value: Value, bytes size: Int) {
        let size = size + Self.overhead
        if let slot = index[key] {
            moveToFront(slot)
            bytes += size - nodes[Int(slot)].bytes
            nodes[Int(slot)].value = value
            nodes[Int(slot)].bytes = size
        } else {
            let slot = takeSlot()
            nodes[Int(slot)].key = key
            nodes[Int(slot)].value = value
            nodes[Int(slot)].bytes = size
            index[key] = slot
            bytes += size
            linkAsNewest(slot)
        }
        makeRoom()
    }

    /// Counts a value again whose size has changed; others, or itself, make room.
    mutating func resize(_ key: Key, to size: Int) {
        guard let slot = index[key] else { return }
        let size = size + Self.overhead
        bytes += size - nodes[Int(slot)].bytes
        nodes[Int(slot)].bytes = size
        makeRoom()
    }

    mutating func remove(_ key: Key) {
        guard let slot = index.removeValue(forKey: key) else { return }
        unlink(slot)
        bytes -= nodes[Int(slot)].bytes
        nodes[Int(slot)] = Node(older: firstFree)
        firstFree = slot
    }

    /// From the most to the least recently used.
    var keys: [Key] {
        var keys: [Key] = []
        var slot = newest
        while slot >= 0 {
            if let key = nodes[Int(slot)].key { keys.append(key) }
            slot = nodes[Int(slot)].older
        }
        return keys
    }

    private mutating func makeRoom() {
        while index.count > maximumCount || bytes > maximumBytes, oldest >= 0,
            let key = nodes[Int(oldest)].key
        {
            remove(key)
            evictions += 1
        }
    }

    private mutating func takeSlot() -> Int32 {
        guard firstFree >= 0 else {
            nodes.append(Node())
            return Int32(nodes.count - 1)
        }
        defer { firstFree = nodes[Int(firstFree)].older }
        return firstFree
    }

    private mutating func linkAsNewest(_ slot: Int32) {
        nodes[Int(slot)].newer = -1
        nodes[Int(slot)].older = newest
        if newest >= 0 { nodes[Int(newest)].newer = slot } else { oldest = slot }
        newest = slot
    }

    private mutating func unlink(_ slot: Int32) {
        let (newer, older) = (nodes[Int(slot)].newer, nodes[Int(slot)].older)
        if newer >= 0 { nodes[Int(newer)].older = older } else { newest = older }
        if older >= 0 { nodes[Int(older)].newer = newer } else { oldest = newer }
    }
}
