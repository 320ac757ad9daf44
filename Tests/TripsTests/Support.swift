import Foundation
import Storage
import Synchronization
import TestSupport
import Testing
import Trips
import Weather

func day(_ text: String) throws -> CalendarDate { try #require(CalendarDate(text)) }

let today = CalendarDate(daysSinceEpoch: 20_500)

func rules(limit: Int = 200) -> TripStoreRules {
    TripStoreRules(tripLimit: limit, today: { today })
}

func draft(_ city: String, _ country: String? = nil, start: Int = 100, nights: Int = 3) -> TripDraft {
    var draft = TripDraft()
    draft.city = .value(city)
    draft.country = TripInput(country)
    draft.start = .value(today.advanced(by: start))
    draft.nights = .value(nights)
    return draft
}

func plan(
    _ city: String, _ country: String? = nil, start: Int = 100, nights: Int = 3
) throws -> TripPlan {
    try draft(city, country, start: start, nights: nights).plan()
}

let bergen = Coordinate(latitude: 60.39, longitude: 5.32).map {
    Place(
        identifier: 3_161_732, name: "Bergen", country: "Norway", countryCode: "NO", region: "Vestland",
        coordinate: $0, timeZone: "Europe/Oslo")
}

/// The same suite runs on each.
enum StoreKind: String, CaseIterable, Sendable {
    case inMemory
    case sqlite
}

/// A store of one kind, and what a test does with it often.
struct TripWorld: Sendable {
    let store: any TripStore
    let me = TravellerID.newVisitor()
    let other = TravellerID.newVisitor()
    private let folder: ScratchFolder
    private let file: SQLiteTripStore?

    init(_ kind: StoreKind, limit: Int = 200) async throws {
        folder = try ScratchFolder()
        switch kind {
        case .inMemory:
            file = nil
            store = InMemoryTripStore(rules(limit: limit))
        case .sqlite:
            let file = try await SQLiteTripStore.open(
                folder("trips.sqlite"), rules(limit: limit), patience: .seconds(30))
            self.file = file
            store = file
        }
    }

    func close() async { await file?.close() }

    func add(
        _ city: String, _ country: String? = nil, start: Int = 100, nights: Int = 3,
        for traveller: TravellerID? = nil
    ) async throws -> Trip {
        let plan = try plan(city, country, start: start, nights: nights)
        return try await store.add(plan, key: CreationKey(from: .system), for: traveller ?? me).trip
    }

    func cities(for traveller: TravellerID? = nil) async throws -> [String] {
        try await store.list(for: traveller ?? me).trips.map(\.plan.city)
    }
}

/// How `body` was refused, or nil.
func refusal(_ body: () async throws -> Void) async -> TripStoreError? {
    do {
        try await body()
        return nil
    } catch let error as TripStoreError {
        return error
    } catch {
        Issue.record("not a TripStoreError: \(error)")
        return nil
    }
}
