import Foundation
import Storage
import TestSupport
import Testing
import Trips
import Weather

/// A file that 0.2.0 wrote, dumped from one.
///
/// The first traveller has added Munich (found in German, and shared) and Bergen, has changed Vancouver and deleted
/// San Pedro de Atacama. The second has added Oslo and shared Seattle.
let fileOf020: StaticString = """
    CREATE TABLE traveller (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
    INSERT INTO "traveller" VALUES(1,'visitor:wfoj37km7tdqi4ekun3yjftiqm');
    INSERT INTO "traveller" VALUES(2,'visitor:25zvrljhic7f76kh7my2qbrali');
    CREATE TABLE trip (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        traveller INTEGER NOT NULL REFERENCES traveller (number) ON DELETE CASCADE,
        id TEXT NOT NULL UNIQUE,
        version INTEGER NOT NULL,
        creation_key TEXT,
        example TEXT,
        share TEXT UNIQUE,
        city TEXT NOT NULL CHECK (city <> ''),
        country TEXT,
        start INTEGER NOT NULL,
        nights INTEGER NOT NULL CHECK (nights BETWEEN 1 AND 60),
        price INTEGER NOT NULL CHECK (price BETWEEN 0 AND 20000 AND price % 250 = 0),
        picture TEXT,
        favourite INTEGER NOT NULL CHECK (favourite IN (0, 1)),
        place_identifier INTEGER,
        place_name TEXT,
        place_country TEXT,
        place_country_code TEXT,
        place_region TEXT,
        latitude REAL,
        longitude REAL,
        time_zone TEXT,
        UNIQUE (traveller, creation_key),
        UNIQUE (traveller, example)) STRICT;
    INSERT INTO "trip" VALUES(1,1,'txgjttdckvm4fr6lnstqpslvy4',0,NULL,'example-seattle',NULL,'Seattle','United States',20793,4,1250,'city',1,NULL,'Seattle','United States','US',NULL,47.60621,-122.33207,'America/Los_Angeles');
    INSERT INTO "trip" VALUES(2,1,'zptpq7nltmjade7nnraeff4fci',-8968121402399103768,NULL,'example-vancouver',NULL,'Vancouver','Canada',20807,9,1500,'harbour',0,NULL,'Vancouver','Canada','CA',NULL,49.24966,-123.11934,'America/Vancouver');
    INSERT INTO "trip" VALUES(4,1,'rhkhr57dkb2z46sukp25wvlqey',-4266811025832212991,'0123456789abcdef',NULL,'vm6somefbliup2hgl6ngugrg4u','Munich','Germany',20878,4,500,'harbour',1,2867714,'München','Deutschland','DE','Bayern',48.13743,11.57549,'Europe/Berlin');
    INSERT INTO "trip" VALUES(5,1,'pbp4arkfy5p3ultfmnaql5jz54',8644978714487854701,'kn4ul7emds5gbi7o26mfqdbmnu',NULL,NULL,'Bergen',NULL,20878,4,500,'harbour',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
    INSERT INTO "trip" VALUES(6,2,'yoo4uepgqknzyhbtzyhpvxulc4',0,NULL,'example-seattle','3tnbmh3p2uzi75otdawu7joduq','Seattle','United States',20793,4,1250,'city',1,NULL,'Seattle','United States','US',NULL,47.60621,-122.33207,'America/Los_Angeles');
    INSERT INTO "trip" VALUES(7,2,'u4bow2ip2sl32v5fwesfmdkjta',0,NULL,'example-vancouver',NULL,'Vancouver','Canada',20807,5,1500,'harbour',0,NULL,'Vancouver','Canada','CA',NULL,49.24966,-123.11934,'America/Vancouver');
    INSERT INTO "trip" VALUES(8,2,'cxjf63go7jasw6cmzqlxvhljke',0,NULL,'example-san-pedro-de-atacama',NULL,'San Pedro de Atacama','Chile',20832,7,3250,'desert',0,NULL,'San Pedro de Atacama','Chile','CL',NULL,-22.9111,-68.20113,'America/Santiago');
    INSERT INTO "trip" VALUES(9,2,'uwpdnjgqb2duntuclzwajmp63y',-8048168661223237028,'sjbx2wxp2ghltyn5j2noq6kid4',NULL,NULL,'Oslo',NULL,20878,4,500,'harbour',1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
    CREATE INDEX trip_in_order ON trip (traveller, start, number);
    CREATE VIEW kept_trip AS SELECT
        trip.id, trip.version, trip.example, trip.share, trip.city, trip.country, trip.start,
        trip.nights, trip.price, trip.picture, trip.favourite, trip.place_identifier, trip.place_name,
        trip.place_country, trip.place_country_code, trip.place_region, trip.latitude,
        trip.longitude, trip.time_zone, trip.number, trip.creation_key, traveller.key AS traveller
        FROM traveller JOIN trip ON trip.traveller = traveller.number;
    """

