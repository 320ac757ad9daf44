/// The life of what is shown of a subject, such as the weather at a coordinate: a machine without time or network.
/// Its owner asks the questions that it hands out and brings back the answers.
///
/// At most one question is open, the newest; an answer to any other is dropped, whatever order they arrive in.
package struct LoadMachine<Subject: Sendable, Value: Sendable>: Sendable {
    /// Something to ask. Its number comes back with the answer.
    package struct Question: Sendable {
        package let id: Int
        package let subject: Subject
    }

    /// What came of a question.
    package enum Answer: Sendable {
        case value(Value)
        /// With a sentence for people.
        case failure(message: String)
        /// It was given up: nothing is published.
        case cancelled
    }

    /// What is shown.
    package private(set) var state = LoadState<Value>.idle
    private var subject: Subject?
    /// The open question's number, and what stands if it is cancelled.
    private var open: (id: Int, standing: LoadState<Value>)?
    private var lastID = 0

    package init() {}

    /// Starts from nothing: the subject is new.
    package mutating func load(_ subject: Subject) -> Question {
        self.subject = subject
        return ask(subject, standing: .idle, previous: nil)
    }

    /// Asks again about the same, and keeps what is shown until the answer is there; after a failure this is the
    /// retry. Nil when nothing was ever loaded.
    package mutating func refresh() -> Question? {
        guard let subject else { return nil }
        return ask(subject, standing: open?.standing ?? state, previous: state.value)
    }

    /// Gives the open question up: what stood before it stands again.
    package mutating func cancel() {
        guard let open else { return }
        state = open.standing
        self.open = nil
    }

    /// Publishes an answer, if it is to the open question; says whether it did.
    package mutating func finish(_ id: Int, with answer: Answer) -> Bool {
        guard let open, open.id == id else { return false }
        switch answer {
        case .value(let value): state = .loaded(value)
        case .failure(let message): state = .failed(message: message, previous: open.standing.value)
        case .cancelled: state = open.standing
        }
        self.open = nil
        return true
    }

    private mutating func ask(
        _ subject: Subject, standing: LoadState<Value>, previous: Value?
    ) -> Question {
        lastID += 1
        open = (lastID, standing)
        state = .loading(previous: previous)
        return Question(id: lastID, subject: subject)
    }
}

extension LoadMachine.Question: Equatable where Subject: Equatable {}
