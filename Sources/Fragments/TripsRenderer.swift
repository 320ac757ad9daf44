package import Trips
package import Weather

/// Trips → bytes. What has no form but HTML is written as that, whatever the presentation says.
extension Renderer {
    /// All of a traveller's trips; for people as they matter today, in order of start as data.
    package static func trips(
        _ list: TripList, on today: CalendarDate, as presentation: Presentation
    ) -> [UInt8] {
        render(256 + list.trips.count * 1_024, presentation) { json in
            TripsJSON.write(list, to: &json)
        } html: { out in
            TripsHTML(presentation).write(list, on: today, to: &out)
        } text: { out in
            TripsText(presentation).write(list, to: &out)
        }
    }

    /// One trip: as data, as a boarding pass, or as lines; among its traveller's others with `totalNights` and `next`.
    /// After a write it stands alone.
    package static func trip(
        _ trip: Trip, in list: TripList? = nil, as presentation: Presentation
    ) -> [UInt8] {
        render(2_048, presentation) { json in
            TripsJSON.write(trip, in: list, to: &json)
        } html: { out in
            TripsHTML(presentation).writePass(trip, totalNights: list?.totalNights, to: &out)
        } text: { out in
            TripsText(presentation).write(SharedTrip(trip), to: &out)
            if let list { TripsText(presentation).write(whatFollows: trip, in: list, to: &out) }
        }
    }

    /// A trip as others see it.
    package static func sharedTrip(_ trip: SharedTrip, as presentation: Presentation) -> [UInt8] {
        render(2_048, presentation) { json in
            TripsJSON.write(trip, to: &json)
        } html: { out in
            TripsHTML(presentation).writePass(trip, to: &out)
        } text: { out in
            TripsText(presentation).write(trip, to: &out)
        }
    }

    /// The address under which others may read a trip: `{"share":"/shared/KEY"}`.
    package static func shareLink(_ share: ShareID, as presentation: Presentation) -> [UInt8] {
        render(128, presentation) { json in
            json.object { TripsJSON.write(share, to: &$0) }
        } html: { out in
            TripsHTML(presentation).writeLink(share, to: &out)
        } text: { out in
            out.line { out in
                out.write("/shared/")
                out.text(share.text)
            }
        }
    }

    /// A line of weather for each trip: `{"trips": […]}`, each with `id`, `city`, `country` and `weather`, which is what
    /// the weather at one place is; `section.strip`, or lines.
    package static func strip(_ items: [StripItem], as presentation: Presentation) -> [UInt8] {
        render(256 + items.count * 1_280, presentation) { json in
            let weather = WeatherJSON(Sentences(presentation))
            json.object { json in
                json.array("trips", items) { json, item in
                    json.object { json in
                        TripsJSON.write(nameOf: item.trip, to: &json)
                        json.key("weather")
                        weather.write(item.state, to: &json)
                    }
                }
            }
        } html: { out in
            StripHTML(presentation).write(items, to: &out)
        } text: { out in
            TripsText(presentation).write(items, to: &out)
        }
    }

    /// Where one could go: `{"ideas": […]}`, each with `city`, `country` (or null) and `suggestedNights`.
    package static func ideas(_ ideas: [TripIdea], as presentation: Presentation) -> [UInt8] {
        render(64 + ideas.count * 192, presentation) { json in
            json.object { json in
                json.array("ideas", ideas) { json, idea in
                    json.object { json in
                        json.member("city", idea.city)
                        json.member("country", idea.country)
                        json.member("suggestedNights", idea.suggestedNights)
                    }
                }
            }
        } html: { out in
            TripsHTML(presentation).write(ideas, to: &out)
        } text: { out in
            TripsText(presentation).write(ideas, to: &out)
        }
    }

    // MARK: HTML alone

    /// What can be done with a trip.
    package static func tripCard(
        _ trip: Trip, in list: TripList, as presentation: Presentation
    ) -> [UInt8] {
        html(2_048) { TripsHTML(presentation).writeCard(trip, in: list, to: &$0) }
    }

    /// The form that adds or changes a trip.
    package static func tripForm(_ form: TripForm, as presentation: Presentation) -> [UInt8] {
        html(4_096) { TripFormHTML(form, presentation.language).write(to: &$0) }
    }

    /// The question before a trip is deleted.
    ///
    /// - Parameter message: what is to be known before the answer, such as that the trip was changed meanwhile.
    package static func tripDeletion(
        _ trip: Trip, message: String? = nil, as presentation: Presentation
    ) -> [UInt8] {
        html(2_048) { TripsHTML(presentation).writeDeletion(trip, message: message, to: &$0) }
    }

    /// The question before everything is removed that is kept about a traveller.
    package static func forgetting(as presentation: Presentation) -> [UInt8] {
        html(1_024) { TripsHTML(presentation).writeForgetting(to: &$0) }
    }

    /// What is saved of a trip beside what was sent by somebody who had seen an older version.
    ///
    /// - Parameter yours: what was sent; a field that the sender didn't name is that of `current`.
    package static func tripConflict(
        yours: TripForm, current: Trip, as presentation: Presentation
    ) -> [UInt8] {
        html(2_048) {
            TripConflictHTML(yours: yours.fields, current: current, presentation).write(to: &$0)
        }
    }

    /// A whole document around a fragment, which is in the same language. If the fragment has no `h1`, the document
    /// gives it one: the title.
    package static func document(
        _ fragment: [UInt8], title: DocumentTitle, as presentation: Presentation
    ) -> [UInt8] {
        html(fragment.count + 1_024) {
            Document(title.text(presentation.language.phrases), presentation).write(fragment, to: &$0)
        }
    }
}

/// Where one could go, for 1…60 nights.
package typealias TripIdea = (city: String, country: String?, suggestedNights: Int)

extension SharedTrip {
    /// As it was typed; if it wasn't, that of the place that was found.
    var country: String? { plan.country ?? place?.country }
}
