package import Trips

/// Trips → bytes. What has no form but HTML is written as that, whatever the presentation says.
extension Renderer {
    /// All of a traveller's trips.
    package static func trips(_ list: TripList, as presentation: Presentation) -> [UInt8] {
        let room = 256 + list.trips.count * 1_024
        return render(room, presentation) { json in
            TripsJSON.write(list, to: &json)
        } html: { html, pen in
            html.write(list, with: &pen)
        } text: { text, pen in
            text.write(list, with: &pen)
        }
    }

    /// One trip: as data with `totalNights` and `next`, as a boarding pass, or as lines.
    package static func trip(
        _ trip: Trip, in list: TripList, as presentation: Presentation
    ) -> [UInt8] {
        render(2_048, presentation) { json in
            TripsJSON.write(trip, in: list, to: &json)
        } html: { html, pen in
            html.writePass(trip, totalNights: list.totalNights, with: &pen)
        } text: { text, pen in
            text.write(trip, in: list, with: &pen)
        }
    }

    /// A trip as it is after a write, without its traveller's others.
    package static func writtenTrip(_ trip: Trip, as presentation: Presentation) -> [UInt8] {
        render(2_048, presentation) { json in
            TripsJSON.write(trip, to: &json)
        } html: { html, pen in
            html.writePass(trip, totalNights: nil, with: &pen)
        } text: { text, pen in
            text.write(TripView(trip), with: &pen)
        }
    }

    /// A trip as others see it.
    package static func sharedTrip(_ trip: SharedTrip, as presentation: Presentation) -> [UInt8] {
        render(2_048, presentation) { json in
            TripsJSON.write(trip, to: &json)
        } html: { html, pen in
            html.writePass(trip, with: &pen)
        } text: { text, pen in
            text.write(TripView(trip), with: &pen)
        }
    }

    /// The address under which others may read a trip: `{"share":"/shared/KEY"}`.
    package static func shareLink(_ share: ShareID, as presentation: Presentation) -> [UInt8] {
        render(128, presentation) { json in
            json.object { json in
                json.key("share")
                TripsJSON.write(share, to: &json)
            }
        } html: { html, pen in
            html.writeLink(share, with: &pen)
        } text: { _, pen in
            pen.words("/shared/")
            pen.text(share.text)
            pen.words("\n")
        }
    }

    /// A line of weather for each trip: `{"trips": […]}`, `section.strip`, or lines.
    package static func strip(_ items: [StripItem], as presentation: Presentation) -> [UInt8] {
        let sentences = Sentences(presentation)
        return render(256 + items.count * 1_280, presentation) { json in
            StripJSON(sentences).write(items, to: &json)
        } html: { _, pen in
            StripHTML(sentences, presentation.language).write(items, with: &pen)
        } text: { text, pen in
            text.write(items, with: &pen)
        }
    }

    /// Where one could go: `{"ideas": […]}`, each with `city`, `country` (or null) and `suggestedNights`.
    package static func ideas(_ ideas: [TripIdea], as presentation: Presentation) -> [UInt8] {
        render(64 + ideas.count * 192, presentation) { json in
            json.object { json in
                json.key("ideas")
                json.array(ideas) { json, idea in
                    json.object { json in
                        json.key("city")
                        json.value(idea.city)
                        json.key("country")
                        json.value(idea.country)
                        json.key("suggestedNights")
                        json.value(idea.suggestedNights)
                    }
                }
            }
        } html: { html, pen in
            html.write(ideas, with: &pen)
        } text: { text, pen in
            text.write(ideas, with: &pen)
        }
    }

    // MARK: HTML alone

    /// What can be done with a trip.
    package static func tripCard(
        _ trip: Trip, in list: TripList, as presentation: Presentation
    ) -> [UInt8] {
        html(presentation) { $0.writeCard(trip, in: list, with: &$1) }
    }

    /// The form that adds or changes a trip.
    package static func tripForm(_ form: TripForm, as presentation: Presentation) -> [UInt8] {
        var pen = HTMLPen(out: ByteWriter(reserving: 4_096))
        TripFormHTML(form, presentation.language).write(with: &pen)
        return pen.out.bytes
    }

    /// The question before a trip is deleted.
    ///
    /// - Parameter message: what is to be known before the answer, such as that the trip was changed meanwhile.
    package static func tripDeletion(
        _ trip: Trip, message: String? = nil, as presentation: Presentation
    ) -> [UInt8] {
        html(presentation) { $0.writeDeletion(trip, message: message, with: &$1) }
    }

    /// The question before everything is removed that is kept about a traveller.
    package static func forgetting(as presentation: Presentation) -> [UInt8] {
        html(presentation) { $0.writeForgetting(with: &$1) }
    }

    /// What is saved of a trip beside what was sent by somebody who had seen an older version.
    ///
    /// - Parameter yours: what was sent; a field that the sender named nothing for is that of `current`.
    package static func tripConflict(
        yours: TripForm, current: Trip, as presentation: Presentation
    ) -> [UInt8] {
        var pen = HTMLPen(out: ByteWriter(reserving: 2_048))
        TripConflictHTML(yours: yours.fields, current: current, presentation).write(with: &pen)
        return pen.out.bytes
    }

    /// A whole document around a fragment, which is in the same language. Where the fragment has no `h1`, the
    /// document gives it one: the title.
    package static func document(
        _ fragment: [UInt8], title: String, as presentation: Presentation
    ) -> [UInt8] {
        var pen = HTMLPen(out: ByteWriter(reserving: fragment.count + 1_024))
        Document(title, presentation).write(fragment, with: &pen)
        return pen.out.bytes
    }

    package static func document(
        _ fragment: [UInt8], title: DocumentTitle, as presentation: Presentation
    ) -> [UInt8] {
        document(fragment, title: title.text(presentation.language.words), as: presentation)
    }

    private static func html(
        _ presentation: Presentation, _ body: (TripsHTML, inout HTMLPen) -> Void
    ) -> [UInt8] {
        var pen = HTMLPen(out: ByteWriter(reserving: 2_048))
        body(TripsHTML(Sentences(presentation), presentation.language), &pen)
        return pen.out.bytes
    }

    private static func render(
        _ room: Int, _ presentation: Presentation, json: (inout JSONWriter) -> Void,
        html: (TripsHTML, inout HTMLPen) -> Void, text: (TripsText, inout PlainPen) -> Void
    ) -> [UInt8] {
        let room = ByteWriter(reserving: room)
        switch presentation.representation {
        case .json:
            var writer = JSONWriter(room)
            json(&writer)
            return writer.finish()
        case .html:
            var pen = HTMLPen(out: room)
            html(TripsHTML(Sentences(presentation), presentation.language), &pen)
            return pen.out.bytes
        case .text:
            var pen = PlainPen(out: room)
            text(TripsText(Sentences(presentation)), &pen)
            return pen.out.bytes
        }
    }
}
