import EventLoop
import Testing

@Test func tasksStayOnTheirLoop() async throws {
    let loop = try EventLoop(name: "test")
    try loop.start()
    let stayed = await Task(executorPreference: loop) {
        let before = loop.isCurrent
        try? await loop.sleep(for: .milliseconds(5))
        return before && loop.isCurrent
    }.value
    #expect(stayed)
    loop.stop()
    loop.join()
}
