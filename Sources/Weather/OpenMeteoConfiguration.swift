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
