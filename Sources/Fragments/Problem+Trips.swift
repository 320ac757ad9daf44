internal import Storage
package import Trips

// MARK: Problems of trips

extension Problem {
    /// 404: the traveller has no such trip, or the share link leads nowhere.
    package static func gone(in language: Language = .english) -> Problem {
        Problem(.gone, .gone, in: language)
    }

    /// 400: these fields of a trip are wrong. The detail is all of their sentences.
    package static func tripFaults(_ faults: [TripFault], in language: Language = .english) -> Problem {
        let fields = faults.map { Field(name: $0.field, detail: language.words.sentence(of: $0)) }
        var problem = Problem(
            .tripFaults, detail: fields.map(\.detail).joined(separator: " "), in: language)
        problem.fields = fields
        return problem
    }

    /// 400: the body is no JSON object.
    package static func unreadableBody(in language: Language = .english) -> Problem {
        Problem(.unreadableBody, .unreadableBody, in: language)
    }

    /// 415: the address reads bodies of these types alone.
    package static func unsupportedMediaType(
        accept: [String], in language: Language = .english
    ) -> Problem {
        var problem = Problem(.unsupportedMediaType, .unsupportedMediaType(accept), in: language)
        problem.accept = accept
        return problem
    }

    /// 403: another site asked for the write.
    package static func crossSite(in language: Language = .english) -> Problem {
        Problem(.crossSite, .crossSite, in: language)
    }

    /// 409: a form was sent again, with another trip in it.
    ///
    /// - Parameter city: of the trip that was added the first time.
    package static func alreadyAdded(city: String, in language: Language = .english) -> Problem {
        Problem(.alreadyAdded, .alreadyAdded(city: city.shortened(to: 200)), in: language)
    }

    /// 409: the traveller has as many trips as one may have.
    package static func tooManyTrips(limit: Int, in language: Language = .english) -> Problem {
        Problem(.tooManyTrips, .tooManyTrips(limit: limit), in: language)
    }

    /// 412: the trip is in another state than the one that the traveller saw.
    package static func versionConflict(current: Trip, in language: Language = .english) -> Problem {
        var problem = Problem(.versionConflict, .versionConflict, in: language)
        problem.current = current
        return problem
    }

    /// 428: a write that doesn't say which version its traveller saw.
    package static func versionRequired(in language: Language = .english) -> Problem {
        Problem(.versionRequired, .versionRequired, in: language)
    }

    /// 503: trips can't be read or saved. Nothing was changed.
    ///
    /// - Parameter isWrite: whether something was to be saved.
    package static func storage(
        _ trouble: StorageTrouble, isWrite: Bool = true, in language: Language = .english
    ) -> Problem {
        Problem(
            .storage, .storage(trouble, isWrite: isWrite), in: language,
            retryAfter: trouble == .busy ? .seconds(1) : nil)
    }

    /// - Parameter isWrite: whether something was to be saved.
    package init(_ error: TripStoreError, isWrite: Bool, in language: Language = .english) {
        self =
            switch error {
            case .gone: .gone(in: language)
            case .conflict(let current): .versionConflict(current: current, in: language)
            case .tooMany(let limit): .tooManyTrips(limit: limit, in: language)
            case .storage(let error): .storage(StorageTrouble(error.kind), isWrite: isWrite, in: language)
            }
    }
}

extension Problem.StorageTrouble {
    init(_ kind: StorageError.Kind) {
        self =
            switch kind {
            case .full: .full
            case .readOnly: .readOnly
            case .busy, .timedOut, .overloaded: .busy
            case .cannotOpen, .corrupt, .constraint, .misuse, .unexpectedValue, .tooNew, .foreign,
                .unavailable, .other:
                .failed
            }
    }
}
