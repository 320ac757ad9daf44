internal import Glibc

/// The process's environment variables.
package enum Environment {
    /// All of them; of one that comes twice the first.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let equals = pair.firstIndex(of: "="), equals > pair.startIndex {
                let name = String(pair[..<equals])
                if variables[name] == nil { variables[name] = String(pair[pair.index(after: equals)...]) }
            }
            entry += 1
        }
        return variables
    }
}
