// swift-tools-version: 6.2

import PackageDescription

/// What every Swift target of the package is built with.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

/// One room of the program; its tests, where it has any, stand in `Tests/<name>Tests`.
func room(_ name: String, needs dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, needs dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name), "TestSupport"] + dependencies,
        swiftSettings: settings)
}

let package = Package(
    name: "trip-weather",
    products: [
        .executable(name: "trip-weather", targets: ["trip-weather"]),
        .library(name: "Gateway", targets: ["Gateway"]),
    ],
    targets: [
        .target(name: "CLinux"),
        .systemLibrary(name: "CCurl"),
        .systemLibrary(name: "CSQLite"),
        room("EventLoop", needs: ["CLinux"]),
        room("Gateway", needs: ["CLinux", "EventLoop"]),
        room("Transport", needs: []),
        room("CurlTransport", needs: ["CCurl", "CLinux", "EventLoop", "Transport"]),
        room("Weather", needs: ["Transport"]),
        room("Fragments", needs: ["Storage", "Transport", "Trips", "Weather"]),
        room("Storage", needs: ["CSQLite", "CLinux"]),
        room("Trips", needs: ["Storage", "Weather"]),
        room(
            "TripWeather",
            needs: [
                "EventLoop", "Gateway", "CurlTransport", "Transport", "Weather", "Fragments", "Storage",
                "Trips", "CLinux",
            ]),
        .executableTarget(name: "trip-weather", dependencies: ["TripWeather"], swiftSettings: settings),
        tests(of: "EventLoop"),
        tests(
            of: "TripWeather",
            needs: [
                "CTestSupport", "CurlTransport", "EventLoop", "Gateway", "Transport", "Weather", "Fragments",
                "Storage", "Trips",
            ]),
        tests(of: "Fragments", needs: ["Storage", "Transport", "Trips", "Weather"]),
        tests(of: "Gateway", needs: ["CLinux", "EventLoop"]),
        .executableTarget(
            name: "storage-writer", dependencies: ["Storage", "CTestSupport"],
            path: "Tests/Support/storage-writer",
            swiftSettings: settings),
        tests(of: "Storage", needs: ["storage-writer"]),
        .executableTarget(
            name: "trips-writer", dependencies: ["Trips", "Weather", "CTestSupport"],
            path: "Tests/Support/trips-writer",
            swiftSettings: settings),
        tests(of: "Trips", needs: ["Storage", "Weather", "trips-writer"]),
        .testTarget(
            name: "CurlTransportTests",
            dependencies: [
                "CurlTransport", "CLinux", "CTestSupport", "EventLoop", "TestSupport", "Transport",
            ],
            swiftSettings: settings,
            // libcurl must find the tests' own getaddrinfo(3), which answers as slowly as a test wants.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic-symbol=getaddrinfo"])]),
        tests(of: "Weather", needs: ["Transport", "CTestSupport"]),
        // Counts what the tests' threads allocate, and tells the thread sanitizer of Swift's Mutex, for all tests: they
        // are one executable.
        .target(name: "CTestSupport", path: "Tests/CTestSupport"),
        // What the tests of several rooms need.
        .target(name: "TestSupport", path: "Tests/Support/TestSupport", swiftSettings: settings),
    ]
)
