/// An answer in a connection's output.
struct UnwrittenAnswer {
    /// How many bytes the kernel has taken of the connection's output in all when the answer is through.
    var end: Int
    var request: GatewayRequest
    var response: GatewayResponse
    var refusal: GatewayRefusal?
}

/// Bytes that the kernel didn't take yet.
struct OutputQueue {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { start == bytes.count }
    var count: Int { bytes.count - start }

    mutating func append(_ more: ArraySlice<UInt8>) {
        bytes.append(contentsOf: more)
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    /// Drops what was taken from the front.
    mutating func removeFirst(_ count: Int) {
        start += count
        if start == bytes.count {
            bytes = []
            start = 0
        } else if start >= 65_536, start >= bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
    }
}
