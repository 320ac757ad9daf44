import TestSupport
import Testing

@testable import EventLoop

@Suite struct TimerHeapTests {
    @Test func randomInsertionsAndRemovalsComeOutInOrder() {
        var generator = SeededGenerator(seed: 42)
        for _ in 0..<200 {
            var heap = TimerHeap()
            let start = ContinuousClock.now
            var kept: [LoopTimer] = []
            for _ in 0..<Int.random(in: 1...64, using: &generator) {
                let timer = LoopTimer(
                    deadline: start.advanced(by: .milliseconds(Int.random(in: 0..<20, using: &generator)))
                ) {}
                heap.insert(timer)
                kept.append(timer)
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    heap.remove(kept.remove(at: Int.random(in: 0..<kept.count, using: &generator)))
                }
            }
            #expect(heap.count == kept.count)
            var last = start
            while let timer = heap.popFirst(due: start.advanced(by: .seconds(1))) {
                #expect(timer.deadline >= last)
                last = timer.deadline
                kept.removeAll { $0 === timer }
            }
            #expect(kept.isEmpty && heap.isEmpty)
        }
    }

    @Test func theWaitIsRoundedUpSoThatNothingFiresEarly() {
        let now = ContinuousClock.now
        var heap = TimerHeap()
        #expect(heap.millisecondsToNext(from: now) == -1)
        heap.insert(LoopTimer(deadline: now.advanced(by: .nanoseconds(1_000_001))) {})
        #expect(heap.millisecondsToNext(from: now) == 2)
        #expect(heap.millisecondsToNext(from: now.advanced(by: .seconds(1))) == 0)
        var far = TimerHeap()
        far.insert(LoopTimer(deadline: now.advanced(by: .seconds(1 << 40))) {})
        #expect(far.millisecondsToNext(from: now) == 1_000_000_000)
    }
}
