/// What is shown of something that is asked for. Exactly one case holds, and each carries only its own data.
package enum LoadState<Value: Sendable>: Sendable {
    /// Nothing was asked for yet.
    case idle
    /// The question is on its way; `previous` stays on the screen meanwhile.
    case loading(previous: Value?)
    case loaded(Value)
    /// The last question failed, with a sentence for people; `previous` stays on the screen, under a warning.
    case failed(message: String, previous: Value?)

    /// What there is to show, old or new.
    package var value: Value? {
        switch self {
        case .idle: nil
        case .loading(let previous), .failed(_, let previous): previous
        case .loaded(let value): value
        }
    }
}

extension LoadState: Equatable where Value: Equatable {}
