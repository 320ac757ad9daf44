internal import Synchronization

/// What the loops of a server have in common.
final class GatewayShared: Sendable {
    let limits: GatewayLimits
    let handler: any GatewayHandler
    let allowedPeers: PeerAddresses?
    let log: @Sendable (GatewayEvent) -> Void
    let requestsInFlight = Atomic<Int>(0)

    init(
        limits: GatewayLimits, handler: any GatewayHandler, allowedPeers: PeerAddresses?,
        log: @escaping @Sendable (GatewayEvent) -> Void
    ) {
        self.limits = limits
        self.handler = handler
        self.allowedPeers = allowedPeers
        self.log = log
    }
}
