import Synchronization
import Testing
import Trips

@Suite struct TripIDTests {
    private let fixed = TripRandom { 0x0123_4567_89AB_CDEF }

    @Test func aKeyIsItsText() throws {
        let key = RandomKey(from: fixed)
        #expect(key.text == "aerukz4jvpg66ajdivtytk6n54")
        #expect(RandomKey(key.text) == key)
        #expect(RandomKey(from: TripRandom { .max }).text == "77777777777777777777777774")
        for _ in 0..<1_000 {
            let key = RandomKey(from: .system)
            #expect(key.text.utf8.count == 26)
            #expect(RandomKey(key.text) == key)
        }
    }

    @Test func eachKeyHasOneSpelling() {
        let text = RandomKey(from: fixed).text
        #expect(RandomKey(text) != nil)
        #expect(RandomKey(text.uppercased()) == nil)
        #expect(RandomKey(text.dropLast()) == nil)
        #expect(RandomKey(text + "a") == nil)
        #expect(RandomKey(" " + text.dropFirst()) == nil)
        #expect(RandomKey(text + "\n") == nil)
        #expect(RandomKey("") == nil)
        // Of the 32 last digits, eight leave the two spare bits 0.
        let last = "abcdefghijklmnopqrstuvwxyz234567".filter {
            RandomKey(text.dropLast() + String($0)) != nil
        }
        #expect(last == "aeimquy4")
        #expect(RandomKey("0" + text.dropFirst()) == nil)
        #expect(RandomKey("é" + text.dropFirst(2)) == nil)
    }

    @Test func allBitsAreDrawn() {
        let drawn = Mutex(0)
        let random = TripRandom {
            drawn.withLock { count in
                count += 1
                return UInt64(count)
            }
        }
        let keys = (0..<100).map { _ in RandomKey(from: random) }
        #expect(drawn.withLock { $0 } == 200)
        #expect(Set(keys).count == 100)
    }

    @Test func aTripIDIsAKeyOrAnExamplesName() throws {
        let key = RandomKey(from: fixed)
        #expect(TripID(key.text) == .kept(key))
        #expect(TripID("example-seattle") == .example(.seattle))
        for text in ["example-", "example-Seattle", "example-seattle ", "1", "../1", "' OR 1=1 --"] {
            #expect(TripID(text) == nil)
        }
        for example in ExampleTrip.allCases {
            #expect(TripID(TripID.example(example).description) == .example(example))
        }
    }

    @Test func aUserIsNeverAVisitor() throws {
        let visitor = TravellerID.newVisitor()
        guard case .visitor(let key) = visitor else {
            Issue.record("no visitor")
            return
        }
        #expect(TravellerID(visitor: key.text) == visitor)
        #expect(TravellerID(remoteUser: key.text) != visitor)
        #expect(TravellerID(remoteUser: "visitor:" + key.text) != visitor)
        #expect(TravellerID(visitor: "ada") == nil)
        for name in ["", "a\nb", "a\u{0}", String(repeating: "x", count: 257)] {
            #expect(TravellerID(remoteUser: name) == nil)
        }
        #expect(TravellerID(remoteUser: "ada@example.org") == .remoteUser("ada@example.org"))
    }

    @Test func secretsDoNotGetIntoLogs() {
        let key = RandomKey(from: .system)
        let texts = [
            "\(key)", "\(TravellerID.visitor(key))", "\(TravellerID.remoteUser("ada"))",
            "\(ShareID(from: fixed))", String(reflecting: TravellerID.visitor(key)),
        ]
        for text in texts {
            #expect(!text.contains(key.text))
            #expect(!text.contains("ada"))
            #expect(!text.contains("aerukz4"))
        }
    }

    @Test func aCreationKeyMayBeAUUID() {
        #expect(CreationKey("0b7e0a58-6a3a-4f0e-9d2a-9b7b8b1f3c11") != nil)
        #expect(CreationKey(CreationKey(from: fixed).text) == CreationKey(from: fixed))
        for text in ["", "short", String(repeating: "a", count: 65), "0123456789abcde'", "0123456789abcde é"]
        {
            #expect(CreationKey(text) == nil)
        }
    }

    @Test func aVersionIsAnEntityTag() throws {
        let version = try #require(TripVersion("00000000000000ff"))
        #expect(version.entityTag == "\"00000000000000ff\"")
        #expect(TripVersion(entityTag: version.entityTag) == version)
        // As a web server that compresses makes it.
        #expect(TripVersion(entityTag: "W/" + version.entityTag) == version)
        for text in [
            "", "ff", "00000000000000FF", "00000000000000f ", "+0000000000000ff", "-000000000000001",
        ] {
            #expect(TripVersion(text) == nil)
            #expect(TripVersion(entityTag: text) == nil)
        }
        for tag in ["*", "\"\"", "\"", "00000000000000ff", "w/\"00000000000000ff\"", "\"00000000000000ff"] {
            #expect(TripVersion(entityTag: tag) == nil)
        }
    }
}
