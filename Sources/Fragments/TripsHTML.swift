import Trips
import Weather

/// Writes trips as HTML: sections that a page includes, and the questions before something is removed. What people
/// typed stands in `<bdi>`.
///
/// | element | what it is |
/// | --- | --- |
/// | `section.trips[data-nights]` | all trips, with the sum of their nights: those under way, those to come and those that are over, each an `h3` and `ol.trip-list > li.trip[data-id][data-favourite]`; or `p.trips-none` |
/// | `p.trips-examples` | that all of them are examples |
/// | `a.trip-link` | within an item: a picture, `span.trip-city`, `-country`, `-dates`, `-when`, `-nights`, `-price`, `-favourite`, `-example` |
/// | `img.trip-picture`, `span.trip-picture[data-picture=none]` | a picture, for decoration alone |
/// | `section.pass[data-id][data-version]` | the boarding pass: `h1.pass-city`, `p.pass-country`, `dl.pass-facts`, `local-time[zone][label]` if the zone is known |
/// | `section.pass.pass-shared` | the same for others, without id and version |
/// | `section.trip-card[data-id][data-version]` | what can be done: `form.favourite`, `p.trip-next`, `nav.trip-actions` with `a.all-trips`, `a.edit`, `a.delete`, then `form.share`, or `p.share-link` and `form.unshare` |
/// | `section.confirm` | a question with `button.danger` and `a.cancel` |
/// | `ul.ideas > li > a[data-city][data-country][data-nights]` | where one could go |
struct TripsHTML {
    private let sentences: Sentences
    private let language: Language
    private var phrases: Phrases { sentences.phrases }

    init(_ presentation: Presentation) {
        sentences = Sentences(presentation)
        language = presentation.language
    }

    // MARK: All trips

    func write(_ list: TripList, on today: CalendarDate, to out: inout HTMLOutput) {
        out.section("trips", language) { out in
            out.attribute("data-nights", String(list.totalNights))
        } _: { out in
            out.element("<h2>", "</h2>\n", text: phrases.yourTrips)
            if list.trips.isEmpty {
                out.paragraph("trips-none") { $0.write(phrases.noTrips) }
            } else {
                if list.trips.allSatisfy(\.isExample) {
                    out.paragraph("trips-examples") { $0.write(phrases.theseAreExamples) }
                }
                for (phase, trips) in list.groups(on: today) {
                    out.element("<h3>", "</h3>\n", text: phrases.heading(of: phase))
                    out.element("<ol class=\"trip-list\">\n", "</ol>\n") { out in
                        for trip in trips { item(trip, on: today, to: &out) }
                    }
                }
            }
        }
    }

