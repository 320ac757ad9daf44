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
        let room = ByteWriter(reserving: card.expectedBytes(as: presentation.representation))
        switch presentation.representation {
        case .json:
            var json = JSONWriter(room)
            WeatherJSON(sentences).write(card, to: &json)
            return json.finish()
        case .html:
            var pen = HTMLPen(out: room)
            WeatherHTML(sentences, presentation.language).write(card, with: &pen)
            return pen.out.bytes
        case .text:
            var pen = PlainPen(out: room)
            WeatherText(sentences).write(card, with: &pen)
            return pen.out.bytes
        }
    }

    /// The weather at one place in one of its forms; data are the same in both.
    package static func weather(
        _ state: LoadState<WeatherReport>, form: CardForm, as presentation: Presentation
    ) -> [UInt8] {
        guard form == .line else { return weather(state, as: presentation) }
        let card = Card(state)
        let sentences = Sentences(presentation)
        switch presentation.representation {
        case .json: return weather(state, as: presentation)
        case .html:
            var pen = HTMLPen(out: ByteWriter(reserving: 768))
            WeatherHTML(sentences, presentation.language).writeLine(card, with: &pen)
            return pen.out.bytes
        case .text:
            var pen = PlainPen(out: ByteWriter(reserving: 192))
            WeatherText(sentences).writeLine(card, with: &pen)
            return pen.out.bytes
        }
    }

    /// The weather at several places, in their order, each with a state of its own: `{"places": […]}` of what
    /// `weather` writes for one, or the cards one after the other.
    package static func weather(_ places: [PlaceWeather], as presentation: Presentation) -> [UInt8] {
        let cards = places.map { Card($0.state, asked: $0.asked) }
        let sentences = Sentences(presentation)
        let room = ByteWriter(
            reserving: cards.reduce(64) { $0 + $1.expectedBytes(as: presentation.representation) })
        switch presentation.representation {
        case .json:
            let weather = WeatherJSON(sentences)
            var json = JSONWriter(room)
            json.object { json in
                json.key("places")
                json.array(cards) { weather.write($1, to: &$0) }
            }
            return json.finish()
        case .html:
            let weather = WeatherHTML(sentences, presentation.language)
            var pen = HTMLPen(out: room)
            for card in cards { weather.write(card, with: &pen) }
            return pen.out.bytes
        case .text:
            let weather = WeatherText(sentences)
            var pen = PlainPen(out: room)
            for (index, card) in cards.enumerated() {
                if index > 0 { pen.words("\n") }
                weather.write(card, with: &pen)
            }
            return pen.out.bytes
        }
    }
}

extension Card {
    /// A little more than the card takes as a rule: room for it is made once.
    fileprivate func expectedBytes(as representation: Representation) -> Int {
        let (now, day) =
            switch representation {
            case .json: (1_152, 320)
            case .html: (1_344, 576)
            case .text: (448, 192)
            }
        return now + (report?.trip?.days.count ?? 0) * day
    }
}
