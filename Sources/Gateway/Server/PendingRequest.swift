internal import EventLoop
internal import Synchronization

/// A request that a task answers. It outlives its connection when that closes first. It belongs to one loop.
final class PendingRequest {
    let id: UInt16
    let request: GatewayRequest
    private let worker: GatewayWorker
    /// Nil once nobody waits for the answer.
    private var connection: GatewayConnection?
    private var task: Task<Void, Never>?
    /// The process stops, and says so instead of the handler's answer.
    private(set) var isStopped = false

    init(id: UInt16, request: GatewayRequest, connection: GatewayConnection, worker: GatewayWorker) {
        self.id = id
        self.request = request
        self.connection = connection
        self.worker = worker
    }

    func start(_ body: @escaping @Sendable () async -> GatewayResponse) {
        let bound = LoopBound(self, to: worker.loop)
        worker.taskCount += 1
        task = Task(executorPreference: worker.loop) {
            let response = await body()
            bound.value.complete(response)
        }
    }

    /// The server gave the request up, and is told when it is over.
    func cancel() {
        task?.cancel()
    }

    /// Time to finish is up.
    func stop() {
        isStopped = true
        task?.cancel()
    }

    /// The connection is gone. From here on the request counts for itself until its task is over.
    func abandon() {
        connection = nil
        task?.cancel()
    }

    private func complete(_ response: GatewayResponse) {
        task = nil
        if let connection {
            self.connection = nil
            connection.complete(self, response)
        } else {
            worker.shared.requestsInFlight.subtract(1, ordering: .relaxed)
            worker.finish(request, .cancelled)
        }
        worker.taskCount -= 1
    }
}
