package import Trips
package import Weather

extension Renderer {
    package static func trips(_ list: TripList, as presentation: Presentation) -> [UInt8] { [] }
    package static func trip(_ trip: Trip, in list: TripList, as presentation: Presentation) -> [UInt8] { [] }
    package static func writtenTrip(_ trip: Trip, as presentation: Presentation) -> [UInt8] { [] }
    package static func tripCard(_ trip: Trip, in list: TripList, as presentation: Presentation) -> [UInt8] {
        []
    }
    package static func sharedTrip(_ trip: SharedTrip, as presentation: Presentation) -> [UInt8] { [] }
    package static func strip(_ items: [StripItem], as presentation: Presentation) -> [UInt8] { [] }
    package static func tripForm(_ form: TripForm, as presentation: Presentation) -> [UInt8] { [] }
    package static func tripDeletion(_ trip: Trip, as presentation: Presentation) -> [UInt8] { [] }
    package static func forgetting(as presentation: Presentation) -> [UInt8] { [] }
    package static func ideas(_ ideas: [TripIdea], as presentation: Presentation) -> [UInt8] { [] }
    package static func tripConflict(
        yours: TripForm, current: Trip, as presentation: Presentation
    ) -> [UInt8] { [] }
    package static func document(
        _ fragment: [UInt8], title: String, as presentation: Presentation
    ) -> [UInt8] { [] }
    package static func document(
        _ fragment: [UInt8], title: DocumentTitle, as presentation: Presentation
    ) -> [UInt8] { [] }
    package static func weather(
        _ state: LoadState<WeatherReport>, form: CardForm, as presentation: Presentation
    ) -> [UInt8] { weather(state, as: presentation) }
    package static func problem(
        _ problem: Problem, form: CardForm, as presentation: Presentation
    ) -> [UInt8] { self.problem(problem, as: presentation) }
    package static func problem(
        _ problem: Problem, form: ProblemForm, as presentation: Presentation
    ) -> [UInt8] { self.problem(problem, as: presentation) }
    package static func shareLink(_ share: ShareID, as presentation: Presentation) -> [UInt8] { [] }
}
