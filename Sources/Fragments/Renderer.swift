package import Weather

/// States of the weather → bytes. The same input gives the same bytes on every machine.
package enum Renderer {
    /// The weather at one place. Without weather, a failure is rendered with its message; a problem that has more
    /// to say than that goes through `problem`.
    package static func weather(
        _ state: LoadState<WeatherReport>, as presentation: Presentation
    ) -> [UInt8] {
        let card = Card(state)
        let sentences = Sentences(presentation)
        switch presentation.representation {
        case .json:
            var json = JSONWriter(reserving: card.expectedBytes)
            WeatherJSON(sentences).write(card, to: &json)
            return json.finished()
        case .html:
            var pen = HTMLPen(out: ByteWriter(reserving: card.expectedBytes))
            WeatherHTML(sentences, presentation.language).write(card, with: &pen)
            return pen.out.bytes
        case .text:
            var pen = PlainPen(out: ByteWriter(reserving: card.expectedBytes))
            WeatherText(sentences).write(card, with: &pen)
            return pen.out.bytes
        }
    }

    /// The weather at several places, in their order, each with a state of its own: `{"places": […]}` of what
    /// `weather` writes, or the cards one after the other.
    package static func weather(_ places: [PlaceWeather], as presentation: Presentation) -> [UInt8] {
        let cards = places.map { Card($0.state, asked: $0.asked) }
        let sentences = Sentences(presentation)
        let expectedBytes = cards.reduce(64) { $0 + $1.expectedBytes }
        switch presentation.representation {
        case .json:
            let weather = WeatherJSON(sentences)
            var json = JSONWriter(reserving: expectedBytes)
            json.object { json in
                json.key("places")
                json.array(cards) { weather.write($1, to: &$0) }
            }
            return json.finished()
        case .html:
            let weather = WeatherHTML(sentences, presentation.language)
            var pen = HTMLPen(out: ByteWriter(reserving: expectedBytes))
            for card in cards { weather.write(card, with: &pen) }
            return pen.out.bytes
        case .text:
            let weather = WeatherText(sentences)
            var pen = PlainPen(out: ByteWriter(reserving: expectedBytes))
            for (index, card) in cards.enumerated() {
                if index > 0 { pen.words("\n") }
                weather.write(card, with: &pen)
            }
            return pen.out.bytes
        }
    }
}

extension Card {
    /// More than the card takes in any representation, as a rule: room for it is made once.
    fileprivate var expectedBytes: Int {
        1_792 + (report?.trip.map { 256 + $0.days.count * 640 } ?? 0)
    }
}
