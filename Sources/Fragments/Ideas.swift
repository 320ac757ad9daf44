/// Where one could go.
package struct TripIdea: Sendable, Hashable {
    package var city: String
    package var country: String?
    /// 1…60.
    package var suggestedNights: Int

    package init(city: String, country: String?, suggestedNights: Int) {
        self.city = city
        self.country = country
        self.suggestedNights = suggestedNights
    }
}
