import Trips

/// The pictures that a trip can have: the page's own set, by the names of their files.
enum Picture: String, CaseIterable {
    case city, harbour, desert, mountains, beach, forest, lake, snow
}

/// Writes pictures. All are for decoration: they have no alternative text, and their space is kept before they come.
enum PictureHTML {
    /// Where a picture stands.
    enum Spot {
        /// One of a list, which may be long: it is fetched when it comes near.
        case list
        /// At the head of a trip's page.
        case pass
    }

    /// `img.trip-picture`, or an empty `span.trip-picture[data-picture=none]` where there is none of that name.
    static func write(_ name: PictureName?, in spot: Spot, with pen: inout HTMLPen) {
        guard let name, let picture = Picture(rawValue: name.description) else {
            pen.words("<span class=\"trip-picture\" data-picture=\"none\"></span>")
            return
        }
        pen.words("<img class=\"trip-picture\" src=\"")
        address(picture, "-640.jpg", with: &pen)
        pen.words("\" srcset=\"")
        address(picture, "-320.jpg 320w, ", with: &pen)
        address(picture, "-640.jpg 640w, ", with: &pen)
        address(picture, "-1280.jpg 1280w", with: &pen)
        switch spot {
        case .list: pen.words("\" sizes=\"(min-width: 40rem) 20rem, 100vw\"")
        case .pass: pen.words("\" sizes=\"(min-width: 40rem) 40rem, 100vw\"")
        }
        pen.words(" width=\"640\" height=\"400\"")
        if spot == .list { pen.words(" loading=\"lazy\"") }
        pen.words(" decoding=\"async\" alt=\"\">")
    }

    /// A small one to choose from.
    static func writeChoice(_ picture: Picture, with pen: inout HTMLPen) {
        pen.words("<img src=\"")
        address(picture, "-320.jpg", with: &pen)
        pen.words("\" width=\"320\" height=\"200\" loading=\"lazy\" decoding=\"async\" alt=\"\">")
    }

    private static func address(_ picture: Picture, _ end: StaticString, with pen: inout HTMLPen) {
        pen.words("/pictures/")
        pen.text(picture.rawValue)
        pen.words(end)
    }
}
