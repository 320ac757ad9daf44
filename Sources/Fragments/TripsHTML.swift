import Trips
import Weather

/// Writes trips as HTML: sections that a page includes, and the questions before something is removed. What people
/// typed stands in `<bdi>`.
///
/// | element | what it is |
/// | --- | --- |
/// | `section.trips[data-nights]` | all trips, with the sum of their nights: `ol.trip-list > li.trip[data-id][data-favourite]`, or `p.trips-none` |
/// | `a.trip-link` | within an item: a picture, `span.trip-city`, `-country`, `-dates`, `-nights`, `-price`, `-favourite` |
/// | `img.trip-picture`, `span.trip-picture[data-picture=none]` | a picture, for decoration alone |
/// | `section.pass[data-id][data-version]` | the boarding pass: `h1.pass-city`, `p.pass-country`, `dl.pass-facts`, `local-time[zone][label]` where the zone is known |
/// | `section.pass.pass-shared` | the same for others, without id and version |
/// | `section.trip-card[data-id][data-version]` | what can be done: `form.favourite`, `p.trip-next`, `nav.trip-actions` with `a.all-trips`, `a.edit`, `a.delete`, then `form.share`, or `p.share-link` and `form.unshare` |
/// | `section.confirm` | a question with `button.danger` and `a.cancel` |
/// | `ul.ideas > li > a[data-city][data-country][data-nights]` | where one could go |
struct TripsHTML {
    private let sentences: Sentences
    private let language: Language
    private var words: any Words { sentences.words }

    init(_ sentences: Sentences, _ language: Language) {
        self.sentences = sentences
        self.language = language
    }

    // MARK: All trips

    func write(_ list: TripList, with pen: inout HTMLPen) {
        pen.words("<section class=\"trips\" data-nights=\"")
        pen.out.append(list.totalNights)
        pen.words("\"")
        lang(with: &pen)
        pen.words(">\n<h2>")
        pen.words(words.yourTrips)
        pen.words("</h2>\n")
        if list.trips.isEmpty {
            pen.element("<p class=\"trips-none\">", "</p>\n") { $0.words(words.noTrips) }
        } else {
            pen.words("<ol class=\"trip-list\">\n")
            for trip in list.trips { item(trip, with: &pen) }
            pen.words("</ol>\n")
        }
        pen.words("</section>\n")
    }

    private func item(_ trip: Trip, with pen: inout HTMLPen) {
        let view = TripView(trip)
        pen.words("<li class=\"trip\"")
        pen.attribute("data-id", trip.id.description)
        pen.attribute("data-favourite", words: view.plan.isFavourite ? "true" : "false")
        pen.words("><a class=\"trip-link\"")
        pen.href(.trip(trip.id))
        pen.words(">")
        PictureHTML.write(view.plan.picture, in: .list, with: &pen)
        pen.element("<span class=\"trip-city\">", "</span>") { $0.name(view.plan.city) }
        if let country = view.country {
            pen.element(" <span class=\"trip-country\">", "</span>") { $0.name(country) }
        }
        pen.element(" <span class=\"trip-dates\">", "</span>") {
            sentences.dates(view.plan.span, with: &$0)
        }
        pen.element(" <span class=\"trip-nights\">", "</span>") { $0.text(words.nights(view.plan.nights)) }
        pen.element(" <span class=\"trip-price\">", "</span>") {
            sentences.dollars(view.plan.price, with: &$0)
        }
        if view.plan.isFavourite {
            pen.element(" <span class=\"trip-favourite\">", "</span>") { $0.words(words.favourite) }
        }
        pen.words("</a></li>\n")
    }

    // MARK: The boarding pass

    /// - Parameter totalNights: over all of the traveller's trips, where that is told.
    func writePass(_ trip: Trip, totalNights: Int?, with pen: inout HTMLPen) {
        pen.words("<section class=\"pass\"")
        identity(trip, with: &pen)
        pass(TripView(trip), totalNights: totalNights, with: &pen)
    }

