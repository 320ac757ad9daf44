/// A call that a loop makes once, at a time. It belongs to the loop's thread.
public final class LoopTimer {
    /// When it is due.
    public let deadline: ContinuousClock.Instant
    fileprivate var action: (() -> Void)?
    /// Where it stands in its heap; negative if it stands in none.
    fileprivate(set) var index = -1

    init(deadline: ContinuousClock.Instant, action: @escaping () -> Void) {
        self.deadline = deadline
        self.action = action
    }

    func fire() {
        let action = self.action
        self.action = nil
        action?()
    }
}

/// Timers by their deadline: a binary heap in which each timer knows its place, so that taking one back costs
/// O(log n) and leaves nothing behind.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    var isEmpty: Bool { timers.isEmpty }
    var count: Int { timers.count }

    mutating func insert(_ timer: LoopTimer) {
        timer.index = timers.count
        timers.append(timer)
        siftUp(timer.index)
    }

    mutating func remove(_ timer: LoopTimer) {
        let index = timer.index
        guard index >= 0 else { return }
        timer.index = -1
        timer.action = nil
        let last = timers.removeLast()
        guard last !== timer else { return }
        timers[index] = last
        last.index = index
        siftUp(index)
        siftDown(last.index)
    }

    /// Takes out the earliest timer if it is due at `now`.
    mutating func popFirst(due now: ContinuousClock.Instant) -> LoopTimer? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        let last = timers.removeLast()
        first.index = -1
        if last !== first {
            timers[0] = last
            last.index = 0
            siftDown(0)
        }
        return first
    }

    /// How long epoll_wait(2) may sleep: −1 for ever, else milliseconds rounded up, so that it never wakes early.
    func millisecondsToNext(from now: ContinuousClock.Instant) -> Int32 {
        guard let first = timers.first else { return -1 }
        let (seconds, attoseconds) = now.duration(to: first.deadline).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds) * 1_000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard timers[child].deadline < timers[parent].deadline else { return }
            exchange(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < timers.count {
                if timers[child].deadline < timers[smallest].deadline { smallest = child }
            }
            guard smallest != parent else { return }
            exchange(parent, smallest)
            parent = smallest
        }
    }

    private mutating func exchange(_ first: Int, _ second: Int) {
        timers.swapAt(first, second)
        timers[first].index = first
        timers[second].index = second
    }
}