    private func item(_ trip: Trip, on today: CalendarDate, to out: inout HTMLOutput) {
        let view = SharedTrip(trip)
        out.write(#"<li class="trip""#)
        out.attribute("data-id", trip.id.description)
        out.attribute("data-favourite", words: view.plan.isFavourite ? "true" : "false")
        out.write(#"><a class="trip-link""#)
        out.href(.trip(trip.id))
        out.write(">")
        PictureHTML.write(view.plan.picture, in: .list, to: &out)
        out.element(#"<span class="trip-city">"#, "</span>") { $0.name(view.plan.city) }
        if let country = view.country {
            out.element(#" <span class="trip-country">"#, "</span>") { $0.name(country) }
        }
        out.element(#" <span class="trip-dates">"#, "</span>") { sentences.dates(view.plan.span, to: &$0) }
        out.element(#" <span class="trip-when">"#, "</span>") {
            $0.text(phrases.when(view.plan.span.phase(on: today)))
        }
        out.element(#" <span class="trip-nights">"#, "</span>") { $0.text(phrases.nights(view.plan.nights)) }
        out.element(#" <span class="trip-price">"#, "</span>") {
            sentences.dollars(view.plan.price, to: &$0)
        }
        if view.plan.isFavourite {
            out.element(#" <span class="trip-favourite">"#, "</span>", text: phrases.favourite)
        }
        if trip.isExample {
            out.element(#" <span class="trip-example">"#, "</span>", text: phrases.example)
        }
        out.write("</a></li>\n")
    }

    // MARK: The boarding pass

    /// - Parameter totalNights: over all of the traveller's trips, if that is told.
    func writePass(_ trip: Trip, totalNights: Int?, to out: inout HTMLOutput) {
        out.section("pass", language) {
            identity(trip, to: &$0)
        } _: {
            pass(SharedTrip(trip), totalNights: totalNights, to: &$0)
        }
    }

    func writePass(_ trip: SharedTrip, to out: inout HTMLOutput) {
        out.section("pass pass-shared", language) { pass(trip, totalNights: nil, to: &$0) }
    }

    private func pass(_ trip: SharedTrip, totalNights: Int?, to out: inout HTMLOutput) {
        PictureHTML.write(trip.plan.picture, in: .pass, to: &out)
        out.element(#"<h1 class="pass-city">"#, "</h1>\n") { $0.name(trip.plan.city) }
        if let country = trip.country { out.paragraph("pass-country") { $0.name(country) } }
        out.write("<dl class=\"pass-facts\">\n")
        fact(phrases.departure, to: &out) { day(trip.plan.start, to: &$0) }
        fact(phrases.returning, to: &out) { day(trip.plan.span.end, to: &$0) }
        fact(phrases.nightsLabel, to: &out) { $0.buffer.append(trip.plan.nights) }
        fact(phrases.price, to: &out) { sentences.dollars(trip.plan.price, to: &$0) }
        if let totalNights {
            fact(phrases.totalNights, to: &out) { $0.text(totalNights.grouped(by: phrases.thousands)) }
        }
        out.write("</dl>\n")
        if let zone = trip.place?.timeZone {
            out.write("<local-time")
            out.attribute("zone", zone)
            out.attribute("label", words: phrases.localTimeLabel)
            out.write("></local-time>\n")
        }
    }

    private func day(_ day: CalendarDate, to out: inout HTMLOutput) {
        out.time(day) { sentences.date(day, weekday: true, to: &$0) }
    }

    private func fact(
        _ label: StaticString, to out: inout HTMLOutput, _ value: (inout HTMLOutput) -> Void
    ) {
        out.element("<div><dt>", "</dt>", text: label)
        out.element("<dd>", "</dd></div>\n", value)
    }

    // MARK: What can be done with a trip

    func writeCard(_ trip: Trip, in list: TripList, to out: inout HTMLOutput) {
        out.section("trip-card", language) {
            identity(trip, to: &$0)
        } _: { out in
            favourite(trip, to: &out)
            if let next = list.next(after: trip.id) {
                out.paragraph("trip-next") { out in
                    out.write("<a")
                    out.href(.trip(next.id))
                    out.element(">", "</a>") { out in
                        out.write(phrases.next)
                        out.name(next.plan.city)
                    }
                }
            }
            out.write(#"<nav class="trip-actions">"#)
            out.link("all-trips", to: .home, phrases.allTrips)
            out.write(" ")
            out.link("edit", to: .trip(trip.id, "/edit"), phrases.edit)
            out.write(" ")
            out.link("delete", to: .trip(trip.id, "/delete"), phrases.deleteTrip)
            out.write("</nav>\n")
            if let share = trip.share {
                writeLink(share, to: &out)
                sharing("unshare", .trip(trip.id, "/unshare"), phrases.stopSharing, to: &out)
            } else {
                sharing("share", .trip(trip.id, "/share"), phrases.share, to: &out)
            }
        }
    }

    private func favourite(_ trip: Trip, to out: inout HTMLOutput) {
        let isFavourite = trip.plan.isFavourite
        out.write(#"<form class="favourite""#)
        out.action(.trip(trip.id), language)
        out.write(">")
        out.hidden("version", trip.version.description)
        out.hidden("favourite", isFavourite ? "false" : "true")
        out.write("<button")
        out.attribute("aria-pressed", words: isFavourite ? "true" : "false")
        out.element(">", "</button></form>\n", text: phrases.favourite)
    }

    private func sharing(
        _ name: StaticString, _ address: Address, _ label: StaticString, to out: inout HTMLOutput
    ) {
        out.write("<form")
        out.attribute("class", words: name)
        out.action(address, language)
        out.element("><button>", "</button></form>\n", text: label)
    }

    func writeLink(_ share: ShareID, to out: inout HTMLOutput) {
        out.paragraph("share-link") { $0.link(to: .shared(share), phrases.sharedAddress) }
    }

    // MARK: Questions before something is removed

    func writeDeletion(_ trip: Trip, message: String?, to out: inout HTMLOutput) {
        out.section("confirm", language) { out in
            out.element("<h1>", "</h1>\n") { out in
                out.fill(phrases.deleteQuestion) { $0.name(trip.plan.city) }
            }
            if let message {
                out.element(#"<p class="form-problem" role="alert">"#, "</p>\n") { $0.text(message) }
            }
            out.element("<p>", "</p>\n", text: phrases.cannotBeUndone)
            out.write("<form")
            out.action(.trip(trip.id, "/delete"), language)
            out.write(">")
            out.hidden("version", trip.version.description)
            confirm(phrases.delete, cancel: .trip(trip.id), to: &out)
        }
    }

    func writeForgetting(to out: inout HTMLOutput) {
        out.section("confirm", language) { out in
            out.element("<h1>", "</h1>\n", text: phrases.forgetQuestion)
            out.element("<p>", "</p>\n", text: phrases.whatIsForgotten)
            out.element("<p>", "</p>\n", text: phrases.cannotBeUndone)
            out.write("<form")
            out.action(Address(before: "/trips/forget"), language)
            out.write(">")
            confirm(phrases.forget, cancel: .home, to: &out)
        }
    }

    private func confirm(_ label: StaticString, cancel: Address, to out: inout HTMLOutput) {
        out.element(#"<button class="danger">"#, "</button> ", text: label)
        out.link("cancel", to: cancel, phrases.cancel)
        out.write("</form>\n")
    }

    // MARK: Ideas

    func write(_ ideas: [TripIdea], to out: inout HTMLOutput) {
        out.write(#"<ul class="ideas""#)
        out.attribute("lang", language.rawValue)
        out.write(">\n")
        for idea in ideas {
            out.write(#"<li><a href="/?city="#)
            out.buffer.append(url: idea.city)
            if let country = idea.country {
                out.write("&amp;country=")
                out.buffer.append(url: country)
            }
            out.write("&amp;nights=")
            out.buffer.append(idea.suggestedNights)
            out.write(##"#planner""##)
            out.attribute("data-city", idea.city)
            if let country = idea.country { out.attribute("data-country", country) }
            out.attribute("data-nights", String(idea.suggestedNights))
            out.element(">", "</a></li>\n") { $0.name(idea.city) }
        }
        out.write("</ul>\n")
    }

    private func identity(_ trip: Trip, to out: inout HTMLOutput) {
        out.attribute("data-id", trip.id.description)
        out.attribute("data-version", trip.version.description)
    }
}

extension Address {
    static let home = Address(before: "/")

    /// A trip's page, or what lies under it.
    static func trip(_ id: TripID, _ after: StaticString = "") -> Address {
        Address(before: "/trips/", key: id.description, after: after)
    }

    static func shared(_ share: ShareID) -> Address {
        Address(before: "/shared/", key: share.text)
    }
}
