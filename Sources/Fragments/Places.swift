package import Weather

extension Renderer {
    /// Places whose names begin with what a reader has typed, in their order.
    ///
    /// JSON, every member always there:
    ///
    /// | member | value |
    /// | --- | --- |
    /// | `query` | the text as it was understood |
    /// | `places[]` | best first; empty where there is none |
    /// | `….id` | GeoNames' number, or null |
    /// | `….name`, `.country`, `.countryCode`, `.region` | strings; all but the name can be null |
    /// | `….title` | `"Bergen, Norway"` |
    /// | `….latitude`, `.longitude` | degrees north and east, WGS 84 |
    /// | `….timeZone` | the IANA zone, or null |
    /// | `sample` | whether the places come from a stand-in for the service |
    /// | `attribution.places` | `text`, `url`, `licence`: to be shown beside the data |
    ///
    /// HTML: `section.places[data-state=loaded]` with `ol.places-list > li.place[data-name][data-country]`
    /// `[data-latitude][data-longitude]` of `bdi.place-title` and `bdi.place-region`, or `p.places-none`; then
    /// `p.places-sample` where they are made up, and `p.places-attribution`. Text: a place a line.
    package static func places(
        _ places: [Place], query: String, as presentation: Presentation, isSample: Bool = false
    ) -> [UInt8] {
        let sentences = Sentences(presentation)
        let answer = PlacesAnswer(
            places: places, query: query, isSample: isSample, sentences: sentences,
            language: presentation.language)
        switch presentation.representation {
        case .json:
            var json = JSONWriter(ByteWriter(reserving: 512 + places.count * 256))
            answer.write(to: &json)
            return json.finish()
        case .html:
            var pen = HTMLPen(out: ByteWriter(reserving: 512 + places.count * 320))
            answer.write(with: &pen)
            return pen.out.bytes
        case .text:
            var pen = PlainPen(out: ByteWriter(reserving: 256 + places.count * 80))
            answer.write(with: &pen)
            return pen.out.bytes
        }
    }
}

private struct PlacesAnswer {
    let places: [Place]
    let query: String
    let isSample: Bool
    let sentences: Sentences
    let language: Language

    private var words: any Words { sentences.words }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.key("query")
            json.value(query)
            json.key("places")
            json.array(places) { place($1, to: &$0) }
            json.key("sample")
            json.value(isSample)
            json.key("attribution")
            json.object { json in
                json.key("places")
                WeatherJSON.credit(Attribution.places, Attribution.placesURL, to: &json)
            }
        }
    }

    private func place(_ place: Place, to json: inout JSONWriter) {
        json.object { json in
            json.key("id")
            json.value(place.identifier)
            json.key("name")
            json.value(place.name)
            json.key("country")
            json.value(place.country)
            json.key("countryCode")
            json.value(place.countryCode)
            json.key("region")
            json.value(place.region)
            json.key("title")
            json.string { sentences.title(place, with: &$0) }
            json.key("latitude")
            json.value(degrees: place.coordinate.latitude)
            json.key("longitude")
            json.value(degrees: place.coordinate.longitude)
            json.key("timeZone")
            json.value(place.timeZone)
        }
    }

    func write(with pen: inout HTMLPen) {
        pen.words("<section class=\"places\" data-state=\"loaded\" lang=\"")
        pen.text(language.rawValue)
        pen.words("\">\n")
        if places.isEmpty {
            pen.words("<p class=\"places-none\">")
            pen.text(words.noPlaces(beginningWith: query))
            pen.words("</p>\n")
        } else {
            pen.words("<ol class=\"places-list\">\n")
            for place in places { item(place, with: &pen) }
            pen.words("</ol>\n")
        }
        if isSample {
            pen.words("<p class=\"places-sample\">")
            pen.words(words.samplePlaces)
            pen.words("</p>\n")
        }
        pen.words("<p class=\"places-attribution\">")
        pen.phrase(words.placesFrom) {
            HTMLLink.write(Attribution.places, Attribution.placesURL, with: &$0)
        }
        pen.words("</p>\n</section>\n")
    }

    private func item(_ place: Place, with pen: inout HTMLPen) {
        pen.words("<li class=\"place\" data-name=\"")
        pen.text(place.name)
        if let country = place.country {
            pen.words("\" data-country=\"")
            pen.text(country)
        }
        pen.words("\" data-latitude=\"")
        degrees(place.coordinate.latitude, with: &pen)
        pen.words("\" data-longitude=\"")
        degrees(place.coordinate.longitude, with: &pen)
        pen.words("\"><bdi class=\"place-title\">")
        sentences.title(place, with: &pen)
        pen.words("</bdi>")
        if let region = place.region {
            pen.words(" (<bdi class=\"place-region\">")
            pen.text(region)
            pen.words("</bdi>)")
        }
        pen.words("</li>\n")
    }

    func write(with pen: inout PlainPen) {
        for place in places {
            sentences.title(place, with: &pen)
            if let region = place.region {
                pen.words(" (")
                pen.text(region)
                pen.words(")")
            }
            pen.words(": ")
            sentences.title(place.coordinate, with: &pen)
            pen.words("\n")
        }
        if places.isEmpty {
            pen.text(words.noPlaces(beginningWith: query))
            pen.words("\n")
        }
        if isSample {
            pen.words(words.samplePlaces)
            pen.words("\n")
        }
        pen.phrase(words.placesFrom) { pen in
            pen.words(Attribution.places)
            pen.words(" (")
            pen.words(Attribution.placesURL)
            pen.words(")")
        }
        pen.words("\n")
    }

    private func degrees(_ degrees: Double, with pen: inout some Pen) {
        guard let rounded = Rounded(degrees, digits: 6)?.trimmed else { return }
        pen.out.append(rounded, minus: "-", point: ".")
    }
}
