import CurlTransport
import Foundation
import Fragments
import Gateway
import Testing
import Weather

@testable import TripWeather

private let shippedFile = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../deploy/trip-weather.json5").standardizedFileURL

private func load(
    _ text: String, environment: [String: String] = [:]
) throws(OperatorFault) -> Configuration {
    try Configuration(file: ("test.json5", Array(text.utf8)), environment: environment)
}

private func faults(of text: String, environment: [String: String] = [:]) -> [String] {
    do throws(OperatorFault) {
        _ = try load(text, environment: environment)
        return []
    } catch {
        return error.description.split(separator: "\n").map(String.init)
    }
}

@Suite struct ConfigurationTests {
    @Test func theShippedFileHoldsEveryKeyWithItsDefault() throws {
        let contents = try Data(contentsOf: shippedFile)
        let shipped = try Configuration(
            file: ("trip-weather.json5", Array(contents)), environment: [:])
        let defaults = Configuration()
        for key in ConfigurationKeys.all {
            #expect(shipped.origins[key.path] == "trip-weather.json5", "\(key.path) is missing in the file")
            #expect(key.show(shipped) == key.show(defaults), "\(key.path)")
        }
    }

    @Test func anUnknownKeyIsNamedByItsPath() {
        #expect(
            faults(of: "{upstream: {connectTimeut: '1s'}}") == [
                "test.json5: upstream.connectTimeut: there is no such key"
            ])
        #expect(faults(of: "{upstraem: {}}") == ["test.json5: upstraem: there is no such section"])
    }

    @Test(arguments: [
        ("{upstream: {connectTimeout: 2}}", "upstream.connectTimeout"),
        ("{upstream: {connectTimeout: '2'}}", "upstream.connectTimeout"),
        ("{upstream: {connectTimeout: '-2s'}}", "upstream.connectTimeout"),
        ("{server: {workers: 1.5}}", "server.workers"),
        ("{server: {workers: '2'}}", "server.workers"),
        ("{server: {listen: 'unix:/x'}}", "server.listen"),
        ("{server: {listen: ['nowhere']}}", "server.listen"),
        ("{server: {socketMode: '0999'}}", "server.socketMode"),
        ("{server: {socketMode: '0440'}}", "server.socketMode"),
        ("{answers: {units: 'kelvin'}}", "answers.units"),
        ("{upstream: {forecastURL: 'ftp://example'}}", "upstream.forecastURL"),
        ("{upstream: null}", "upstream"),
    ])
    func aWrongTypeOrValueIsNamedByItsPath(text: String, path: String) throws {
        let fault = try #require(faults(of: text).first)
        #expect(fault.hasPrefix("test.json5: \(path): "), "\(fault)")
        #expect(faults(of: text).count == 1)
    }

    @Test func aSyntaxErrorNamesTheFile() {
        #expect(faults(of: "{upstream: {").first?.hasPrefix("test.json5: not valid JSON5") == true)
    }

    @Test func limitsThatDoNotNestAreRefused() {
        let tooLong = faults(of: "{upstream: {connectTimeout: '7s'}}")
        #expect(
            tooLong == [
                "upstream.connectTimeout: 7s is longer than upstream.transferTimeout, 6s; it must end inside it"
            ])
        #expect(faults(of: "{request: {deadline: '11s'}}").first?.contains("server.readTimeout, 10s") == true)
        #expect(
            faults(of: "{request: {deadline: '5s'}}").first?.hasPrefix("upstream.transferTimeout: ") == true)
    }

    @Test func theEnvironmentWinsOverTheFile() throws {
        let configuration = try load(
            "{upstream: {connectTimeout: '1s'}, server: {workers: 3}}",
            environment: [
                "TRIP_WEATHER_UPSTREAM_CONNECT_TIMEOUT": "1.5s",
                "TRIP_WEATHER_SERVER_LISTEN": "unix:/a,127.0.0.1:1",
                "TRIP_WEATHER_UPSTREAM_HTTP2": "true", "TRIP_WEATHER_DNS_RETRY_AFTER": "3s", "HOME": "/",
            ])
        #expect(configuration.curl.connectTimeout == .milliseconds(1_500))
        #expect(configuration.server.workers == 3)
        #expect(configuration.server.listen.map(\.description) == ["unix:/a", "127.0.0.1:1"])
        #expect(configuration.curl.http2)
        #expect(configuration.curl.dnsRetryAfter == .seconds(3))
        #expect(configuration.origins["upstream.connectTimeout"] == "TRIP_WEATHER_UPSTREAM_CONNECT_TIMEOUT")
        #expect(configuration.origins["server.workers"] == "test.json5")
        #expect(
            configuration.listing.contains(
                "upstream.connectTimeout: \"1.5s\"  // TRIP_WEATHER_UPSTREAM_CONNECT_TIMEOUT"))
        #expect(configuration.listing.contains("upstream.transferTimeout: \"6s\"  // default"))
    }

    @Test func anUnknownVariableIsAFault() {
        #expect(
            faults(of: "{}", environment: ["TRIP_WEATHER_SERVER_WORKER": "1"])
                == ["TRIP_WEATHER_SERVER_WORKER: no key of the configuration has this variable"])
    }

    @Test func variablesAreNamedAfterTheirKeys() {
        let names = ConfigurationKeys.all.map(\.environmentVariable)
        #expect(Set(names).count == names.count)
        #expect(names.contains("TRIP_WEATHER_UPSTREAM_GEOCODING_URL"))
        #expect(names.contains("TRIP_WEATHER_UPSTREAM_ALLOW_PLAIN_HTTP"))
        #expect(names.contains("TRIP_WEATHER_UPSTREAM_API_KEY"))
        #expect(names.contains("TRIP_WEATHER_UPSTREAM_HTTP2"))
        #expect(names.contains("TRIP_WEATHER_SERVER_REQUESTS_IN_FLIGHT"))
    }

    @Test func aKeyIsNeverShown() throws {
        let configuration = try load("{upstream: {apiKey: 'sesame123'}}")
        #expect(!configuration.listing.contains("sesame"))
        #expect(configuration.listing.contains("upstream.apiKey: (set)"))
        #expect(faults(of: "{upstream: {apiKey: 'sesame 123'}}").first?.contains("sesame") == false)
    }

    @Test func aFormerNameIsReadAndItsNewOneSaid() throws {
        let configuration = try load(
            "{cache: {failureLife: '4s'}}", environment: ["TRIP_WEATHER_TRIPS_PATIENCE": "2s"])
        #expect(configuration.weatherCache.failureTTL == .seconds(4))
        #expect(configuration.trips.fileTimeout == .seconds(2))
        #expect(
            configuration.warnings == [
                "test.json5: cache.failureLife is now called cache.failureTTL: the former name is read until 0.4",
                "TRIP_WEATHER_TRIPS_PATIENCE is now called TRIP_WEATHER_TRIPS_FILE_TIMEOUT: "
                    + "the former name is read until 0.4",
            ])
        #expect(configuration.listing.contains("cache.failureTTL: \"4s\"  // test.json5"))
        #expect(
            faults(of: "{cache: {failureLife: '4s', failureTTL: '4s'}}") == [
                "test.json5: cache.failureTTL: is given twice, once under its former name"
            ])
    }

    @Test func aReloadTakesReloadableValuesAloneAndNamesTheOthersEachTime() throws {
        var running = Configuration()
        let new = try load(
            "{request: {deadline: '7s'}, trips: {trustRemoteUser: true}, answers: {sample: true, units: 'imperial'}}"
        )
        let first = running.reload(from: new)
        #expect(first.changed == ["request.deadline", "answers.units"])
        #expect(first.pending == ["trips.trustRemoteUser", "answers.sample"])
        #expect(running.site.units == .imperial && running.site.deadline == .seconds(7))
        #expect(!running.site.trustsRemoteUser && !running.site.isSample)
        let second = running.reload(from: new)
        #expect(second.changed.isEmpty)
        #expect(second.pending == ["trips.trustRemoteUser", "answers.sample"])
    }

    /// A key that is copied to several places has one value in all of them.
    @Test func eachKeyCanBeCopied() throws {
        let shipped = try Configuration(
            file: ("f", Array("{request: {deadline: '7s'}, cache: {failureTTL: '1s', entries: 3}}".utf8)),
            environment: [:])
        var copy = Configuration()
        for key in ConfigurationKeys.all { key.copy(shipped, &copy) }
        for key in ConfigurationKeys.all { #expect(key.show(copy) == key.show(shipped), "\(key.path)") }
        #expect(copy.placeCache.bounds.entries == 3 && copy.placeCache.failureTTL == .seconds(1))
    }

    @Test(arguments: [
        ("{upstream: {forecastURL: 'http://weather.example'}}", "upstream.forecastURL: plain http to"),
        (
            "{upstream: {geocodingURL: 'https://a:b@weather.example'}}",
            "upstream.geocodingURL: the address holds"
        ),
        ("{upstream: {proxy: 'gopher://proxy.example'}}", "upstream.proxy: there are no proxies of gopher"),
        ("{upstream: {caFile: '/nonexistent/ca.pem'}}", "upstream.caFile: /nonexistent/ca.pem can't be read"),
        ("{upstream: {caFile: '/etc/hostname'}}", "upstream.caFile: /etc/hostname holds no PEM certificate"),
        ("{cache: {folder: '/etc/hostname/cache'}}", "cache.folder: "),
        ("{trips: {file: '/etc'}}", "trips.file: /etc is not a file"),
        ("{trips: {file: '/etc/hostname/trips'}}", "trips.file: "),
        ("{trips: {ideas: '/nonexistent/ideas.json'}}", "trips.ideas: /nonexistent/ideas.json can't be read"),
        ("{server: {listen: ['unix:/nonexistent/a.sock']}}", "server.listen: "),
        ("{server: {listen: ['unix:/etc/hostname']}}", "server.listen: "),
        ("{server: {listen: ['192.0.2.1:9000']}}", "server.listen: "),
    ])
    func whatCouldNotRunIsAFault(text: String, start: String) throws {
        let faults = try load(text).faults(listening: [])
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix(start) == true, "\(faults)")
    }

    @Test(arguments: [
        "{}", "{upstream: {forecastURL: 'http://127.0.0.1:8080'}}",
        "{upstream: {forecastURL: 'http://weather.example', allowPlainHTTP: true}}",
        "{upstream: {proxy: 'proxy.example:3128'}}", "{upstream: {proxy: 'socks5h://proxy.example'}}",
        "{server: {listen: ['127.0.0.1:0', 'unix:/tmp/a.sock']}}",
    ])
    func whatCouldRunIsFine(text: String) throws {
        #expect(try load(text).faults(listening: []) == [])
    }

    @Test(arguments: [
        ("800ms", 800), ("2.5s", 2_500), ("10m", 600_000), ("2h", 7_200_000), ("30d", 2_592_000_000),
        ("0s", 0),
    ])
    func durationsAreReadAndWritten(text: String, milliseconds: Int) throws {
        let duration = try #require(Duration(setting: text))
        #expect(duration == .milliseconds(milliseconds))
        #expect(Duration(setting: duration.asSetting) == duration)
    }

    @Test(arguments: [
        "", "s", "1", "1 s", "1e3s", ".5s", "-1s", "infs", "nans", "1.2.3s", "１s", "99999999999d",
    ])
    func whatIsNoDurationIsRefused(text: String) {
        #expect(Duration(setting: text) == nil)
    }
}
