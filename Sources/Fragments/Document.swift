/// What a document of the program's own is about: its title.
package enum DocumentTitle: Sendable, Hashable {
    /// A form that adds a trip, shown again.
    case adding
    case editing(city: String)
    case deleting(city: String)
    case conflict(city: String)
    case forgetting
    case problem(Problem)
    case other(String)
}
