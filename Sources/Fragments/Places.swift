package import Weather

extension Renderer {
    /// Places whose names begin with what a reader has typed, in their order.
    ///
    /// JSON, every member always there:
    ///
    /// | member | value |
    /// | --- | --- |
    /// | `query` | the text as it was understood |
    /// | `places[]` | best first; empty if there is none |
    /// | `….id` | GeoNames' number, or null |
    /// | `….name`, `.country`, `.countryCode`, `.region` | strings; all but the name can be null |
    /// | `….district` | what tells two of one title and region apart, or null |
    /// | `….title` | `"Bergen, Norway"` |
    /// | `….latitude`, `.longitude` | degrees north and east, WGS 84 |
    /// | `….timeZone` | the IANA zone, or null |
    /// | `sample` | whether the places come from a stand-in for the service |
    /// | `attribution.places` | `text`, `url`, `licence`: to be shown beside the data |
    ///
    /// HTML: `section.places[data-state=loaded]` with `ol.places-list > li.place[data-name][data-country]`
    /// `[data-latitude][data-longitude]` of `bdi.place-title` and `bdi.place-region`, or `p.places-none`; then
    /// `p.places-sample` if they are made up, and `p.places-attribution`. Text: a place a line.
    package static func places(
        _ places: [Place], query: String, as presentation: Presentation, isSample: Bool = false
    ) -> [UInt8] {
        let answer = PlacesAnswer(
            places: places, query: query, isSample: isSample, sentences: Sentences(presentation))
        return render(512 + places.count * 320, presentation) { json in
            answer.write(to: &json)
        } html: { out in
            answer.write(presentation.language, to: &out)
        } text: { out in
            answer.write(to: &out)
        }
    }
}

private struct PlacesAnswer {
    let places: [Place]
    let query: String
    let isSample: Bool
    let sentences: Sentences

    private var phrases: Phrases { sentences.phrases }
    private var noPlaces: String { phrases.noPlaces(beginningWith: query, isSample: isSample) }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("query", query)
            json.array("places", places) { place($1, to: &$0) }
            json.member("sample", isSample)
            json.object("attribution") { json in
                WeatherJSON.credit("places", Attribution.places, Attribution.placesURL, to: &json)
            }
        }
    }

    private func place(_ place: Place, to json: inout JSONWriter) {
        json.object { json in
            json.member("id", place.identifier)
            json.member("name", place.name)
            json.member("country", place.country)
            json.member("countryCode", place.countryCode)
            json.member("region", place.region)
            json.member("district", place.district)
            json.string("title") { sentences.title(place, to: &$0) }
            json.member("latitude", place.coordinate.latitude)
            json.member("longitude", place.coordinate.longitude)
            json.member("timeZone", place.timeZone)
        }
    }

    func write(_ language: Language, to out: inout HTMLOutput) {
        out.section("places", language) { out in
            out.attribute("data-state", words: "loaded")
        } _: { out in
            if places.isEmpty {
                out.paragraph("places-none") { $0.text(noPlaces) }
            } else {
                out.element("<ol class=\"places-list\">\n", "</ol>\n") { out in
                    for place in places { item(place, to: &out) }
                }
            }
            if isSample { out.paragraph("places-sample") { $0.write(phrases.samplePlaces) } }
            out.paragraph("places-attribution") { out in
                out.write(phrases.placesFrom)
                out.link(to: Attribution.placesURL, Attribution.places)
            }
        }
    }

    private func item(_ place: Place, to out: inout HTMLOutput) {
        out.write(#"<li class="place""#)
        out.attribute("data-name", place.name)
        if let country = place.country { out.attribute("data-country", country) }
        out.write(#" data-latitude=""#)
        out.degrees(place.coordinate.latitude)
        out.write(#"" data-longitude=""#)
        out.degrees(place.coordinate.longitude)
        out.element(#""><bdi class="place-title">"#, "</bdi>") { sentences.title(place, to: &$0) }
        if let area = area(of: place) {
            out.element(#" (<bdi class="place-region">"#, "</bdi>)") { $0.text(area) }
        }
        out.write("</li>\n")
    }

    func write(to out: inout PlainOutput) {
        for place in places {
            out.line { out in
                sentences.title(place, to: &out)
                if let area = area(of: place) {
                    out.write(" (")
                    out.text(area)
                    out.write(")")
                }
                out.write(": ")
                sentences.title(place.coordinate, to: &out)
            }
        }
        if places.isEmpty { out.line { $0.text(noPlaces) } }
        if isSample { out.line { $0.write(phrases.samplePlaces) } }
        out.line { out in
            out.write(phrases.placesFrom)
            out.link(to: Attribution.placesURL, Attribution.places)
        }
    }

    private func area(of place: Place) -> String? {
        guard let district = place.district else { return place.region }
        return place.region.map { "\($0), \(district)" } ?? district
    }
}
