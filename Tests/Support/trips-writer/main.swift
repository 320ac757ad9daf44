// A second process for the trips room's tests: trips-writer PATH VISITOR COUNT.
// Adds that many trips, and tells the id of each on standard output, one line each, once it is acknowledged.
import Trips
import Weather

#if canImport(Glibc)
    import Glibc
#endif

func say(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = write(1, bytes, bytes.count)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let traveller = TravellerID(visitor: arguments[2]), let count = Int(arguments[3])
else {
    say("usage: trips-writer PATH VISITOR COUNT")
    exit(64)
}

do {
    let rules = TripStoreRules(tripLimit: .max, unixTime: { 20_500 * 86_400 })
    let store = try await TripStore.open(arguments[1], rules, busyTimeout: .seconds(30))
    var draft = TripDraft()
    draft.start = .value(CalendarDate(daysSinceEpoch: 20_600))
    draft.nights = .value(3)
    for number in 0..<count {
        draft.city = .value("Bergen \(number)")
        let added = try await store.add(try draft.plan(), key: CreationKey(from: .system), for: traveller)
        say("\(added.trip.id)")
    }
    await store.close()
} catch {
    say("error \(error)")
    exit(1)
}