@Suite struct TripFileOf020Tests {
    private let folder: ScratchFolder
    private let first = "wfoj37km7tdqi4ekun3yjftiqm"
    private let second = "25zvrljhic7f76kh7my2qbrali"

    init() throws { folder = try ScratchFolder() }

    private func open() async throws -> TripStore {
        let path = folder("trips.sqlite")
        let options = DatabaseOptions(
            path: path, applicationID: 0x5472_5774, migrations: [fileOf020])
        await (try Database.open(options)).close()
        // It says when by SQLite's clock.
        let rules = TripStoreRules { Int(time(nil)) }
        return try await TripStore.open(path, rules, busyTimeout: .seconds(30))
    }

    private func cities(_ key: String, _ store: TripStore) async throws -> [String] {
        let traveller = try #require(TravellerID(visitor: key))
        return try await store.list(for: traveller).trips.map(\.plan.city).sorted()
    }

    @Test func itLosesNoTripNoLinkAndNoDeletion() async throws {
        let store = try await open()
        #expect(try await cities(first, store) == ["Bergen", "Munich", "Seattle", "Vancouver"])
        #expect(try await cities(second, store) == ["Oslo", "San Pedro de Atacama", "Seattle", "Vancouver"])
        let me = try #require(TravellerID(visitor: first))
        let vancouver = try await store.trip(.example(.vancouver), for: me)
        #expect(vancouver.plan.nights == 9)
        // The names that it kept are still there to fall back on.
        let id = try #require(TripID("rhkhr57dkb2z46sukp25wvlqey"))
        let munich = try await store.trip(id, for: me)
        #expect(munich.place?.name == "München" && munich.place?.identifier == 2_867_714)
        #expect(munich.plan.price == 500 && munich.plan.isFavourite && munich.plan.picture != nil)
        let link = try #require(ShareID("vm6somefbliup2hgl6ngugrg4u"))
        #expect(munich.share == link)
        #expect(try await store.shared(link).plan.city == "Munich")
        let shared = try #require(ShareID("3tnbmh3p2uzi75otdawu7joduq"))
        #expect(try await store.shared(shared).plan.city == "Seattle")
        await store.close()
    }

    @Test func copiesThatNobodyChangedBecomeTheExamplesAgain() async throws {
        let store = try await open()
        let me = try #require(TravellerID(visitor: first))
        let seattle = try await store.trip(.example(.seattle), for: me)
        #expect(seattle.id == .example(.seattle) && seattle.plan.nights == 4)
        let gone = await refusal { _ = try await store.trip(.example(.sanPedroDeAtacama), for: me) }
        #expect(gone == .gone)
        let other = try #require(TravellerID(visitor: second))
        #expect(try await store.trip(.example(.seattle), for: other).share != nil)
        await store.close()
    }

    @Test func itsCreationKeysStillAddNothingTwice() async throws {
        let store = try await open()
        let me = try #require(TravellerID(visitor: first))
        let key = try #require(CreationKey("0123456789abcdef"))
        let id = try #require(TripID("rhkhr57dkb2z46sukp25wvlqey"))
        let again = await refusal { _ = try await store.add(try plan("Oslo"), key: key, for: me) }
        guard case .alreadyAdded(let trip) = again else {
            Issue.record("added twice")
            return
        }
        #expect(trip.id == id)
        await store.close()
    }

    @Test func itsTravellersAreKnownAndNotYetLongUnseen() async throws {
        let store = try await open()
        let me = try #require(TravellerID(visitor: first))
        #expect(try await store.known([me])?.id == me)
        let new = try await store.see(me, withNewKey: true)
        #expect(try await store.known([new])?.id == new)
        #expect(try await store.known([me]) == nil)
        #expect(try await store.list(for: new).trips.count == 4)
        await store.close()
    }
}
