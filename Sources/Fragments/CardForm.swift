/// How much of the weather an answer shows.
package enum CardForm: String, Sendable, Hashable, CaseIterable {
    /// Everything.
    case card
    /// The line with place, temperature and sky, and one short note where that is old or missing.
    case line
}

/// What a problem looks like in HTML.
package enum ProblemForm: Sendable, Hashable {
    /// A failed card, where weather was asked for.
    case weather(CardForm)
    /// `section.problem` with Retry, for a page that includes it among others.
    case section
    /// The same with a heading of the first level and the way back to all trips, for a document of its own.
    case page
}
