package import Transport

/// Where Open-Meteo is, and who asks it.
package struct OpenMeteoConfiguration: Sendable, Hashable {
    /// The geocoding service's base, to which "/v1/search" is appended; a slash at its end is dropped.
    package var geocodingURL: String
    /// The forecast service's base, to which "/v1/forecast" is appended.
    package var forecastURL: String
    /// The archive's base, to which "/v1/archive" is appended.
    package var archiveURL: String
    /// A customer's key; empty for none. It is never part of an address that is logged.
    package var apiKey: String

    package init(
        geocodingURL: String = "https://geocoding-api.open-meteo.com",
        forecastURL: String = "https://api.open-meteo.com",
        archiveURL: String = "https://archive-api.open-meteo.com", apiKey: String = ""
    ) {
        self.geocodingURL = geocodingURL
        self.forecastURL = forecastURL
        self.archiveURL = archiveURL
        self.apiKey = apiKey
    }
}

/// What Open-Meteo is asked, as addresses.
///
/// Every trip to a place is the same question: always the same variables and 16 days, coordinates to two
/// decimals, metric units, never a date, so that no date can be refused and answers can be shared. The archive is
/// asked for halves of months, so that trips share those too.
package struct OpenMeteoRequests: Sendable {
    /// The zone by which days are cut.
    package enum Zone: Sendable, Hashable {
        /// The service looks it up by the coordinates.
        case auto
        /// An IANA name.
        case named(String)
        /// None: days of UTC.
        case none

        /// As an address has it; nil if there is none in it.
        fileprivate var parameter: String? {
            switch self {
            case .auto: "auto"
            case .named(let name): PercentEncoding.value(name)
            case .none: nil
            }
        }
    }

    static let currentVariables = [
        "temperature_2m", "apparent_temperature", "relative_humidity_2m", "precipitation", "wind_speed_10m",
        "weather_code", "is_day",
    ]
    static let dailyVariables = [
        "weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum",
        "precipitation_probability_max", "sunrise", "sunset", "wind_speed_10m_max", "wind_gusts_10m_max",
        "uv_index_max",
    ]
    /// Six, over a half of a month, weigh one unit a year: a seventh would weigh more.
    static let usualVariables = [
        "temperature_2m_max", "temperature_2m_min", "precipitation_sum", "cloud_cover_mean",
        "wind_speed_10m_max", "wind_gusts_10m_max",
    ]
    static let observedVariables = [
        "weather_code", "temperature_2m_max", "temperature_2m_min", "precipitation_sum", "sunrise", "sunset",
        "wind_speed_10m_max", "wind_gusts_10m_max",
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
        if let value = zone.parameter { fields.append(("timezone", value)) }
        return request(
            base: configuration.forecastURL, path: "/v1/forecast", fields: fields,
            cost: OpenMeteoRequests.weight(ofPlaces: points.count),
            subject: points.count == 1 ? points[0].description : "\(points.count) places")
    }

    /// Days of the archive at a coordinate, in one request.
    package func archive(
        _ ranges: [ClosedRange<CalendarDate>], _ variables: [String], at coordinate: Coordinate, zone: Zone
    ) -> HTTPRequest {
        let point = coordinate.rounded
        var fields = [
            ("latitude", "\(point.latitude)"), ("longitude", "\(point.longitude)"),
            ("start_date", ranges.map { "\($0.lowerBound)" }.joined(separator: ",")),
            ("end_date", ranges.map { "\($0.upperBound)" }.joined(separator: ",")),
            ("daily", variables.joined(separator: ",")),
        ]
        if let value = zone.parameter { fields.append(("timezone", value)) }
        let cost = ranges.reduce(0) {
            let days = $1.lowerBound.days(until: $1.upperBound) + 1
            return $0 + OpenMeteoRequests.weight(ofVariables: variables.count, days: days)
        }
        var request = request(
            base: configuration.archiveURL, path: "/v1/archive", fields: fields, cost: cost,
            subject: "\(ranges.count > 1 ? "usual" : "past") days at \(point)")
        request.share = .archive
        return request
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

    /// What a forecast request counts against the service's limits.
    package static func weight(ofPlaces places: Int) -> Double {
        weight(ofVariables: currentVariables.count + dailyVariables.count, days: forecastDays)
            * Double(max(places, 0))
    }

    /// What one place and range of days count, in the units of the service's limits: max(1, v/10, v/10 × days/14),
    /// with v variables.
    static func weight(ofVariables variables: Int, days: Int) -> Double {
        let tenths = Double(variables) / 10
        return max(1, tenths, tenths * Double(days) / 14)
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
