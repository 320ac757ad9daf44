internal import Weather

/// States of the weather → bytes. The same input gives the same bytes on every machine.
package enum Renderer {
    /// The weather at one place in one of its forms; data are the same in both. A failure without weather that has
    /// more to say than its message goes through `problem`.
    package static func weather(
        _ state: WeatherState, form: CardForm = .card, as presentation: Presentation
    ) -> [UInt8] {
        let isLine = form == .line
        if presentation.representation == .svg {
            return svg(expectedBytes(state, as: .svg)) { WeatherSVG(presentation).write(state, to: &$0) }
        }
        let room = isLine ? 1_024 : expectedBytes(state, as: presentation.representation)
        return render(room, presentation) { json in
            WeatherJSON(Sentences(presentation)).write(state, to: &json)
        } html: { out in
            let weather = WeatherHTML(presentation)
            isLine
                ? weather.writeLine(state, isAlone: true, to: &out)
                : weather.write(state, form: form, to: &out)
        } text: { out in
            let weather = WeatherText(Sentences(presentation))
            isLine ? weather.writeLine(state, isAlone: true, to: &out) : weather.write(state, to: &out)
        }
    }

    /// The weather at several places, in their order, each with a state of its own: `{"places": […]}` of what
    /// `weather` writes for one, or the cards one after the other.
    package static func weather(_ places: [PlaceWeather], as presentation: Presentation) -> [UInt8] {
        let room = places.reduce(64) { $0 + expectedBytes($1.state, as: presentation.representation) }
        return render(room, presentation) { json in
            let weather = WeatherJSON(Sentences(presentation))
            json.object { json in
                json.array("places", places) { weather.write($1.state, asked: $1.asked, to: &$0) }
            }
        } html: { out in
            let weather = WeatherHTML(presentation)
            for place in places { weather.write(place.state, asked: place.asked, to: &out) }
        } text: { out in
            let weather = WeatherText(Sentences(presentation))
            for (index, place) in places.enumerated() {
                if index > 0 { out.write("\n") }
                weather.write(place.state, asked: place.asked, to: &out)
            }
        }
    }

    /// A little more than a card takes as a rule: room for it is made once.
    private static func expectedBytes(_ state: WeatherState, as representation: Representation) -> Int {
        let (now, day) =
            switch representation {
            case .json: (1_152, 320)
            case .html: (1_344, 576)
            case .text: (448, 192)
            case .svg: (4_096, 1_024)
            }
        return now + (state.report?.trip?.days.count ?? 0) * day
    }

    static func render(
        _ room: Int, _ presentation: Presentation, json: (inout JSONWriter) -> Void,
        html: (inout HTMLOutput) -> Void, text: (inout PlainOutput) -> Void
    ) -> [UInt8] {
        switch presentation.representation {
        case .json:
            var writer = JSONWriter(ByteWriter(reserving: room))
            json(&writer)
            return writer.finish()
        case .html: return self.html(room, html)
        case .text:
            var out = PlainOutput(buffer: ByteWriter(reserving: room))
            text(&out)
            return out.buffer.bytes
        // Nothing but the weather of one place is drawn, and no other address offers it.
        case .svg: return []
        }
    }

    static func svg(_ room: Int, _ body: (inout SVGOutput) -> Void) -> [UInt8] {
        var out = SVGOutput(reserving: room)
        body(&out)
        return out.buffer.bytes
    }

    static func html(_ room: Int, _ body: (inout HTMLOutput) -> Void) -> [UInt8] {
        var out = HTMLOutput(buffer: ByteWriter(reserving: room))
        body(&out)
        return out.buffer.bytes
    }
}