    func writePass(_ trip: SharedTrip, with pen: inout HTMLPen) {
        pen.words("<section class=\"pass pass-shared\"")
        pass(TripView(trip), totalNights: nil, with: &pen)
    }

    private func pass(_ trip: TripView, totalNights: Int?, with pen: inout HTMLPen) {
        lang(with: &pen)
        pen.words(">\n")
        PictureHTML.write(trip.plan.picture, in: .pass, with: &pen)
        pen.element("<h1 class=\"pass-city\">", "</h1>\n") { $0.name(trip.plan.city) }
        if let country = trip.country {
            pen.element("<p class=\"pass-country\">", "</p>\n") { $0.name(country) }
        }
        pen.words("<dl class=\"pass-facts\">\n")
        fact(words.departure, with: &pen) { day(trip.plan.start, with: &$0) }
        fact(words.returning, with: &pen) { day(trip.plan.span.end, with: &$0) }
        fact(words.nightsLabel, with: &pen) { $0.out.append(trip.plan.nights) }
        fact(words.price, with: &pen) { sentences.dollars(trip.plan.price, with: &$0) }
        if let totalNights {
            fact(words.totalNights, with: &pen) { $0.text(totalNights.grouped(by: words.thousands)) }
        }
        pen.words("</dl>\n")
        if let zone = trip.timeZone {
            pen.words("<local-time")
            pen.attribute("zone", zone)
            pen.attribute("label", words: words.localTimeLabel)
            pen.words("></local-time>\n")
        }
        pen.words("</section>\n")
    }

    private func day(_ day: CalendarDate, with pen: inout HTMLPen) {
        pen.moment(.day(day)) { sentences.date(day, weekday: true, with: &$0) }
    }

    private func fact(
        _ label: StaticString, with pen: inout HTMLPen, _ value: (inout HTMLPen) -> Void
    ) {
        pen.element("<div><dt>", "</dt>") { $0.words(label) }
        pen.element("<dd>", "</dd></div>\n", value)
    }

    // MARK: What can be done with a trip

    func writeCard(_ trip: Trip, in list: TripList, with pen: inout HTMLPen) {
        pen.words("<section class=\"trip-card\"")
        identity(trip, with: &pen)
        lang(with: &pen)
        pen.words(">\n")
        favourite(trip, with: &pen)
        if let next = list.next(after: trip.id) {
            pen.words("<p class=\"trip-next\"><a")
            pen.href(.trip(next.id))
            pen.words(">")
            pen.words(words.next)
            pen.name(next.plan.city)
            pen.words("</a></p>\n")
        }
        pen.words("<nav class=\"trip-actions\"><a class=\"all-trips\" href=\"/\">")
        pen.words(words.allTrips)
        pen.words("</a> <a class=\"edit\"")
        pen.href(.trip(trip.id, "/edit"))
        pen.words(">")
        pen.words(words.edit)
        pen.words("</a> <a class=\"delete\"")
        pen.href(.trip(trip.id, "/delete"))
        pen.words(">")
        pen.words(words.deleteTrip)
        pen.words("</a></nav>\n")
        sharing(trip, with: &pen)
        pen.words("</section>\n")
    }

    private func favourite(_ trip: Trip, with pen: inout HTMLPen) {
        let isFavourite = trip.plan.isFavourite
        pen.words("<form class=\"favourite\"")
        pen.action(.trip(trip.id), language)
        pen.words(">")
        pen.hidden("version", trip.version.description)
        pen.hidden("favourite", isFavourite ? "false" : "true")
        pen.words("<button")
        pen.attribute("aria-pressed", words: isFavourite ? "true" : "false")
        pen.words(">")
        pen.words(words.favourite)
        pen.words("</button></form>\n")
    }

