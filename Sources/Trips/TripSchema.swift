internal import Storage

/// The trips' file: what is in it, and how it is treated.
enum TripSchema {
    /// In the file's header: "TrWt".
    static let applicationID: Int32 = 0x5472_5774

    /// `traveller.key` is `TravellerID.key`; ids, links and keys are their texts, versions their bits, `start` and
    /// `seen` count days since 1970-01-01, `added` seconds, `price` US dollars, `latitude` and `longitude` degrees.
    /// `number` orders the trips of one day. The views are what is read: both give a trip's columns in one order.
    static let migrations: [StaticString] = [version1, version2]

    /// As 0.2.0 wrote it: every traveller kept copies of the examples.
    private static let version1: StaticString = """
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
        """

    /// Travellers are seen, and may have a key that is to take the place of theirs. A row of `hidden_example` says that
    /// a traveller changed or deleted an example; to everybody else it is shown without a row. What a creation key
    /// answered outlives the trip. Copies of examples that nobody changed or shared go.
    private static let version2: StaticString = """
        DROP VIEW kept_trip;
        ALTER TABLE traveller ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE traveller ADD COLUMN next_key TEXT;
        UPDATE traveller SET seen = CAST(strftime('%s') AS INTEGER) / 86400;
        CREATE INDEX traveller_seen ON traveller (seen);
        CREATE UNIQUE INDEX traveller_next_key ON traveller (next_key);
        CREATE TABLE hidden_example (
            traveller INTEGER NOT NULL REFERENCES traveller (number) ON DELETE CASCADE,
            example TEXT NOT NULL,
            PRIMARY KEY (traveller, example)) STRICT, WITHOUT ROWID;
        INSERT INTO hidden_example SELECT traveller.number, example.column1
            FROM traveller CROSS JOIN (VALUES
                ('example-seattle'), ('example-vancouver'), ('example-san-pedro-de-atacama')) AS example
            WHERE NOT EXISTS (
                SELECT 1 FROM trip WHERE trip.traveller = traveller.number AND trip.example = example.column1
                    AND trip.version = 0 AND trip.share IS NULL);
        DELETE FROM trip WHERE example IS NOT NULL AND version = 0 AND share IS NULL;
        CREATE TABLE addition (
            traveller INTEGER NOT NULL REFERENCES traveller (number) ON DELETE CASCADE,
            key TEXT NOT NULL,
            added INTEGER NOT NULL,
            id TEXT NOT NULL,
            version INTEGER NOT NULL,
            city TEXT NOT NULL,
            country TEXT,
            start INTEGER NOT NULL,
            nights INTEGER NOT NULL,
            price INTEGER NOT NULL,
            picture TEXT,
            favourite INTEGER NOT NULL,
            PRIMARY KEY (traveller, key)) STRICT, WITHOUT ROWID;
        CREATE INDEX addition_age ON addition (added);
        INSERT INTO addition SELECT
            traveller, creation_key, CAST(strftime('%s') AS INTEGER), id, version, city, country, start, nights,
            price, picture, favourite
            FROM trip WHERE creation_key IS NOT NULL;
        CREATE TABLE new_trip (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            traveller INTEGER NOT NULL REFERENCES traveller (number) ON DELETE CASCADE,
            id TEXT NOT NULL UNIQUE,
            version INTEGER NOT NULL,
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
            UNIQUE (traveller, example)) STRICT;
        INSERT INTO new_trip SELECT
            number, traveller, id, version, example, share, city, country, start, nights, price, picture,
            favourite, place_identifier, place_name, place_country, place_country_code, place_region, latitude,
            longitude, time_zone
            FROM trip;
        DROP TABLE trip;
        ALTER TABLE new_trip RENAME TO trip;
        CREATE INDEX trip_in_order ON trip (traveller, start, number);
        CREATE VIEW kept_trip AS SELECT
            trip.id, trip.version, trip.example, trip.share, trip.city, trip.country, trip.start, trip.nights,
            trip.price, trip.picture, trip.favourite, trip.place_identifier, trip.place_name,
            trip.place_country, trip.place_country_code, trip.place_region, trip.latitude, trip.longitude,
            trip.time_zone, trip.number, traveller.key AS traveller
            FROM traveller JOIN trip ON trip.traveller = traveller.number;
        CREATE VIEW added_trip AS SELECT
            addition.id, addition.version, NULL AS example, NULL AS share, addition.city, addition.country,
            addition.start, addition.nights, addition.price, addition.picture, addition.favourite,
            NULL AS place_identifier, NULL AS place_name, NULL AS place_country, NULL AS place_country_code,
            NULL AS place_region, NULL AS latitude, NULL AS longitude, NULL AS time_zone,
            addition.key AS creation_key, traveller.key AS traveller
            FROM traveller JOIN addition ON addition.traveller = traveller.number;
        """

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
