/// The pictures that a trip can have: the page's own set, by the names of their files.
enum Picture: String, CaseIterable {
    case city, harbour, desert, mountains, beach, forest, lake, snow
}
