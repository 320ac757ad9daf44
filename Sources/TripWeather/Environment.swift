internal import Gateway

/// The process's environment variables.
package enum Environment {
    /// All of them but HTTP_PROXY; of one that comes twice the first.
    package static var variables: [String: String] {
        Dictionary(
            Parameters.ofProcess().all.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
