import Testing
import Weather

struct PackingTests {
    private static let rules: [(String, @Sendable (inout DayForecast) -> Void, [PackingItem])] = [
        ("nothing known", { _ in }, []),
        (
            "a mild dry day",
            {
                $0.minimum = 12; $0.maximum = 19; $0.precipitation = 0; $0.sky = Sky(code: 3)
            }, []
        ),
        ("39 %", { $0.precipitationProbability = 39 }, []),
        ("40 %", { $0.precipitationProbability = 40 }, [.umbrella]),
        ("0.9 mm", { $0.precipitation = 0.9 }, []),
        ("1 mm", { $0.precipitation = 1 }, [.umbrella]),
        ("9.9 mm", { $0.precipitation = 9.9 }, [.umbrella]),
        ("10 mm", { $0.precipitation = 10 }, [.umbrella, .rainJacket]),
        ("thunder", { $0.sky = Sky(code: 95) }, [.rainJacket]),
        (
            "snow",
            {
                $0.sky = Sky(code: 73); $0.precipitation = 20; $0.precipitationProbability = 90
            }, [.snowBoots]
        ),
        ("a low of 8", { $0.minimum = 8 }, []),
        ("a low of 7.9", { $0.minimum = 7.9 }, [.warmJacket]),
        ("a high of 13", { $0.maximum = 13 }, []),
        ("a high of 12.9", { $0.maximum = 12.9 }, [.warmJacket]),
        ("frost", { $0.minimum = 0 }, [.warmJacket, .hatAndGloves]),
        ("nearly frost", { $0.minimum = 0.1 }, [.warmJacket]),
        ("a high of 24.9", { $0.maximum = 24.9 }, []),
        ("a high of 25", { $0.maximum = 25 }, [.lightClothes]),
        (
            "a hot sunny day",
            {
                $0.maximum = 25; $0.sky = Sky(code: 0)
            }, [.lightClothes, .sunHat, .sunscreen]
        ),
        (
            "a warm sunny day",
            {
                $0.maximum = 20; $0.sky = Sky(code: 2)
            }, [.sunscreen]
        ),
        (
            "a cool sunny day",
            {
                $0.maximum = 19.9; $0.sky = Sky(code: 1)
            }, []
        ),
        (
            "a hot grey day",
            {
                $0.maximum = 30; $0.sky = Sky(code: 3)
            }, [.lightClothes]
        ),
        ("polar day", { $0.sun = .neverSets }, [.sleepMask]),
        (
            "polar night",
            {
                $0.sun = .neverRises; $0.maximum = 20; $0.sky = Sky(code: 0)
            }, [.headTorch]
        ),
        (
            "no numbers",
            {
                $0.maximum = .nan; $0.minimum = .nan; $0.precipitation = .nan
            }, []
        ),
    ]

    @Test func aDayAsksForWhatItsRuleSays() {
        for (name, change, items) in Self.rules {
            var day = DayForecast(date: CalendarDate(daysSinceEpoch: 20_500))
            change(&day)
            #expect(PackingItem.items(for: [day]) == items, "\(name)")
        }
    }

    @Test func oneDayIsEnoughAndNothingIsNamedTwice() {
        let date = CalendarDate(daysSinceEpoch: 20_500)
        let mild = DayForecast(date: date, maximum: 18, minimum: 12)
        let wet = DayForecast(date: date, precipitation: 3)
        let frosty = DayForecast(date: date, minimum: -4)
        #expect(
            PackingItem.items(for: [frosty, mild, wet, wet]) == [.umbrella, .warmJacket, .hatAndGloves])
        #expect(PackingItem.items(for: []) == [])
    }

    @Test func everyItemHasACodeThatIsAName() {
        let codes = PackingItem.allCases.map(\.rawValue)
        #expect(Set(codes).count == codes.count)
        for code in codes { #expect(code.allSatisfy { ("a"..."z").contains($0) || $0 == "-" }, "\(code)") }
    }
}
