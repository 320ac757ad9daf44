internal import Storage

/// The trips' file: what is in it, and how it is treated.
enum TripSchema {
    /// In the file's header: "TrWt".
    static let applicationID: Int32 = 0x5472_5774

    /// `traveller.key` is `TravellerID.key`; ids, links and keys are their texts, versions their bits, `start` counts
    /// days since 1970-01-01, `price` US dollars, `latitude` and `longitude` degrees. `number` orders the trips of
    /// one day. The view is what is read, so that each question names few columns and each row is read in one way.
    static let migrations: [Migration] = [
        .sql(
            """
            CREATE TABLE traveller (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
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
            CREATE INDEX trip_in_order ON trip (traveller, start, number);
            CREATE VIEW kept_trip AS SELECT
                trip.id, trip.version, trip.example, trip.share, trip.city, trip.country, trip.start,
                trip.nights, trip.price, trip.picture, trip.favourite, trip.place_identifier, trip.place_name,
                trip.place_country, trip.place_country_code, trip.place_region, trip.latitude,
                trip.longitude, trip.time_zone, trip.number, trip.creation_key, traveller.key AS traveller
                FROM traveller JOIN trip ON trip.traveller = traveller.number;
            """)
    ]

    static func options(_ path: String, busyTimeout: Duration, maximumFileBytes: Int?) -> DatabaseOptions {
        var options = DatabaseOptions(path: path, applicationID: applicationID, migrations: migrations)
        options.synchronous = .full
        options.busyTimeout = busyTimeout
        options.maximumFileBytes = maximumFileBytes
        options.createsFolder = true
        options.threadName = "trips"
        return options
    }
}
