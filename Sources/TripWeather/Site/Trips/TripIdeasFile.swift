internal import FoundationEssentials
internal import Fragments
internal import Weather

/// The operator's file of ideas for the planner: `[{"city": "Bergen", "country": "Norway", "suggestedNights": 4}, …]`.
enum TripIdeasFile {
    private struct Entry: Decodable {
        var city: String
        var country: String?
        var suggestedNights: Int
    }

    /// How many ideas there may be, and how large the file.
    static let ideasAtMost = 100
    static let bytesAtMost = 65_536

    /// - Parameter path: empty for none.
    static func read(_ path: String) throws(OperatorFault) -> [TripIdea] {
        guard !path.isEmpty else { return [] }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw OperatorFault("\(path) can't be read: \(error)")
        }
        guard data.count <= bytesAtMost else {
            throw OperatorFault("\(path) has more than \(bytesAtMost) bytes")
        }
        return try ideas(in: data, of: path)
    }

    static func ideas(in data: Data, of path: String) throws(OperatorFault) -> [TripIdea] {
        let entries: [Entry]
        do {
            let decoder = JSONDecoder()
            decoder.allowsJSON5 = true
            entries = try decoder.decode([Entry].self, from: data)
        } catch {
            throw OperatorFault(
                "\(path) is not a list of objects with city, country and suggestedNights: \(error)")
        }
        guard entries.count <= ideasAtMost else {
            throw OperatorFault("\(path) has more than \(ideasAtMost) ideas")
        }
        var ideas: [TripIdea] = []
        for (index, entry) in entries.enumerated() {
            let place = PlaceQuery(city: entry.city, country: entry.country)
            guard !place.city.isEmpty, TripSpan.nightsRange.contains(entry.suggestedNights) else {
                throw OperatorFault(
                    "\(path): idea \(index + 1) needs a city, and nights from "
                        + "\(TripSpan.nightsRange.lowerBound) to \(TripSpan.nightsRange.upperBound)")
            }
            ideas.append(
                (
                    city: place.city, country: place.country, suggestedNights: entry.suggestedNights
                ))
        }
        return ideas
    }
}
