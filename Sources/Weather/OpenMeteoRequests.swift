package import Transport

/// Where Open-Meteo is, and who asks it.
package struct OpenMeteoConfiguration: Sendable, Hashable {
    /// The geocoding service's base, to which "/v1/search" is appended; a slash at its end is dropped.
    package var geocodingURL: String
    /// The forecast service's base, to which "/v1/forecast" is appended.
    package var forecastURL: String
    /// A customer's key; empty for none. It is never part of an address that is logged.
    package var apiKey: String

    package init(
        geocodingURL: String = "https://geocoding-api.open-meteo.com",
        forecastURL: String = "https://api.open-meteo.com", apiKey: String = ""
    ) {
        self.geocodingURL = geocodingURL
        self.forecastURL = forecastURL
        self.apiKey = apiKey
    }
}

/// What Open-Meteo is asked, as addresses.
///
/// Every trip to a place is the same question: always the same variables and 16 days, coordinates to two
/// decimals, metric units, never a date, so that no date can be refused and answers can be shared.
package struct OpenMeteoRequests: Sendable {
    /// The zone by which days are cut.
    package enum Zone: Sendable, Hashable {
        /// The service looks it up by the coordinates.
        case auto
        /// An IANA name.
        case named(String)
        /// None: days of UTC.
        case none
    }

    static let currentVariables = [
        "temperature_2m", "apparent_temperature", "relative_humidity_2m", "precipitation", "wind_speed_10m",
        "weather_code", "is_day",
    ]
    static let dailyVariables = [
        "weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum",
        "precipitation_probability_max", "sunrise", "sunset",
    ]
    /// Today and the fifteen days after, all that the service forecasts.
    package static let forecastDays = 16

    private let configuration: OpenMeteoConfiguration

    package init(_ configuration: OpenMeteoConfiguration) {
        self.configuration = configuration
    }

    /// The forecast at some coordinates, in one request.
    package func forecast(for coordinates: [Coordinate], zone: Zone) -> HTTPRequest {
        let points = coordinates.map(\.rounded)
        var fields = [
            ("latitude", points.map { "\($0.latitude)" }.joined(separator: ",")),
            ("longitude", points.map { "\($0.longitude)" }.joined(separator: ",")),
            ("current", OpenMeteoRequests.currentVariables.joined(separator: ",")),
            ("daily", OpenMeteoRequests.dailyVariables.joined(separator: ",")),
            ("forecast_days", "\(OpenMeteoRequests.forecastDays)"),
        ]
        switch zone {
        case .auto: fields.append(("timezone", "auto"))
        case .named(let name): fields.append(("timezone", PercentEncoding.value(name)))
        case .none: break
        }
        return request(
            base: configuration.forecastURL, path: "/v1/forecast", fields: fields,
            cost: OpenMeteoRequests.weight(ofPlaces: points.count),
            subject: points.count == 1 ? points[0].description : "\(points.count) places")
    }

    /// Places by name.
    ///
    /// - Parameters:
    ///   - name: Normalised; a part after a comma qualifies it.
    ///   - language: Lower case, as the service compares it exactly.
    ///   - count: How many at most, 1…100.
    package func search(name: String, language: String, count: Int) -> HTTPRequest {
        request(
            base: configuration.geocodingURL, path: "/v1/search",
            fields: [
                ("name", PercentEncoding.value(name)), ("count", "\(min(max(count, 1), 100))"),
                ("language", PercentEncoding.value(language)), ("format", "json"),
            ], cost: OpenMeteoRequests.searchWeight, subject: name)
    }

    /// A place by its number.
    package func place(id: Int, language: String) -> HTTPRequest {
        request(
            base: configuration.geocodingURL, path: "/v1/get",
            fields: [("id", "\(id)"), ("language", PercentEncoding.value(language)), ("format", "json")],
            cost: OpenMeteoRequests.searchWeight, subject: "place \(id)")
    }

    /// What a forecast request counts against the service's limits, which are in such units: the sum over its
    /// places of max(1, v/10, v/10 × days/14), with v variables.
    package static func weight(ofPlaces places: Int) -> Double {
        let tenths = Double(currentVariables.count + dailyVariables.count) / 10
        return max(1, tenths, tenths * Double(forecastDays) / 14) * Double(max(places, 0))
    }

    /// What a place search counts.
    package static let searchWeight = 1.0

    private func request(
        base: String, path: String, fields: [(String, String)], cost: Double, subject: String
    ) -> HTTPRequest {
        var url = base
        while url.hasSuffix("/") { url.removeLast() }
        url += path
        var separator = "?"
        for (name, value) in fields {
            url += separator + name + "=" + value
            separator = "&"
        }
        let key = configuration.apiKey
        return HTTPRequest(
            url: url, secretQuery: key.isEmpty ? nil : "apikey=" + PercentEncoding.value(key), cost: cost,
            subject: subject)
    }
}

/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// The text's UTF-8 with everything encoded but the unreserved characters: a space is %20 and a plus %2B.
    package static func value(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
