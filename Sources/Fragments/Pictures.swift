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

    /// `img.trip-picture`, or an empty `span.trip-picture[data-picture=none]` if there is none of that name.
    static func write(_ name: PictureName?, in spot: Spot, to out: inout HTMLOutput) {
        guard let name, let picture = Picture(rawValue: name.description) else {
            out.write(#"<span class="trip-picture" data-picture="none"></span>"#)
            return
        }
        out.write(#"<img class="trip-picture" src=""#)
        address(picture, "-640.jpg", to: &out)
        out.write(#"" srcset=""#)
        address(picture, "-320.jpg 320w, ", to: &out)
        address(picture, "-640.jpg 640w, ", to: &out)
        address(picture, "-1280.jpg 1280w", to: &out)
        switch spot {
        case .list: out.write(#"" sizes="(min-width: 40rem) 20rem, 100vw""#)
        case .pass: out.write(#"" sizes="(min-width: 40rem) 40rem, 100vw""#)
        }
        out.write(#" width="640" height="400""#)
        if spot == .list { out.write(#" loading="lazy""#) }
        out.write(#" decoding="async" alt="">"#)
    }

    /// A small one to choose from.
    static func writeChoice(_ picture: Picture, to out: inout HTMLOutput) {
        out.write(#"<img src=""#)
        address(picture, "-320.jpg", to: &out)
        out.write(#"" width="320" height="200" loading="lazy" decoding="async" alt="">"#)
    }

    private static func address(_ picture: Picture, _ end: StaticString, to out: inout HTMLOutput) {
        out.write("/pictures/")
        out.text(picture.rawValue)
        out.write(end)
    }
}