    private func sharing(_ trip: Trip, with pen: inout HTMLPen) {
        if let share = trip.share { writeLink(share, with: &pen) }
        pen.words(trip.share == nil ? "<form class=\"share\"" : "<form class=\"unshare\"")
        pen.action(.trip(trip.id, trip.share == nil ? "/share" : "/unshare"), language)
        pen.words("><button>")
        pen.words(trip.share == nil ? words.share : words.stopSharing)
        pen.words("</button></form>\n")
    }

    func writeLink(_ share: ShareID, with pen: inout HTMLPen) {
        pen.words("<p class=\"share-link\"><a")
        pen.href(.shared(share))
        pen.words(">")
        pen.words(words.sharedAddress)
        pen.words("</a></p>\n")
    }

    // MARK: Questions before something is removed

    func writeDeletion(_ trip: Trip, message: String?, with pen: inout HTMLPen) {
        confirm(message, with: &pen) { pen in
            pen.phrase(words.deleteQuestion) { $0.name(trip.plan.city) }
        } form: { pen in
            pen.element("<p>", "</p>\n") { $0.words(words.cannotBeUndone) }
            pen.words("<form")
            pen.action(.trip(trip.id, "/delete"), language)
            pen.words(">")
            pen.hidden("version", trip.version.description)
            danger(words.delete, cancel: .trip(trip.id), with: &pen)
        }
    }

    func writeForgetting(with pen: inout HTMLPen) {
        confirm(nil, with: &pen) { pen in
            pen.words(words.forgetQuestion)
        } form: { pen in
            pen.element("<p>", "</p>\n") { $0.words(words.whatIsForgotten) }
            pen.element("<p>", "</p>\n") { $0.words(words.cannotBeUndone) }
            pen.words("<form")
            pen.action(Address(before: "/trips/forget"), language)
            pen.words(">")
            danger(words.forget, cancel: .home, with: &pen)
        }
    }

    private func confirm(
        _ message: String?, with pen: inout HTMLPen, heading: (inout HTMLPen) -> Void,
        form: (inout HTMLPen) -> Void
    ) {
        pen.words("<section class=\"confirm\"")
        lang(with: &pen)
        pen.words(">\n")
        pen.element("<h1>", "</h1>\n", heading)
        if let message {
            pen.element("<p class=\"form-problem\" role=\"alert\">", "</p>\n") { $0.text(message) }
        }
        form(&pen)
        pen.words("</section>\n")
    }

    private func danger(_ label: StaticString, cancel: Address, with pen: inout HTMLPen) {
        pen.element("<button class=\"danger\">", "</button> ") { $0.words(label) }
        pen.words("<a class=\"cancel\"")
        pen.href(cancel)
        pen.words(">")
        pen.words(words.cancel)
        pen.words("</a></form>\n")
    }

    // MARK: Ideas

    func write(_ ideas: [TripIdea], with pen: inout HTMLPen) {
        pen.words("<ul class=\"ideas\"")
        lang(with: &pen)
        pen.words(">\n")
        for idea in ideas {
            pen.words("<li><a href=\"/?city=")
            pen.out.append(url: idea.city)
            if let country = idea.country {
                pen.words("&amp;country=")
                pen.out.append(url: country)
            }
            pen.words("&amp;nights=")
            pen.out.append(idea.suggestedNights)
            pen.words("#planner\"")
            pen.attribute("data-city", idea.city)
            if let country = idea.country { pen.attribute("data-country", country) }
            pen.words(" data-nights=\"")
            pen.out.append(idea.suggestedNights)
            pen.words("\">")
            pen.name(idea.city)
            pen.words("</a></li>\n")
        }
        pen.words("</ul>\n")
    }

    // MARK: Pieces

    private func identity(_ trip: Trip, with pen: inout HTMLPen) {
        pen.attribute("data-id", trip.id.description)
        pen.attribute("data-version", trip.version.description)
    }

    private func lang(with pen: inout HTMLPen) {
        pen.attribute("lang", language.rawValue)
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
