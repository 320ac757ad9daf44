package import Trips
package import Weather

/// One trip of the strip, with the weather where it goes.
package struct StripItem: Sendable {
    package var trip: Trip
    package var state: LoadState<WeatherReport>

    package init(trip: Trip, state: LoadState<WeatherReport>) {
        self.trip = trip
        self.state = state
    }
}
