import Testing
import Weather

@testable import Fragments

struct PlacesTests {
    private let places = [
        Examples.seattle,
        Place(name: "Macau", countryCode: "MO", coordinate: Examples.coordinate(22.2, 0)),
    ]

    @Test func placesAreTheseBytesOfJSON() {
        #expect(
            Examples.text(Renderer.places(places, query: "Se", as: Presentation())) == """
                {"query":"Se","places":[{"id":5809844,"name":"Seattle","country":"United States",\
                "countryCode":"US","region":"Washington","district":null,"title":"Seattle, United States",\
                "latitude":47.60621,"longitude":-122.33207,"timeZone":"America/Los_Angeles"},\
                {"id":null,"name":"Macau","country":null,"countryCode":"MO","region":null,"district":null,"title":"Macau",\
                "latitude":22.2,"longitude":0,"timeZone":null}],"sample":false,\
                "attribution":{"places":{"text":"GeoNames","url":"https://www.geonames.org/",\
                "licence":"CC BY 4.0"}}}

                """)
    }

    @Test func placesAreAListInHTML() throws {
        let html = Examples.text(
            Renderer.places(places, query: "Se", as: Presentation(representation: .html)))
        let fragment = try FragmentReader(html)
        #expect(
            fragment.lines == ["Seattle, United States (Washington)", "Macau", "Places by GeoNames"])
        #expect(
            fragment.first("place")?.attributes == [
                "class": "place", "data-name": "Seattle", "data-country": "United States",
                "data-latitude": "47.60621", "data-longitude": "-122.33207",
            ])
    }

    @Test func aDistrictTellsTwoPlacesOfOneRegionApart() throws {
        var place = Examples.seattle
        place.district = "King County"
        let html = Renderer.places([place], query: "Se", as: Presentation(representation: .html))
        #expect(
            try FragmentReader(Examples.text(html)).lines.first
                == "Seattle, United States (Washington, King County)")
    }

    @Test func placesAreLinesOfText() {
        #expect(
            Examples.text(Renderer.places(places, query: "Se", as: Presentation(representation: .text)))
                == """
                Seattle, United States (Washington): 47.61°N 122.33°W
                Macau: 22.20°N 0.00°E
                Places by GeoNames (https://www.geonames.org/)

                """)
    }

    @Test func noneIsSaid() throws {
        let html = Presentation(language: .german, representation: .html)
        let fragment = try FragmentReader(Examples.text(Renderer.places([], query: "Xq", as: html)))
        #expect(fragment.lines == ["Open-Meteo kennt keinen Ort, der mit Xq beginnt.", "Orte von GeoNames"])
        #expect(
            Examples.text(Renderer.places([], query: "Xq", as: Presentation(), isSample: true))
                .hasPrefix("{\"query\":\"Xq\",\"places\":[],\"sample\":true,"))
    }

    @Test(arguments: [Representation.html, .text])
    func samplePlacesAreLabelled(representation: Representation) {
        for (language, label) in [(Language.english, "Sample places"), (.german, "Beispielorte")] {
            let presentation = Presentation(language: language, representation: representation)
            let sample = Renderer.places(places, query: "Se", as: presentation, isSample: true)
            let real = Renderer.places(places, query: "Se", as: presentation)
            #expect(Examples.text(sample).contains(label))
            #expect(!Examples.text(real).contains(label))
        }
    }
}
