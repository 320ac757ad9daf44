@testable import Weather

extension RenderingKey {
    /// A key of a place of this name at 0, 0.
    init(form: UInt64, date: CalendarDate? = nil, label: String = "") {
        let nowhere = Coordinate(latitude: 0, longitude: 0).map { ($0, Place(name: label, coordinate: $0)) }
        guard let (coordinate, place) = nowhere else { preconditionFailure("0, 0 is a coordinate") }
        self.init(form: form, date: date, place: label.isEmpty ? nil : place, coordinate: coordinate)
    }
}
