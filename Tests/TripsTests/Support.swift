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
    TripStoreRules(tripLimit: limit, unixTime: { today.daysSinceEpoch * 86_400 })
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

/// A store on a file, with a clock that the test moves, and what a test does with it often.
struct TripWorld: Sendable {
    let store: TripStore
    let me = TravellerID.newVisitor()
    let other = TravellerID.newVisitor()
    let path: String
    private let folder: ScratchFolder
    private let clock: Clock

    final class Clock: Sendable {
        let time = Mutex(today.daysSinceEpoch * 86_400)
    }

    init(limit: Int = 200) async throws {
        folder = try ScratchFolder()
        path = folder("trips.sqlite")
        let clock = Clock()
        self.clock = clock
        let rules = TripStoreRules(tripLimit: limit) { clock.time.withLock { $0 } }
        store = try await TripStore.open(path, rules, busyTimeout: .seconds(30))
    }

    /// How many trips the file holds.
    func rows() async throws -> Int {
        let database = try await Database.open(
            DatabaseOptions(path: path, applicationID: 0x5472_5774, migrations: ["", ""]))
        let count = try await database.read { connection throws(StorageError) in
            try connection.first("SELECT count(*) FROM trip") { row throws(StorageError) in
                try row.value(0, as: Int.self)
            }
        }
        await database.close()
        return count ?? 0
    }

    func pass(days: Int, seconds: Int = 0) {
        clock.time.withLock { $0 += days * 86_400 + seconds }
    }

    func close() async { await store.close() }

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

extension TripDraft {
    /// What says the whole of a plan.
    init(_ plan: TripPlan) {
        self.init()
        city = .value(plan.city)
        country = TripInput(plan.country)
        start = .value(plan.start)
        nights = .value(plan.nights)
        price = .value(plan.price)
        picture = TripInput(plan.picture?.description)
        isFavourite = .value(plan.isFavourite)
    }
}
